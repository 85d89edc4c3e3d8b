package lineedit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"parley/internal/adapters/terminal/lineedit/lineedittest"
	"parley/internal/llm/provider"
	"parley/internal/text"
)

// desk is a person at a terminal.
type desk struct {
	*Editor
	keys   Decoder
	screen *lineedittest.Screen
	width  int
	above  int
}

func sit(t *testing.T, width int, earlier ...string) *desk {
	t.Helper()
	h, err := OpenHistory("", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range earlier {
		if err := h.Add(l); err != nil {
			t.Fatal(err)
		}
	}
	return &desk{Editor: &Editor{Prompt: "> ", History: h}, screen: lineedittest.New(width, 12), width: width}
}

// press types keys as a terminal sends them and returns the last result.
func (d *desk) press(keys string) (last Result) {
	pressed := d.keys.Feed([]byte(keys))
	for _, k := range append(pressed, d.keys.Flush()...) {
		if r := d.Do(k); r != Editing {
			last = r
		}
		d.draw()
	}
	return last
}

func (d *desk) draw() {
	f := d.View(d.width, 12)
	_, _ = d.screen.Write([]byte(f.Draw(d.above)))
	d.above = f.Row()
}

const family = "👩\u200d👩\u200d👧"

func TestKeysDoWhatPeopleExpect(t *testing.T) {
	for _, tt := range []struct{ keys, text, rest string }{ // text before the cursor and after it
		{"abc\x7f", "ab", ""},
		{"x" + family + "\x7f", "x", ""},
		{"e\u0301e\u0301\x7f", "e\u0301", ""},
		{"🇨🇭🇩🇪\x7f\x7f", "", ""},
		{"한국\x7f", "한", ""},
		{"a" + family + "\x1b[D", "a", family},
		{"a" + family + "b\x1b[D\x1b[D\x1b[3~", "a", "b"},
		{"\x7f\x1b[D\x1b[3~\x15\x0b\x17", "", ""},
		{"one two three\x1bb\x1b[1;5D", "one ", "two three"},
		{"one two\x01\x1bf", "one", " two"},
		{"one two\x17", "one ", ""},
		{"one two\x17\x01\x19", "two", "one "},
		{"one two\x01\x0b\x19\x19", "one twoone two", ""},
		{"one two\x01\x1bd", "", " two"},
		{"one\x15two", "two", ""},
		{"ab\x14", "ba", ""},
		{"abc\x1b[H\x1b[C\x14", "ba", "c"},
		{"abc\x01\x04", "", "bc"},
		{"a\x1b\rb\x1b\nc", "a\nb\nc", ""},
		{"one\x1b\rtwo\x1b[A", "one", "\ntwo"},
		{"one\x1b\rtwo\x1b[A\x1b[B!", "one\ntwo!", ""},
		{"one\x1b\rtwo\x01\x7f", "one", "two"},
		{"a\x1b[200~b\r\nc\rd\x1b[31m\x1b[201~e", "ab\nc\nd[31me", ""},
		{"a\x1b[1;9Zb\x1b[15~c\x00\x1fd", "abcd", ""},
		{"x\x1b", "x", ""},
	} {
		for size := 1; size <= len(tt.keys); size++ {
			d := sit(t, 40)
			for rest := tt.keys; rest != ""; {
				n := min(size, len(rest))
				for _, k := range d.keys.Feed([]byte(rest[:n])) {
					d.Do(k)
				}
				rest = rest[n:]
			}
			if got, rest := d.text[:d.at], d.text[d.at:]; got != tt.text || rest != tt.rest {
				t.Fatalf("%q in pieces of %d: %q and %q, want %q and %q", tt.keys, size, got, rest, tt.text, tt.rest)
			}
		}
	}
}

func TestHowALineEnds(t *testing.T) {
	for keys, want := range map[string]Result{"hi\r": Done, "hi\n": Done, "\r": Done, "hi\x03": Dropped, "\x03": Aborted,
		"\x04": Over, "a\x04": Editing, "hi\x0c": Wiped, "\x1b[200~a\rb\x1b[201~": Editing} {
		if got := sit(t, 40).press(keys); got != want {
			t.Errorf("%q: %d, want %d", keys, got, want)
		}
	}
	d := sit(t, 40)
	d.press("one\x01\r")
	if got := d.Take(); got != "one" || d.text != "" {
		t.Errorf("took %q, %q is left", got, d.text)
	}
}

func TestTheLineIsSeenAsItIs(t *testing.T) {
	d := sit(t, 10)
	for _, step := range []struct {
		keys, want string
		row, col   int
	}{
		{"", ">", 0, 2},
		{"12345678", "> 12345678", 1, 0},
		{"9", "> 12345678\n9", 1, 1},
		{"\x7f\x7f", "> 1234567", 0, 9},
		{"茶", "> 1234567\n茶", 1, 2},
		{"\x01", "> 1234567\n茶", 0, 2},
		{"\x0b", ">", 0, 2},
		{family + "x\x1b[D\x1b[D", "> " + family + "x", 0, 2},
		{"\x0b\x1b[200~one\ntwo\x1b[201~", "> one\n  two", 1, 5},
		{"\x1b[A", "> one\n  two", 0, 5},
		{"\x01\x0b\x0b", "> two", 0, 2},
	} {
		if step.keys == "" {
			d.draw()
		}
		d.press(step.keys)
		row, col := d.screen.Cursor()
		if got := strings.TrimRight(d.screen.Seen(), "\n"); got != step.want || row != step.row || col != step.col {
			t.Errorf("after %q: %q with the cursor at %d, %d; want %q, %d, %d", step.keys, got, row, col, step.want, step.row, step.col)
		}
	}
}

func TestALongLineStaysInTheWindow(t *testing.T) {
	d := sit(t, 20)
	d.press("\x1b[200~" + strings.TrimSuffix(strings.Repeat("row\n", 60), "\n") + "\x1b[201~")
	if rows := strings.Count(d.screen.All(), "\n") + 1; rows > 12 {
		t.Errorf("%d rows are printed in a window of 12", rows)
	}
	if d.press("\r") != Done || d.Take() != strings.TrimSuffix(strings.Repeat("row\n", 60), "\n") {
		t.Error("it is not whole")
	}
}

func TestAWindowThatChangesItsSize(t *testing.T) {
	d := sit(t, 30)
	_, _ = d.screen.Write([]byte("an earlier answer\n"))
	d.press("one two three four five six seven")
	for _, width := range []int{12, 7, 50, 20} {
		d.screen.Resize(width, 12)
		d.width = width
		d.above = d.View(width, 12).Row()
		d.draw()
		d.press("!")
		seen := strings.ReplaceAll(d.screen.All(), "\n", "")
		if strings.Count(seen, "one") != 1 || strings.Count(strings.ReplaceAll(seen, " ", ""), "anearlieranswer") != 1 ||
			!strings.HasSuffix(seen, "!") {
			t.Errorf("with %d columns:\n%s", width, d.screen.All())
		}
	}
}

func TestEarlierLinesAreFound(t *testing.T) {
	d := sit(t, 60, "buy milk", "show my tasks", "buy tea", "buy tea", "remind me")
	for _, step := range []struct{ keys, want string }{
		{"half\x1b[A", "> remind me"},
		{"\x1b[A\x1b[A", "> show my tasks"},
		{"\x1b[B\x1b[B\x1b[B", "> half"},
		{"\x12bu", "(search “bu”) buy tea"},
		{"\x12", "(search “bu”) buy milk"},
		{"\x12", "(nothing has “bu”) buy milk"},
		{"\x07", "> half"},
		{"\x12MY", "(nothing has “MY”) half"},
		{"\x7f\x7fmy t", "(search “my t”) show my tasks"},
		{"\x1b[D!", "> show my task!s"},
	} {
		d.press(step.keys)
		if got := d.screen.Seen(); got != step.want {
			t.Errorf("after %q: %q, want %q", step.keys, got, step.want)
		}
	}
	if d.press("\x12milk\r") != Done || d.Take() != "buy milk" {
		t.Error("Enter does not take what was found")
	}
}

func TestTabShowsWhatMayFollow(t *testing.T) {
	d := sit(t, 40)
	all := []string{"/remind ", "/reminders ", "/reset ", "/tasks add ", "/tasks done ", "/tasks drop "}
	d.Complete = func(prefix string) (list []string) {
		for _, c := range all {
			if strings.HasPrefix(c, prefix) {
				list = append(list, c)
			}
		}
		return list
	}
	for _, step := range []struct{ keys, want string }{
		{"/r\t", "> /re\n/remind     /reminders  /reset"},
		{"m\t", "> /remind\n/remind     /reminders"},
		{"\t", "> /remind\n/remind     /reminders"},
		{"\t", "> /reminders\n/remind     /reminders"},
		{"\x1b[Z", "> /remind\n/remind     /reminders"},
		{"me", "> /remind me"},
		{"\x15/tasks \t", "> /tasks\nadd   done  drop"},
		{"\t\t\x1b\x1b", "> /tasks"},
		{"d\t\t", "> /tasks done\ndone  drop"},
		{"\x15/res\t", "> /reset"},
		{"\x15/x\t", "> /x"},
	} {
		d.press(step.keys)
		if got := d.screen.Seen(); got != step.want {
			t.Errorf("after %q:\n%s\nwant\n%s", step.keys, got, step.want)
		}
	}
	all = nil
	for c := 'a'; c <= 'z'; c++ {
		all = append(all, "/"+strings.Repeat(string(c), 25))
	}
	d.press("\x15/\t")
	if got := d.screen.Seen(); strings.Count(got, "\n") > 8 || !strings.Contains(got, "… Tab goes on") {
		t.Errorf("a long list:\n%s", got)
	}
	d.press(strings.Repeat("\t", 26))
	if got := d.screen.Seen(); strings.Count(got, strings.Repeat("z", 25)) != 2 {
		t.Errorf("the one that was picked is not seen:\n%s", got)
	}
}

func TestTypedLinesStay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history")
	h, err := OpenHistory(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	kept := []string{"hello", "two\nrows", `c:\new`}
	for _, l := range []string{"hello", "hello", "", "  ", " not this", strings.Repeat("x", 5000), "two\nrows",
		"my password is hunter2", `c:\new`} {
		if err := h.Add(l); err != nil {
			t.Fatal(err)
		}
	}
	again, err := OpenHistory(path, nil) // without an end: the process may have been killed
	if err != nil || strings.Join(again.lines(), "|") != strings.Join(kept, "|") {
		t.Errorf("%q %v, want %q", again.lines(), err, kept)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	for i := range 2*mostLines + 5 {
		_ = again.Add(strings.Repeat("y", i%7+1))
	}
	if again, err = OpenHistory(path, nil); err != nil || len(again.lines()) != mostLines {
		t.Errorf("%d lines %v", len(again.lines()), err)
	}
	if err := again.Forget(); err != nil || again.Forget() != nil || len(again.lines()) != 0 {
		t.Error(err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the file stays: %v", err)
	}
}

func TestSecretsAreNotKept(t *testing.T) {
	tokens := provider.Forms{{Owner: "Telegram", Matches: text.Pattern(`^\d+:[\w-]+$`)}}
	for line, want := range map[string]bool{
		"my key is sk-proj-aB3dE5gH7jK9mN1pQ3sT5vX7":           true,
		"OPENAI_API_KEY=whatever":                              true,
		"password: hunter":                                     true,
		"mein Passwort ist geheim":                             true,
		"the token is 12":                                      true,
		"export GH=ghp_16C7e42F292c6912E7710c838347Ae178B4a":   true,
		"123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw0 is it":  true,
		"/claim XKCD-1234":                                     true,
		"postgres://me:pass@db.example/x":                      true,
		"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d": true,
		"remind me at 10:30am to stretch":                      false,
		"what does internationalization2024 mean?":             false,
		"see https://example.org/2024/a-long-title-of-a-page":  false,
		"how do I reset my password?":                          false,
		"/config set model.name gpt-4o-mini-2024-07-18":        false,
		"open src/components/Button.test.tsx":                  false,
	} {
		if got := Secret(line, tokens); got != want {
			t.Errorf("%q: %v, want %v", line, got, want)
		}
	}
}

func FuzzKeys(f *testing.F) {
	f.Add("a"+family+"\x7f\x1b[D\x14x\x12y\x12\r", 5)
	f.Add("\x1b[200~one\r\n二\x1b[201~\x1b[A\x0b\x19\t\t\x1b[Z", 11)
	f.Fuzz(func(t *testing.T, keys string, width int) {
		if width < 4 || width > 200 {
			return
		}
		d := sit(t, width, "one", "two words", "三\n四")
		d.Complete = func(p string) []string { return []string{p + "x", p + "yy", p + " z"} }
		for _, k := range append(d.keys.Feed([]byte(keys)), d.keys.Flush()...) {
			if d.Do(k) == Done {
				d.Take()
			}
			if d.at < 0 || d.at > len(d.text) || !utf8.ValidString(d.text) {
				t.Fatalf("the cursor is at %d of %q", d.at, d.text)
			}
			d.draw()
			if rows := strings.Count(d.screen.All(), "\n"); rows >= 12 {
				t.Fatalf("%d rows in a window of 12", rows)
			}
		}
	})
}
