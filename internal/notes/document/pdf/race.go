//go:build race

package pdf

import (
	"math"
	"syscall"
)

func init() { memory = syscall.Rlimit{Cur: math.MaxInt64, Max: math.MaxInt64} }
