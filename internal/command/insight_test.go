package command_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/command"
	"parley/internal/command/gate"
	"parley/internal/llm"
	"parley/internal/memory"
)

// audit is one answer and some totals.
type audit struct {
	kept  func(context.Context, memory.Decision) (int, string, error)
	last  memory.Decision
	calls []memory.CallRecord
	asked string
	stats []memory.Stat
}

func (a audit) LastDecision(context.Context, memory.Place) (memory.Decision, error) {
	return a.last, nil
}
func (a audit) DecisionByID(context.Context, string) (memory.Decision, error) { return a.last, nil }
func (a audit) DecisionOf(context.Context, chat.Key, string) (memory.Decision, error) {
	return a.last, nil
}
func (a audit) Calls(context.Context, string) ([]memory.CallRecord, error) { return a.calls, nil }
func (a audit) Asked(context.Context, memory.Decision) (string, error)     { return a.asked, nil }
func (a audit) Stats(context.Context, time.Time) ([]memory.Stat, error)    { return a.stats, nil }

// ask runs a command of the owner's.
func ask(t *testing.T, a audit, line string) string {
	t.Helper()
	groups := command.Groups{Insight: command.Insight{Rows: a, Kept: a.kept, Now: func() time.Time { return a.last.At.Add(time.Minute) }}}
	c, err := gate.NewCommands(groups.Table(), gate.CommandOptions{Confirm: new(gate.Confirmations),
		Role: func(context.Context, chat.Message) (gate.Role, error) { return gate.Owner, nil }})
	if err != nil {
		t.Fatal(err)
	}
	answer, err := c.Wrap(nil).Handle(t.Context(), chat.Message{Kind: chat.KindCommand, Text: line, Direct: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return answer.Text
}

var failedTurn = audit{
	last: memory.Decision{
		ID: "0123456789abcdef", Key: chat.Key{Platform: "telegram", Channel: "-100"}, User: "telegram:42", Message: "77", Session: "s1",
		End: chat.End{Outcome: chat.Failed, Reason: chat.Unavailable, ErrorID: "ABCD1234"}, Model: "qwen3", Calls: 1,
		Usage: llm.Usage{Prompt: 900, Completion: 20, Total: 920},
		Took:  2400 * time.Millisecond, At: time.Date(2026, 11, 22, 3, 0, 0, 0, time.UTC),
		Detail: memory.Detail{
			Intent: memory.Intent{By: "model", Is: "add task, list tasks"}, Error: "connection refused", Requests: 4,
			Why: []string{"rule tone applies"},
			Steps: []memory.Lap{{Kind: "rules", Start: 1, Took: 14}, {Kind: "model", Name: "qwen3", Start: 15, Took: 410, Tokens: 920},
				{Kind: "tool", Name: "add_task", Start: 430}, {Kind: "model", Name: "qwen3", Start: 440, Took: 1900}},
		},
	},
	calls: []memory.CallRecord{{CallID: "c1", Name: "add_task", Arguments: `{"text":""}`, Result: "text is missing",
		Status: "failed", Class: "VALIDATION_ERROR", Took: 3 * time.Millisecond}},
	asked: "put milk on my list",
}

// TestTraceInOrder: how it ended comes first, then what was asked and meant, then
// the steps in the order in which they were taken, with why a tool failed.
func TestTraceInOrder(t *testing.T) {
	got := ask(t, failedTurn, "/trace last")
	at := -1
	for _, want := range []string{"**failed: model unavailable** · 22 Nov 2026 03:00:00 UTC · `0123456789abcdef`",
		"telegram:42 in telegram:-100, 77",
		"asked: `put milk on my list`", "meant, as the model saw it: add task, list tasks", "error ABCD1234: connection refused",
		"model qwen3: 4 requests, 1 call answered; 900 prompt + 20 completion = 920 tokens", "took 2400 ms", "**Steps**",
		"1. rules, 14 ms after 1 ms",
		"2. model qwen3, 920 tokens, 410 ms after 15 ms", "3. `add_task` → failed, 3 ms", "why: VALIDATION_ERROR: `text is missing`",
		"4. model qwen3, 1900 ms after 440 ms", "**Rules**", "rule tone applies"} {
		i := strings.Index(got, want)
		if i <= at {
			t.Errorf("%q is missing or too early in\n%s", want, got)
		}
		at = i
	}
}

// TestTraceSaysWhereRequestsAre: what models were asked is on the owner's page, if there is
// one and something is kept.
func TestTraceSaysWhereRequestsAre(t *testing.T) {
	n, where := 0, ""
	a := failedTurn
	a.kept = func(context.Context, memory.Decision) (int, string, error) { return n, where, nil }
	if got := ask(t, a, "/trace"); strings.Contains(got, "exact requests") {
		t.Errorf("nothing is kept: %s", got)
	}
	n = 2
	if got := ask(t, a, "/trace"); !strings.HasSuffix(got,
		"The exact requests and answers of 2 model calls are kept for the owner; `http.listen` opens the page that shows them.") {
		t.Errorf("without a page: %s", got)
	}
	where = "http://127.0.0.1:1/turns/x"
	if got := ask(t, a, "/trace"); !strings.HasSuffix(got, "are kept for the owner: http://127.0.0.1:1/turns/x (/page logs in)") {
		t.Errorf("with a page: %s", got)
	}
}

// TestWhyHidesInternals: people are told what did not work and how it ended,
// without names and codes that only an operator knows.
func TestWhyHidesInternals(t *testing.T) {
	got := ask(t, failedTurn, "/why")
	for _, want := range []string{"What did not work:", "`add task`: it was asked for something it cannot do",
		"How it ended: failed: model unavailable.", "my owner finds it as ABCD1234"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	for _, raw := range []string{"add_task", "VALIDATION_ERROR", "connection refused", "c1", "{", "alone"} {
		if strings.Contains(got, raw) {
			t.Errorf("%q in\n%s", raw, got)
		}
	}
}

// TestWhyTellsWhatBecameOfCalls: a call that waits for a yes, was answered with no, was cut
// short or never begun is told as that, and not as one that failed.
func TestWhyTellsWhatBecameOfCalls(t *testing.T) {
	a := failedTurn
	a.calls = []memory.CallRecord{
		{Name: "delete_task", Status: "pending", Class: "CONFIRMATION_REQUIRED"}, {Name: "pay_bill", Status: "declined", Class: "DECLINED"},
		{Name: "send_mail", Status: "unknown", Class: "TIMEOUT"}, {Name: "book_room", Status: "unknown", Class: "OUTCOME_UNKNOWN"},
		{Name: "add_fact", Status: "failed", Class: "NOT_RUN"}, {Name: "look_up", Status: "failed", Class: "FAILED"},
	}
	got := ask(t, a, "/why")
	want := "What waits for a yes:\n- `delete task`\n\nWhat did not work:\n- `pay bill`: the answer was no\n" +
		"- `send mail`: whether it was done cannot be told\n- `book room`: whether it was done cannot be told\n" +
		"- `add fact`: it was not begun\n- `look up`: it failed\n"
	if !strings.Contains(got, want) {
		t.Errorf("no %q in\n%s", want, got)
	}
}

// TestStatsTellSuccess: the totals name each outcome once, with its reasons, and
// the rate with what it counts.
func TestStatsTellSuccess(t *testing.T) {
	a := audit{stats: []memory.Stat{
		{Outcome: chat.Overheard, Messages: 900}, {Outcome: chat.Answered, Messages: 90, Calls: 100, Tokens: 5000},
		{Outcome: chat.Asked, Reason: chat.NeedsYes, Messages: 4}, {Outcome: chat.Declined, Messages: 3},
		{Outcome: chat.Failed, Reason: chat.TimedOut, Messages: 1}, {Outcome: chat.Failed, Reason: chat.Unavailable, Messages: 2},
		{Outcome: chat.Refused, Reason: chat.TooFast, Messages: 7}, {Outcome: chat.Stopped, Messages: 5},
	}}
	got := ask(t, a, "/stats")
	for _, want := range []string{"- answered: 90 messages, 100 model calls, 5000 tokens\n- asked: 4 messages, 0 model " +
		"calls, 0 tokens (needs a yes 4)\n- declined: 3",
		"- refused: 7 messages, 0 model calls, 0 tokens (too fast 7)\n- stopped: 5",
		"- failed: 3 messages, 0 model calls, 0 tokens (timed out 1, model unavailable 2)\n- overheard: 900", "Success: 97% of 100 messages"} {
		if !strings.Contains(strings.ReplaceAll(got, ",000", "000"), want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if got := ask(t, audit{}, "/stats"); !strings.Contains(got, "nothing has asked") {
		t.Errorf("without messages: %s", got)
	}
}
