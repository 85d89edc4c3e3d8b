package app

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley/internal/app/rehearse"
	"parley/internal/llm"
	"parley/internal/llm/llmtest"
)

// TestUnchangedQuestionsCostNothing: while the sources of an answer are unchanged, no
// model is asked, however often the question is due; one change gets one answer.
func TestUnchangedQuestionsCostNothing(t *testing.T) {
	var calls atomic.Int32
	ctx := t.Context()
	model := &llmtest.Script{Answer: func(r llm.Request) (llm.Response, error) {
		calls.Add(1)
		if last := r.Messages[len(r.Messages)-1]; last.Role == llm.RoleTool {
			return llm.Response{Message: llm.Message{Role: llm.RoleAssistant, Content: "So it is."}}, nil
		}
		return llm.Response{Message: llm.Message{Role: llm.RoleAssistant, ToolCalls: []llm.ToolCall{{ID: "1", Name: "list_tasks",
			Args: "{}"}}}}, nil
	}}
	st := staged(t, "-- settings.yaml --\naccess: {mode: open}\nmemory: {learn: false}\n-- talk --\n", model)
	n := 0
	say := func(text string) string {
		n++
		m, err := rehearse.Message(n, "[telegram:42] "+text)
		must(t, err)
		must(t, st.Say(ctx, m))
		return st.Reply()
	}
	say("/tasks add milk")
	if got := say("/remind every 5 minutes ask: my tasks, only if they changed"); !strings.Contains(got, "only when something has changed") {
		t.Fatal(got)
	}
	tick := func(times int) {
		for range times {
			st.Advance(5 * time.Minute)
			must(t, st.app.chores.remind(ctx))
			must(t, st.Settle(ctx))
		}
	}
	tick(2)
	if got := calls.Load(); got != 2 {
		t.Fatalf("%d model calls for the first answer", got)
	}
	ticks := 10_000
	if testing.Short() {
		ticks = 500
	}
	tick(ticks)
	if got := calls.Load(); got != 2 {
		t.Fatalf("%d model calls, though nothing changed", got)
	}
	say("/tasks add bread")
	tick(3)
	if got := calls.Load(); got != 4 {
		t.Errorf("%d model calls after one change", got)
	}
	if got := say("/remind list"); !strings.Contains(got, "asked twice") && !strings.Contains(got, "asked 2 times") {
		t.Error(got)
	}
}

// TestScheduledQuestionsOfServerMembers: scheduled questions also work for people let in
// by their server.
func TestScheduledQuestionsOfServerMembers(t *testing.T) {
	ctx := t.Context()
	model := &llmtest.Script{Answer: func(llm.Request) (llm.Response, error) {
		return llm.Response{Message: llm.Message{Role: llm.RoleAssistant, Content: "Nothing is open."}}, nil
	}}
	st := staged(t, "-- settings.yaml --\naccess: {mode: allowlist, allow: [\"discord:guild:99\"]}\n-- talk --\n", model)
	m, err := rehearse.Message(1, "[discord:42@10] /remind every 5 minutes ask: what are my open tasks?")
	must(t, err)
	m.Guild = "99"
	must(t, st.Say(ctx, m))
	if got := st.Reply(); !strings.Contains(got, "Question #1 is set") {
		t.Fatal(got)
	}
	st.Advance(5 * time.Minute)
	must(t, st.app.chores.remind(ctx))
	must(t, st.Settle(ctx))
	if got := st.Reply(); !strings.Contains(got, "Nothing is open.") {
		t.Errorf("answered %q", got)
	}
}

// TestScheduledQuestionsWithoutAnAnswer: a question that asks itself while the day's
// allowance is used up, or while no model answers, is said with the reason, each of many, and
// once in a row where it recurs. A button asks again.
func TestScheduledQuestionsWithoutAnAnswer(t *testing.T) {
	ctx := t.Context()
	for _, spent := range []bool{true, false} {
		var down atomic.Bool
		model := &llmtest.Script{Answer: func(llm.Request) (llm.Response, error) {
			if down.Load() {
				return llm.Response{}, &llm.Error{Class: llm.ErrUnavailable}
			}
			said := llm.Message{Role: llm.RoleAssistant, Content: "It rains."}
			return llm.Response{Message: said, Usage: llm.Usage{Prompt: 30_000, Total: 30_000}}, nil
		}}
		st := staged(t, "-- settings.yaml --\naccess: {mode: open}\nmemory: {learn: false}\n"+
			"limits: {user_tokens_per_day: 20000, user_per_minute: 3}\n-- talk --\n", model)
		n := 0
		say := func(text string) string {
			n++
			m, err := rehearse.Message(n, "[telegram:42] "+text)
			must(t, err)
			must(t, st.Say(ctx, m))
			return st.Reply()
		}
		pass := func(d time.Duration) string {
			st.Advance(d)
			must(t, st.app.chores.remind(ctx))
			must(t, st.Settle(ctx))
			return st.Reply()
		}
		for i := range 12 { // no model is asked yet
			say(fmt.Sprintf("/remind in 30 minutes ask: does it rain in town %d?", i))
			pass(time.Minute)
		}
		say("/remind every 2 hours ask: is it warm?")
		pass(time.Minute)
		why := "Today's allowance is used up"
		if down.Store(!spent); spent {
			say("hello")
		} else {
			say("/remind list")
			why = "language model"
		}
		got := pass(45 * time.Minute)
		if strings.Count(got, "⏰ does it rain in town") != 12 || !strings.Contains(got, why) {
			t.Errorf("spent %v: %q", spent, got)
		}
		say("/remind list")
		pass(time.Hour)
		pass(2 * time.Hour)
		if got := pass(2 * time.Hour); strings.Count(got, "⏰ is it warm?") != 1 {
			t.Errorf("spent %v, recurring: %q", spent, got)
		}
		down.Store(false)
		st.Advance(24 * time.Hour)
		say("/remind snooze 1 10m")
		if got := pass(10 * time.Minute); !strings.Contains(got, "It rains.") {
			t.Errorf("spent %v, asked again: %q", spent, got)
		}
	}
}
