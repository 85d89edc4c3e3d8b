package app

import (
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
