package terminal

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/internal/adapters/terminal/lineedit/lineedittest"
	"parley/internal/chat"
)

// window is a terminal whose size can change while an answer is written.
type window struct {
	*lineedittest.Screen
	width, height int
}

func openWindow(width, height int) (*window, *Adapter, chat.Message) {
	w := &window{lineedittest.New(width, height), width, height}
	a := New(Options{Out: w, TTY: true, Color: true, Links: true})
	a.screen.size = func() (int, int) { return w.width, w.height }
	m := a.message("hi")
	a.pending[m.ID] = true
	return w, a, m
}

// resize changes the window, and lets the adapter see twice that it has.
func (w *window) resize(a *Adapter, width int) {
	w.Resize(width, w.height)
	w.width = width
	a.tick()
	a.tick()
}

func TestAWindowMayChangeWhileAnAnswerIsWritten(t *testing.T) {
	const text = "# On tea\n\nIt is **good** to drink tea in the afternoon, [says](https://tea.example/a) everybody who " +
		"has ever tried it.\n\n```go\nfunc brew() {}\n```\n\n- one thing and another\n- two\n"
	for _, height := range []int{40, 6} {
		for at := 10; at < len(text); at += 7 {
			for _, width := range []int{24, 31, 72} {
				w, a, m := openWindow(48, height)
				_, _ = w.Write([]byte("> earlier\n"))
				_, _, _ = a.Preview(t.Context(), m, "", text[:at])
				w.resize(a, width)
				_, _, _ = a.Preview(t.Context(), m, "", text[:min(at+40, len(text))])
				if _, err := a.Send(t.Context(), chat.Part{Text: text}); err != nil {
					t.Fatal(err)
				}
				want, _, _ := openWindow(width, height)
				_, _ = want.Write([]byte("> earlier\n" + render(text, look{width: width, styled: true}, false) + "\n"))
				if height == 40 && w.All() != want.All() {
					t.Fatalf("from 48 to %d columns after %d bytes:\n%s\nwant\n%s", width, at, w.All(), want.All())
				}
				if !strings.HasSuffix(w.All(), strings.TrimPrefix(want.All(), "> earlier\n")) {
					t.Fatalf("from 48 to %d columns after %d bytes, with %d rows:\n%s", width, at, height, w.All())
				}
			}
		}
	}
}

func TestAWindowThatIsDraggedIsDrawnOnce(t *testing.T) {
	w, a, m := openWindow(60, 10)
	_, _, _ = a.Preview(t.Context(), m, "", strings.Repeat("word ", 30))
	for width := 59; width > 40; width-- {
		w.Resize(width, 10)
		w.width = width
		a.tick()
	}
	a.tick()
	if n := strings.Count(w.All(), "word"); n != 29 {
		t.Errorf("%d words, want 29:\n%s", n, w.All())
	}
}

func TestLinksCanBeClicked(t *testing.T) {
	l := look{styled: true, color: true, links: true, width: 20}
	want := linkStart + "https://a.example/x%20y?q=%C3%BC" + linkDone + styleLink + "two words that are" + styleOff + linkEnd + "\n" +
		linkStart + "https://a.example/x%20y?q=%C3%BC" + linkDone + styleLink + "long" + styleOff + linkEnd + "\n(https://a.example/x%20y?q=ü)"
	if got := render("[two words that are long](https://a.example/x%20y?q=ü)", l, false); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	for _, address := range []string{"javascript:alert(1)", "file:///etc/passwd", "/local", "https:///x", "data:text/html,x"} {
		if got := render("[a]("+address+")", l, false); strings.Contains(got, linkStart) {
			t.Errorf("%s can be clicked: %q", address, got)
		}
	}
	for env, want := range map[string]bool{
		"": false, "TERM=xterm-256color": false, "TERM=xterm-kitty": true, "VTE_VERSION=6800": true, "VTE_VERSION=4200": false,
		"TERM_PROGRAM=WezTerm":     true,
		"TERM=screen,WT_SESSION=1": false, "TERM_PROGRAM=tmux,TERM_PROGRAM_VERSION=3.3a": false,
		"TERM_PROGRAM=tmux,TERM_PROGRAM_VERSION=3.4": true,
		"FORCE_HYPERLINK=1":                          true, "FORCE_HYPERLINK=0,TERM=xterm-kitty": false,
	} {
		vars := map[string]string{}
		for v := range strings.SplitSeq(env, ",") {
			name, value, _ := strings.Cut(v, "=")
			vars[name] = value
		}
		if got := ShowsLinks(func(name string) string { return vars[name] }); got != want {
			t.Errorf("%s: %v", env, got)
		}
	}
}

// TestWithoutColors: NO_COLOR takes the colors, not what Markdown means.
func TestWithoutColors(t *testing.T) {
	got := render("# T\n*a* `b` [c](https://d.example)\n```go\nfunc\n```", look{styled: true}, false)
	if want := styleTitle + "T" + styleOff + "\n\n" + styleItalic + "a" + styleOff + " `b` " + styleLink + "c" + styleOff +
		" (https://d.example)\n\nfunc"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestExitAndQuitLeave(t *testing.T) {
	for _, word := range []string{"exit", "quit", " Quit ", "/quit", "/exit", "bye", "Exit.", "Bye!", "/q", "/bye"} {
		if out, _ := talk(t, Options{}, "a\n"+word+"\nb\n", echo); out != "re: a\n" {
			t.Errorf("%q: stdout %q", word, out)
		}
	}
	if _, got := talk(t, Options{}, "exit strategy\nhow do I quit?\nq\nbye the way\n", echo); len(got) != 4 {
		t.Errorf("%+v", got)
	}
}

func TestScriptsReadOneObjectAnAnswer(t *testing.T) {
	now := time.Unix(0, 0)
	answer := func(m chat.Message) []chat.Part {
		p := func(p chat.Part) chat.Part { p.Origin = m.Origin; return p }
		switch m.Text {
		case "silence":
			return nil
		case "two":
			now = now.Add(1500 * time.Millisecond)
			return []chat.Part{p(chat.Part{Text: "**one** <b>"}), {Text: "a reminder"}, p(chat.Part{
				Text: "two", Files: []chat.File{{Name: "a.txt", Data: []byte("hi")}},
				Buttons: [][]chat.Button{{{Label: "Yes", Data: "y"}}, {{Label: "Site", URL: "https://a.example"}, {Label: "No", Data: "n"}}}})}
		}
		return []chat.Part{p(chat.Part{Text: "re: " + m.Text})}
	}
	dir := t.TempDir()
	out, got := talk(t, Options{JSON: true, TTY: true, Color: true, Downloads: dir, Now: func() time.Time { return now }},
		"hi\nsilence\ntwo\n2\n{\"text\":\"rows\\nof text\"}\n{\"text\":1}\n{\"a\":\"b\"}\nexit\n", answer)
	want := `{"to":"hi","text":"re: hi","seconds":0}
{"to":"silence","text":"","seconds":0}
{"text":"a reminder","seconds":0}
{"to":"two","text":"**one** <b>\n\ntwo","choices":[{"number":1,"label":"Yes"},{"label":"Site","url":"https://a.example"},{"number":2,"label":"No"}],"files":[{"name":"a.txt","bytes":2,"path":"` + filepath.Join(dir, "a.txt") + `"}],"seconds":1.5}
{"to":"2","text":"re: n","seconds":0}
{"to":"rows\nof text","text":"re: rows\nof text","seconds":0}
{"to":"{\"text\":1}","text":"re: {\"text\":1}","seconds":0}
{"to":"{\"a\":\"b\"}","text":"re: {\"a\":\"b\"}","seconds":0}
`
	if out != want {
		t.Errorf("stdout\n%s\nwant\n%s", out, want)
	}
	if got[3].Kind != chat.KindButton {
		t.Errorf("the choice is %+v", got[3])
	}
	for line := range strings.Lines(out) {
		if !json.Valid([]byte(line)) || bytes.ContainsRune([]byte(line), 0x1b) {
			t.Errorf("not JSON: %q", line)
		}
	}
}

func TestEverybodyHasTheirOwnHistory(t *testing.T) {
	dir := t.TempDir()
	base := filepath.Join(dir, "history")
	for user, want := range map[string]string{"": base, "bob": base + "-bob", "terminal:bob": base + "-bob", "a/../b": ""} {
		if got := New(Options{User: user, HistoryFile: base}).historyFile(); got != want {
			t.Errorf("%q: %q, want %q", user, got, want)
		}
	}
	for _, name := range []string{"history", "history-bob"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("zebra\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := New(Options{HistoryFile: base}).Forget(t.Context(), "terminal:bob"); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(base + "*"); len(left) != 1 || left[0] != base {
		t.Errorf("left are %q", left)
	}
}
