package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/llm/llmtest"
)

// begins sends a request whose answer is streamed, and returns the rest of it once its first
// words are there.
func (p *asker) begins(words string) (rest func() string) {
	p.t.Helper()
	b, err := json.Marshal(map[string]any{"model": "parley", "stream": true, "messages": []any{user(words)}})
	must(p.t, err)
	r, err := http.NewRequestWithContext(p.t.Context(), http.MethodPost, p.base+"/v1/chat/completions", bytes.NewReader(b))
	must(p.t, err)
	r.Header.Set("Authorization", "Bearer "+p.token)
	resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
	must(p.t, err)
	p.t.Cleanup(func() { _ = resp.Body.Close() })
	in, begun := bufio.NewReader(resp.Body), ""
	for {
		line, err := in.ReadString('\n')
		must(p.t, err)
		begun += line
		if said, _, _ := streamed(begun); said != "" {
			return func() string {
				p.t.Helper()
				more, err := io.ReadAll(in)
				must(p.t, err)
				return begun + string(more)
			}
		}
	}
}

// TestAPIRevokedMeanwhile: a token that is revoked in the middle of a streamed answer ends with
// it: the answer comes whole, once, and is remembered; nothing else is served, neither while it
// comes nor afterwards, nor the same again.
func TestAPIRevokedMeanwhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	base := withAPI(t, w)
	paused := make(chan struct{})
	long := strings.Repeat("one two three four five six seven eight nine ten\n", 20) + "The end."
	w.llm.Respond(func(llmtest.Request) llmtest.Turn { return llmtest.Turn{Text: long, Chunks: 4, Paused: paused} })
	w.run(t)
	p := w.asker(t, base, 7)
	rest := p.begins("tell me")
	if said := w.answered(t, 7, 7, "/token revoke all"); !strings.Contains(said, "1 token revoked") {
		t.Fatal(said)
	}
	shut := func(when string) {
		t.Helper()
		for method, path := range map[string]string{http.MethodGet: "/v1/models", http.MethodPost: "/v1/chat/completions"} {
			r, err := p.requests(method, path, strings.NewReader(`{"messages":[{"role":"user","content":"tell me"}]}`))
			if err != nil || r.status != http.StatusUnauthorized || r.body.Error.Code != "invalid_api_key" {
				t.Errorf("%s, %s %s: %d %v %s", when, method, path, r.status, err, r.raw)
			}
		}
	}
	shut("meanwhile")
	close(paused)
	if said, finish, done := streamed(rest()); said != long || finish != "stop" || !done {
		t.Errorf("%v %q %q", done, finish, said)
	}
	shut("afterwards")
	w.settled(t)
	if n := w.count(t, "SELECT count(*) FROM inbox WHERE platform = 'api'"); n != 1 {
		t.Errorf("%d requests were taken", n)
	}
	if n := w.count(t, "SELECT count(*) FROM messages WHERE role = 'assistant' AND content LIKE '%The end.'"); n != 1 {
		t.Errorf("it is remembered %d times", n)
	}
}

// TestDoorRevokedMeanwhile: what an MCP call found or did is not told to a token that was
// revoked meanwhile. What it did stays done, and no other call is served.
func TestDoorRevokedMeanwhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	base, hold := withDoor(t, w), filepath.Join(t.TempDir(), "go-on")
	child := w.start(t, "BOT_FAILPOINT=after_mcp_call", "BOT_HOLD="+hold)
	p := caller{t, base, w.token(t, 7)}
	said := p.persists("add_task", `{"description":"hide the CANARY"}`, "k")
	eventually(t, "it is done", func() bool { return w.count(t, "SELECT count(*) FROM tasks") == 1 })
	w.answered(t, 7, 7, "/token revoke all")
	shut := func(when string) {
		t.Helper()
		if status, got, err := p.calls("list_tasks", `{}`, ""); err != nil || status != http.StatusUnauthorized {
			t.Errorf("%s: %d %s %v", when, status, got, err)
		}
	}
	shut("meanwhile")
	must(t, os.WriteFile(hold, nil, 0o600))
	if got := heard(t, said); !strings.Contains(got, "not valid any more") || strings.Contains(got, "CANARY") {
		t.Errorf("it is told %s", got)
	}
	shut("afterwards")
	kill(child)
	if n := w.count(t, "SELECT count(*) FROM tasks"); n != 1 {
		t.Errorf("%d tasks", n)
	}
}
