//go:build !linux

package resident

import "runtime/debug"

// Release returns heap that only startup needed to the system.
func Release() { debug.FreeOSMemory() }
