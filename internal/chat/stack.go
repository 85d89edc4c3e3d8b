package chat

// roomy has the stack of a goroutine grow once, while nothing is on it: a handler is some
// hundred calls deep, and Go would double the stack four times below it, each time with a
// copy in which it finds every pointer again.
//
//go:noinline
func roomy() {
	var room [12 << 10]byte
	touch(&room)
}

//go:noinline
func touch(*[12 << 10]byte) {}
