package agent

import (
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/memory/sessions"
	"parley/internal/tools"
)

// A summarizer that makes things up decides nothing: a decision, or a line to keep, whose
// names, numbers and words nobody said is left out, and what people said takes its place.
func TestASummarizerDecidesNothing(t *testing.T) {
	b := newBench(t, Options{})
	b.model.Answer = func(r llm.Request) (llm.Response, error) {
		said := "ok"
		if r.Schema != nil {
			said = `{"summary":"They talked about the kitchen.","title":"Kitchen","decisions":["They buy a boat.","The tiles cost 900 euros.",
				"Marta gets the oak floor.","They do not take the oak floor.","They keep the gas stove.","They take the oak floor from Hansen."],"keep":["Their boat is called Nemo.","The kitchen budget is 8400 euros."],
				"outdated":[],"facts":[]}`
		}
		return spoken(said), nil
	}
	b.say("Hansen showed us floors. We take the oak floor.")
	b.say("We don't keep the gas stove.")
	b.say("The kitchen budget is 8400 euros.")
	se := b.live()
	must(t, second(b.End(t.Context(), se.ID, true)))
	b.tick()
	b.say("hello")
	now := b.live()
	told := strings.Join(sessions.Told(now.Decisions), "\n")
	for part, there := range map[string]bool{"They take the oak floor from Hansen.": true, "boat": false, "900": false, "Marta": false,
		"not take": false, "They keep": false} {
		if strings.Contains(told, part) != there {
			t.Errorf("%q is decided: %v; decided is\n%s", part, !there, told)
		}
	}
	if len(now.Decisions) > 0 && (now.Decisions[0].User != annAlone.User && now.Decisions[0].User == "" || now.Decisions[0].Message == "") {
		t.Errorf("nobody said %+v", now.Decisions[0])
	}
	if page := sessions.Text(now.CarriedPage); strings.Contains(page, "Nemo") || !strings.Contains(page, "8400") {
		t.Errorf("the page is\n%s", page)
	}
}

// The model reads the newest decisions with their numbers and days, and how many there are
// besides.
func TestThePromptShowsTheNewestDecisions(t *testing.T) {
	b := newBench(t, Options{})
	b.model.Answer = func(llm.Request) (llm.Response, error) { return spoken("ok"), nil }
	b.say("one")
	se := b.live()
	for i := range 70 {
		se.Decisions = append(se.Decisions, sessions.Decision{
			Text: "We paint " + strings.Repeat("a long corridor and ", 3) + strings.Repeat("x", i+1),
			User: annAlone.User, At: b.clock, Recorded: true})
	}
	must(t, b.store.Sessions.SaveSession(t.Context(), se))
	b.say("two")
	requests := b.model.Requests()
	prompt := system(requests[len(requests)-1])
	shown := strings.Count(prompt, "We paint")
	if shown < 20 || shown > 40 || !strings.Contains(prompt, "- #70 (2026-03-02) We paint") ||
		!strings.Contains(prompt, "earlier ones hold as well: list_decisions shows all") {
		t.Errorf("%d are shown:\n%s", shown, prompt)
	}
}

// What a turn had recorded before its process was killed is stored by the one that goes on.
func TestWhatWasRecordedOutlivesTheProcess(t *testing.T) {
	for _, data := range []any{tools.Decided{Content: "We go by train.", Replaces: "#1"}, tools.VariableSet{Name: "order", Value: "17"}} {
		b, err := json.Marshal(kept(tools.Outcome{State: tools.Success, Result: tools.Result{Content: "Recorded.", Data: data}}))
		must(t, err)
		j := journal{log: slog.New(slog.DiscardHandler)}
		o := j.resumed(memory.Step{Kind: stepTool, Done: true, Result: string(b)}, "save_decision")
		if o.Result.Data != data {
			t.Errorf("%+v became %+v", data, o.Result.Data)
		}
	}
}
