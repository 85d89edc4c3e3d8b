package memory

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/db/engine"
	"parley/internal/db/postgres/postgrestest"
	"parley/internal/db/sqlite"
)

func batch(from, n int) chat.Batch {
	b := chat.Batch{Platform: "p"}
	for i := from; i < from+n; i++ {
		b.Messages = append(b.Messages, chat.Message{ID: fmt.Sprint(i), Key: chat.Key{Platform: "p", Channel: "c"},
			From: chat.User{ID: "p:1"}, Text: strings.Repeat("x", 2000)})
	}
	return b
}

// TestFaultFullDisk: what cannot be written is not acknowledged, nothing of the
// batch stays, and once there is room it works on.
func TestFaultFullDisk(t *testing.T) {
	postgrestest.AboutFiles(t)
	s := open(t, Options{MaxPages: 60})
	stored := 0
	var full error
	for i := 0; full == nil && i < 100; i++ {
		if _, full = s.Accept(context.Background(), batch(i*10, 10)); full == nil {
			stored += 10
		}
	}
	if full == nil {
		t.Fatal("the disk was never full")
	}
	var n int
	must(t, s.db.QueryRow("SELECT count(*) FROM inbox").Scan(&n))
	if n != stored {
		t.Errorf("%d rows, %d acknowledged", n, stored)
	}
	must(t, s.db.Write(context.Background(), func(tx *engine.Tx) error { _, err := tx.Exec("DELETE FROM inbox WHERE id <= 20"); return err }))
	if _, err := s.Accept(context.Background(), batch(5000, 1)); err != nil {
		t.Errorf("with room again: %v", err)
	}
}

// TestFaultOtherWriter: while somebody else holds the write lock, writes wait
// and none is lost.
func TestFaultOtherWriter(t *testing.T) {
	postgrestest.AboutFiles(t)
	s := open(t, Options{})
	other := sqlite.Raw(s.File.Path(), "_txlock=immediate")
	defer func() { _ = other.Close() }()
	tx, err := other.Begin()
	must(t, err)
	done := make(chan error, 1)
	go func() { _, err := s.Accept(context.Background(), batch(0, 3)); done <- err }()
	select {
	case err := <-done:
		t.Fatalf("did not wait: %v", err)
	case <-time.After(100 * time.Millisecond):
	}
	must(t, tx.Rollback())
	must(t, <-done)
}

// TestFaultMigrationCutOff: a step that dies half-way never happened, and the
// next start does it whole.
func TestFaultMigrationCutOff(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	db := sqlite.Raw(path, asWriter)
	defer func() { _ = db.Close() }()
	all := Migrations()
	for n := range all {
		half := all[n]
		half.SQL = all[n].SQL + "\nINSERT INTO no_such_table VALUES (1);"
		if err := append(slices.Clone(all[:n]), half).Apply(context.Background(), db); err == nil {
			t.Fatalf("step %d did not fail", n+1)
		}
		var version int
		must(t, db.QueryRow("PRAGMA user_version").Scan(&version))
		if version != n {
			t.Fatalf("version %d after a failed step %d", version, n+1)
		}
		must(t, all[:n+1].Apply(context.Background(), db))
	}
}

// TestRedeliveryAndStrangers: a message is stored once, and one without a
// conversation or an author not at all.
func TestRedeliveryAndStrangers(t *testing.T) {
	s := open(t, Options{})
	first, err := s.Accept(context.Background(), batch(0, 2))
	must(t, err)
	again, err := s.Accept(context.Background(), batch(0, 3))
	must(t, err)
	if len(first) != 2 || len(again) != 1 || again[0].ID != "2" {
		t.Errorf("first %d, again %d", len(first), len(again))
	}
	for _, m := range []chat.Message{
		{ID: "9", From: chat.User{ID: "p:1"}}, {ID: "9", Key: chat.Key{Platform: "p", Channel: "c"}},
		{Key: chat.Key{Platform: "p", Channel: "c"}, From: chat.User{ID: "p:1"}},
	} {
		if got, err := s.Accept(context.Background(), chat.Batch{Platform: "p", Messages: []chat.Message{m}}); err != nil || len(got) != 0 {
			t.Errorf("%+v was stored: %v", m, err)
		}
	}
}

// TestFinishOnce: a second end of the same message changes nothing.
func TestFinishOnce(t *testing.T) {
	s := open(t, Options{})
	got, err := s.Accept(context.Background(), batch(0, 1))
	must(t, err)
	for range 2 {
		parts := []chat.Part{{Key: got[0].Key, Text: "a", Sending: chat.Sending{Started: true}}, {Key: got[0].Key, Index: 1, Text: "b"}}
		must(t, s.Finish(context.Background(), got[0], parts, nil))
	}
	pending, err := s.Pending(context.Background(), got[0].Key)
	must(t, err)
	if len(pending) != 2 || !pending[0].Started || pending[1].Started || pending[0].Nonce == pending[1].Nonce || len(pending[0].Nonce) != 25 {
		t.Errorf("pending %+v", pending)
	}
	for range 3 {
		_, keys, err := takenUp(s, context.Background())
		if err != nil || len(keys) != 1 {
			t.Fatal(keys, err)
		}
	}
	if pending, _ = s.Pending(context.Background(), got[0].Key); pending[0].Unknown != 1 || pending[1].Unknown != 0 {
		t.Errorf("after recovery %+v", pending)
	}
}

func TestMoveTakesEverythingAlong(t *testing.T) {
	s := open(t, Options{})
	got, err := s.Accept(context.Background(), batch(0, 1))
	must(t, err)
	must(t, s.Finish(context.Background(), got[0], []chat.Part{{Key: got[0].Key, Text: "a"}}, nil))
	to := chat.Key{Platform: "p", Channel: "new"}
	must(t, s.Move(context.Background(), chat.Move{From: got[0].Key, To: to}))
	if pending, err := s.Pending(context.Background(), to); err != nil || len(pending) != 1 {
		t.Errorf("pending %v, %v", pending, err)
	}
}

func BenchmarkCommit(b *testing.B) {
	for _, writers := range []int{1, 16, 256} {
		b.Run(fmt.Sprint(writers), func(b *testing.B) {
			s := open(b, Options{})
			b.SetParallelism(writers)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if err := s.db.Exec(context.Background(), "INSERT INTO cursors VALUES ('p', 'n', '1') ON CONFLICT DO UPDATE SET value = value + 1"); err != nil {
						b.Error(err)
					}
				}
			})
		})
	}
}

// TestPragmas: the settings that durability rests on are really in force. The log is
// synced beside the writer (engine.DB.Write), so SQLite syncs only checkpoints.
func TestPragmas(t *testing.T) {
	postgrestest.AboutFiles(t)
	s := open(t, Options{})
	for name, want := range map[string]string{"synchronous": "1", "journal_mode": "wal", "foreign_keys": "1"} {
		var got string
		must(t, s.db.Write(context.Background(), func(tx *engine.Tx) error { return tx.QueryRow("PRAGMA " + name).Scan(&got) }))
		if got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}

// TestFailedMessageLeavesNoSteps: what a turn journaled is gone with the end of
// its message, however it ended: it holds people's words.
func TestFailedMessageLeavesNoSteps(t *testing.T) {
	s := open(t, Options{})
	got, err := s.Accept(context.Background(), batch(0, 1))
	must(t, err)
	wait := s.SaveSteps(context.Background(), got[0].Row, []Step{{N: 1, Kind: "model", Done: true, Result: "secret"},
		{N: 2, Kind: "tool", Key: "c"}})
	must(t, wait())
	steps, err := s.Steps(context.Background(), got[0].Row)
	if err != nil || len(steps) != 2 || !steps[0].Done || steps[1].Done {
		t.Fatalf("%+v, %v", steps, err)
	}
	must(t, s.Finish(context.Background(), got[0], nil, nil))
	if steps, err := s.Steps(context.Background(), got[0].Row); err != nil || len(steps) > 0 {
		t.Errorf("left: %+v, %v", steps, err)
	}
}
