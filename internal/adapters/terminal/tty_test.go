package terminal

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

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

func TestTheAnswerGrows(t *testing.T) {
	var out bytes.Buffer
	a := New(Options{Out: &out, TTY: true})
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
		{func() { _ = a.Typing(t.Context(), m); _ = a.Typing(t.Context(), m) }, "…"},
		{func() { show("looking") }, eraseLine + "looking"},
		{func() { show("It") }, eraseLine + "It"},
		{func() { show("It is\n") }, " is"},
		{func() { show("It is\n\x1b[2Jfine") }, "\nfine"},
		{func() { show("No") }, "\nNo"},
		{func() { _, _ = a.Send(t.Context(), chat.Part{Text: "No way.\n"}) }, " way.\n"},
		{func() { a.Done(m); show("late"); _ = a.Typing(t.Context(), m) }, ""},
	} {
		out.Reset()
		if step.do(); out.String() != step.want {
			t.Errorf("printed %q, want %q", out.String(), step.want)
		}
	}
}

func TestRenderIsPrintedPieceByPiece(t *testing.T) {
	text := "a **bold** and `co**de` 2 ** 3 **open\n```go\nx := **p // `\n```\n**x**"
	whole := render(text)
	want := "a " + styleBold + "bold" + styleOff + " and " + styleCode + "co**de" + styleOff + " 2 ** 3 " + styleBold + "open" + styleOff +
		"\n" + styleOff + "```" + styleCode + "go\nx := **p // `\n" + styleOff + "```\n" + styleBold + "x" + styleOff
	if whole != want {
		t.Errorf("got  %q\nwant %q", whole, want)
	}
	for i := range text {
		if part := render(settled(text[:i])); !strings.HasPrefix(whole, part) {
			t.Fatalf("%q is drawn as %q", text[:i], part)
		}
	}
}

func TestLinesBreakBetweenWords(t *testing.T) {
	text := "one two three **four five** six seven\n\n- a `list` entry that goes on\n```\nx := this line of code is as long as it is\n```\nhttps://example.org/a/very/long/address here"
	all := wrap(render(text), 20)
	want := "one two three " + styleBold + "four\nfive" + styleOff + " six seven\n\n- a " + styleCode + "list" + styleOff + " entry that\n  goes on\n" +
		styleOff + "```" + styleCode + "\nx := this line of code is as long as it is\n" + styleOff + "```\nhttps://example.org/a/very/long/address\nhere"
	if all != want {
		t.Errorf("got  %q\nwant %q", all, want)
	}
	for i := range text {
		if part := wrap(render(settled(whole(text[:i]))), 20); !strings.HasPrefix(all, part) {
			t.Fatalf("%q is drawn as %q", text[:i], part)
		}
	}
	var out bytes.Buffer
	s := screen{out: &out, width: func() int { return 20 }}
	for _, part := range []string{"it", "it goes on and on an", "it goes on and on and", "it goes on and on and o", "it goes on and on and off"} {
		if err := s.show(part, part == "it goes on and on and off"); err != nil {
			t.Fatal(err)
		}
	}
	if out.String() != "it goes on and on\nand off\n" {
		t.Errorf("printed %q", out.String())
	}
}

func FuzzRender(f *testing.F) {
	f.Add("a **b `c\n```x\n``` **", 5)
	f.Fuzz(func(t *testing.T, text string, at int) {
		if at < 0 || at > len(text) {
			return
		}
		if part := render(settled(text[:at])); !strings.HasPrefix(render(text), part) {
			t.Errorf("%q", text)
		}
		if part := wrap(render(settled(whole(text[:at]))), 20); !strings.HasPrefix(wrap(render(text), 20), part) {
			t.Errorf("%q breaks otherwise when it grows", text)
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
		time.Sleep(time.Second)
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
	if len(in.got) != 1 || strings.Count(notes.String(), wordAgain) != 2 {
		t.Errorf("%+v, notes %q", in.got, notes.String())
	}
}

func TestKeys(t *testing.T) {
	input := "a\x1b[A" + pasteStart + "one\r\n\ttwo\nthree\x03" + pasteEnd + "\x1b\x1b[200!\x03\r"
	want := "a\x1b[Aone␤␉two␤three\x1b\x1b[200!\r"
	for size := 1; size < len(input); size++ {
		var k keys
		var out []byte
		interrupts := 0
		for rest := []byte(input); len(rest) > 0; {
			n := min(size, len(rest))
			piece, interrupted := k.feed(rest[:n], true)
			if out = append(out, piece...); interrupted {
				interrupts++
			}
			rest = rest[n:]
		}
		if string(out) != want || interrupts != 1 {
			t.Fatalf("in pieces of %d: %q, %d interrupts", size, out, interrupts)
		}
	}
	if got := unfold("one␤␉two"); got != "one\n\ttwo" {
		t.Errorf("got %q", got)
	}
	var k keys
	if out, interrupted := k.feed([]byte{ctrlC, 0x1b}, false); interrupted || string(out)+string(k.rest()) != "\x03\x1b" {
		t.Error("at the prompt keys go to the editor")
	}
}
