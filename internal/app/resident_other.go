//go:build !linux

package app

import "runtime/debug"

// releaseStartup returns heap that only startup needed to the system.
func releaseStartup() { debug.FreeOSMemory() }
