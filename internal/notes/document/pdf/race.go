//go:build race

package pdf

import (
	"math"
)

func init() { memory = math.MaxInt64 }
