package agent

import (
	"context"
	"fmt"
	"testing"

	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/tools"
)

// finder is a bench with a tool that must be found first.
func finder(t *testing.T, calls int) *bench {
	hidden := gives(tools.Meta{Name: "hidden", Description: "is found", Category: tools.Task}, tools.Result{Content: "did it"})
	set := tools.NewSet(hidden)
	find, ok := tools.FindTools(set)
	if !ok {
		t.Fatal("nothing to find")
	}
	b := newBench(t, Options{Limits: Limits{MaxCalls: calls}})
	b.o.Tools = func(context.Context, chat.Message) (tools.Set, error) { return tools.NewSet(find).With(set), nil }
	return b
}

// TestFindingToolsCostsNoCall: what only looks for tools is not counted.
func TestFindingToolsCostsNoCall(t *testing.T) {
	b := finder(t, 2)
	for i := range 3 {
		b.model.Call(call(fmt.Sprint("f", i), tools.FindName, fmt.Sprintf(`{"query":"hidden%.*s"}`, i, "???")))
	}
	b.model.Call(call("d", "hidden", `{}`)).Say("Done.")
	if said := b.say("do it"); said != "Done." {
		t.Errorf("said %q", said)
	}
}

// TestFindingToolsEnds: a model that looks for tools for ever is stopped.
func TestFindingToolsEnds(t *testing.T) {
	b := finder(t, 2)
	n := 0
	b.model.Answer = func(llm.Request) (llm.Response, error) {
		n++
		return wanted(call(fmt.Sprint("f", n), tools.FindName, fmt.Sprintf(`{"query":"a%d"}`, n))), nil
	}
	if said := b.say("do it"); said != wordsTooComplex || n != maxFinds+2 {
		t.Errorf("said %q after %d calls", said, n)
	}
	if d := b.decision(); d.End.Reason != chat.TooComplex {
		t.Errorf("ended %+v", d.End)
	}
}
