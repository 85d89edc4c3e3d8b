package resident

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"
	"unsafe"
)

// mapped returns what /proc says of this program's own parts that are never written:
// kilobytes that are in memory, and how many there are.
func mapped(t *testing.T) (kb, parts int) {
	t.Helper()
	self, err := os.Readlink("/proc/self/exe")
	if err != nil {
		t.Skip("no /proc")
	}
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		t.Skip("no smaps")
	}
	defer func() { _ = f.Close() }()
	var from, to uintptr
	ours := false
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var mode string
		if n, _ := fmt.Sscanf(lines.Text(), "%x-%x %s", &from, &to, &mode); n == 3 {
			ours = mode[1] == '-' && strings.HasSuffix(lines.Text(), self) && inOwn(from, to)
			if ours {
				parts++
			}
		}
		if size, found := strings.CutPrefix(lines.Text(), "Rss:"); ours && found {
			n := 0
			_, _ = fmt.Sscanf(size, "%d", &n)
			kb += n
		}
		if size, found := strings.CutPrefix(lines.Text(), "Anonymous:"); ours && found && strings.TrimSpace(size) != "0 kB" {
			t.Errorf("%x-%x was written to: %s", from, to, size)
		}
	}
	return kb, parts
}

func inOwn(from, to uintptr) bool {
	for _, m := range own() {
		if begin := addressOf(m); from >= begin && to <= begin+uintptr(len(m)) {
			return true
		}
	}
	return false
}

// TestShedAndRefine: the program goes on without its pages, and less of it comes back
// once it is refined.
func TestShedAndRefine(t *testing.T) {
	if len(own()) < 2 {
		t.Fatalf("%d parts are known, code and constants at least", len(own()))
	}
	use := func() (kb int) {
		Shed()
		_ = fmt.Sprintf("%v %v", t, []any{1, "two", 3.5}) // something
		kb, _ = mapped(t)
		return kb
	}
	came, parts := []int{use()}, 0
	for _, grain := range []int{128 << 10, 16 << 10} {
		Refine(grain)
		before := parts
		if _, parts = mapped(t); parts < 2*before || parts < 4 {
			t.Errorf("%d parts of %d bytes, %d before", parts, grain, before)
		}
		came = append(came, use())
	}
	if came[2] >= came[0] { // how much is the kernel's affair
		t.Errorf("KB that came back, as it was refined: %d", came)
	}
	Release()
}

func addressOf(m []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(m))) }
