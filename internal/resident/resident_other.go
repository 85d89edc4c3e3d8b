//go:build !linux

package resident

import "runtime/debug"

// Release returns heap that is not needed now to the system.
func Release() { debug.FreeOSMemory() }

// Shed does nothing here.
func Shed() {}

// Refine does nothing here.
func Refine(int) {}
