//go:build race

package main

import (
	"math"
	"syscall"
)

func init() { pdfMemory = syscall.Rlimit{Cur: math.MaxInt64, Max: math.MaxInt64} }
