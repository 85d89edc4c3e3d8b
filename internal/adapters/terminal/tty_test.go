package terminal

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/adapters/terminal/highlight"
	"parley/internal/chat"
)

// script is a person at a keyboard.
type script struct{ steps []read }

func (s *script) line() (string, error) {
	if len(s.steps) == 0 {
		return "", io.EOF
	}
	next := s.steps[0]
	s.steps = s.steps[1:]
	return next.text, next.err
}
func (s *script) stop()  {}
func (s *script) close() {}

// sign is the sign of work as it is printed.
func sign(s string) string { return eraseLine + styleDim + s + styleOff }

func TestTheAnswerGrows(t *testing.T) {
	var out bytes.Buffer
	now := time.Unix(0, 0)
	a := New(Options{Out: &out, TTY: true, Now: func() time.Time { return now }})
	m := a.message("hi")
	a.pending[m.ID] = true
	show := func(text string) {
		t.Helper()
		if _, _, err := a.Preview(t.Context(), m, "", text); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct {
		do   func()
		want string
	}{
		{func() { a.tick() }, ""},
		{func() { _ = a.Typing(t.Context(), m); _ = a.Typing(t.Context(), m) }, sign("⠋ 0 s")},
		{func() { now = now.Add(2900 * time.Millisecond); a.tick() }, sign("⠙ 2 s")},
		{func() { a.Watch(m, []string{"search_notes", "web\x1b[2J_read"}); a.tick() }, sign("⠹ 2 s  search_notes, web_read")},
		{func() { now = now.Add(time.Minute); a.Watch(m, nil); a.tick() }, sign("⠸ 1:02")},
		{func() { show("looking up") }, eraseLine + "looking"},
		{func() { a.tick() }, ""},
		{func() { show("It ") }, styleOff + eraseLine + "It"},
		{func() { show("It is\n") }, ""},
		{func() { show("It is\n\x1b[2Jfine ") }, " is\nfine"},
		{func() { show("No ") }, styleOff + "\nNo"},
		{func() { _, _ = a.Send(t.Context(), chat.Part{Text: "No way.\n"}) }, " way.\n"},
		{func() { a.Done(m); show("late"); _ = a.Typing(t.Context(), m); a.tick() }, ""},
	} {
		out.Reset()
		if step.do(); out.String() != step.want {
			t.Errorf("printed %q, want %q", out.String(), step.want)
		}
	}
}

func TestAnswersLookAsPeopleExpect(t *testing.T) {
	for _, tt := range []struct {
		width      int
		text, want string
	}{
		{0, "a **bold** and `co**de` 2 ** 3 *it* **_both_**", "a [b]bold[off] and [code]co**de[off] 2 ** 3 [it]it[off] [b][it]both[off][b][off]"},
		{0, "# Title\ntext\n\n---\n~~old~~ \\*x\\*", "[h]Title[off]\n\ntext\n\n[dim]———[off]\n\n[strike]old[off] *x*"},
		{0, "## Sub\n### Deep\n###### Deepest", "[b]Sub[off]\n\n[h3]Deep[off]\n\n[h3]Deepest[off]"},
		{0, "```\nx := **p\n\n\ty()\n```\nend", "[code]x := **p[off]\n[code][off]\n[code]\ty()[off]\n\nend"},
		{0, "```go\nx := \"p\" // y\n```", "x := [string]\"p\"[off] [dim]// y[off]"},
		{0, "- one\n- two\n  - deep\n\n3. three\n4. four", "• one\n• two\n  • deep\n\n3. three\n4. four"},
		{0, "> said\n> so\n>\n> - twice\n\nme", "│ said\n│ so\n│\n│ • twice\n\nme"},
		{0, "[here](https://a.example/x) <https://b.example> ![cat](https://c.example/c.png)",
			"[link]here[off] (https://a.example/x) [link]https://b.example[off] [link]cat[off] (https://c.example/c.png)"},
		{0, "| a | bb |\n|--:|---|\n| 100 | 茶 |\n| x | y |\n\nend", "[b]  a │ bb[off]\n────┼───\n100 │ 茶\n  x │ y\n\nend"},
		{24, "| name | what it is for |\n|---|---|\n| tea | to drink in the afternoon |\n| ink | |",
			"[b]name:[off] tea\n[b]what it is for:[off] to drink\nin the afternoon\n\n[b]name:[off] ink"},
		{20, "one two three **four five** six seven\n\n- a `list` entry that goes on\n```\nx := this line of code is as " +
			"long as it is\n```\nhttps://example.org/a/very/long/address here",
			"one two three [b]four[off]\n[b]five[off] six seven\n\n• a [code]list[off] entry that\n  goes on\n\n[code]x := " +
				"this line of code is as long as it is[off]\n\nhttps://example.org/a/very/long/address\nhere"},
		{20, "茶茶茶茶茶茶 茶茶茶茶", "茶茶茶茶茶茶\n茶茶茶茶"},
		{0, "a <b>c</b> &amp; ||hidden||", "a <b>c</b> &amp; ||hidden||"},
	} {
		want := strings.NewReplacer("[h]", styleTitle, "[h3]", styleSub, "[string]", codeStyles[highlight.Text], "[b]",
			styleBold, "[it]", styleItalic, "[off]", styleOff, "[code]", styleCode, "[dim]", styleDim, "[strike]", styleStrike,
			"[link]", styleLink).Replace(tt.want)
		if got := render(tt.text, look{width: tt.width, styled: true, color: true}, false); got != want {
			t.Errorf("%q\ngot  %q\nwant %q", tt.text, got, want)
		}
	}
}

// answers are texts that models write, and some they should not.
var answers = []string{
	"Here is **what** you need:\n\n1. Open `main.go` and find *it*.\n2. Run:\n   ```sh\n   go test ./...\n   ```\n3. " +
		"Done [1], see [the page](https://a.example/x_y_z).\n\n> Quoted **text**\n> goes on\n\n| a | b |\n|---|--:|\n| one " +
		"| 2 |\n\nThat was **all** of snake_case_words, 5 * 3 and 2**8.\n",
	"para\n- a\n- b\n\n  more\n\n- c\n  1. x\n     > y\n\n---\n\n# Head #\ntext ~5 ~~gone~~ **open\n\nnext `tick\n\n    " +
		"code\n\n    more code\n\nend",
	"|a|b\n|-|-\n1|2\n3|4\nx\n\n***a** b* **c.**d [x [y] z](u) [a `]` b](v) <https://x.example> 2 < 3 \\[no\\](x) ![p](q \"t\")",
	"- \n- a\n-\n\n\n  b\n10) ten\n11) eleven\n```\nno end\n\n",
}

func TestAnAnswerIsPrintedPieceByPiece(t *testing.T) {
	for _, text := range answers {
		for _, width := range []int{0, 24} {
			l := look{width: width, styled: true, color: width > 0, links: true}
			all := render(text, l, false)
			shown := 0
			for i := range text {
				part := render(text[:i], l, true)
				if !strings.HasPrefix(all, part) {
					t.Fatalf("%q\nis drawn as %q\nwhole it is %q", text[:i], part, all)
				}
				shown += len(part)
			}
			if average := shown / len(text); average < len(all)/4 {
				t.Errorf("%.20q: of %d bytes only %d are shown on average while it grows", text, len(all), average)
			}
		}
	}
}

func TestLinesBreakBetweenWords(t *testing.T) {
	var out bytes.Buffer
	s := screen{out: &out, look: look{styled: true}, size: func() (int, int) { return 20, 24 }}
	for _, part := range []string{"it", "it goes on and on an", "it goes on and on and", "it goes on and on and o",
		"it goes on and on and off"} {
		if err := s.grow(part); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.finish("it goes on and on and off", []string{"1) Yes"}); err != nil {
		t.Fatal(err)
	}
	if out.String() != "it goes on and on\nand off\n1) Yes\n" {
		t.Errorf("printed %q", out.String())
	}
}

func FuzzRender(f *testing.F) {
	for _, text := range answers {
		f.Add(text, len(text)/2)
	}
	f.Add("a **b `c\n```x\n``` **", 5)
	f.Add("00000000000000000000\n***  ! 0000", 31)
	f.Fuzz(func(t *testing.T, text string, at int) {
		text = strings.Trim(clean(text), "\n")
		if at < 0 || at > len(text) {
			return
		}
		for _, width := range []int{0, 20} {
			l := look{width: width, styled: true, color: width == 0, links: true}
			if part, all := render(text[:at], l, true), render(text, l, false); !strings.HasPrefix(all, part) {
				t.Errorf("%q\nis drawn as %q\nwhole it is %q", text[:at], part, all)
			}
		}
	})
}

func TestCtrlCStopsTheAnswer(t *testing.T) { synctest.Test(t, ctrlCStopsTheAnswer) }

func ctrlCStopsTheAnswer(t *testing.T) {
	var out bytes.Buffer
	a := New(Options{Out: &out, TTY: true})
	stopped := make(chan struct{})
	in := &intake{a: a}
	in.answer = func(m chat.Message) []chat.Part {
		if m.Text != "/stop" {
			a.interrupt <- struct{}{}
			<-stopped
			return []chat.Part{{Text: "Well"}}
		}
		close(stopped)
		synctest.Wait() // until what can go on without it has
		return []chat.Part{{Text: "Stopped."}}
	}
	quit, err := a.say(t.Context(), in, "tell me everything")
	printed := out.String() // by now
	in.wg.Wait()
	if quit || err != nil || len(in.got) != 2 || in.got[1].Kind != chat.KindCommand {
		t.Errorf("%v %v %+v", quit, err, in.got)
	}
	if printed != "Well\nStopped.\n" {
		t.Errorf("printed %q", printed)
	}
}

func TestCtrlCAtThePromptTwiceQuits(t *testing.T) {
	var notes bytes.Buffer
	a := New(Options{Out: io.Discard, Err: &notes, TTY: true})
	in := &intake{a: a, answer: echo}
	steps := []read{{err: errAborted}, {text: "x"}, {err: errAborted}, {err: errAborted}, {text: "y"}}
	if err := a.converse(t.Context(), in, &script{steps}); err != nil {
		t.Fatal(err)
	}
	in.wg.Wait()
	if len(in.got) != 1 || strings.Count(notes.String(), "Ctrl-C again, Ctrl-D or exit to leave.") != 2 {
		t.Errorf("%+v, notes %q", in.got, notes.String())
	}
}
