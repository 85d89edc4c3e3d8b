package whatif_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"parley/internal/app/whatif"
	"parley/internal/text"
)

// TestOneAsks: what models answer is kept by one run at a time, of the page or of the command.
// Where the last one removed the file, the next has a new one.
func TestOneAsks(t *testing.T) {
	name := filepath.Join(t.TempDir(), whatif.Paid)
	var page, command whatif.Asking
	if err := page.Open(name); err != nil {
		t.Fatal(err)
	}
	err := command.Open(name)
	if told, ok := errors.AsType[*text.Error](err); !ok {
		t.Errorf("a second one gets %v, %v", err, told)
	}
	if offline := (&whatif.Asking{Offline: true}); offline.Open(name) != nil {
		t.Error("one that asks nobody waits for it")
	}
	if err := errors.Join(page.Settle(whatif.Tally{}, name), page.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(name); err == nil {
		t.Error("the file is still there")
	}
	command = whatif.Asking{}
	if err := errors.Join(command.Open(name), command.Settle(whatif.Tally{Requests: 1}, name), command.Close()); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(name); err != nil {
		t.Errorf("with something left to ask: %v", err)
	}
}
