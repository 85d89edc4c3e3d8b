// Package resident keeps the memory of an idle process small. It decides nothing
// about when.
package resident
