package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/playbook"
	"parley/internal/text"
	"parley/internal/tools"
)

// maxStepRuns bounds the rounds of calls that journeys' steps make for one message.
const maxStepRuns = 8

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
	s, err := t.situation(ctx)
	if err != nil {
		return t.stumbled(err)
	}
	s.Results = r.ran
	model := t.judge()
	if r.judged {
		model = nil
	}
	began := t.a.o.Now()
	g, err := book.After(ctx, model, s, t.context.guidance)
	if err != nil {
		return t.stumbled(err)
	}
	r.judged = r.judged || g.Calls > 0
	t.take(ctx, g, began)
	if g.HandOver.By != "" {
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
		r.ran = append(r.ran, playbook.ToolResult{Tool: c.Name, Args: json.RawMessage(c.Args), Text: o.Result.Content, Failed: o.State != tools.Success})
	}
}

// stumbled logs why the playbook could not follow; the turn goes on as it was guided.
func (t *turn) stumbled(err error) (chat.Answer, bool) {
	t.a.o.Log.Warn("playbook after tools", "err", err)
	return chat.Answer{}, false
}

// marks are those of emphasis, with which words stay the same.
var marks = strings.NewReplacer("*", "", "_", "", "`", "")

// wordForWord puts what has to be said word for word before an answer that does not.
func (t *turn) wordForWord(said string) string {
	flat := func(s string) string { return strings.Join(strings.Fields(marks.Replace(text.Plain(s))), " ") }
	for i := len(t.context.guidance.Verbatim) - 1; i >= 0; i-- {
		if must := t.context.guidance.Verbatim[i]; !strings.Contains(flat(said), flat(must)) {
			said = strings.TrimSpace(must) + "\n\n" + said
		}
	}
	return said
}

// factual are the parts of a text that state something which can be wrong: numbers, and
// addresses.
var factual = regexp.MustCompile(`https?://\S+|[\pL\pN._%+-]+@[\pL\pN.-]+|\d[\d.,:]*`)

// composed keeps an answer to the texts that it has to be put together from: one that
// states what neither they nor the person say is replaced by the texts themselves.
func (t *turn) composed(said string) string {
	texts := t.context.guidance.Composed
	if len(texts) == 0 {
		return said
	}
	source := strings.ToLower(strings.Join(append([]string{t.in.text}, texts...), "\n"))
	for _, fact := range factual.FindAllString(strings.ToLower(said), -1) {
		if !strings.Contains(source, strings.TrimRight(fact, ".,:;!?)")) {
			t.report.worded = false
			return strings.Join(texts, "\n\n")
		}
	}
	return said
}
