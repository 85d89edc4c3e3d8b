package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/playbook"
	"parley/internal/tools"
)

const bookingGuards = `
guards:
  - id: cancel_window
    tool: cancel_booking
    require: 'last("get_booking").args.id == args.id && (now() - date(last("get_booking").result.booked_at) < duration("24h") || last("get_booking").result.insurance)'
    say: Only bookings of the last 24 hours, or insured ones, can be cancelled.
  - id: dear
    tool: pay
    require: args.sum < 100
    otherwise: confirm
    say: This is a lot of money.
`

// airline is a desk whose answers come from outside, with a book of guards.
func airline(t *testing.T, o Options) (*bench, map[string]int) {
	t.Helper()
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "guards.yaml"), []byte(bookingGuards), 0o600))
	book, err := playbook.Load(dir, playbook.Options{})
	must(t, err)
	bookings := map[string]string{
		"NEW": `{"booked_at": "2026-03-02T08:00:00Z", "insurance": false}`, "OLD": `{"booked_at": "2026-01-01T08:00:00Z", "insurance": false}`,
		"SURE": `{"booked_at": "2026-01-01T08:00:00Z", "insurance": true}`, "ODD": `{"booked_at": [], "insurance": "yes"}`,
	}
	done := map[string]int{}
	type args struct {
		ID string `json:"id"`
	}
	var b *bench
	get := tools.Func(tools.Meta{Name: "get_booking", Description: "looks up", Category: tools.Web, Core: true, ReadOnly: true},
		func(_ context.Context, _ tools.Call, a args) (tools.Result, error) {
			return tools.Result{Content: bookings[a.ID], Untrusted: true}, nil
		})
	cancel := tools.Func(tools.Meta{Name: "cancel_booking", Description: "cancels", Category: tools.Web, Core: true,
		Consent: tools.Consent{Asking: tools.AskNever}},
		func(_ context.Context, _ tools.Call, a args) (tools.Result, error) {
			done[a.ID]++
			return tools.Result{Content: "cancelled " + a.ID}, nil
		})
	pay := tools.Func(tools.Meta{Name: "pay", Description: "pays", Category: tools.Web, Core: true,
		Consent: tools.Consent{Asking: tools.AskNever}},
		func(_ context.Context, _ tools.Call, a struct {
			Sum float64 `json:"sum"`
		}) (tools.Result, error) {
			done[fmt.Sprint("pay ", a.Sum)]++
			return tools.Result{Content: "paid"}, nil
		})
	helper := tools.Func(tools.Meta{Name: "helper", Description: "helps", Category: tools.Task, Core: true},
		func(ctx context.Context, c tools.Call, a struct {
			Task string `json:"task"`
		}) (tools.Result, error) {
			return b.Delegate(ctx, Subagent{Name: "helper", Tools: []string{"get_booking", "cancel_booking"}}, c, a.Task)
		})
	o.Rules = Rules{Book: func() *playbook.Book { return book }, NoBookModel: true}
	b = newBench(t, o, get, cancel, pay, helper)
	return b, done
}

// lastResult returns what the model was told last about a call.
func (b *bench) lastResult() string {
	all := b.model.Requests()
	for _, m := range slices.Backward(all[len(all)-1].Messages) {
		if m.Role == llm.RoleTool {
			return m.Content
		}
	}
	return ""
}

// TestGuardsLookBack: a guard sees this person's calls of this conversation, across
// messages and restarts, also what is shown to the model in an envelope; and nobody
// else's. What it needs and lacks is told to the model, which may go on.
func TestGuardsLookBack(t *testing.T) {
	b, done := airline(t, Options{})
	b.model.Call(call("a", "cancel_booking", `{"id":"NEW"}`)).Call(call("b", "get_booking", `{"id":"NEW"}`)).Call(call("c",
		"cancel_booking", `{"id":"NEW"}`)).Say("It is cancelled.")
	b.say("cancel NEW")
	told := b.model.Requests()[1].Messages
	first := told[len(told)-1].Content
	if done["NEW"] != 1 || !strings.HasPrefix(first, "GUARD_REFUSED") || !strings.Contains(first, "no earlier call of get_booking") ||
		!strings.Contains(first, "24 hours") {
		t.Fatalf("done %v, told %q", done, first)
	}
	d := b.decision()
	if why := strings.Join(d.Detail.Why, "\n"); !strings.Contains(why, "stopped “cancel booking”") ||
		!strings.Contains(why, "let “cancel booking” pass") || len(d.Detail.Guards) != 2 {
		t.Errorf("why: %s; %+v", why, d.Detail.Guards)
	}

	again, err := New(b.o) // a restart
	must(t, err)
	b.Agent = again
	for _, c := range []struct {
		id, lookup, lacks string
		done              int
	}{
		{"NEW", "", "", 2},
		{"OLD", "", "", 0}, // another one was looked up last
		{"OLD", "OLD", "", 0},
		{"SURE", "SURE", "", 1},
		{"ODD", "ODD", "is a list, not text", 0},
	} {
		if c.lookup != "" {
			b.model.Call(call("l", "get_booking", fmt.Sprintf(`{"id":%q}`, c.lookup))).Say("found")
			b.say("look")
		}
		b.model.Call(call("x", "cancel_booking", fmt.Sprintf(`{"id":%q}`, c.id))).Say("so")
		b.say("cancel")
		if got := b.lastResult(); done[c.id] != c.done || !strings.Contains(got, c.lacks) {
			t.Errorf("%s after %q: done %v, told %q", c.id, c.lookup, done, got)
		}
	}

	room := chat.Key{Platform: "telegram", Channel: "-1"}
	ann, bob := chat.User{ID: "telegram:7", Name: "Ann"}, chat.User{ID: "telegram:8", Name: "Bob"}
	b.model.Call(call("l", "get_booking", `{"id":"SURE"}`)).Say("found").Call(call("x", "cancel_booking", `{"id":"SURE"}`)).Say("no")
	b.from(chat.Message{Key: room, From: ann, Text: "look"})
	b.from(chat.Message{Key: room, From: bob, Text: "cancel"})
	if got := b.lastResult(); done["SURE"] != 1 || !strings.Contains(got, "no earlier call") {
		t.Errorf("somebody else's lookup counted: %v, %q", done, got)
	}
}

// TestGuardsSeeTheSameAnswer: what an answer looks up first counts for its next call.
func TestGuardsSeeTheSameAnswer(t *testing.T) {
	b, done := airline(t, Options{})
	b.model.Call(call("a", "get_booking", `{"id":"SURE"}`), call("b", "cancel_booking", `{"id":"SURE"}`)).Say("Cancelled.")
	b.say("cancel SURE")
	if done["SURE"] != 1 {
		t.Errorf("done %v: %s", done, b.lastResult())
	}
}

// TestGuardsReachHelpers: calls of a helper are under the guards of the conversation,
// and what it looked up counts there.
func TestGuardsReachHelpers(t *testing.T) {
	b, done := airline(t, Options{})
	b.model.Call(call("h", "helper", `{"task":"cancel OLD"}`)).
		Call(call("a", "get_booking", `{"id":"OLD"}`)).Call(call("b", "cancel_booking", `{"id":"OLD"}`)).Call(call("c",
		"get_booking", `{"id":"SURE"}`)).Say("It may not.").
		Call(call("d", "cancel_booking", `{"id":"SURE"}`)).Say("The other one is cancelled.")
	b.say("let it cancel")
	if done["OLD"] != 0 || done["SURE"] != 1 {
		t.Errorf("done %v", done)
	}
}

// TestGuardAsks: a guard that asks says why, the call waits, and the guards decide again
// when the person has agreed.
func TestGuardAsks(t *testing.T) {
	d := &desk{}
	b, done := airline(t, Options{Confirm: d.ask})
	b.model.Call(call("a", "pay", `{"sum":5}`)).Call(call("b", "pay", `{"sum":500}`)).Say("Paid.")
	got := b.say("pay")
	if done["pay 5"] != 1 || done["pay 500"] != 0 || !strings.Contains(got, "This is a lot of money.") {
		t.Fatalf("done %v, asked %q", done, got)
	}
	a := b.resume(d, true)
	if done["pay 500"] != 1 {
		t.Errorf("done %v after a yes: %q", done, a.Text)
	}
}

// TestGuardsAfterACrash: what a call gave before a crash is there for guards after it.
func TestGuardsAfterACrash(t *testing.T) {
	raw := `{"ok":true}`
	o := tools.Outcome{State: tools.Success, Result: tools.Result{Content: "as text", JSON: json.RawMessage(raw)}}
	was, err := json.Marshal(kept(o))
	must(t, err)
	j := journal{}
	if got := j.resumed(memory.Step{Done: true, Result: string(was)}, "x"); got.Result.Given() != raw {
		t.Errorf("guards see %q after a crash", got.Result.Given())
	}
}
