package command

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"parley/internal/admin"
	"parley/internal/chat"
	"parley/internal/memory"
	"parley/internal/text"
)

// How much of a call's arguments, of an error and of the playbook's state
// /trace shows, in characters.
const (
	maxTraced       = 500
	maxTracedRecord = 6000
)

func (i Insight) trace() admin.Command {
	return admin.Command{Name: "trace", Help: helpTrace, Effect: admin.Reads, Who: admin.Admin, Private: true, Run: i.show,
		Options: []admin.Option{{Name: "answer", Help: helpAnswerID}}}
}

// show tells an administrator everything about an answer. One of a place sees
// that place only.
func (i Insight) show(ctx context.Context, r admin.Request) (chat.Answer, error) {
	var (
		d   memory.Decision
		ok  bool
		err error
	)
	if id := strings.ToLower(r.Args["answer"]); id == "" || id == "last" {
		d, ok, err = found(i.Rows.LastDecision(ctx, r.Message.Key, ""))
	} else if len(id) >= shortestID {
		d, ok, err = found(i.Rows.DecisionByID(ctx, id))
		ok = ok && (r.Role >= admin.Owner || d.Key == r.Message.Key)
	}
	if err != nil {
		return chat.Answer{}, err
	}
	if !ok {
		return say(wordsNoTrace)
	}
	calls, err := i.Rows.Calls(ctx, d.ID)
	return chat.Answer{Text: traced(d, calls)}, err
}

// traced is all that is known about an answer.
func traced(d memory.Decision, calls []memory.CallRecord) string {
	var b strings.Builder
	fmt.Fprintf(&b, "**%s** `%s`\n", d.End.Outcome, d.ID)
	if d.Calls == 0 {
		d.Model = wordsNotAsked
	}
	fmt.Fprintf(&b, "- "+wordsTraceModel+"\n", d.Model, text.Many(d.Calls, "call"), d.Usage.Prompt, d.Usage.Completion, d.Usage.Total, d.Usage.Cached)
	fmt.Fprintf(&b, "- "+wordsTraceTook+"\n", d.Took.Milliseconds(), d.Session)
	for n, c := range calls {
		fmt.Fprintf(&b, "- "+wordsTraceTool+"\n%s\n", n+1, c.Name, c.CallID, c.Status, c.Took.Milliseconds(), c.Retries, codeBlock("json", text.Shorten(c.Arguments, maxTraced)))
	}
	for _, w := range d.Detail.Why {
		fmt.Fprintf(&b, "- %s\n", w)
	}
	if d.Detail.Error != "" {
		fmt.Fprintf(&b, "- "+wordsTraceError+"\n", d.Detail.ErrorID, text.Shorten(d.Detail.Error, maxTraced))
	}
	var state any
	if err := json.Unmarshal(d.Detail.Playbook, &state); err == nil {
		pretty, _ := json.MarshalIndent(state, "", " ") // was JSON before
		b.WriteString(codeBlock("json", text.Shorten(string(pretty), maxTracedRecord)))
	}
	return b.String()
}
