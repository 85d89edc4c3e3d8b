package host

import "runtime/debug"

// Release returns unused memory to the system: free heap, and what SQLite has freed.
func Release() {
	debug.FreeOSMemory()
	trim()
}
