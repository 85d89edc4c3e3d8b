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

const askingScript = `-- settings.yaml --
access: {mode: open, owners: ["terminal:local"]}
-- talk --
> [telegram:42] /remind zone UTC
> [telegram:42] /tasks add water the plants
> [telegram:42] /remind every day at 7 ask: what are my open tasks?
<~ Question #1 is set: “what are my open tasks\?”
> [telegram:42] /remind tomorrow at 8 stretch
at 2026-01-06 07:00
! list_tasks {}
= Water the plants.
< Water the plants.
? water the plants
at 2026-01-06 07:30
<
> [telegram:42] /remind list
<~ #2 .*: stretch
| - #1 .*: \(a question, asked 1 time, \d+ tokens\) what are my open tasks\?

# What reaches others is not done unasked.
> [telegram:43] /remind every day at 9:00 ask: clean up my tasks
<~ Question #3
> [telegram:43] /tasks add tea
at 2026-01-06 09:00
! complete_task {"id":2}
<~ yes or no
rows tasks 2
calls 1
`

// TestPartsOfTimesAreAsked: where only a part of a time is read, the person is asked, in
// their language, and no reminder is set.
func TestPartsOfTimesAreAsked(t *testing.T) {
	rehearsed(t, `-- settings.yaml --
access: {mode: open, owners: ["terminal:local"]}
-- talk --
> [telegram:42] /remind zone UTC
> [telegram:42] /remind call mum tomorrow before 4pm
<~ I read “4pm”, but not “tomorrow before”. When exactly\?
rows reminders 0
> [telegram:42] /remind at 3pm PST call the team
<~ I read “at 3pm”, but not “PST”
rows reminders 0
> [telegram:42] remind me to send the invoice on the last weekday of each month
! set_reminder {"text":"send the invoice","when":"on the last weekday of each month"}
= When exactly?
< When exactly?
rows reminders 0
> [telegram:42] /remind 2027-05-01T10:00:00Z call
<~ 2027.*10:00|10:00.*2027|1 May
rows reminders 1
> [telegram:42] /remind snooze 1 tomorrow before 4pm
<~ but not “before”
> [telegram:42] /language de
> [telegram:42] /remind Mittwoch in 2 Wochen zum Arzt
<~ „Mittwoch“ habe ich gelesen, „in 2 Wochen“ aber nicht
rows reminders 1
`)
}

// TestQuestionsAskThemselves: a reminder that is a question is answered in its lane
// when it is due, its result is in the session, and nothing is changed unasked.
func TestQuestionsAskThemselves(t *testing.T) { rehearsed(t, askingScript) }

// TestUnchangedQuestionsCostNothing: while what an answer rests on is the same, no
// model is asked, however often it is due; one change is one answer.
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

// TestQuestionsOfThoseLetInByTheirServer: somebody whom the server lets in is asked
// for there, too, when the question asks itself.
func TestQuestionsOfThoseLetInByTheirServer(t *testing.T) {
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
