package agent

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/tools"
)

// TestNothingTwiceWhileToolsComeAndGo: whatever tools are there when a turn is begun again,
// and wherever it was killed, no call that changes something is made twice, and no answer
// that was recorded is asked for again. The model names its calls as badly as some do: the
// same names in each answer.
func TestNothingTwiceWhileToolsComeAndGo(t *testing.T) {
	for seed := range uint64(40) {
		comeAndGo(t, rand.New(rand.NewPCG(seed, 3)))
	}
}

func comeAndGo(t *testing.T, r *rand.Rand) {
	done := map[string]int{}
	var all []tools.Tool
	for _, name := range []string{"one", "two", "look"} {
		all = append(all, tools.Func(tools.Meta{Name: name, Description: name, Category: tools.Task, Core: true, ReadOnly: name == "look"},
			func(_ context.Context, _ tools.Call, a struct {
				ID string `json:"id"`
			}) (tools.Result, error) {
				if name != "look" {
					done[a.ID]++
				}
				return tools.Result{Content: "did " + a.ID}, nil
			}))
	}
	b := newBench(t, Options{Limits: Limits{MaxCalls: 20}})
	plan := make([][]llm.ToolCall, 1+r.IntN(4))
	for i := range plan {
		for n := range 1 + r.IntN(3) {
			plan[i] = append(plan[i], call(fmt.Sprint("c", n), []string{"one", "two", "look"}[r.IntN(3)], fmt.Sprintf(`{"id":"%d-%d"}`, i, n)))
		}
	}
	b.model.Answer = func(req llm.Request) (llm.Response, error) {
		n := 0
		for _, m := range req.Messages {
			if len(m.ToolCalls) > 0 {
				n++
			}
		}
		if n == len(plan) {
			return spoken("All done."), nil
		}
		return llm.Response{Finish: llm.FinishToolCalls, Message: llm.Message{Role: llm.RoleAssistant,
			ToolCalls: append([]llm.ToolCall(nil), plan[n]...)}}, nil
	}
	m := b.accept(sent("go"))
	got := ""
	for ; got == ""; m.Attempt++ {
		some := all[:0:0]
		for _, tool := range all {
			if r.IntN(3) > 0 {
				some = append(some, tool)
			}
		}
		b.o.Tools = func(context.Context, chat.Message) (tools.Set, error) { return tools.NewSet(some...), nil }
		got = b.tryUntil(m, r.IntN(8), m.Attempt < 4)
		must(t, b.store.Settings.SetSetting(t.Context(), "x", "y")) // a process that is killed writes nothing later
	}
	if got != "All done." {
		t.Errorf("said %q", got)
	}
	requests := b.model.Requests()
	ownResults(t, requests[len(requests)-1].Messages)
	for id, n := range done {
		if n > 1 {
			t.Errorf("plan %v: %s was done %d times", plan, id, n)
		}
	}
}

// ownResults checks that no call got the result of another.
func ownResults(t *testing.T, messages []llm.Message) {
	t.Helper()
	args := map[string]string{} // of the newest answer, by the name of the call
	for _, m := range messages {
		for _, c := range m.ToolCalls {
			args[c.ID] = c.Args
		}
		if what, ok := strings.CutPrefix(m.Content, "did "); ok && m.Role == llm.RoleTool && args[m.ToolCallID] != `{"id":"`+what+`"}` {
			t.Errorf("%s got the result of %s", args[m.ToolCallID], what)
		}
	}
}

// tryUntil answers m, and is killed at the n-th point that it comes by if it may be. The
// answer is "" then.
func (b *bench) tryUntil(m chat.Message, n int, may bool) (said string) {
	b.o.Failpoint = func(string) {
		if n--; n == 0 && may {
			panic("killed")
		}
	}
	defer func() {
		if v := recover(); v != nil && v != "killed" {
			panic(v)
		}
	}()
	a, err := b.Handle(context.Background(), m, chat.Unwatched{})
	must(b.t, err)
	return a.Text
}

// TestGivenIsTheSameFromTheJournal: what a playbook reads of a result does not depend on
// whether it comes from the tool or from the journal.
func TestGivenIsTheSameFromTheJournal(t *testing.T) {
	for name, raw := range map[string]string{"json": `{"a":1}`, "empty": "", "text": "words", "long": strings.Repeat("x", 1<<20),
		"long json": `"` + strings.Repeat("x", tools.DefaultResult) + `"`} {
		for _, outside := range []bool{false, true} {
			set := tools.NewSet(gives(tools.Meta{Name: "look", Description: "looks", Category: tools.Web},
				tools.Result{Content: raw, Untrusted: outside}))
			var runner tools.Runner
			o := runner.Run(t.Context(), set, tools.Call{Name: "look", Args: []byte(`{}`)})
			j := journal{store: &memory.Store{}}
			must(t, j.owe(memory.Step{Kind: stepTool, Done: true}, kept(o)))
			again := j.resumed(j.owed[0], "look")
			want := o.Result
			if got := again.Result; got.Given() != want.Given() || got.Content != want.Content || string(got.JSON) != string(want.JSON) ||
				name != "long" && got.Given() != raw {
				t.Errorf("%s, outside %t: %.80q, and from the journal %.80q", name, outside, want.Given(), got.Given())
			}
		}
	}
}

// TestWhatACallDidIsTheSameFromTheJournal: what is said or stored with an answer does not
// depend on whether the process that ran the call gives it.
func TestWhatACallDidIsTheSameFromTheJournal(t *testing.T) {
	wrote := tools.Deed{Note: "Wrote plan.md.", Buttons: []chat.Button{{Label: "Undo", Data: "/notes undo"}}}
	for _, data := range []any{wrote, tools.ByAssistant("is angry"), tools.VariableSet{Name: "plan", Value: "plus"},
		Delegated{Calls: 2, Did: []string{"wrote"}, Deeds: []tools.Deed{wrote}, Unasked: []string{"x"}}} {
		j := journal{store: &memory.Store{}}
		must(t, j.owe(memory.Step{Kind: stepTool, Done: true}, kept(tools.Outcome{State: tools.Success, Result: tools.Result{Data: data}})))
		if got := j.resumed(j.owed[0], "do").Result.Data; fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", data) {
			t.Errorf("%+v, and from the journal %+v", data, got)
		}
	}
}

// Two messages in the same row, of a database that lost the first one, and the
// same call of the same model: what the second one does is done, and not taken
// for what the first one did.
func TestCallsAreKnownByTheirMessageNotByItsRow(t *testing.T) {
	var keys []string
	noting := tools.Func(tools.Meta{Name: "add", Description: "adds", Category: tools.Task, SideEffect: true, Core: true},
		func(_ context.Context, c tools.Call, a addArgs) (tools.Result, error) {
			keys = append(keys, c.Key)
			return tools.Result{Content: "added " + a.Text}, nil
		})
	b := newBench(t, Options{}, noting)
	m := chat.Message{ID: "1", Row: 1, Key: annAlone.Key, From: chat.User{ID: "telegram:7", Name: "Ann"},
		Text: "add milk", Direct: true, Addressed: true}
	for _, uid := range []string{"first", "second", "first", "", ""} {
		m.UID = uid
		b.model.Call(call("call_1_0", "add", `{"text":"milk"}`)).Say("Done.")
		if _, err := b.Handle(t.Context(), m, chat.Unwatched{}); err != nil {
			t.Fatal(err)
		}
	}
	if len(keys) != 5 || keys[0] == keys[1] || keys[0] != keys[2] || keys[3] == keys[4] || keys[3] == "" {
		t.Errorf("the calls are known as %q", keys)
	}
}
