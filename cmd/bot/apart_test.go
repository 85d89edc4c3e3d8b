package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// apart leaves a test that runs the bot as a process of its own out of a short run with the
// race detector. What that process does at the same time, the bots that tests run within
// their own process do too; what it writes when it is killed has no race in it to be found.
func apart(t testing.TB) {
	t.Helper()
	if raced && testing.Short() {
		t.Skip("races in processes that the tests start are looked for without -short")
	}
}

// races runs all tests, has the race detector's reports of the processes they start written
// to files, and fails if there are any: nobody sees what those write.
func races(m *testing.M) int {
	if !raced {
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "parley-races-")
	if err != nil {
		fmt.Fprintln(os.Stderr, "reports of races:", err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	_ = os.Setenv("GORACE", "log_path="+filepath.Join(dir, "race")+" "+os.Getenv("GORACE"))
	code := m.Run()
	reports, _ := filepath.Glob(filepath.Join(dir, "race.*"))
	for _, name := range reports {
		report, _ := os.ReadFile(name)
		fmt.Fprintf(os.Stderr, "%s\n", report)
		code = 1
	}
	return code
}
