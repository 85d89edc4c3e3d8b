package main

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/text/waittest"
)

// TestLittleIsMadeBeforeMain: what packages make when the program begins is made at
// each start, whatever is asked of it. It is never collected, which took a quarter of that
// time again.
func TestLittleIsMadeBeforeMain(t *testing.T) {
	if waittest.Racing {
		t.Skip("the race detector has packages make more")
	}
	const most = 2_700_000 // bytes, 500,000 of them of Markdown, 260,000 of Matrix's ids
	cmd := exec.Command(os.Args[0], "version")
	cmd.Env = append(os.Environ(), childEnv+"=1", "GODEBUG=inittrace=1,gctrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if strings.Contains(string(out), "gc 1 @") {
		t.Error("it was collected")
	}
	total, packages, large := 0, 0, []string{}
	for line := range strings.Lines(string(out)) {
		var name string
		var at, took float64
		var bytes int
		if n, _ := fmt.Sscanf(line, "init %s @%f ms, %f ms clock, %d bytes", &name, &at, &took, &bytes); n != 4 ||
			strings.HasSuffix(name, "test") {
			continue
		}
		total, packages = total+bytes, packages+1
		if bytes > 30_000 {
			large = append(large, fmt.Sprint(name, " ", bytes))
		}
	}
	if packages < 50 || total > most {
		t.Errorf("%d bytes in %d packages, at most %d: %s", total, packages, most, strings.Join(large, ", "))
	}
}

// TestNothingIsAskedBeforeTheFirstPoll but who the bot is, on a fresh folder and on one
// that is there: menus and all else come after it.
func TestNothingIsAskedBeforeTheFirstPoll(t *testing.T) {
	w := newWorld(t)
	for range 2 {
		before := len(w.tg.Calls(""))
		kill(w.startAndPoll(t))
		calls := w.tg.Calls("")[before:]
		at := slices.IndexFunc(calls, func(c telegramtest.Call) bool { return c.Method == "getUpdates" })
		for _, c := range calls[:at] {
			if c.Method != "getMe" {
				t.Errorf("%s is called before the first poll", c.Method)
			}
		}
		if asked := len(w.llm.Requests()); asked != 0 {
			t.Errorf("a model was asked %d times", asked)
		}
	}
}
