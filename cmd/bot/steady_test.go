package main

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/internal/adapters/telegram/telegramtest"
)

// TestSteady holds the memory of the program itself to within 2 MB while one message a minute
// comes in, but for the first ten. PARLEY_STEADY is how many minutes, such as 60, and
// PARLEY_SAID a file of what people say, a message a line.
func TestSteady(t *testing.T) {
	minutes, _ := strconv.Atoi(os.Getenv("PARLEY_STEADY"))
	if minutes == 0 {
		t.Skip("measures")
	}
	const settling, most = 10, 2.0 // minutes, MB
	said := linesOf(t, whatIsSaid())
	w := newWorld(t)
	child := exec.Command(compiled(t, "."))
	child.Env = append(os.Environ(), w.env...)
	must(t, child.Start())
	t.Cleanup(func() { kill(child) })
	var held []float64
	for minute := range minutes {
		w.tg.Push(telegramtest.Text(7, 7, said[minute%len(said)]))
		w.sent(t, minute+1)
		rest(time.Minute)
		held = append(held, float64(anonymous(t, child.Process.Pid))/(1<<20))
	}
	t.Logf("MB after each minute:%s", strings.Trim(fmt.Sprintf("%.1f", held), "[]"))
	if later := held[min(settling, minutes-1):]; slices.Max(later)-slices.Min(later) > most {
		t.Errorf("between %.1f and %.1f MB after %d minutes", slices.Min(later), slices.Max(later), settling)
	}
}
