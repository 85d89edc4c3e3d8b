//go:build !linux

package resident

import "runtime/debug"

// ReleaseStartup returns heap that only startup needed to the system.
func ReleaseStartup() { debug.FreeOSMemory() }
