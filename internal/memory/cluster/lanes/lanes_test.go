package lanes_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/db/postgres/postgrestest"
	"parley/internal/memory"
	"parley/internal/memory/cluster"
	"parley/internal/memory/cluster/nodetest"
	"parley/internal/memory/memorytest"
	"parley/internal/text/waittest"
)

// desk is a node with its store.
type desk struct {
	*cluster.Node
	*memory.Store
}

var must = waittest.Must

func open(t testing.TB, url, name string) desk {
	t.Helper()
	n, err := cluster.Start(t.Context(), cluster.Options{URL: url, Name: name, Log: slog.New(slog.NewTextHandler(t.Output(), nil))})
	must(t, err)
	t.Cleanup(n.Close)
	return desk{n, memorytest.OpenIn(t, t.TempDir(), memory.Options{URL: url, Node: n})}
}

var k = chat.Key{Platform: "p", Channel: "c"}

func message(id string) chat.Message {
	return chat.Message{ID: id, Key: k, From: chat.User{ID: "p:1"}, Text: id, Addressed: true}
}

// says accepts messages and returns those that are this node's to answer.
func (d desk) says(t testing.TB, ids ...string) (fresh []chat.Message) {
	t.Helper()
	b := chat.Batch{Platform: "p"}
	for _, id := range ids {
		b.Messages = append(b.Messages, message(id))
	}
	fresh, err := d.Accept(t.Context(), b)
	must(t, err)
	return fresh
}

func names(list []chat.Message) (names []string) {
	for _, m := range list {
		names = append(names, m.Text)
	}
	return names
}

// TestWhoseAConversationIs: the first message makes it its node's; what another node
// accepts is handed there once, in order, and never lost.
func TestWhoseAConversationIs(t *testing.T) {
	t.Parallel()
	url := memorytest.URL(t)
	a, b := open(t, url, "a"), open(t, url, "b")
	one := a.says(t, "1")
	if len(one) != 1 || len(b.says(t, "2", "3")) != 0 {
		t.Fatal("both have it")
	}
	select {
	case <-a.News():
	case <-time.After(time.Minute):
		t.Error("nobody told it")
	}
	got, flush, err := a.Mail(t.Context())
	must(t, err)
	if fmt.Sprint(names(got), flush) != "[2 3] []" || got[0].Nonce == "" || got[0].Key != k {
		t.Errorf("handed over: %+v", got)
	}
	if again, _, err := a.Mail(t.Context()); err != nil || len(again) > 0 {
		t.Errorf("handed over twice: %v %v", names(again), err)
	}
	if got := b.says(t, "2"); len(got) > 0 {
		t.Error("a message that came twice is answered twice")
	}
	if _, _, err := b.Mail(t.Context()); err != nil {
		t.Error(err)
	}

	parts := []chat.Part{{Key: k, Text: "answer"}}
	if err := b.Finish(t.Context(), one[0], parts, nil); !errors.Is(err, chat.ErrFenced) {
		t.Errorf("another's answer: %v", err)
	}
	if err := b.Previewed(t.Context(), one[0], "x"); !errors.Is(err, chat.ErrFenced) {
		t.Errorf("another's preview: %v", err)
	}
	if err := b.Revise(t.Context(), one[0], nil); !errors.Is(err, chat.ErrFenced) {
		t.Errorf("another's edit: %v", err)
	}
	if err := b.SaveSteps(t.Context(), one[0].Row, []memory.Step{{N: 1, Kind: "tool"}})(); !errors.Is(err, chat.ErrFenced) {
		t.Errorf("another's steps: %v", err)
	}
	must(t, a.SaveSteps(t.Context(), one[0].Row, []memory.Step{{N: 1, Kind: "tool"}})())
	must(t, a.Previewed(t.Context(), one[0], "x"))
	must(t, a.Finish(t.Context(), one[0], parts, nil))
	for _, state := range []chat.PartState{chat.PartStarted, chat.PartReady, chat.PartUnknown, chat.PartDead} {
		if err := b.Mark(t.Context(), parts[0], state, "", time.Time{}); !errors.Is(err, chat.ErrFenced) {
			t.Errorf("%s of another's part: %v", state, err)
		}
	}
	must(t, a.Mark(t.Context(), parts[0], chat.PartSent, "9", time.Time{}))

	if ours, err := b.Lanes.Own(t.Context(), k); ours || err != nil {
		t.Errorf("work elsewhere: %v %v", ours, err)
	}
	if _, flush, err := a.Mail(t.Context()); err != nil || !slices.Equal(flush, []chat.Key{k}) {
		t.Errorf("to be sent: %v %v", flush, err)
	}
	if ours, err := a.Lanes.Own(t.Context(), k); !ours || err != nil {
		t.Errorf("its own work: %v %v", ours, err)
	}
}

// TestWhatIsLeftBehind: what a node has under way is nobody else's while it lives, also
// when it says nothing. Once it has ended each conversation is another one's, once, with
// all that waits there; and whoever comes back finds that it has nothing.
func TestWhatIsLeftBehind(t *testing.T) {
	t.Parallel()
	url := memorytest.URL(t)
	a, b, c := open(t, url, "a"), open(t, url, "b"), open(t, url, "c")
	one := a.says(t, "1")
	b.says(t, "2")
	parts := []chat.Part{{Key: k, Text: "answer"}}
	parts[0].Started = true
	must(t, a.Finish(t.Context(), one[0], parts, nil))
	adopt := func(d desk) (list []chat.Message) {
		keys, err := d.Lanes.Adopt(t.Context(), []string{"p"})
		must(t, err)
		list, err = d.Store.Adopt(t.Context(), keys)
		must(t, err)
		return list
	}
	if got := adopt(b); len(got) > 0 {
		t.Errorf("taken from a node that lives: %v", names(got))
	}
	a.Node.Close()
	if err := a.Mark(t.Context(), parts[0], chat.PartReady, "", time.Time{}); !errors.Is(err, chat.ErrFenced) {
		t.Errorf("after its end: %v", err)
	}
	if _, err := a.Accept(t.Context(), chat.Batch{Platform: "p", Messages: []chat.Message{message("3")}}); !errors.Is(err, chat.ErrFenced) {
		t.Errorf("it takes messages after its end: %v", err)
	}
	got := append(adopt(b), adopt(c)...)
	if fmt.Sprint(names(got)) != "[2]" || got[0].Attempt != 1 {
		t.Errorf("left behind: %+v", got)
	}
	pending, err := b.Pending(t.Context(), k)
	must(t, err)
	if len(pending) != 1 || pending[0].Unknown != 1 {
		t.Errorf("unsent: %+v", pending)
	}
	if list, _, err := b.Mail(t.Context()); err != nil || len(list) > 0 {
		t.Errorf("what was adopted is handed over again: %v %v", names(list), err)
	}
	must(t, b.Lanes.Leave(t.Context(), k))
	if got := adopt(c); fmt.Sprint(names(got)) != "[2]" {
		t.Errorf("left: %v", names(got))
	}
}

// TestLostAndHadAgain: a process that lost a conversation and has it again, under another
// number, does nothing twice that it had begun before: neither under its old number, nor
// now that the conversation is its own again.
func TestLostAndHadAgain(t *testing.T) {
	t.Parallel()
	url := memorytest.URL(t)
	wire := nodetest.NewWire(t, url)
	a, b := open(t, wire.URL, "a"), open(t, url, "b")
	one := a.says(t, "1", "2")
	parts := []chat.Part{{Key: k, Text: "answer"}}
	must(t, a.Finish(t.Context(), one[0], parts, nil))
	first := a.ID()
	wire.Cut()
	waittest.Until(t, "it takes itself for dead", func() bool { return !a.Alive() })
	var keys []chat.Key
	waittest.Until(t, "another takes over", func() (ok bool) {
		var err error
		keys, err = b.Lanes.Adopt(t.Context(), []string{"p"})
		must(t, err)
		return len(keys) == 1
	})
	left, err := b.Store.Adopt(t.Context(), keys)
	must(t, err)
	for _, state := range []chat.PartState{chat.PartStarted, chat.PartSent} {
		must(t, b.Mark(t.Context(), parts[0], state, "9", time.Time{}))
	}
	wire.Mend()
	waittest.Until(t, "it lives anew", func() bool { return a.Alive() && a.ID() != first })
	for _, state := range []chat.PartState{chat.PartStarted, chat.PartReady, chat.PartSent} {
		if err := a.Mark(t.Context(), parts[0], state, "8", time.Time{}); !errors.Is(err, chat.ErrFenced) {
			t.Errorf("%s of another's conversation: %v", state, err)
		}
	}
	must(t, b.Finish(t.Context(), left[0], []chat.Part{{Key: k, Text: "theirs"}}, nil))
	theirs, err := b.Pending(t.Context(), k)
	must(t, err)
	must(t, b.Mark(t.Context(), theirs[0], chat.PartSent, "10", time.Time{}))
	must(t, b.Lanes.Leave(t.Context(), k))
	if fresh := a.says(t, "3"); len(fresh) != 1 {
		t.Fatalf("the conversation is not its own again: %v", names(fresh))
	}
	if err := a.Mark(t.Context(), parts[0], chat.PartStarted, "", time.Time{}); !errors.Is(err, chat.ErrOver) {
		t.Errorf("what was sent meanwhile may be sent again: %v", err)
	}
	for _, state := range []chat.PartState{chat.PartReady, chat.PartUnknown} {
		must(t, a.Mark(t.Context(), parts[0], state, "", time.Time{}))
	}
	must(t, a.Finish(t.Context(), one[1], []chat.Part{{Key: k, Text: "ours, late"}}, nil))
	if pending, err := a.Pending(t.Context(), k); err != nil || len(pending) > 0 {
		t.Errorf("to be sent again: %+v, %v", pending, err)
	}
}

// TestOneOfMany: many nodes claim and adopt the same conversations at once; each is one
// node's, and nothing fails.
func TestOneOfMany(t *testing.T) {
	t.Parallel()
	url := memorytest.URL(t)
	nodes := []desk{open(t, url, "a"), open(t, url, "b"), open(t, url, "c")}
	type got struct {
		ours int
		err  error
	}
	all := make(chan got)
	for i, d := range nodes {
		go func() {
			var g got
			for n := range 50 {
				m := message(fmt.Sprint(i, "-", n))
				m.Key.Channel = fmt.Sprint(n)
				fresh, err := d.Accept(context.Background(), chat.Batch{Platform: "p", Messages: []chat.Message{m}})
				g.ours += len(fresh)
				g.err = errors.Join(g.err, err)
			}
			all <- g
		}()
	}
	ours := 0
	for range nodes {
		g := <-all
		ours += g.ours
		must(t, g.err)
	}
	for _, d := range nodes {
		list, _, err := d.Mail(t.Context())
		must(t, err)
		ours += len(list)
	}
	if ours != 150 {
		t.Errorf("%d of 150 messages have one that answers them", ours)
	}
	nodes[0].Node.Close()
	left := 0
	waittest.Until(t, "all is adopted", func() bool {
		for _, d := range nodes[1:] {
			keys, err := d.Lanes.Adopt(t.Context(), []string{"p"})
			must(t, err)
			left += len(keys)
		}
		keys, err := nodes[1].Lanes.Adopt(t.Context(), []string{"p"})
		must(t, err)
		return len(keys) == 0
	})
	t.Logf("%d conversations were left behind", left)
}

// TestWhatWasThereBefore: a conversation that is nobody's and has something left behind is
// not claimed with the next message: whoever adopts it has both, in order, and the message
// is handed to nobody else. So it is where something else is told in the same transaction.
func TestWhatWasThereBefore(t *testing.T) {
	t.Parallel()
	for _, b := range []chat.Batch{{}, {Present: []chat.Presence{{Key: k, User: chat.User{ID: "p:1"}, State: chat.Present}}}} {
		url := memorytest.URL(t)
		first, second := open(t, url, "first"), open(t, url, "second")
		first.says(t, "1")
		first.Node.Close()
		b.Platform, b.Messages = "p", []chat.Message{message("2"), message("2"), message("3")}
		fresh, err := second.Accept(t.Context(), b)
		must(t, err)
		if len(fresh) > 0 {
			t.Errorf("it overtakes what was left behind: %v", names(fresh))
		}
		keys, err := second.Lanes.Adopt(t.Context(), []string{"p"})
		must(t, err)
		list, err := second.Store.Adopt(t.Context(), keys)
		must(t, err)
		if fmt.Sprint(names(list)) != "[1 2 3]" {
			t.Errorf("adopted: %v", names(list))
		}
		if list, _, err := second.Mail(t.Context()); err != nil || len(list) > 0 {
			t.Errorf("handed over again: %v %v", names(list), err)
		}
	}
}

// TestToAndFro: one conversation goes from node to node, again and again, while all of
// them take messages for it: each message is answered once, by one of them.
func TestToAndFro(t *testing.T) {
	t.Parallel()
	url := memorytest.URL(t)
	nodes := []desk{open(t, url, "a"), open(t, url, "b"), open(t, url, "c")}
	const each = 60
	var mu sync.Mutex
	answered := map[string]int{}
	answer := func(d desk, list []chat.Message) {
		for _, m := range list {
			err := d.Finish(context.Background(), m, []chat.Part{{Key: k, Text: m.Text}}, nil)
			if errors.Is(err, chat.ErrFenced) {
				continue // another one has it, and finds it
			}
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			answered[m.Text]++
			mu.Unlock()
		}
	}
	bring := func(d desk) {
		keys, err := d.Lanes.Adopt(context.Background(), []string{"p"})
		var list, mail []chat.Message
		if err == nil {
			list, err = d.Store.Adopt(context.Background(), keys)
		}
		if err == nil {
			mail, _, err = d.Mail(context.Background())
		}
		if err != nil {
			t.Error(err)
		}
		answer(d, append(list, mail...))
	}
	var all sync.WaitGroup
	for i, d := range nodes {
		all.Go(func() {
			for n := range each {
				fresh, err := d.Accept(context.Background(), chat.Batch{Platform: "p", Messages: []chat.Message{message(fmt.Sprint(i, "-", n))}})
				if err != nil {
					t.Error(err)
				}
				answer(d, fresh)
				if n%3 == i {
					if err := d.Lanes.Leave(context.Background(), k); err != nil {
						t.Error(err)
					}
				}
				bring(d)
			}
		})
	}
	all.Wait()
	waittest.Until(t, "all is answered", func() bool {
		for _, d := range nodes {
			bring(d)
		}
		mu.Lock()
		defer mu.Unlock()
		return len(answered) >= each*len(nodes)
	})
	parts, err := nodes[0].Pending(t.Context(), k)
	must(t, err)
	texts := map[string]bool{}
	for _, p := range parts {
		texts[p.Text] = true
	}
	if len(parts) != each*len(nodes) || len(texts) != len(parts) {
		t.Errorf("%d answers to %d messages are to be sent; %d were asked", len(parts), len(texts), each*len(nodes))
	}
}

// TestTripsOfAMessage: how often the server is asked and waited for. Many messages that
// come in together are no more trips than one.
func TestTripsOfAMessage(t *testing.T) {
	t.Parallel()
	url := memorytest.URL(t)
	p, far := postgrestest.NewProxy(t, url)
	n, err := cluster.Start(t.Context(), cluster.Options{URL: url, Name: "a", Log: slog.New(slog.NewTextHandler(t.Output(), nil))})
	must(t, err)
	t.Cleanup(n.Close)
	a := desk{n, memorytest.OpenIn(t, t.TempDir(), memory.Options{URL: far, Node: n})}
	many := func(round string) (b chat.Batch) {
		b.Platform = "p"
		for i := range 50 {
			m := message(fmt.Sprint(round, "-", i))
			m.Key.Channel = fmt.Sprint(i % 25)
			b.Messages = append(b.Messages, m)
		}
		return b
	}
	for round, warm := range []string{"0", "1", "2"} {
		trips := map[string]int64{}
		count := func(what string, do func() error) {
			before := p.Trips.Load()
			must(t, do())
			trips[what] += p.Trips.Load() - before
		}
		var fresh []chat.Message
		count("accept", func() (err error) { fresh, err = a.Accept(t.Context(), many(warm)); return err })
		if len(fresh) != 50 {
			t.Fatalf("%d of 50 messages are its own", len(fresh))
		}
		parts := []chat.Part{{Key: fresh[0].Key, Text: "answer"}}
		turn := func() *memory.Turn {
			se, live, err := a.Sessions.LiveSession(t.Context(), memory.Place{Key: fresh[0].Key})
			must(t, err)
			if !live {
				se, err = a.Sessions.NewSession(t.Context(), memory.Place{Key: fresh[0].Key}, true)
				must(t, err)
			}
			return &memory.Turn{Session: &se, Entries: []memory.Entry{{Role: "user", User: "p:1", Content: "said", At: time.Now()},
				{Role: "assistant", User: "p:1", Content: "answered", At: time.Now()}}}
		}()
		count("finish", func() error { return a.Finish(t.Context(), fresh[0], parts, turn) })
		_, err := a.Search(t.Context(), "said", 1, 0) // so that the words do not follow meanwhile
		must(t, err)
		count("begin", func() error { return a.Mark(t.Context(), parts[0], chat.PartStarted, "", time.Time{}) })
		count("sent", func() error { return a.Mark(t.Context(), parts[0], chat.PartSent, "9", time.Time{}) })
		if want := "map[accept:1 begin:1 finish:1 sent:1]"; round == 2 && fmt.Sprint(trips) != want {
			t.Errorf("%v, want %s", trips, want)
		}
	}
}

// TestPreviewOfAnother: a preview that was noted elsewhere meanwhile is what the answer
// replaces, whatever the process that finishes knew of it.
func TestPreviewOfAnother(t *testing.T) {
	t.Parallel()
	url := memorytest.URL(t)
	a := open(t, url, "a")
	one := a.says(t, "1", "2")
	_, err := postgrestest.Raw(t, url).Exec("UPDATE inbox SET preview = '77' WHERE id = $1", one[0].Row)
	must(t, err)
	must(t, a.Previewed(t.Context(), one[1], "78"))
	for i, want := range []string{"77", "78"} {
		parts := []chat.Part{{Key: k, Text: "answer"}}
		must(t, a.Finish(t.Context(), one[i], parts, nil))
		if parts[0].Preview != want || parts[0].Nonce == "" || !parts[0].Started {
			t.Errorf("%+v does not replace %s", parts[0], want)
		}
		again := []chat.Part{{Key: k, Text: "answer"}}
		must(t, a.Finish(t.Context(), one[i], again, nil))
		if again[0].Row != parts[0].Row || again[0].Nonce != parts[0].Nonce {
			t.Errorf("finished again: %+v, at first %+v", again[0], parts[0])
		}
	}
}
