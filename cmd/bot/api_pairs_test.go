package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/internal/llm/llmtest"
	"parley/internal/text/waittest"
)

// persists asks as the official clients do: what is cut off or not served is sent again, and
// says so.
func (p *asker) persists(words string) <-chan completion {
	answered := make(chan completion, 1)
	go func() {
		again := &asker{p.t, p.base, p.token, map[string]string{}}
		for n := 0; p.t.Context().Err() == nil; n++ {
			again.head["X-Stainless-Retry-Count"] = fmt.Sprint(n)
			r, err := again.sends(map[string]any{"model": "parley", "messages": []any{user(words)}})
			if err == nil && r.status != 503 && json.Valid([]byte(r.raw)) {
				answered <- r
				return
			}
			waittest.Take(p.t.Context(), 100*time.Millisecond)
		}
	}()
	return answered
}

// within returns the answer that a program waits for.
func (w *world) within(t *testing.T, answered <-chan completion) completion {
	t.Helper()
	var r completion
	eventually(t, "a program is answered", func() bool {
		select {
		case r = <-answered:
			return true
		default:
			return false
		}
	})
	return r
}

// TestAPIKilled: a program whose request a kill cuts off sends it again and is answered; what it
// asked for is done once.
func TestAPIKilled(t *testing.T) {
	t.Parallel()
	for _, point := range []string{"after_inbox_commit", "after_model", "after_tool", "before_finish", "after_finish", "before_send",
		"after_send"} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			base := withAPI(t, w)
			w.llm.Respond(func(r llmtest.Request) llmtest.Turn {
				if r.Messages[len(r.Messages)-1].Role == "tool" {
					return llmtest.Turn{Text: "It is noted."}
				}
				return callTool("add_task", `{"description":"buy milk"}`)
			})
			child := w.start(t)
			p := w.asker(t, base, 7)
			w.settled(t)
			kill(child)
			child = w.start(t, "BOT_FAILPOINT="+point)
			answered := p.persists("note that I must buy milk")
			dies(t, child)
			child = w.start(t)
			r := w.within(t, answered)
			w.settled(t)
			kill(child)
			if r.status != 200 || r.text() != "It is noted." {
				t.Errorf("%d %s", r.status, r.raw)
			}
			for what, query := range map[string]string{"tasks": "SELECT count(*) FROM tasks",
				"messages": "SELECT count(*) FROM inbox WHERE platform = 'api'", "answers": "SELECT count(*) FROM outbox WHERE platform = 'api'",
				"requests": "SELECT count(*) FROM api_requests"} {
				if n := w.count(t, query); n != 1 {
					t.Errorf("%d %s", n, what)
				}
			}
		})
	}
}

// TestAPIAsksFirst: what needs a yes is asked in the answer and agreed to in the next message,
// once, though the process dies before and behind the yes. A button's label is its press.
func TestAPIAsksFirst(t *testing.T) {
	t.Parallel()
	for _, yes := range []string{"yes", "Yes"} {
		for _, point := range []string{"after_inbox_commit", "after_yes", "before_finish"} {
			t.Run(yes+" "+point, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				base := withAPI(t, w)
				child := w.start(t)
				p := w.asker(t, base, 7)
				p.says("/tasks add milk")
				p.says("/tasks add bread")
				w.llm.Queue(callTool("delete_task", `{"id":1}`))
				if got := p.says("please delete the milk"); !strings.Contains(got.text(), `Delete the task "milk"?`) {
					t.Fatalf("%d %s", got.status, got.raw)
				}
				w.settled(t)
				kill(child)
				w.llm.Respond(func(llmtest.Request) llmtest.Turn { return llmtest.Turn{Text: "It is gone."} })
				child = w.start(t, "BOT_FAILPOINT="+point)
				answered := p.persists(yes)
				dies(t, child)
				child = w.start(t)
				if r := w.within(t, answered); r.status != 200 || !strings.Contains(r.text(), "It is gone.") {
					t.Errorf("%d %s", r.status, r.raw)
				}
				w.settled(t)
				kill(child)
				if n := w.count(t, "SELECT count(*) FROM tasks"); n != 1 {
					t.Errorf("%d tasks", n)
				}
			})
		}
	}
}

// TestAPIForgets: whoever has themselves forgotten through a program reads that it is done, and
// neither their token nor what they asked is left.
func TestAPIForgets(t *testing.T) {
	t.Parallel()
	for _, point := range []string{"no kill", "forgetting", "forgotten"} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			base := withAPI(t, w)
			w.echo()
			child := w.start(t)
			p := w.asker(t, base, 7)
			p.says("I am allergic to shrimps")
			p.says("/forget-me")
			w.settled(t)
			if point == "no kill" {
				if r := p.says("yes"); !strings.Contains(r.text(), "deleted everything about you") {
					t.Errorf("%d %s", r.status, r.raw)
				}
			} else {
				kill(child)
				child = w.start(t, "BOT_FAILPOINT="+point)
				answered := p.persists("yes")
				dies(t, child)
				child = w.start(t)
				// The token went with its person, so the answer cannot be fetched any more.
				if r := w.within(t, answered); r.status != 401 {
					t.Errorf("%d %s", r.status, r.raw)
				}
			}
			eventually(t, "nothing is left", func() bool {
				return w.unfinished() == 0 && w.count(t, "SELECT (SELECT count(*) FROM api_tokens) + (SELECT count(*) FROM api_requests)") == 0
			})
			r, err := p.sends(map[string]any{"messages": []any{user("still me")}})
			if err != nil || r.status != 401 {
				t.Errorf("the token still works: %d %v %s", r.status, err, r.raw)
			}
			kill(child)
			if n := w.count(t, "SELECT count(*) FROM messages WHERE content LIKE '%shrimps%'"); n != 0 {
				t.Errorf("%d messages are left", n)
			}
		})
	}
}

// TestAPIAtOnce: two requests in one conversation are answered each; one that is sent twice at
// once is one.
func TestAPIAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	base := withAPI(t, w)
	w.llm.Respond(func(r llmtest.Request) llmtest.Turn {
		return llmtest.Turn{Text: "I heard: " + r.Last("user"), Chunks: 4, ChunkWait: 100 * time.Millisecond}
	})
	w.run(t)
	p := w.asker(t, base, 7)
	one, two, twin := p.persists("the first"), p.persists("the second"), p.persists("the first")
	a, b, c := w.within(t, one), w.within(t, two), w.within(t, twin)
	if a.text() != "I heard: the first" || b.text() != "I heard: the second" || c.text() != a.text() {
		t.Errorf("%q %q %q", a.raw, b.raw, c.raw)
	}
	w.settled(t)
	if n := w.count(t, "SELECT count(*) FROM inbox WHERE platform = 'api'"); n != 2 {
		t.Errorf("%d messages", n)
	}
}

// TestAPIHandedOver: while people answer, a program reads that its words were passed on, and what
// they say comes to its person's direct chat, across kills.
func TestAPIHandedOver(t *testing.T) {
	t.Parallel()
	w := manned(t, "discord:50")
	base := withAPI(t, w)
	w.echo()
	child := w.start(t)
	w.connected(t)
	p := w.asker(t, base, 42)
	p.says("/handoff")
	w.dc.Press("77", "50", "9", w.posted(t, "50", "telegram:42").ID, "/handoff take 1")
	w.told(t, 42, "is here now")
	w.settled(t)
	kill(child)
	child = w.start(t, "BOT_FAILPOINT=after_inbox_commit")
	answered := p.persists("is anybody there?")
	dies(t, child)
	child = w.start(t)
	w.connected(t)
	if r := w.within(t, answered); r.status != 200 || !strings.Contains(r.text(), "Their answer comes to our direct chat") {
		t.Errorf("%d %s", r.status, r.raw)
	}
	w.posted(t, "50", "is anybody there?")
	w.dc.Message("77", "50", "9", "I am here.")
	w.told(t, 42, "I am here.")
	w.settled(t)
	kill(child)
	if n := strings.Count(w.texts(42), "I am here."); n != 1 {
		t.Errorf("told %d times: %s", n, w.texts(42))
	}
}
