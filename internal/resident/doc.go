// Package resident keeps the memory of a process small. It does not know what the
// process does.
package resident
