package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"parley/internal/agent/attachments"
	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/tools"
)

// TestManyCallsInOneAnswer: calls beyond those that are run stay in the transcript, and the
// model is told that they were not.
func TestManyCallsInOneAnswer(t *testing.T) {
	var ran atomic.Int32
	b := newBench(t, Options{}, adder(&ran))
	var calls []llm.ToolCall
	for i := range 30 {
		calls = append(calls, call(fmt.Sprint("c", i), "add", fmt.Sprintf(`{"text":"n%d"}`, i)))
	}
	b.model.Call(calls...).Say("Sixteen of them.")
	if got := b.say("add thirty things"); got != "Sixteen of them." || ran.Load() != maxBatch {
		t.Fatalf("said %q, ran %d", got, ran.Load())
	}
	reqs := b.model.Requests()
	said, told := 0, 0
	for _, m := range reqs[len(reqs)-1].Messages {
		said += len(m.ToolCalls)
		if m.Role == llm.RoleTool && strings.Contains(m.Content, "this was one more") {
			told++
		}
	}
	if said != 30 || told != 30-maxBatch {
		t.Errorf("%d calls in the transcript, %d of them told as not run", said, told)
	}
}

// TestTheCapSaysWhatIsTrue: a turn whose calls were all refused, or all failed, was not too
// much for one go.
func TestTheCapSaysWhatIsTrue(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		want string
		end  chat.Outcome
	}{
		"refused": {nil, "I may not do what this takes", chat.Refused},
		"failed":  {errors.New("no luck"), "nothing that I called for this worked", chat.Failed},
	} {
		t.Run(name, func(t *testing.T) {
			tool := tools.Func(tools.Meta{Name: "add", Description: "adds", Category: tools.Task, Core: true,
				Consent: tools.Consent{Confirm: c.err == nil}},
				func(context.Context, tools.Call, struct {
					Text string `json:"text"`
				}) (tools.Result, error) {
					return tools.Result{}, c.err
				})
			b := newBench(t, Options{Limits: Limits{MaxCalls: 5}}, tool)
			for i := range 9 {
				b.model.Call(call(fmt.Sprint("c", i), "add", fmt.Sprintf(`{"text":"n%d"}`, i)))
			}
			if got := b.say("add it"); !strings.Contains(got, c.want) {
				t.Errorf("said %q", got)
			}
			if end := b.decision().End; end.Outcome != c.end {
				t.Errorf("ended %+v", end)
			}
		})
	}
}

// TestRefusedPictureKeepsTheYes: a picture that a tool gives after a yes, and that the model
// refuses, leaves the person's yes in the transcript.
func TestRefusedPictureKeepsTheYes(t *testing.T) {
	draw := gives(tools.Meta{Name: "draw", Description: "draws", Category: tools.Web, Core: true, Consent: tools.Consent{Confirm: true}},
		tools.Result{Content: "drawn", Files: []chat.File{{Name: "a.png", MIME: "image/png", Data: aPNG(t)}}})
	d := &desk{}
	b := newBench(t, Options{Confirm: d.ask, Files: attachments.Files{See: true}}, draw)
	b.model.Answer = func(r llm.Request) (llm.Response, error) {
		for _, m := range r.Messages {
			if len(m.Images) > 0 {
				return llm.Response{}, &llm.Error{Class: llm.ErrBadRequest}
			}
		}
		if last := r.Messages[len(r.Messages)-1]; last.Role == llm.RoleTool {
			return spoken("Here it is."), nil
		}
		return wanted(call("1", "draw", "{}")), nil
	}
	b.say("draw something")
	a := b.resume(d, true)
	rec, ok := a.Record.(*memory.Turn)
	if !ok || len(rec.Entries) == 0 || strings.Contains(rec.Entries[0].Content, "draw something") {
		t.Fatalf("kept %+v", rec)
	}
	if !strings.Contains(a.Text, "I could not look at the picture") {
		t.Errorf("said %q", a.Text)
	}
}
