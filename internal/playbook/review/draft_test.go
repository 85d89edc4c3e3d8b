package review

import (
	"context"
	"errors"
	"strings"
	"testing"

	"parley/internal/llm"
	"parley/internal/llm/llmtest"
)

func never([]string) bool { return false }

// TestLook: what code sees in an answer, and what it must not see.
func TestLook(t *testing.T) {
	for _, c := range []struct {
		rule   Rule
		answer string
		broken bool
	}{
		{Rule{MustSay: []string{"5 days"}}, "It takes 5 days.", false},
		{Rule{MustSay: []string{"5 days"}}, "It takes **5\ndays**.", false},
		{Rule{MustSay: []string{"5 days"}}, "It takes 15 days.", true},
		{Rule{MustSay: []string{"5 days", "refund"}}, "It takes 5 days.", true},
		{Rule{MustSay: []string{"regex:\\b[3-5] (business )?days"}}, "in 4 business days", false},
		{Rule{MustSay: []string{"regex:\\b[3-5] (business )?days"}}, "in 9 business days", true},
		{Rule{MustSay: []string{"don't worry"}}, "Don’t worry!", false},
		{Rule{MustNotSay: []string{"sing"}}, "You are using it.", false},
		{Rule{MustNotSay: []string{"sing"}}, "I will SING.", true},
		{Rule{MustNotSay: []string{"guarantee"}}, "We *guarantee* it.", true},
		{Rule{MustNotSay: []string{"保证"}}, "我们保证退款。", true},
		{Rule{MustNotSay: []string{"regex:(?i)free of charge"}}, "It is Free of\ncharge.", true},
		{Rule{Verbatim: "We keep *your* data for 30 days."}, "Hello!\n\nWe keep your data\nfor 30 days.", false},
		{Rule{Verbatim: "We keep your data for 30 days."}, "We keep your data for thirty days.", true},
		{Rule{Tools: []string{"cancel"}}, "I have cancelled your booking.", true},
		{Rule{Tools: []string{"cancel"}}, "I've just cancelled it.", true},
		{Rule{Tools: []string{"cancel"}}, "Your booking has been successfully cancelled.", true},
		{Rule{Tools: []string{"cancel"}}, "Done! Anything else?", true},
		{Rule{Tools: []string{"cancel"}}, "Ich habe Ihre Buchung storniert.", true},
		{Rule{Tools: []string{"cancel"}}, "Die Buchung wurde soeben storniert.", true},
		{Rule{Tools: []string{"cancel"}}, "J'ai annulé la réservation.", true},
		{Rule{Tools: []string{"cancel"}}, "He cancelado la reserva.", true},
		{Rule{Tools: []string{"cancel"}}, "Ho annullato la prenotazione.", true},
		{Rule{Tools: []string{"cancel"}}, "Ik heb de boeking geannuleerd.", true},
		{Rule{Tools: []string{"cancel"}}, "I can cancel it for you. Shall I?", false},
		{Rule{Tools: []string{"cancel"}}, "I could not cancel it.", false},
		{Rule{Tools: []string{"cancel"}}, "Soll ich die Buchung stornieren?", false},
	} {
		if got := Look(c.answer, []Rule{c.rule}, never); (len(got) > 0) != c.broken {
			t.Errorf("%+v, %q: %+v", c.rule, c.answer, got)
		}
	}
	if got := Look("I have cancelled it.", []Rule{{Tools: []string{"cancel"}}}, func([]string) bool { return true }); len(got) != 0 {
		t.Errorf("what a tool did may be said: %+v", got)
	}
}

// TestWords: every enforced rule has words of its own.
func TestWords(t *testing.T) {
	for want, r := range map[string]Rule{
		"say":                  {Say: "say", Verbatim: "v", MustSay: []string{"m"}, Action: "a"},
		"v":                    {Verbatim: "v", MustSay: []string{"m"}, Action: "a"},
		"in 5 days\n\nby card": {MustSay: []string{"in 5 days", "regex:x+", "literal:by card"}, Action: "a"},
		"a":                    {MustSay: []string{"regex:x"}, Action: "a"},
	} {
		if got := r.Words(); got != want {
			t.Errorf("%+v: %q", r, got)
		}
	}
	if got := Instead([]Breach{{Rule: Rule{Say: "x"}}, {Rule: Rule{Say: "x"}}, {Rule: Rule{Say: "y"}}}); got != "x\n\ny" {
		t.Errorf("instead %q", got)
	}
	for _, bad := range []string{"regex:(", "", "literal: ", "regex:" + strings.Repeat("x", 600)} {
		if Check(bad) == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

// TestJudge: one call for all rules that need one, none without, and no verdict is no
// yes.
func TestJudge(t *testing.T) {
	kind, code := Rule{ID: "kind", Action: "Be kind."}, Rule{ID: "code", MustSay: []string{"x"}}
	for _, c := range []struct {
		says   string
		broken int
		fails  bool
	}{
		{`{"rules": [{"id": "kind", "kept": true, "reason": ""}]}`, 0, false},
		{"```json\n" + `{"rules": [{"id": "kind", "kept": false, "reason": "it is rude"}]}` + "\n```", 1, false},
		{`{"rules": []}`, 0, true},
		{`{"rules": [{"id": "other", "kept": true, "reason": ""}]}`, 0, true},
		{`sure`, 0, true},
	} {
		m := (&llmtest.Script{}).Say(c.says)
		got, _, err := Judge{Model: m}.Ask(context.Background(), "q", "a", []Rule{kind, code})
		if len(got) != c.broken || (err != nil) != c.fails || len(m.Requests()) != 1 {
			t.Errorf("%s: %+v, %v", c.says, got, err)
		}
	}
	if _, _, err := (Judge{}).Ask(context.Background(), "q", "a", []Rule{code}); err != nil {
		t.Errorf("nothing to judge: %v", err)
	}
	if _, _, err := (Judge{}).Ask(context.Background(), "q", "a", []Rule{kind}); err == nil {
		t.Error("no model judged it")
	}
	m := &llmtest.Script{}
	if _, _, err := (Judge{Model: m}).Ask(context.Background(), "q", "a", []Rule{kind}); !errors.Is(err, llm.ErrUnavailable) {
		t.Errorf("a model that is down: %v", err)
	}
}
