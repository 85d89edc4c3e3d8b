package text

import "unsafe"

// View returns bytes as a string without a copy. Nobody may change the bytes as long as
// anybody has the string.
func View(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// Bytes returns the bytes of a string without a copy. Nobody may change them.
func Bytes(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }
