package memory

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/db/engine"
)

func TestGrants(t *testing.T) {
	s, ctx := open(t, Options{}), context.Background()
	must(t, s.Access.Grant(ctx, "telegram:2", "member", "telegram:1"))
	must(t, s.Access.Grant(ctx, "telegram:2", "denied", "telegram:1"))
	if err := s.Access.Grant(ctx, "telegram:3", "king", "telegram:1"); err == nil {
		t.Error("an unknown role was stored")
	}
	role, err := s.Access.Granted(ctx, "telegram:2")
	must(t, err)
	all, err := s.Access.Grants(ctx)
	must(t, err)
	if role != "denied" || len(all) != 1 {
		t.Errorf("role %q, all %v", role, all)
	}
	for _, want := range []bool{true, false} {
		if ok, err := s.Access.Revoke(ctx, "telegram:2"); err != nil || ok != want {
			t.Errorf("revoked %v, %v", ok, err)
		}
	}
	if role, err := s.Access.Granted(ctx, "telegram:2"); err != nil || role != "" {
		t.Errorf("after revoking %q, %v", role, err)
	}
}

// TestNewcomers: whoever was let in by somebody is told of once, in whichever process, and
// not long after.
func TestNewcomers(t *testing.T) {
	clock := &clockAt{time.Date(2026, 3, 9, 12, 0, 0, 0, time.UTC)}
	s, ctx := open(t, Options{Now: clock.now}), context.Background()
	told := func() (ids []string) {
		must(t, s.Access.Newcomers(ctx, "terminal:local", func(id, _ string) { ids = append(ids, id) }))
		return ids
	}
	must(t, s.Access.Grant(ctx, "telegram:1", "member", "terminal:local"))
	clock.t = clock.t.Add(25 * time.Hour)
	for id, by := range map[string]string{"telegram:2": "terminal:local", "telegram:3": "telegram:9"} {
		must(t, s.Access.Grant(ctx, id, "member", by))
	}
	must(t, s.Access.Grant(ctx, "telegram:4", "owner", "terminal:local"))
	if got := told(); !slices.Equal(got, []string{"telegram:2"}) {
		t.Errorf("told of %v", got)
	}
	clock.t = clock.t.Add(time.Minute)
	must(t, s.Access.Grant(ctx, "telegram:5", "member", "terminal:local"))
	if got := told(); !slices.Equal(got, []string{"telegram:5"}) {
		t.Errorf("then told of %v", got)
	}
	if got := told(); len(got) > 0 {
		t.Errorf("told again of %v", got)
	}
}

func TestCodeIsTakenOnce(t *testing.T) {
	now := time.Now()
	s, ctx := open(t, Options{Now: func() time.Time { return now }}), context.Background()
	ann := chat.User{ID: "telegram:2", Name: "Ann"}
	must(t, s.Access.AddCode(ctx, "pair", []byte("old"), ann, now.Add(time.Hour)))
	must(t, s.Access.AddCode(ctx, "pair", []byte("new"), ann, now.Add(time.Hour)))
	must(t, s.Access.AddCode(ctx, "pair", []byte("late"), chat.User{ID: "telegram:3"}, now))
	if w, err := s.Access.Waiting(ctx, "pair"); err != nil || len(w) != 1 || w[0] != ann {
		t.Errorf("waiting %v, %v", w, err)
	}
	for _, wrong := range []string{"old", "late", "", "newer"} {
		if _, ok, err := s.Access.TakeCode(ctx, "pair", []byte(wrong)); err != nil || ok {
			t.Errorf("%q was taken, %v", wrong, err)
		}
	}
	if _, ok, err := s.Access.TakeCode(ctx, "claim", []byte("new")); err != nil || ok {
		t.Errorf("taken for another purpose, %v", err)
	}
	var wg sync.WaitGroup
	var got atomic.Int32
	for range 30 {
		wg.Go(func() {
			if who, ok, err := s.Access.TakeCode(ctx, "pair", []byte("new")); err != nil {
				t.Error(err)
			} else if ok && who == ann {
				got.Add(1)
			}
		})
	}
	wg.Wait()
	if got.Load() != 1 {
		t.Errorf("taken %d times", got.Load())
	}
}

func TestTryWindow(t *testing.T) {
	now := time.Now()
	s, ctx := open(t, Options{Now: func() time.Time { return now }}), context.Background()
	try := func(want bool) {
		t.Helper()
		if ok, err := s.Access.Try(ctx, "telegram:2", 2, time.Hour); err != nil || ok != want {
			t.Fatalf("try %v, %v", ok, err)
		}
	}
	try(true)
	try(true)
	try(false)
	now = now.Add(59 * time.Minute)
	try(false)
	now = now.Add(time.Minute)
	try(true)
	try(true)
	must(t, s.Access.Forgive(ctx, "telegram:2"))
	try(true)
}

// TestQuestionsBelongToPersonAndPlace: a question is found by the one who was
// asked where they were asked, answered once, and told of for a day.
func TestQuestionsBelongToPersonAndPlace(t *testing.T) {
	now := time.Now()
	s, ctx := open(t, Options{Now: func() time.Time { return now }}), context.Background()
	m := chat.Message{From: chat.User{ID: "telegram:1", Name: "Ann"}, Key: chat.Key{Platform: "telegram", Channel: "-1", Thread: "5"}, Row: 7}
	other, elsewhere := m, m
	other.From.ID, elsewhere.Key.Channel = "telegram:2", "-2"
	put := func(id string, row int64, instead string) {
		t.Helper()
		must(t, s.Questions.PutQuestion(ctx, chat.Question{ID: id, Asked: m.From, Key: m.Key, Row: row, Text: "go?", Body: []byte(id),
			Until: now.Add(time.Minute)}, instead))
	}
	find := func(m chat.Message, id, want string) {
		t.Helper()
		if q, _, err := s.Questions.Question(ctx, m, id); err != nil || q.ID+" "+string(q.State) != want {
			t.Errorf("%q: found %q %s, %v, want %s", id, q.ID, q.State, err, want)
		}
	}
	put("a", 1, "")
	put("b", 2, "a")
	find(m, "a", "a replaced")
	put("c", 2, "") // the same message again
	find(m, "b", "b replaced")
	find(m, "", "c open")
	find(other, "", " ")
	find(elsewhere, "", " ")
	find(elsewhere, "c", " ")
	must(t, s.db.Write(ctx, func(tx *engine.Tx) error { return moveAccess(tx, chat.Move{From: m.Key, To: elsewhere.Key}) }))
	find(m, "", " ")
	for i, want := range []string{"true false", "false true"} {
		if first, again, err := s.Questions.TakeQuestion(ctx, "c", elsewhere); fmt.Sprint(first, again) != want || err != nil {
			t.Errorf("take %d: %v %v %v", i, first, again, err)
		}
	}
	late := elsewhere
	late.Row = 8
	if first, again, err := s.Questions.TakeQuestion(ctx, "c", late); first || again || err != nil {
		t.Errorf("another answer took it: %v %v %v", first, again, err)
	}
	find(elsewhere, "", "c taken")
	find(late, "", " ")
	must(t, s.Questions.EndQuestion(ctx, "c", chat.QuestionSettled, "done"))
	put("d", 3, "")
	now = now.Add(2 * time.Minute)
	gone, err := s.Questions.ExpireQuestions(ctx)
	if err != nil || len(gone) != 1 || gone[0].ID != "d" {
		t.Errorf("expired %v, %v", gone, err)
	}
	find(m, "", "d expired")
	now = now.Add(23 * time.Hour)
	must(t, s.PruneAccess(ctx))
	find(m, "d", "d expired")
	now = now.Add(time.Hour)
	must(t, s.PruneAccess(ctx))
	find(m, "d", " ")
	find(elsewhere, "c", " ")
}

func TestMoveCarriesAccess(t *testing.T) {
	s, ctx := open(t, Options{}), context.Background()
	from, to := chat.Key{Platform: "telegram", Channel: "-5"}, chat.Key{Platform: "telegram", Channel: "-1005"}
	decided := chat.Policy{Listen: "all", Who: "admins", Tools: []string{"add_task", "clock"}}
	must(t, s.Access.SetPolicy(ctx, from, decided))
	must(t, s.Access.Grant(ctx, "telegram:chat:-5", "member", "telegram:1"))
	must(t, s.db.Write(ctx, func(tx *engine.Tx) error { return moveAccess(tx, chat.Move{From: from, To: to}) }))
	moved, err := s.Access.Policy(ctx, to)
	must(t, err)
	role, err := s.Access.Granted(ctx, "telegram:chat:-1005")
	must(t, err)
	if !reflect.DeepEqual(moved, decided) || role != "member" {
		t.Errorf("policy %+v, role %q", moved, role)
	}
	if p, err := s.Access.Policy(ctx, from); err != nil || !reflect.DeepEqual(p, chat.Policy{}) {
		t.Errorf("the old place has %+v, %v", p, err)
	}
	must(t, s.Access.SetPolicy(ctx, to, chat.Policy{Tools: []string{}}))
	if p, err := s.Access.Policy(ctx, to); err != nil || p.Listen != "" || p.Tools == nil || len(p.Tools) > 0 {
		t.Errorf("no tools are %+v, %v", p, err)
	}
}

func TestSecretIsMadeOnce(t *testing.T) {
	s, ctx := open(t, Options{}), context.Background()
	a, err := s.Access.Secret(ctx, "buttons", []byte("first"))
	must(t, err)
	b, err := s.Access.Secret(ctx, "buttons", []byte("second"))
	must(t, err)
	if !bytes.Equal(a, b) || string(a) != "first" {
		t.Errorf("%q then %q", a, b)
	}
}

// among is a process among others, by its number.
type among string

func (n among) ID() string { return string(n) }
func (among) Hint(string)  {}

func (among) Versions(func(int64, time.Time)) {}

// Each of several processes shows a code to claim the bot with, and one for its page: all
// work, and the bot is claimed once.
func TestCodesOfSeveralProcesses(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	process := func(id among) *Store {
		s, err := openIn(t, dir, Options{Node: id})
		must(t, err)
		t.Cleanup(func() { must(t, s.Close()) })
		return s
	}
	a, b := process("a"), process("b")
	until := time.Now().Add(time.Hour)
	for _, purpose := range []string{"claim", "page"} {
		must(t, a.Access.AddCode(bg, purpose, []byte("earlier"), chat.User{}, until))
		must(t, a.Access.AddCode(bg, purpose, []byte("of a"), chat.User{}, until))
		must(t, b.Access.AddCode(bg, purpose, []byte("of b"), chat.User{}, until))
		for _, try := range []struct {
			code string
			want bool
		}{{"earlier", false}, {"of a", true}, {"of a", false}, {"of b", purpose == "page"}} {
			who, ok, err := b.Access.TakeCode(bg, purpose, []byte(try.code))
			must(t, err)
			if ok != try.want || who.ID != "" {
				t.Errorf("%s with the code %s: %v, for %q", purpose, try.code, ok, who.ID)
			}
		}
	}
}
