package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/memory/provenance"
	"parley/internal/notes/citation"
	"parley/internal/playbook"
	"parley/internal/playbook/review"
	"parley/internal/text"
	"parley/internal/text/catalog"
	"parley/internal/tools"
)

const (
	wordsCutShort   = "(cut short)"
	wordsTooComplex = "That was too much for one go. Please break it into smaller steps."
)

// maxFinds is how many of a turn's model calls that only look for tools are not counted.
const maxFinds = 10

// loop asks the model and runs its tool calls until it answers, at most MaxCalls times, and a
// few times more where it only looks for tools. The last batch of tools still runs, so the
// closing text reports what was done.
func (t *turn) loop(ctx context.Context) (chat.Answer, error) {
	folded, finds := false, 0
	for call := 1; call <= t.maxCalls(); {
		if answer, over := t.step(ctx); over {
			return answer, nil
		}
		messages := t.prompt.messages()
		size := t.prompt.sizeOf(messages)
		if !folded && t.tooLong(size) {
			folded = true
			if err := t.a.fold(ctx, t); err != nil {
				t.a.o.Log.Warn("fold before sending", "err", err)
			}
			messages = t.prompt.messages()
			size = t.prompt.sizeOf(messages)
		}
		if float64(size) > overflowAt*float64(t.a.limit()) { // although shortened
			return t.failed(ctx, &llm.Error{Class: llm.ErrContextOverflow, Detail: fmt.Sprintf("a request of %d tokens, for a limit of %d",
				size, t.a.limit())})
		}
		resp, err := t.complete(ctx, messages)
		if errors.Is(err, llm.ErrContextOverflow) && !folded {
			folded = true
			if ferr := t.a.fold(ctx, t); ferr == nil {
				continue // one retry, shortened
			}
		}
		if err != nil {
			return t.failed(ctx, err)
		}
		if finding(resp.Message.ToolCalls) && finds < maxFinds {
			finds++
		} else {
			call++
		}
		if len(resp.Message.ToolCalls) == 0 {
			if _, said := kindOf(resp.Message.Content); said == "" {
				return t.failed(ctx, &llm.Error{Class: llm.ErrInvalidOutput, Detail: "a mark and no words"})
			}
			return t.spoke(ctx, resp)
		}
		t.preview.hush()
		if answer, over := t.act(ctx, resp.Message); over {
			return answer, nil
		}
		if err := context.Cause(ctx); err != nil {
			return t.failed(ctx, err)
		}
		if tools.Stuck(t.tools.past) {
			break
		}
	}
	words, end := t.report.capped(t.in.p)
	return t.finish(t.report.withDone(t.in.p, words), end), nil
}

// finding reports whether these calls only look for tools.
func finding(calls []llm.ToolCall) bool {
	return len(calls) > 0 && !slices.ContainsFunc(calls, func(c llm.ToolCall) bool { return c.Name != tools.FindName })
}

// maxStepRuns is how many rounds of calls a journey's steps make for one message.
const maxStepRuns = 8

// step makes the calls that a journey's step needs, as if the model had asked for them. over
// is true when the turn ends here.
func (t *turn) step(ctx context.Context) (answer chat.Answer, over bool) {
	for g := &t.guide; len(g.Run) > 0 && g.rounds < maxStepRuns && t.sub == nil; {
		g.rounds++
		said := llm.Message{Role: llm.RoleAssistant}
		t.tools.steps = map[string]playbook.ToolRun{}
		for i, run := range g.Run {
			if _, known := t.tools.set.Lookup(run.Tool); !known {
				run.Args = playbook.Typed(run.Args, t.tools.tool(ctx, run.Tool).Parameters)
			}
			c := llm.ToolCall{ID: fmt.Sprintf("step_%d_%d", g.rounds, i), Name: run.Tool, Args: string(run.Args)}
			said.ToolCalls = append(said.ToolCalls, c)
			t.tools.steps[c.ID] = run
			t.tools.offer = append(t.tools.offer, run.Tool)
		}
		g.Run = nil
		if answer, over := t.act(ctx, said); over {
			return answer, true
		}
	}
	return chat.Answer{}, false
}

// follow does what the playbook says about what tools gave back. over is true when the
// answer is ready.
func (t *turn) follow(ctx context.Context) (answer chat.Answer, over bool) {
	if !t.guide.again(ctx) {
		return answer, false
	}
	if answer, over = t.ruledOver(ctx); !over && t.guide.Reply != "" {
		return t.finish(t.guide.Reply, t.guide.ends(chat.End{})), true
	}
	return answer, over
}

// ruledOver ends the turn where the playbook passes the person on to people.
func (t *turn) ruledOver(ctx context.Context) (answer chat.Answer, over bool) {
	h := t.guide.HandOver
	if h.By == nil {
		return answer, false
	}
	answer, err := t.passOn(ctx, tools.HandOver{By: h.By, Reason: h.For}, t.guide.Reply)
	return answer, err == nil
}

// Bounds of an answer, in runes: how much is remembered, and how much is sent. A model that
// writes more is going in circles.
const (
	maxAnswer = 18_000
	maxGiven  = 256_000
)

// spoke ends the turn with the model's text.
func (t *turn) spoke(ctx context.Context, resp llm.Response) (chat.Answer, error) {
	t.report.rote, t.report.worded = resp.Rote, true
	kind, said := kindOf(strings.TrimSpace(resp.Message.Content))
	said, kind, err := t.draft.enforce(ctx, said, kind)
	if err != nil {
		return t.failed(ctx, err)
	}
	given := text.Clip(said, maxGiven)
	cut := resp.Finish == llm.FinishLength || len(given) < len(said)
	if cut {
		given += "\n\n" + catalog.Text(ctx, wordsCutShort)
	}
	given, new := review.Composed(t.links.defanged(given), t.guide.Composed, citation.Supported)
	if new != "" {
		t.report.worded = false
		t.draft.looked(catalog.Say(ctx, "the draft had what no ready-made text has (%s): they are said as they stand", new))
	}
	said = review.WordForWord(given, t.guide.Verbatim)
	answer := t.finish(said, t.guide.ends(kind))
	if cut && t.sub == nil {
		answer.Buttons = append(answer.Buttons, []chat.Button{{Label: catalog.Text(ctx, "Go on"), Data: goOn}})
	}
	return answer, nil
}

// goOn is the command that has the model go on with an answer that was cut short.
const goOn = "/session more"

// complete makes one model call, or replays the answer that an earlier process got.
func (t *turn) complete(ctx context.Context, messages []llm.Message) (llm.Response, error) {
	t.links.brought, t.preview.written = nil, written{}
	if st, ok := t.journal.answer(); ok {
		var resp llm.Response
		if err := json.Unmarshal([]byte(st.Result), &resp); err == nil {
			t.report.account(resp)
			return resp, nil
		}
	}
	offered := t.tools.offered()
	if offered.Foreign() {
		t.trust.read(provenance.Origin{Via: provenance.ViaServer})
	}
	req := llm.Request{Model: t.modelName(), Messages: messages, Tools: offered.Specs(), Callable: t.tools.set.Names(),
		Spend: t.report.ledger.spend, Cache: t.context.session.ID}
	began := t.a.o.Now()
	if resp, ok := t.quick(ctx, req); ok {
		t.report.lap(memory.Lap{Kind: "model", Name: resp.Model}, began, t.a.o.Now().Sub(began))
		return t.answered(resp)
	}
	back := chat.Aside(ctx)
	resp, err := t.models().Complete(ctx, req, t.preview.show)
	back()
	if len(t.in.files.Images) > 0 && (errors.Is(err, llm.ErrBadRequest) || errors.Is(err, llm.ErrModelNotFound)) {
		t.blind()
		req.Messages = t.prompt.messages()
		resp, err = t.models().Complete(ctx, req, t.preview.show)
	}
	t.report.lap(memory.Lap{Kind: "model", Name: cmp.Or(resp.By, req.Model), Tokens: resp.Usage.Total}, began, t.a.o.Now().Sub(began))
	t.report.lose(err)
	if err != nil && t.a.o.Fallback != nil && down(err) {
		resp, err = t.fallback(ctx, req, err)
	}
	if err != nil {
		return resp, err
	}
	return t.answered(resp)
}

// answered takes an answer in. One with calls is journaled before they run. The tools that it
// was made of are stored by then: a model that is quicker than the disk waits.
func (t *turn) answered(resp llm.Response) (llm.Response, error) {
	t.journal.await()
	t.a.o.Failpoint("after_model")
	t.report.account(resp)
	resp.Message.ToolCalls = named(resp.Message.ToolCalls, t.journal.step)
	if len(resp.Message.ToolCalls) > 0 {
		return resp, t.journal.owe(memory.Step{Kind: stepModel, Done: true, People: t.trust.others()}, resp)
	}
	return resp, nil
}

// quick answers without the model where that is certain to be right: not where the playbook
// has something to say, for a helper, or about files.
func (t *turn) quick(ctx context.Context, req llm.Request) (llm.Response, bool) {
	files := len(t.in.files.Images) + len(t.m.Files)
	lane := t.a.o.Quick
	if lane == nil && chat.Alone(ctx) {
		lane = t.a.o.Fallback
	}
	if lane == nil || t.sub != nil || files > 0 || t.guide.Instructions != "" || t.guide.Strict {
		return llm.Response{}, false
	}
	req.Spend = nil
	resp, err := lane.Complete(ctx, req, nil)
	return resp, err == nil
}

// down reports whether the model cannot be reached for a reason that trying again soon would
// not change.
func down(err error) bool {
	return errors.Is(err, llm.ErrUnavailable) || errors.Is(err, llm.ErrAuth) || errors.Is(err, llm.ErrQuota) ||
		errors.Is(err, llm.ErrModelNotFound)
}

// fallback lets the built-in responder do what needs no model. If it does not understand the
// message, the failure stays.
func (t *turn) fallback(ctx context.Context, req llm.Request, cause error) (llm.Response, error) {
	req.Spend = nil
	resp, err := t.a.o.Fallback.Complete(ctx, req, nil)
	if err != nil {
		return llm.Response{}, cause
	}
	return resp, nil
}
