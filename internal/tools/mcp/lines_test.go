package mcp

import (
	"errors"
	"io"
	"strings"
	"testing"
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
