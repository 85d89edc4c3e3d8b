//go:build !linux

package main

import "runtime/debug"

// releaseStartup gives back the heap that only starting up needed.
func releaseStartup() { debug.FreeOSMemory() }
