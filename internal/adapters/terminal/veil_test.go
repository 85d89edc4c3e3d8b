//go:build unix

package terminal

import (
	"errors"
	"io"
	"strings"
	"testing"
)

// screenOf plays what a terminal shows of backspaces.
func screenOf(s string) string {
	var line []rune
	at := 0
	for _, r := range s {
		switch r {
		case '\b':
			at--
		default:
			line = append(line[:at], r)
			at++
		}
	}
	return strings.TrimRight(string(line[:at]), "\n")
}

func TestVeiledLine(t *testing.T) {
	hidden := func(s string) string {
		if strings.HasPrefix(s, "se") {
			return strings.Repeat("•", len([]rune(s)))
		}
		return s
	}
	for typed, want := range map[string][2]string{
		"hello\n":              {"hello", "hello"},
		"hallo\x7f\x7fxy\r":    {"halxy", "halxy"},
		"secret\n":             {"secret", "••••••"},
		"secret\x15open\n":     {"open", "open"},
		"müß\x7f\x7fe\n":       {"me", "me"},
		"日本\x7f語\n":            {"日語", "日語"},
		"a\x1b[Db\x1b[1;5Cc\n": {"abc", "abc"},
	} {
		for _, whole := range []bool{true, false} {
			var out strings.Builder
			l := &veiled{out: &out, shown: hidden}
			var in io.Reader = strings.NewReader(typed)
			if !whole {
				in = oneByOne{in}
			}
			if err := l.read(in); err != nil || l.line != want[0] {
				t.Errorf("%q: %q %v", typed, l.line, err)
			}
			if strings.Contains(out.String(), "secret") {
				t.Errorf("%q is shown: %q", typed, out.String())
			}
		}
	}
	l := &veiled{out: io.Discard, shown: hidden}
	if err := l.read(strings.NewReader("\x04")); !errors.Is(err, io.EOF) {
		t.Errorf("Ctrl-D: %v", err)
	}
}

// TestVeiledScreen: what stands there is taken back when it turns out to be a secret.
func TestVeiledScreen(t *testing.T) {
	var out strings.Builder
	l := &veiled{out: &out, shown: func(s string) string {
		if strings.HasPrefix(s, "sec") {
			return strings.Repeat("•", len(s))
		}
		return s
	}}
	if err := l.read(oneByOne{strings.NewReader("secure\x7f\n")}); err != nil {
		t.Fatal(err)
	}
	if got := screenOf(strings.TrimRight(out.String(), "\n")); strings.TrimRight(got, " ") != "•••••" {
		t.Errorf("the screen shows %q, written as %q", got, out.String())
	}
}

// oneByOne hands on a byte at a time, as they are typed.
type oneByOne struct{ io.Reader }

func (o oneByOne) Read(p []byte) (int, error) { return o.Reader.Read(p[:1]) }
