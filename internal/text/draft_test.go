package text

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// TestMain makes a draft and waits, as a process that is killed while it writes.
func TestMain(m *testing.M) {
	if path := os.Getenv("PARLEY_TEST_DRAFT"); path != "" {
		f, err := Draft(path)
		if err != nil {
			os.Exit(1)
		}
		_, _ = f.WriteString("somebody's words")
		_, _ = os.Stdout.WriteString(f.Name() + "\n")
		_, _ = io.Copy(io.Discard, os.Stdin) // until it is killed
	}
	os.Exit(m.Run())
}

// TestDrafts: what a killed process left is gone with the next writing, also of an earlier
// version; the draft of one that lives, and what is not ours, stays.
func TestDrafts(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "facts.md")
	maker := exec.Command(os.Args[0])
	maker.Env = append(os.Environ(), "PARLEY_TEST_DRAFT="+path)
	out, err := maker.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := maker.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := maker.Start(); err != nil {
		t.Fatal(err)
	}
	name, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	long := time.Now().Add(-2 * deadAfter)
	for name, old := range map[string]bool{".parley-4711": true, ".parley-4712": false, "facts.md.new-year": true, ".parley-notes": true} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if old {
			_ = os.Chtimes(filepath.Join(dir, name), long, long)
		}
	}
	left := func(want ...string) {
		t.Helper()
		if err := WriteFile(path, []byte("facts"), 0o640, nil); err != nil {
			t.Fatal(err)
		}
		list, err := os.ReadDir(dir)
		if err != nil || len(list) != len(want)+1 {
			t.Errorf("%v, %v; want %q", list, err, want)
		}
		for _, name := range want {
			if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
				t.Error(err)
			}
		}
	}
	stays := []string{".parley-4712", "facts.md.new-year", ".parley-notes"}
	left(append(stays, filepath.Base(name[:len(name)-1]))...)
	if err := maker.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = maker.Wait()
	left(stays...)
	if b, err := os.ReadFile(path); err != nil || string(b) != "facts" {
		t.Errorf("%s, %v", b, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("%v, %v", info, err)
	}
}
