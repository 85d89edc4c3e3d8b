package host

import "runtime/debug"

// Release returns memory that is not needed now to the system: free heap, and what
// SQLite has freed.
func Release() {
	debug.FreeOSMemory()
	trim()
}
