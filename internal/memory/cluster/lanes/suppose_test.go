package lanes_test

import (
	"fmt"
	"log/slog"
	"testing"

	"parley/internal/chat"
	"parley/internal/db/postgres/postgrestest"
	"parley/internal/memory"
	"parley/internal/memory/cluster"
	"parley/internal/memory/memorytest"
)

// TestSupposed: what a node takes for its own because it was a moment ago is found out
// where it is another's, or nobody's, or another one's message waits to be brought there
// first: nothing is lost, and nothing handed out twice.
func TestSupposed(t *testing.T) {
	t.Parallel()
	url := memorytest.URL(t)
	a, b := open(t, url, "a"), open(t, url, "b")
	raw := postgrestest.Raw(t, url)
	if got := fmt.Sprint(names(a.says(t, "1")), names(a.says(t, "1", "2", "2"))); got != "[1] [2]" {
		t.Errorf("its own: %s", got)
	}
	if stay := a.Lanes.Stay(k); stay == 0 {
		t.Error("its own is not known")
	}
	_, err := raw.Exec("UPDATE node_lanes SET owner = $1", b.ID())
	must(t, err)
	if got := a.says(t, "3"); len(got) > 0 {
		t.Errorf("another's: %v", names(got))
	}
	if stay := a.Lanes.Stay(k); stay != 0 {
		t.Error("another's counts as its own")
	}
	got, _, err := b.Mail(t.Context())
	must(t, err)
	if fmt.Sprint(names(got)) != "[3]" {
		t.Errorf("handed over: %v", names(got))
	}
	if got := fmt.Sprint(names(b.says(t, "4")), names(b.says(t, "5")), names(a.says(t, "6")), names(b.says(t, "7"))); got != "[4] [5] [] []" {
		t.Errorf("before the next: %s", got)
	}
	if got, _, err = b.Mail(t.Context()); err != nil || fmt.Sprint(names(got)) != "[6 7]" {
		t.Errorf("brought in order: %v %v", names(got), err)
	}
	if got := b.says(t, "8"); len(got) != 1 || got[0].Row == 0 || got[0].Nonce == "" {
		t.Errorf("after that: %+v", got)
	}
	stay := b.Lanes.Stay(k)
	_, err = raw.Exec("DELETE FROM node_lanes; UPDATE inbox SET state = 'done'")
	must(t, err)
	if got := fmt.Sprint(names(b.says(t, "9")), names(a.says(t, "10"))); got != "[9] []" {
		t.Errorf("nobody's: %s", got)
	}
	if now := b.Lanes.Stay(k); now == 0 || now == stay {
		t.Errorf("between two stays it may have been another's: %d, then %d", stay, now)
	}
}

// TestSupposedAndLost: where the end of a transaction is lost whose numbers were not known
// before, the batch comes again, and what it stored is handed out then, once; what was
// handed out before is not.
func TestSupposedAndLost(t *testing.T) {
	t.Parallel()
	p, far := postgrestest.NewProxy(t, memorytest.URL(t))
	n, err := cluster.Start(t.Context(), cluster.Options{URL: far, Name: "a", Log: slog.New(slog.NewTextHandler(t.Output(), nil))})
	must(t, err)
	t.Cleanup(n.Close)
	a := desk{n, memorytest.OpenIn(t, t.TempDir(), memory.Options{URL: far, Node: n})}
	handed := names(a.says(t, "1"))
	for i := 2; i < 5; i++ {
		p.Swallow.Store(1)
		b := chat.Batch{Platform: "p", Messages: []chat.Message{message(fmt.Sprint(i - 1)), message(fmt.Sprint(i))}}
		fresh, err := a.Accept(t.Context(), b)
		if err != nil { // it comes again
			fresh, err = a.Accept(t.Context(), b)
		}
		must(t, err)
		handed = append(handed, names(fresh)...)
		p.Swallow.Store(0)
	}
	if fmt.Sprint(handed) != "[1 2 3 4]" {
		t.Errorf("handed out: %v", handed)
	}
}
