//go:build !linux || !cgo

package host

func few()  {}
func trim() {}
