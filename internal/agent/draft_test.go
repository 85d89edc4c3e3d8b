package agent

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/llm/llmtest"
	"parley/internal/notes/citation"
	"parley/internal/playbook"
	"parley/internal/playbook/review"
	"parley/internal/tools"
)

const enforcedRules = `
guidelines:
  - id: days
    condition: literal:refund
    action: Say how long it takes.
    enforce: true
    must_say: [5 days]
    say: A refund takes 5 days.
  - id: kind
    condition: literal:rude
    action: Be kind.
    enforce: true
    say: I am sorry.
`

func enforcing(t *testing.T, o Options, list ...tools.Tool) *bench {
	t.Helper()
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "rules.yaml"), []byte(enforcedRules), 0o600))
	book, err := playbook.Load(dir, playbook.Options{})
	must(t, err)
	o.Rules.Book = func() *playbook.Book { return book }
	return newBench(t, o, list...)
}

// TestNothingIsShownUnchecked: where an enforced rule applies nothing of a draft is
// shown before it was looked at; elsewhere it is.
func TestNothingIsShownUnchecked(t *testing.T) {
	b := enforcing(t, Options{})
	for _, c := range []struct {
		text  string
		says  []string
		want  string
		shown bool
	}{
		{"hello", []string{"Tomorrow."}, "Tomorrow.", true},
		{"my refund?", []string{"Tomorrow.", "It takes 5 days."}, "It takes 5 days.", false},
	} {
		for _, s := range c.says {
			b.model.Say(s)
		}
		w := &viewer{}
		m := b.accept(sent(c.text))
		a := b.shown(m, w)
		if got := b.finish(m, a); got != c.want || (w.text.Len() > 0) != c.shown {
			t.Errorf("%s: answered %q, shown %q", c.text, got, w.text.String())
		}
	}
}

// slow is a model that answers once and then only when it is given up on.
type slow struct {
	*llmtest.Script
	calls int
}

func (s *slow) Complete(ctx context.Context, r llm.Request, show func(string)) (llm.Response, error) {
	if s.calls++; s.calls == 1 {
		return s.Script.Complete(ctx, r, show)
	}
	<-ctx.Done()
	return llm.Response{}, context.Cause(ctx)
}

// TestCheckingEnds: a check or a repair that takes too long ends in the rule's own words;
// one that the person stops ends as any answer that is stopped.
func TestCheckingEnds(t *testing.T) {
	for _, c := range []struct {
		text, want string
		stop       bool
	}{
		{"my refund?", "A refund takes 5 days.", false},
		{"you are rude", "I am sorry.", false},
		{"you are rude", "topped", true},
	} {
		m := &slow{Script: &llmtest.Script{}}
		m.Say("Tomorrow.")
		b := enforcing(t, Options{Model: m})
		b.checkFor = 20 * time.Millisecond
		ctx, cancel := context.WithCancelCause(t.Context())
		if c.stop {
			b.checkFor = time.Hour
			time.AfterFunc(20*time.Millisecond, func() { cancel(chat.ErrStopped) })
		}
		in := b.accept(sent(c.text))
		a, err := b.Handle(ctx, in, chat.Unwatched{})
		must(t, err)
		cancel(nil)
		if !strings.Contains(a.Text, c.want) || strings.Contains(a.Text, "Tomorrow") {
			t.Errorf("%s: %q, want %q", c.text, a.Text, c.want)
		}
		if c.stop {
			continue
		}
		b.finish(in, a)
		d := b.decision()
		if why := strings.Join(d.Detail.Why, "\n"); !strings.Contains(why, "the answer is what the rules themselves say") {
			t.Errorf("why: %s", why)
		}
	}
}

// TestEnforcedAfterAQuestion: a turn that waited for a yes is looked at as it would have
// been without.
func TestEnforcedAfterAQuestion(t *testing.T) {
	d := &desk{}
	b := enforcing(t, Options{Confirm: d.ask}, gives(tools.Meta{Name: "pay", Description: "pays", Category: tools.Web,
		Core: true, Consent: tools.Consent{Confirm: true}}, tools.Result{Content: "paid"}))
	b.model.Call(call("a", "pay", `{}`)).Say("It is on its way.").Say("Soon.")
	b.say("refund me")
	if a := b.resume(d, true); a.Text != "A refund takes 5 days." {
		t.Errorf("answered %q", a.Text)
	}
}

// What is put together from ready-made texts says what they say: 22 inventions are stopped,
// and what joins, shortens, orders or says it in other figures or another language is sent.
func TestComposedSaysWhatItsPartsSay(t *testing.T) {
	parts := []string{"Standard is 9 EUR a month. It can be cancelled at any time.",
		"We are there Monday to Friday from 9:00 to 17:00. Ask for Ms Albers.", "Opened items cannot be returned. Returns take 5 days.",
		"Write to help@shop.example."}
	for _, said := range []string{
		"Standard costs 17 EUR a month.", "It is 9 USD a month.", "Standard is nine EUR a year.", "It is free for you.",
		"There is a lifetime guarantee.", "Opened items can be returned.", "It cannot be cancelled.", "We will call you back.",
		"Returns take 3 days.", "Returns take two days.", "We are there Monday to Saturday.", "Ask for Ms Bergmann.",
		"Write to boss@shop.example.", "See www.shop-deals.com.", "You get a discount.", "It starts on 3 May.", "We are there until 5 am.",
		"Standard is 9 EUR, Premium is there as well.", "Es ist kostenlos.", "Rückgaben dauern 10 Tage.",
		"Support by phone around the clock.", "Write to help@shop.example, our engineers reply.",
	} {
		if got, why := review.Composed(said, parts, citation.Supported); why == "" {
			t.Errorf("invented, and said: %q", got)
		}
	}
	for _, said := range []string{
		"Monday to Friday, 9:00 to 17:00, and yes: it can be cancelled at any time.", "It is 9 euros a month.", "Nine EUR a month.",
		"Hello! Returns take five days; opened items cannot be returned.", "We are there from 9 am to 5 pm, please ask for Ms Albers.",
		"Standard kostet 9 Euro im Monat.", "Geöffnete Ware kann nicht zurückgegeben werden.", "Please write to help@shop.example.",
		"Feel free to write to help@shop.example.",
	} {
		if got, why := review.Composed(said, parts, citation.Supported); why != "" {
			t.Errorf("%q became %q: %s", said, got, why)
		}
	}
}
