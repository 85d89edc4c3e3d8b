package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// call runs a command of the program beside the world's bot.
func (w *world) call(t *testing.T, args ...string) (out string, code int) {
	t.Helper()
	args = append(args, "--data", w.dir)
	if w.file != "" {
		args = append(args, "--config", w.file)
	}
	return typed("", args...)
}

func TestBackupAndRestoreOfARunningBot(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run(t)
	w.saying(t, 7, 7, "before the backup")
	file := filepath.Join(t.TempDir(), "copy.db")
	eventually(t, "a backup with nothing under way", func() bool {
		out, code := w.call(t, "backup", "--force", file)
		if code != 0 || !strings.Contains(out, "found whole") {
			t.Fatalf("exit %d: %s", code, out)
		}
		return strings.Contains(out, "under way: 0")
	})
	if out, code := w.call(t, "backup", file); code != exitFailure || !strings.Contains(out, "--force") {
		t.Errorf("exit %d: %s", code, out)
	}
	w.saying(t, 7, 7, "after the backup")
	eventually(t, "the message is confirmed", func() bool { return w.tg.Waiting() == 0 })
	if out, code := w.call(t, "restore", file); code != exitFailure || !strings.Contains(out, "in use by another Parley") {
		t.Errorf("exit %d: %s", code, out)
	}
	must(t, w.stop())
	db := filepath.Join(w.dir, "bot.db")
	must(t, os.Truncate(db, 5000))
	if out, code := w.call(t, "doctor"); code != exitFailure || !strings.Contains(out, "bot restore FILE") {
		t.Errorf("exit %d: %s", code, out)
	}
	if out, code := w.call(t, "restore", file); code != 0 || !strings.Contains(out, "is kept as "+db+".before-restore-") {
		t.Errorf("exit %d: %s", code, out)
	}
	w.run(t)
	w.saying(t, 7, 7, "and now?")
	reqs := w.llm.Requests()
	last := string(reqs[len(reqs)-1].Raw)
	if !strings.Contains(last, "before the backup") || strings.Contains(last, "after the backup") {
		t.Errorf("the bot does not remember what the copy held: %s", last)
	}
}
