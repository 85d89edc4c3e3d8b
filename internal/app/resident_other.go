//go:build !linux

package app

import "runtime/debug"

// releaseStartup gives back the heap that only starting up needed.
func releaseStartup() { debug.FreeOSMemory() }
