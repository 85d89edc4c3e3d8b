package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/db/postgres/postgrestest"
	"parley/internal/llm/llmtest"
	"parley/internal/memory"
	"parley/internal/memory/datadir"
)

// backedUp makes a copy of the world's database with nothing under way but questions.
func (w *world) backedUp(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "copy.db")
	eventually(t, "a backup with nothing under way", func() bool {
		out, code := w.call(t, "backup", "--force", file)
		if code != 0 {
			t.Fatalf("exit %d: %s", code, out)
		}
		return strings.Contains(out, "under way: 0")
	})
	return file
}

// restored puts a copy back: as a person does, or as one whose restore is killed before it
// could settle anything. It returns what that says.
func (w *world) restored(t *testing.T, file string, killed bool) string {
	t.Helper()
	if killed {
		_, err := datadir.Folder{Dir: w.dir, Migrations: memory.Migrations()}.Restore(t.Context(), file)
		must(t, err)
		return ""
	}
	// A process of its own: what another test starts just then would hold this one's locks for a moment.
	cmd := exec.CommandContext(t.Context(), os.Args[0], "--config", w.file, "restore", file)
	if w.file == "" {
		cmd.Args = slices.Delete(cmd.Args, 1, 3)
	}
	cmd.Env = append(append(os.Environ(), childEnv+"=1"), w.env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}

// TestCrashRestoredQuestion: a question that was open when a copy was made, and answered
// since, is not answered once more when that copy is put back: neither by its button nor in
// words. Who tries is told why. It makes no difference whether the restore was killed before
// it could settle that.
func TestCrashRestoredQuestion(t *testing.T) {
	t.Parallel()
	for _, killed := range []bool{false, true} {
		w := newWorld(t)
		child := w.start(t)
		say := func(n int, u telegramtest.Update) telegramtest.SentMessage {
			t.Helper()
			w.tg.Push(u)
			w.sent(t, n)
			w.settled(t)
			return w.tg.Sent()[n-1]
		}
		w.llm.Queue(callTool("add_task", `{"description":"old"}`), llmtest.Turn{Text: "It is on it."}, callTool("delete_task", `{"id":1}`))
		say(1, telegramtest.Text(7, 7, "put old on my list"))
		asked := say(2, telegramtest.Text(7, 7, "delete it"))
		file := w.backedUp(t)
		w.llm.Queue(llmtest.Turn{Text: "It is gone."})
		say(3, telegramtest.Text(7, 7, "yes"))
		end(t, child)
		if out := w.restored(t, file, killed); !killed && !strings.Contains(out, "1 question that waited for a yes") {
			t.Errorf("it says %s", out)
		}
		child = w.start(t)
		presses := len(w.tg.Calls("answerCallbackQuery"))
		w.tg.Push(telegramtest.Press(7, 7, asked.ID, "press", asked.Buttons[0][0].Data))
		eventually(t, "the press is answered", func() bool { return len(w.tg.Calls("answerCallbackQuery")) > presses })
		w.settled(t)
		if got := say(4, telegramtest.Text(7, 7, "yes")).Text; !strings.Contains(got, "from before my data were restored") {
			t.Errorf("killed %v: %q", killed, got)
		}
		kill(child)
		if n, err := w.open(t).Rows(t.Context(), "tasks"); n != 1 || err != nil { // as the copy has it
			t.Errorf("killed %v: %d tasks, %v", killed, n, err)
		}
	}
}

// TestCrashRestoreKilled: a restore that is killed at any moment leaves the database from
// before or the copy, whole, with the one it replaces beside it; the next one goes through.
func TestCrashRestoreKilled(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("many processes")
	}
	w := filed(t)
	ask := func(args ...string) string {
		t.Helper()
		out, err := w.command(args...)
		if err != nil {
			t.Fatalf("%v: %v: %s", args, err, out)
		}
		return out
	}
	file := filepath.Join(t.TempDir(), "copy.db")
	ask("backup", file)
	replaced, through := 0, 0
	for wait := time.Millisecond; through < 2; wait += 2 * time.Millisecond {
		if list := ask("facts", "list"); !strings.Contains(list, "Mimi") {
			ask("facts", "add", "My cat is called Mimi")
		}
		was := w.asides(t)
		child := exec.Command(os.Args[0], "restore", file)
		child.Env = append(append(os.Environ(), childEnv+"=1"), w.env...)
		must(t, child.Start())
		alarm := time.AfterFunc(wait, func() { _ = child.Process.Kill() })
		if child.Wait() == nil && alarm.Stop() {
			through++
		}
		list := ask("facts", "list")
		if !strings.Contains(list, "Coco") {
			t.Fatalf("killed after %v: %s", wait, list)
		}
		if !strings.Contains(list, "Mimi") {
			if replaced++; w.asides(t) != was+1 {
				t.Errorf("killed after %v: replaced, and not kept", wait)
			}
		}
	}
	if left, _ := filepath.Glob(filepath.Join(w.dir, datadir.Name+".new-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	t.Logf("%d replaced, %d of them to the end", replaced, through)
}

// asides counts the databases that restores replaced.
func (w *world) asides(t *testing.T) int {
	all, err := filepath.Glob(filepath.Join(w.dir, datadir.Name+".before-restore-*"))
	must(t, err)
	return len(slices.DeleteFunc(all, func(name string) bool { return strings.HasSuffix(name, "-wal") || strings.HasSuffix(name, "-shm") }))
}

// TestCrashRestoredForgotten: who was forgotten after a copy was made is forgotten again when
// it is put back, and whoever does so is told, also where the folder does not know who that
// was. What is known of it names nobody.
func TestCrashRestoredForgotten(t *testing.T) {
	t.Parallel()
	for how, want := range map[string]string{"known": "Deleted again: everything about 1 person", "killed": "",
		"unknown": "ask them to send /forget-me again"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			child := w.start(t)
			say := func(n int, who int64, text string) {
				w.tg.Push(telegramtest.Text(who, who, text))
				w.sent(t, n)
				w.settled(t)
			}
			say(1, 7654321, "my zxparrot is called Coco")
			say(2, 8, "my zxcat is called Mimi")
			file := w.backedUp(t)
			say(3, 7654321, "/forget-me")
			say(4, 7654321, "yes")
			end(t, child)
			ledger := filepath.Join(w.dir, memory.ForgottenName)
			if b, err := os.ReadFile(ledger); err != nil || strings.Contains(string(b), "7654321") {
				t.Errorf("who was forgotten: %s, %v", b, err)
			}
			if how == "unknown" {
				must(t, os.Remove(ledger))
			}
			if out := w.restored(t, file, how == "killed"); !strings.Contains(out, want) {
				t.Errorf("it says %s", out)
			}
			if how == "killed" {
				child = w.start(t)
				say(5, 8, "hello")
				kill(child)
			}
			s := w.open(t)
			for user, word := range map[string]string{"telegram:7654321": "zxparrot", "telegram:8": "zxcat"} {
				e, err := s.ExportPerson(t.Context(), user)
				must(t, err)
				if there := strings.Contains(e.Markdown(), word); there != (word == "zxcat" || how == "unknown") {
					t.Errorf("%s is there: %v", word, there)
				}
			}
		})
	}
}

// TestCrashRestoredForgottenOnServer: the same where the database is on a server, and the
// copy is put into another one.
func TestCrashRestoredForgottenOnServer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.served(t)
	w.env = append(w.env, "BOT_MODEL_NAME=builtin")
	child := w.start(t)
	say := func(n int, text string) {
		w.tg.Push(telegramtest.Text(1, 1, text))
		w.sent(t, n)
		w.settled(t)
	}
	say(1, "/facts add My parrot is called Coco")
	copied := filepath.Join(t.TempDir(), "copy.db")
	if out, err := w.command("backup", copied); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	say(2, "/forget-me")
	say(3, "yes")
	end(t, child)
	w.env = append(w.env, "BOT_DATABASE_URL="+postgrestest.Database(t))
	if out, err := w.command("restore", copied); err != nil || !strings.Contains(out, "Deleted again: everything about 1 person") {
		t.Errorf("%v: %s", err, out)
	}
	if out, err := w.command("facts", "list"); err != nil || strings.Contains(out, "Coco") {
		t.Errorf("restored: %v: %s", err, out)
	}
}
