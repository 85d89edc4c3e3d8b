//go:build race

package main

import (
	"math"
	"syscall"
)

// racing says that the race detector watches.
const racing = true

func init() { pdfMemory = syscall.Rlimit{Cur: math.MaxInt64, Max: math.MaxInt64} }
