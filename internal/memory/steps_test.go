package memory

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"parley/internal/chat"
	"parley/internal/db/postgres/postgrestest"
	"parley/internal/memory/datadir"
)

// Bytes of the log beside a file: its head, and that of each frame, which holds a page.
const (
	logHead   = 32
	frameHead = 24
)

// TestPowerCutAnywhereKeepsStepsBeforeTheirRows: a step that only changes rows does not wait
// for the disk. Whatever of the log a power failure leaves, what the step did is there only
// with the record that it was begun, and the message is.
func TestPowerCutAnywhereKeepsStepsBeforeTheirRows(t *testing.T) {
	postgrestest.AboutFiles(t)
	s := open(t, Options{})
	in, err := s.Accept(t.Context(), batch(0, 1))
	must(t, err)
	me := Viewer{User: "x:ada", Key: chat.Key{Platform: "x", Channel: "1"}, Direct: true}
	const calls = 3
	for n := 1; n <= calls; n++ {
		key := fmt.Sprint("call", n)
		must(t, s.SaveSteps(t.Context(), in[0].Row, []Step{{N: 2*n - 1, Kind: "model", Done: true, Result: "add it"},
			{N: 2 * n, Kind: "tool", Key: key, Rows: true}})())
		must(t, second(s.Agenda.AddTask(t.Context(), me, "milk", key, Origin{})))
	}
	file, err := os.ReadFile(s.File.Path())
	must(t, err)
	log, err := os.ReadFile(s.File.Path() + "-wal")
	must(t, err)
	frame := frameHead + int(binary.BigEndian.Uint32(log[8:]))
	had := map[int]bool{}
	for end := logHead; end <= len(log); end += frame {
		steps, tasks := left(t, file, log[:end], in[0].Row, me)
		if had[tasks] = true; steps < tasks {
			t.Errorf("cut after %d bytes: %d tasks, and %d were begun", end, tasks, steps)
		}
	}
	if len(had) != calls+1 {
		t.Errorf("the cuts left %v tasks", had)
	}
}

// left is what a power failure leaves of a file and its log: how many calls of the message
// were begun, and how many tasks there are. Where the message is gone there are none.
func left(t *testing.T, file, log []byte, row int64, me Viewer) (steps, tasks int) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	must(t, os.Mkdir(dir, 0o700))
	must(t, os.WriteFile(filepath.Join(dir, datadir.Name), file, 0o600))
	must(t, os.WriteFile(filepath.Join(dir, datadir.Name+"-wal"), log, 0o600))
	s, err := Open(t.Context(), dir, Options{})
	must(t, err)
	defer func() { must(t, s.Close()) }()
	must(t, s.db.QueryRow("SELECT count(*) FROM steps JOIN inbox ON inbox.id = inbox_id WHERE inbox_id = ? AND kind = 'tool'", row).Scan(&steps))
	list, err := s.Agenda.Tasks(t.Context(), me, 10, 0)
	must(t, err)
	return steps, len(list)
}

// TestStepsThatDoMoreAreOnTheDiskFirst: only one that changes nothing but rows is begun
// before its record is on the disk, and not together with another one.
func TestStepsThatDoMoreAreOnTheDiskFirst(t *testing.T) {
	postgrestest.AboutFiles(t)
	s := open(t, Options{})
	in, err := s.Accept(t.Context(), batch(0, 1))
	must(t, err)
	begins := func(rows ...bool) error {
		var steps []Step
		for i, only := range rows {
			steps = append(steps, Step{N: i + 1, Kind: "tool", Key: fmt.Sprint("c", i), Rows: only})
		}
		return s.SaveSteps(t.Context(), in[0].Row, steps)()
	}
	must(t, begins(true))
	must(t, begins(false))
	gone := s.File.Path() + ".away" // what is written now gets to no disk
	must(t, os.Rename(s.File.Path(), gone))
	if err := begins(true); err != nil {
		t.Errorf("what only changes rows waited for the disk: %v", err)
	}
	if begins(false) == nil || begins(true, false) == nil {
		t.Error("what does more did not wait for the disk")
	}
	must(t, os.Rename(gone, s.File.Path()))
}
