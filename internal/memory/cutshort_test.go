package memory

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/db/engine"
	"parley/internal/db/postgres/postgrestest"
	"parley/internal/memory/facts"
	"parley/internal/text/waittest"
)

// crowd fills a group with exchanges of two people, ada's with a word of hers, and
// what bob's answers were made of it.
func crowd(t *testing.T, s *Store, exchanges int) {
	t.Helper()
	room := chat.Key{Platform: "x", Channel: "room"}
	must(t, s.db.Write(bg, func(tx *engine.Tx) error {
		for i := range exchanges {
			who, other := "ada", "bob"
			if i%2 == 1 {
				who, other = other, who
			}
			made := Origin{}
			if i%10 == 1 {
				made.People = []string{"x:" + other}
			}
			se := Session{ID: fmt.Sprint("s", i/50), Key: room, Status: Active, Created: s.now(), Generation: min(i%50, 1)}
			if i%50 == 0 {
				if _, err := tx.Exec("UPDATE sessions SET status = 'archived'"); err != nil {
					return err
				}
			}
			se.Summary = "both zxadaword spoke"
			if _, err := saveSession(tx, se); err != nil {
				return err
			}
			said := fmt.Sprintf("zx%sword number%d of %s", who, i, strings.Repeat("many words ", i%20))
			if err := insertEntries(tx, se, []Entry{{Role: "user", User: "x:" + who, Name: "zx" + who + "name", Content: said, At: s.now()},
				{Role: "assistant", User: "x:" + who, Content: "answer to " + said, At: s.now(), Origin: made}}); err != nil {
				return err
			}
		}
		return nil
	}))
	must(t, second(s.Facts.SaveFact(bg, Viewer{User: "x:ada", Key: room}, facts.NewFact{Content: "zxadaword is a fact"})))
}

// forgetInChild is the other process of the test below.
const forgetInChild = "PARLEY_TEST_FORGET"

// TestFaultForgettingKilled: a process that is killed while it forgets somebody
// leaves a note of it. The next start finishes the rows before it shows anything,
// and wipes the file beside its other work.
func TestFaultForgettingKilled(t *testing.T) {
	if dir := os.Getenv(forgetInChild); dir != "" {
		s, err := openIn(t, dir, Options{})
		must(t, err)
		must(t, s.ForgetPerson(context.Background(), "x:ada", 0))
		return
	}
	var s *Store
	for attempt := 0; s == nil; attempt++ {
		if attempt == 10 {
			t.Fatal("each time it was over before it was killed")
		}
		s = halfForgotten(t)
	}
	defer func() { must(t, s.Close()) }()
	must(t, s.FinishForgetting(t.Context(), true))
	for _, c := range textColumns(t, s) {
		if strings.HasPrefix(c, "messages_fts.") {
			continue // it has no text of its own
		}
		if n := rowsWith(t, s, c, "zxada"); n > 0 {
			t.Errorf("%d in %s once it started again", n, c)
		}
	}
	must(t, s.FinishForgetting(t.Context(), false))
	var left, others int
	must(t, s.db.QueryRow("SELECT (SELECT count(*) FROM bulk_work), (SELECT count(*) FROM messages WHERE content LIKE 'zxbobword%')").Scan(
		&left, &others))
	if n := bytesWith(t, s, "zxada"); n != 0 || left != 0 || others != 1000 {
		t.Errorf("%d traces, %d notes of unfinished work, %d of 1000 messages of somebody else", n, left, others)
	}
	must(t, s.File.Check(t.Context()))
}

// halfForgotten returns a store whose process was killed while it forgot ada; nil if it was
// faster than this one, as may be on a busy machine.
func halfForgotten(t *testing.T) *Store {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	s, err := openIn(t, dir, Options{})
	must(t, err)
	crowd(t, s, 2000)
	hers := func() (n int) {
		must(t, s.db.QueryRow("SELECT count(*) FROM messages WHERE user_id = 'x:ada'").Scan(&n))
		return n
	}
	all := hers()
	child := exec.Command(os.Args[0], "-test.run=^TestFaultForgettingKilled$")
	child.Env = append(os.Environ(), forgetInChild+"="+dir)
	child.Env = append(child.Env, postgrestest.OfParent+"="+postgrestest.InFolder(t, dir, nil))
	must(t, child.Start())
	waittest.Until(t, "some are forgotten", func() bool { return hers() < all })
	must(t, child.Process.Kill())
	_ = child.Wait()
	must(t, s.Close())
	s, err = openIn(t, dir, Options{})
	must(t, err)
	if hers() == 0 {
		must(t, s.Close())
		return nil
	}
	return s
}

// While somebody is forgotten, retention deletes a lot or history is imported,
// others' messages are stored in between: none is one write that all wait for.
func TestOthersWriteDuringLongWork(t *testing.T) {
	for name, work := range map[string]func(*Store) error{
		"forgetting": func(s *Store) error { return s.ForgetPerson(bg, "x:ada", 0) },
		"retention":  func(s *Store) error { return second(s.Prune(bg, Retention{Days: 1})) },
		"importing":  func(s *Store) error { return second(s.Import(bg, strings.NewReader(corpus(3000)))) },
	} {
		t.Run(name, func(t *testing.T) {
			at := time.Now()
			s := open(t, Options{Now: func() time.Time { return at }})
			crowd(t, s, 400)
			must(t, s.db.Write(bg, func(tx *engine.Tx) error {
				return second(tx.Exec("UPDATE sessions SET status = 'archived', ended_at = ?", Stamp(at.AddDate(0, 0, -9))))
			}))
			done := make(chan error, 1)
			go func() { done <- work(s) }()
			var seen []int // how many messages there were when somebody's was stored
			for i := 0; ; i++ {
				var n int
				must(t, s.db.Write(bg, func(tx *engine.Tx) error {
					if _, err := tx.Exec("INSERT INTO cursors VALUES ('p', ?, 'v')", i); err != nil {
						return err
					}
					return tx.QueryRow("SELECT count(*) FROM messages").Scan(&n)
				}))
				if len(seen) == 0 || seen[len(seen)-1] != n {
					seen = append(seen, n)
				}
				select {
				case err := <-done:
					if must(t, err); len(seen) < 3 { // before, after, and at least once between
						t.Errorf("others got in between %d times: %v", len(seen), seen)
					}
					return
				default:
				}
			}
		})
	}
}

// A forgetting that fails is finished by the next call, and nobody is forgotten
// twice for it.
func TestForgettingIsFinishedLater(t *testing.T) {
	s := open(t, Options{})
	crowd(t, s, 200)
	ctx, stop := context.WithCancelCause(t.Context())
	cut := errors.New("cut short")
	stop(cut)
	if err := s.ForgetPerson(ctx, "x:ada", 0); err == nil {
		t.Fatal("nothing cut it short")
	}
	if err := s.ForgetPerson(t.Context(), "", 0); err == nil {
		t.Error("nobody can be forgotten")
	}
	must(t, s.ForgetPerson(t.Context(), "x:ada", 0))
	must(t, s.FinishForgetting(t.Context(), false))
	must(t, s.FinishForgetting(t.Context(), false))
	if n := bytesWith(t, s, "zxada"); n != 0 {
		t.Errorf("%d traces are left", n)
	}
}
