package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/text/waittest"
)

// caller is an MCP client with somebody's token, which asks each thing by itself.
type caller struct {
	t           testing.TB
	base, token string
}

// calls calls a tool over HTTP; key is its Idempotency-Key.
func (c caller) calls(tool, args, key string) (status int, said string, err error) {
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, args)
	r, err := http.NewRequestWithContext(c.t.Context(), http.MethodPost, c.base+"/mcp", bytes.NewBufferString(body))
	if err != nil {
		return 0, "", err
	}
	for k, v := range map[string]string{"Authorization": "Bearer " + c.token, "Content-Type": "application/json",
		"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25", "Idempotency-Key": key} {
		r.Header.Set(k, v)
	}
	client := &http.Client{Timeout: time.Minute, Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	var answer struct {
		Result struct {
			Content []struct{ Text string }
			IsError bool
		}
	}
	if json.Unmarshal(raw, &answer) != nil || len(answer.Result.Content) == 0 {
		return resp.StatusCode, string(raw), err
	}
	return resp.StatusCode, answer.Result.Content[0].Text, err
}

// persists calls again until it is answered.
func (c caller) persists(tool, args, key string) <-chan string {
	said := make(chan string, 1)
	go func() {
		for c.t.Context().Err() == nil {
			if status, text, err := c.calls(tool, args, key); err == nil && status != http.StatusServiceUnavailable {
				said <- fmt.Sprint(status, " ", text)
				return
			}
			waittest.Take(c.t.Context(), 100*time.Millisecond)
		}
	}()
	return said
}

func heard(t *testing.T, said <-chan string) (text string) {
	t.Helper()
	eventually(t, "an MCP client is answered", func() bool {
		select {
		case text = <-said:
			return true
		default:
			return false
		}
	})
	return text
}

// TestDoorKilled: a call whose answer a kill cuts off is made again under its key and adds
// nothing twice, whatever it adds; under another key it does.
func TestDoorKilled(t *testing.T) {
	t.Parallel()
	for tool, c := range map[string]struct{ args, table string }{
		"add_task":  {`{"description":"buy milk"}`, "tasks"},
		"save_fact": {`{"content":"Prefers tea over coffee"}`, "key_facts"},
	} {
		t.Run(tool, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			base := withDoor(t, w)
			child := w.start(t)
			p := caller{t, base, w.token(t, 7)}
			kill(child)
			child = w.start(t, "BOT_FAILPOINT=after_mcp_call")
			said := p.persists(tool, c.args, "one")
			dies(t, child)
			child = w.start(t)
			if got := heard(t, said); !strings.HasPrefix(got, "200 ") {
				t.Error(got)
			}
			if n := w.count(t, "SELECT count(*) FROM "+c.table); n != 1 {
				t.Errorf("%d rows", n)
			}
			if tool == "add_task" {
				_, _, err := p.calls(tool, c.args, "another")
				if n := w.count(t, "SELECT count(*) FROM tasks"); err != nil || n != 2 {
					t.Errorf("another call: %d %v", n, err)
				}
			}
			kill(child)
		})
	}
}

// TestDoorForgets: who is forgotten, at whatever point that is killed, has no token and no row
// left that their programs made; a token that is taken back ends at once, and stays so after a
// restart.
func TestDoorForgets(t *testing.T) {
	t.Parallel()
	for _, point := range []string{"forgetting", "forgotten"} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			base := withDoor(t, w)
			child := w.start(t)
			ann, bo := caller{t, base, w.token(t, 7)}, caller{t, base, w.token(t, 8)}
			for _, p := range []caller{ann, bo} {
				if status, said, err := p.calls("add_task", `{"description":"hide the CANARY"}`, "k"); status != http.StatusOK {
					t.Fatal(status, said, err)
				}
			}
			w.answered(t, 8, 8, "/token revoke all")
			if status, _, _ := bo.calls("list_tasks", `{}`, ""); status != http.StatusUnauthorized {
				t.Errorf("a token that was taken back: %d", status)
			}
			w.answered(t, 7, 7, "/forget-me")
			w.settled(t)
			kill(child)
			child = w.start(t, "BOT_FAILPOINT="+point)
			w.tg.Push(telegramtest.Text(7, 7, "yes"))
			dies(t, child)
			child = w.start(t)
			eventually(t, "nothing is left", func() bool {
				return w.unfinished() == 0 && w.count(t, "SELECT (SELECT count(*) FROM tasks) + (SELECT count(*) FROM api_tokens)") == 1
			})
			for _, p := range []caller{ann, bo} {
				if said := heard(t, p.persists("list_tasks", `{}`, "")); !strings.HasPrefix(said, "401 ") {
					t.Error(said)
				}
			}
			kill(child)
		})
	}
}
