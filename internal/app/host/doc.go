// Package host is how far the memory of the process may grow, and when what is not needed
// is given back. It does not know what the process does. It imports next to nothing, so
// that its pace is set before other packages make what they need.
package host
