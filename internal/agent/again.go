package agent

import (
	"context"
	"encoding/json"
	"fmt"

	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/playbook"
	"parley/internal/tools"
	"parley/internal/tools/guards"
)

const maxStepRuns = 8 // rounds of calls that steps make for one message

// ruling is how far the playbook has followed a turn's tools.
type ruling struct {
	ran    []playbook.ToolResult // what came of the turn's calls
	heard  int                   // of ran
	judged bool                  // it asked a model again
	rounds int                   // of calls that steps made
}

// step makes the calls that a journey's step waits for, as if the model had asked for
// them. over is true when the turn ends here.
func (t *turn) step(ctx context.Context) (answer chat.Answer, over bool) {
	for r := &t.context.ruling; len(t.context.guidance.Run) > 0 && r.rounds < maxStepRuns && t.sub == nil; {
		r.rounds++
		said := llm.Message{Role: llm.RoleAssistant}
		for i, run := range t.context.guidance.Run {
			if _, known := t.tools.set.Lookup(run.Tool); !known {
				run.Args = playbook.Typed(run.Args, t.tool(ctx, run.Tool).Parameters)
			}
			said.ToolCalls = append(said.ToolCalls, llm.ToolCall{ID: fmt.Sprintf("step_%d_%d", r.rounds, i), Name: run.Tool, Args: string(run.Args)})
			t.tools.offer = append(t.tools.offer, run.Tool)
		}
		t.context.guidance.Run = nil
		if answer, over := t.act(ctx, said); over {
			return answer, true
		}
	}
	return chat.Answer{}, false
}

// follow tells the playbook what tools gave back, if it heeds them, and is guided anew.
// over is true when the answer is ready.
func (t *turn) follow(ctx context.Context) (answer chat.Answer, over bool) {
	book, r := t.a.o.Book(), &t.context.ruling
	if book == nil || t.sub != nil {
		return answer, false
	}
	heeded := false
	for _, c := range r.ran[r.heard:] {
		heeded = heeded || book.Heeds(c.Tool)
	}
	if r.heard = len(r.ran); !heeded {
		return answer, false
	}
	var model llm.Model // once a message
	if !r.judged {
		model = t.judge()
	}
	began := t.a.o.Now()
	s, err := t.situation(ctx)
	g := t.context.guidance
	if s.Results = r.ran; err == nil {
		g, err = book.After(ctx, model, s, g)
	}
	if err != nil {
		t.a.o.Log.Warn("playbook after tools", "err", err)
		return answer, false
	}
	r.judged = r.judged || g.Calls > 0
	t.take(ctx, g, began)
	if g.HandOver.By != nil {
		if answer, err := t.passOn(ctx, tools.HandOver{By: g.HandOver.By, Reason: g.HandOver.For}, g.Reply); err == nil {
			return answer, true
		}
	}
	if g.Reply != "" {
		return t.finish(g.Reply, t.ends(chat.End{})), true
	}
	return answer, false
}

// came notes what came of a call; one that waits for its person has come to nothing yet.
func (r *ruling) came(c llm.ToolCall, o tools.Outcome) {
	if o.Class != tools.NeedsYes && o.Class != tools.NeedsInput {
		r.ran = append(r.ran, playbook.ToolResult{Tool: c.Name, Args: json.RawMessage(c.Args), Text: given(o), Failed: o.State != tools.Success})
	}
}

// given returns what a tool gave, without what the model reads around it; of what is too
// long only that part that the model reads. It is the same when it comes from the journal.
func given(o tools.Outcome) string {
	if o.Raw == "" || len(o.Raw) > guards.MaxResult {
		return tools.Unwrapped(o.Result.Content)
	}
	return o.Raw
}
