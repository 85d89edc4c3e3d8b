package main

import (
	"fmt"
	"testing"
	"time"

	"parley/internal/llm/llmtest"
	"parley/internal/text/waittest"
)

// TestClusterAPI: a program's request is taken by one process, which is killed while it answers;
// sent again to another one it is the same request: one answer, and what was asked for is done
// once. Both processes know the tokens, and MCP calls under one key are one at both.
func TestClusterAPI(t *testing.T) {
	t.Parallel()
	waittest.Alone(t)
	w := newWorld(t)
	bases := []string{withAPI(t, w)}
	w.env = append(w.env, "BOT_HTTP_MCP=true")
	w.llm.Respond(func(r llmtest.Request) llmtest.Turn {
		if r.Messages[len(r.Messages)-1].Role == "tool" {
			return llmtest.Turn{Text: "It is noted, and kept for later.", Chunks: 10, ChunkWait: 300 * time.Millisecond}
		}
		return callTool("add_task", `{"description":"buy milk"}`)
	})
	f := newFleetOf(t, w, 1, func(url string) string { return url })
	bases = append(bases, w.withPort(t)) // the later one holds
	f.join(t, f.url)
	eventually(t, "both live", func() bool { return f.alive() == 2 })
	token := w.token(t, 7)
	first := &asker{t, bases[0], token, map[string]string{}}
	second := &asker{t, bases[1], token, map[string]string{"X-Stainless-Retry-Count": "1"}}
	body := map[string]any{"model": "parley", "messages": []any{user("note that I must buy milk")}}
	cut := make(chan completion, 1)
	go func() {
		r, _ := first.sends(body) // cut off
		cut <- r
	}()
	eventually(t, "it is noted", func() bool { return f.count(t, "SELECT count(*) FROM tasks") == 1 })
	kill(f.nodes[0].Cmd)
	if r := <-cut; r.text() != "" {
		t.Fatalf("answered before the kill: %s", r.raw)
	}
	var r completion
	eventually(t, "the other process answers", func() (ok bool) {
		var err error
		r, err = second.sends(body)
		return err == nil && r.status == 200
	})
	if r.text() != "It is noted, and kept for later." {
		t.Errorf("%d %s", r.status, r.raw)
	}
	for what, query := range map[string]string{"tasks": "SELECT count(*) FROM tasks", "requests": "SELECT count(*) FROM api_requests",
		"messages": "SELECT count(*) FROM inbox WHERE platform = 'api'"} {
		if n := f.count(t, query); n != 1 {
			t.Errorf("%d %s", n, what)
		}
	}
	for i := range 2 {
		status, said, err := caller{t, bases[1], token}.calls("add_task", `{"description":"buy bread"}`, "one key")
		if status != 200 || err != nil {
			t.Errorf("%d %s %v", status, said, err)
		}
		if n := f.count(t, "SELECT count(*) FROM tasks"); n != 2 {
			t.Error(fmt.Sprint(i, ": ", n, " tasks"))
		}
	}
}
