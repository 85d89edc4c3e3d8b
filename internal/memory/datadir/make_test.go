package datadir_test

import (
	"context"
	"os"
	children "os/exec"
	"path/filepath"
	"testing"

	"parley/internal/memory"
	"parley/internal/memory/datadir"
	"parley/internal/memory/memorytest"
	"parley/internal/text/waittest"
)

// beginInChild is the other process of the test below.
const beginInChild = "PARLEY_TEST_BEGIN"

// TestFaultKilledAtTheFirstStart: killed while its database is made, as it gets its name, or
// once it has a log, a bot leaves nothing or what the next start goes on with.
func TestFaultKilledAtTheFirstStart(t *testing.T) {
	if dir := os.Getenv(beginInChild); dir != "" {
		_, err := memory.Open(context.Background(), dir, memory.Options{})
		must(t, err)
		select {}
	}
	memorytest.AboutFiles(t)
	for _, seen := range []string{".new-*", "", "-wal"} {
		dir := filepath.Join(t.TempDir(), "data")
		path := filepath.Join(dir, datadir.Name)
		child := children.Command(os.Args[0], "-test.run=^TestFaultKilledAtTheFirstStart$")
		child.Env = append(os.Environ(), beginInChild+"="+dir)
		must(t, child.Start())
		waittest.Until(t, "there is "+datadir.Name+seen, func() bool {
			there, _ := filepath.Glob(path + seen)
			return len(there) > 0
		})
		must(t, child.Process.Kill())
		_ = child.Wait()
		s, err := memory.Open(t.Context(), dir, memory.Options{})
		if err != nil {
			t.Errorf("killed when there was %s%s: %v", datadir.Name, seen, err)
			continue
		}
		must(t, s.File.Check(t.Context()))
		if left, _ := filepath.Glob(path + ".new-*"); len(left) > 0 {
			t.Errorf("killed when there was %s%s: there are %v", datadir.Name, seen, left)
		}
		must(t, s.Close())
	}
}
