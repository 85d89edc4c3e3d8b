// Package host limits how far the process's memory grows and gives unused memory back. It
// knows nothing about the program. It imports next to nothing, so that its pace is set
// before other packages initialize.
package host
