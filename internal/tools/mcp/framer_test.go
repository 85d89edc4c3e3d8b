package mcp

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"parley/internal/tools"
)

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
