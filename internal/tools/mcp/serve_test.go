package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"parley/internal/tools"
)

func TestOnlyMessages(t *testing.T) {
	const one, batch = `{"jsonrpc":"2.0","id":1,"result":{}}`, `[{"jsonrpc":"2.0","method":"ping","id":1}]`
	long := `{"jsonrpc":"2.0","method":"` + strings.Repeat("y", 200_000) + `"}`
	in := []string{"banner", one, "", "[INFO] ready", `{"level":"info","msg":"listening on [3]"}`, "  " + batch, "[]", "{}", "null", "5",
		`received: {"jsonrpc":"2.0","id":1,"result":{}}`, strings.Repeat("x", 200_000), long, "\ufeff" + one + "\r",
		`{"jsonrpc":"1.0"}`, `{"jsonrpc":"2.0"`, one}
	var heard []string
	var junk strings.Builder
	got, err := io.ReadAll(onlyMessages(io.NopCloser(strings.NewReader(strings.Join(in, "\n"))),
		func(m []byte) { heard = append(heard, strings.TrimSpace(string(m))) }, &junk))
	want := []string{one, batch, long, one, one}
	if err != nil || strings.Join(heard, "\n") != strings.Join(want, "\n") {
		t.Errorf("heard %.300q, %v", heard, err)
	}
	if lines := strings.Join(want[:3], "\n") + "\n" + one + "\r\n" + one; string(got) != lines {
		t.Errorf("passed on %d bytes, want %d", len(got), len(lines))
	}
	if !strings.Contains(junk.String(), "[INFO] ready\n") || strings.Contains(junk.String(), "ping") {
		t.Errorf("junk %.300q", junk.String())
	}
}

// A server may log as much as it likes between two messages, within bounds.
func TestTooMuchJunk(t *testing.T) {
	const one = `{"jsonrpc":"2.0","id":1,"result":{}}` + "\n"
	chatter := strings.Repeat("2026-01-01 working\n", maxMessage/40)
	for name, tt := range map[string]struct {
		in   string
		want error
	}{
		"between messages": {strings.Repeat(chatter+one, 5), nil},
		"and no message":   {strings.Repeat(chatter, 5), errJunk},
		"without an end":   {one + strings.Repeat("x", maxMessage+100_000), errJunk},
		"a message so big": {`{"jsonrpc":"2.0","method":"` + strings.Repeat("x", maxMessage+100_000) + `"}`, errJunk},
	} {
		_, err := io.ReadAll(onlyMessages(io.NopCloser(strings.NewReader(tt.in)), func([]byte) {}, io.Discard))
		if !errors.Is(err, tt.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

type nopClose struct{ io.Writer }

func (nopClose) Close() error { return nil }

// served returns what Serve answers to lines, by id; refusals without an id are
// under "null".
func served(t *testing.T, lines ...string) map[string][]string {
	t.Helper()
	var out bytes.Buffer
	set := tools.NewSet(childTool("hi", func() string { return "hello" }))
	if err := Serve(t.Context(), set, tools.Call{}, io.NopCloser(strings.NewReader(strings.Join(lines, "\n"))), nopClose{&out}); err != nil {
		t.Errorf("serve: %v", err)
	}
	got := map[string][]string{}
	for line := range strings.Lines(out.String()) {
		var a struct {
			ID     json.RawMessage
			Result struct {
				ProtocolVersion string
				Content         []struct{ Text string }
			}
			Error struct{ Code int }
		}
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		what := a.Result.ProtocolVersion
		if len(a.Result.Content) > 0 {
			what = a.Result.Content[0].Text
		}
		if a.Error.Code != 0 {
			what = map[int]string{-32700: "parse", -32600: "invalid", -32601: "unknown", -32602: "params"}[a.Error.Code]
		}
		got[string(a.ID)] = append(got[string(a.ID)], what)
	}
	return got
}

const (
	hello  = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
	ready  = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	asking = `{"jsonrpc":"2.0","id":"last","method":"tools/call","params":{"name":"hi","arguments":{}}}`
)

// A client that closes its end after its last question still gets the answer,
// and what cannot be read is refused without an end to the conversation.
func TestServeGoesOn(t *testing.T) {
	for name, tt := range map[string]struct{ line, id, want string }{
		"nothing odd":      {"", "", ""},
		"no JSON":          {"not json", "null", "parse"},
		"half JSON":        {`{"jsonrpc":"2.0","id":7`, "null", "parse"},
		"not UTF-8":        {"\xff\xfe", "null", "parse"},
		"very long":        {strings.Repeat("x", maxMessage+1), "null", "parse"},
		"long JSON":        {`{"jsonrpc":"2.0","id":7,"method":"` + strings.Repeat("x", maxMessage) + `"}`, "null", "parse"},
		"deep":             {strings.Repeat("[", 100_000), "null", "parse"},
		"a batch":          {"[" + asking + "]", "null", "invalid"},
		"an empty batch":   {"[]", "null", "invalid"},
		"a number":         {"5", "null", "invalid"},
		"empty":            {"{}", "null", "invalid"},
		"an older version": {`{"jsonrpc":"1.0","id":7,"method":"ping"}`, "7", "invalid"},
		"an odd id":        {`{"jsonrpc":"2.0","id":{},"method":"ping"}`, "null", "invalid"},
		"odd params":       {`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":7}`, "7", "invalid"},
		"unknown":          {`{"jsonrpc":"2.0","id":7,"method":"foo/bar"}`, "7", "unknown"},
		"an unknown tool":  {`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"rm"}}`, "7", "params"},
		"an answer":        {`{"jsonrpc":"2.0","id":7,"result":{}}`, "7", ""},
		"a notification":   {`{"jsonrpc":"2.0","method":"notifications/foo"}`, "7", ""},
		"cancelled":        {`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}`, "99", ""},
	} {
		got := served(t, hello, ready, tt.line, "", "  ", asking)
		if strings.Join(got["1"], "") != "2025-06-18" || strings.Join(got[`"last"`], "") != "hello" || strings.Join(got[tt.id], "") != tt.want {
			t.Errorf("%s: %.300v", name, got)
		}
	}
}

func TestServeRefusesAnIDThatIsTaken(t *testing.T) {
	if got := served(t, hello, ready, asking, asking)[`"last"`]; len(got) != 2 {
		t.Errorf("answers %q", got)
	}
}

func TestServeNegotiates(t *testing.T) {
	for asked, want := range map[string]string{"2024-11-05": "2024-11-05", "2025-11-25": "2025-11-25", "1999-01-01": "2025-11-25",
		"": "2025-11-25"} {
		line := strings.Replace(hello, "2025-06-18", asked, 1)
		if got := served(t, line)["1"]; strings.Join(got, "") != want {
			t.Errorf("%q: %q", asked, got)
		}
	}
}
