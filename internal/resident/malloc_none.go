//go:build !linux || !cgo

package resident

func few()  {}
func trim() {}
