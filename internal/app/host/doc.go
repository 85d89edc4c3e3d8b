// Package host is how the process lives on its machine: how far its memory may grow and
// what is given back, and what the service manager is told. It does not know what the
// process does.
package host
