package agent

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/tools"
)

// desk keeps the one question that a bench has asked.
type desk struct {
	parked Parked
	calls  []Asked
	row    int64
	n      int
}

func (d *desk) ask(_ context.Context, m chat.Message, p Parked, calls []Asked) (q Question, err error) {
	d.n++
	d.parked, d.calls, d.row = p, calls, m.Row
	q.Asks = &memory.Asking{Question: chat.Question{ID: fmt.Sprint("q", d.n), Asked: m.From, Key: m.Key, Row: m.Row,
		Text: "go?", Body: []byte("{}"), Until: m.At.AddDate(1, 0, 0)}}
	for _, c := range calls {
		q.Answer.Text += c.Say + "\n"
	}
	return q, nil
}

// resumed returns the open question with an answer for each of its calls.
func (d *desk) resumed(agreed []bool) Resumed {
	r := Resumed{Question: fmt.Sprint("q", d.n), Parked: d.parked, Agreed: agreed}
	for _, c := range d.calls {
		r.Calls = append(r.Calls, c.Call)
	}
	d.calls = nil
	return r
}

// TestPlansFinish: whatever a model plans, with calls that need a yes and others,
// in batches of any size, and whatever the person answers, the plan is finished,
// nothing is done without a yes or twice, and the record says how each call ended.
func TestPlansFinish(t *testing.T) {
	for seed := range uint64(60) {
		playPlan(t, rand.New(rand.NewPCG(seed, 7)))
	}
}

func playPlan(t *testing.T, r *rand.Rand) {
	var mu sync.Mutex // guards done: what only reads runs side by side
	done := map[string]int{}
	work := func(_ context.Context, _ tools.Call, a struct {
		ID string `json:"id"`
	}) (tools.Result, error) {
		mu.Lock()
		defer mu.Unlock()
		done[a.ID]++
		return tools.Result{Content: "did " + a.ID}, nil
	}
	d := &desk{}
	b := newBench(t, Options{Confirm: d.ask, Limits: Limits{MaxCalls: 20}},
		tools.Func(tools.Meta{Name: "erase", Description: "erases", Category: tools.Task, Core: true,
			Consent: tools.Consent{Confirm: true}}, work),
		tools.Func(tools.Meta{Name: "look", Description: "looks", Category: tools.Task, Core: true, ReadOnly: true}, work))
	var plan [][]llm.ToolCall
	n := 0
	for range 1 + r.IntN(6) {
		var batch []llm.ToolCall
		for range 1 + r.IntN(3) {
			n++
			batch = append(batch, call(fmt.Sprint("c", n), []string{"erase", "look"}[r.IntN(2)], fmt.Sprintf(`{"id":"%d"}`, n)))
		}
		plan = append(plan, batch)
		b.model.Call(batch...)
	}
	b.model.Say("All of it is settled.")
	want, ends := map[string]int{}, map[string]string{}
	got := b.say("do all that")
	for range plan {
		if d.calls == nil {
			break
		}
		agreed := make([]bool, len(d.calls))
		for i, c := range d.calls {
			if agreed[i] = r.IntN(2) == 0; agreed[i] {
				ends[c.Call.CallID] = "success"
			} else {
				ends[c.Call.CallID] = "declined"
			}
		}
		got = b.resume(d, agreed...).Text
	}
	for _, batch := range plan {
		for _, c := range batch {
			id := strings.Trim(strings.TrimPrefix(c.Args, `{"id":`), `"}`)
			if c.Name == "look" || ends[c.ID] == "success" {
				want[id] = 1
			}
		}
	}
	if got != "All of it is settled." || fmt.Sprint(done) != fmt.Sprint(want) {
		t.Errorf("plan %v: %q, done %v, want %v", plan, got, done, want)
	}
	checkEnds(t, b, ends)
	for _, req := range b.model.Requests() {
		checkPairs(t, req.Messages)
	}
}

// checkEnds compares how the calls that waited ended with the record.
func checkEnds(t *testing.T, b *bench, ends map[string]string) {
	t.Helper()
	rows := map[string]string{}
	all, err := b.store.ExportPerson(t.Context(), annAlone.User)
	must(t, err)
	for id := range ends {
		rows[id] = "?"
	}
	for _, c := range all.Calls {
		if _, waited := ends[c.CallID]; waited {
			rows[c.CallID] = c.Status
		}
	}
	if fmt.Sprint(rows) != fmt.Sprint(ends) {
		t.Errorf("the record says %v, want %v", rows, ends)
	}
}

// checkPairs says that every call is followed by its one result, as strict
// templates want it.
func checkPairs(t *testing.T, ms []llm.Message) {
	t.Helper()
	var open []string
	for _, m := range ms {
		if m.Role == llm.RoleTool {
			i := slices.Index(open, m.ToolCallID)
			if i < 0 {
				t.Fatalf("a result of no call: %+v", m)
			}
			open = slices.Delete(open, i, i+1)
			continue
		}
		if len(open) > 0 {
			t.Fatalf("calls without results: %v", open)
		}
		for _, c := range m.ToolCalls {
			open = append(open, c.ID)
		}
	}
}

// TestSubagentsHandTheirQuestionsUp: what a subagent may not do without a yes is
// asked when its job is over, done with the yes alone, once, and the model hears
// of it; also where the job itself needed one.
func TestSubagentsHandTheirQuestionsUp(t *testing.T) {
	for name, jobAsks := range map[string]bool{"a job": false, "a job that asks": true} {
		for _, agree := range []bool{true, false} {
			t.Run(fmt.Sprint(name, "/", agree), func(t *testing.T) {
				var done []string
				erase := tools.Func(tools.Meta{Name: "erase", Description: "erases", Category: tools.Task, Consent: tools.Consent{Confirm: true}},
					func(_ context.Context, c tools.Call, a struct {
						ID string `json:"id"`
					}) (tools.Result, error) {
						done = append(done, a.ID+" "+c.Agent)
						return tools.Result{Content: "erased " + a.ID}, nil
					})
				secret := tools.Func(tools.Meta{Name: "secret", Description: "its own", Category: tools.Task, Scope: []string{"helper"},
					Consent: tools.Consent{Confirm: true}},
					func(context.Context, tools.Call, struct{}) (tools.Result, error) { panic("nobody can agree") })
				var b *bench
				helper := tools.Func(tools.Meta{Name: "helper", Description: "helps", Category: tools.About, Core: true,
					SideEffect: true, Scope: []string{""}, Consent: tools.Consent{Confirm: jobAsks}},
					func(ctx context.Context, c tools.Call, a struct {
						Task string `json:"task"`
					}) (tools.Result, error) {
						return b.Delegate(ctx, Subagent{Name: "helper", Tools: []string{"erase", "secret"}}, c, a.Task)
					})
				d := &desk{}
				b = newBench(t, Options{Confirm: d.ask}, erase, secret, helper)
				b.model.Call(call("x", "helper", `{"task":"tidy up"}`)).
					Call(call("x", "erase", `{"id":"1"}`), call("y", "secret", `{}`)).
					Call(call("x", "erase", `{"id":"2"}`)).Say("Two wait.").Say("All settled.")
				answer := func(list ...bool) string { return b.resume(d, list...).Text }
				got := b.say("let it tidy up")
				if jobAsks {
					got = answer(true)
				}
				if len(done) != 0 || len(d.calls) != 2 || !strings.Contains(got, "erase?") {
					t.Fatalf("done %v, asked %+v: %q", done, d.calls, got)
				}
				ids := []string{d.calls[0].Call.CallID, d.calls[1].Call.CallID}
				got = answer(agree, false)
				want, end := []string{"1 "}, "success"
				if !agree {
					want, end = nil, "declined"
				}
				if got != "All settled." || !slices.Equal(done, want) {
					t.Errorf("done %v, want %v: %q", done, want, got)
				}
				checkEnds(t, b, map[string]string{ids[0]: end, ids[1]: "declined"})
				last := b.last().Messages
				checkPairs(t, last)
				if told := last[len(last)-2].Content; agree && !strings.Contains(told, "erased 1") {
					t.Errorf("the model was told %q", told)
				}
			})
		}
	}
}
