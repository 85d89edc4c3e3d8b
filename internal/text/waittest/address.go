package waittest

import (
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"testing"
)

// addresses were given away by this process.
var addresses sync.Map

// Address returns one on this machine at which nobody listens, for a program that is told
// where to. Its port is none of those that connections get by themselves: one of them could
// have it by the time that the program begins.
func Address(t testing.TB) string {
	t.Helper()
	for range 100 {
		address := fmt.Sprintf("127.0.0.1:%d", 10000+rand.IntN(20000))
		if _, given := addresses.LoadOrStore(address, true); given {
			continue // to another test, whose program has not begun yet
		}
		if l, err := net.Listen("tcp", address); err == nil {
			_ = l.Close()
			return address
		}
	}
	t.Fatal("no port is free")
	return ""
}
