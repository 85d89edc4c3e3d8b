package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/text"
	"parley/internal/tools"
)

// maxParallel bounds how many read-only tools of one batch run beside each
// other; maxBatch how many calls of one answer are run at all.
const (
	maxParallel = 4
	maxBatch    = 16
)

// loop asks the model and runs what it calls until it answers, MaxCalls times
// at most. The last batch of tools still runs, so the closing words say what
// was done (requirements C12).
func (t *turn) loop(ctx context.Context) (chat.Answer, error) {
	folded := false
	for call := 1; call <= t.maxCalls(); {
		size := t.size()
		if !folded && t.tooLong(size) {
			folded = true
			if err := t.a.fold(ctx, t); err != nil {
				t.a.o.Log.Warn("fold before sending", "err", err)
			}
			size = t.size()
		}
		if float64(size) > overflowAt*float64(t.a.limit()) { // shortened as it is
			return t.failed(ctx, &llm.Error{Class: llm.ErrContextOverflow, Detail: fmt.Sprintf("a request of %d tokens, for a limit of %d", size, t.a.limit())})
		}
		resp, err := t.complete(ctx)
		if errors.Is(err, llm.ErrContextOverflow) && !folded {
			folded = true
			if ferr := t.a.fold(ctx, t); ferr == nil {
				continue // one retry, shortened
			}
		}
		if err != nil {
			return t.failed(ctx, err)
		}
		call++
		if len(resp.Message.ToolCalls) == 0 {
			return t.spoke(resp), nil
		}
		t.hush()
		if answer, over := t.act(ctx, resp.Message); over {
			return answer, nil
		}
		if err := context.Cause(ctx); err != nil {
			return t.failed(ctx, err)
		}
		if tools.Stuck(t.past) {
			break
		}
	}
	return t.finish(t.withDone(wordsTooComplex), memory.CategoryTools), nil
}

func (t *turn) maxCalls() int {
	if t.sub != nil {
		return t.sub.MaxTurns
	}
	return t.a.o.MaxCalls
}

// agentName is who calls tools, as their scopes name it.
func (t *turn) agentName() string {
	if t.sub != nil {
		return t.sub.Name
	}
	return ""
}

// modelName is the model this turn asks.
func (t *turn) modelName() string {
	if t.sub != nil && t.sub.Model != "" {
		return t.sub.Model
	}
	return t.a.ModelName()
}

// Bounds of an answer, in runes: of what is remembered, and of what is given,
// as the platform can. More than that a model says that does not find an end.
const (
	maxAnswer = 18_000
	maxGiven  = 256_000
)

// spoke ends the turn with the model's text.
func (t *turn) spoke(resp llm.Response) chat.Answer {
	t.rote, t.worded = resp.Rote, true
	said := strings.TrimSpace(resp.Message.Content)
	given := text.Clip(said, maxGiven)
	if resp.Finish == llm.FinishLength || len(given) < len(said) {
		given += "\n\n" + wordsCutShort
	}
	said = t.defanged(given)
	category := memory.CategoryReply
	if len(t.calls) > 0 {
		category = memory.CategoryTools
	} else if strings.HasSuffix(said, "?") && len(said) < 300 {
		category = memory.CategoryAmbiguity
	}
	return t.finish(said, category)
}

// complete makes one model call, or repeats what an earlier process was told.
func (t *turn) complete(ctx context.Context) (llm.Response, error) {
	t.step++
	t.brought, t.growing = nil, growing{}
	if st, ok := t.replay("model", ""); ok {
		var resp llm.Response
		if err := json.Unmarshal([]byte(st.Result), &resp); err == nil {
			t.account(resp)
			return resp, nil
		}
	}
	offered := t.offered()
	if offered.Foreign() {
		t.read(memory.Origin{Via: memory.ViaServer})
		t.overheard()
	}
	req := llm.Request{Model: t.modelName(), Messages: t.messages(), Tools: offered.Specs(), Callable: t.set.Names(), Spend: t.ledger.spend}
	began := t.a.o.Now()
	resp, err := t.a.o.Model.Complete(ctx, req, t.show)
	if len(t.files.images) > 0 && (errors.Is(err, llm.ErrBadRequest) || errors.Is(err, llm.ErrModelNotFound)) {
		t.blind()
		req.Messages = t.messages()
		resp, err = t.a.o.Model.Complete(ctx, req, t.show)
	}
	t.lap(memory.Lap{Kind: "model", Name: req.Model, Tokens: resp.Usage.Total}, began, t.a.o.Now().Sub(began))
	if err != nil && t.a.o.Fallback != nil && down(err) {
		resp, err = t.fallback(ctx, req, err)
	}
	if err != nil {
		return resp, err
	}
	t.a.o.Failpoint("after_model")
	t.account(resp)
	resp.Message.ToolCalls = named(resp.Message.ToolCalls, t.step)
	if len(resp.Message.ToolCalls) > 0 {
		return resp, t.owe("model", "", true, resp)
	}
	return resp, nil
}

// down says that the model cannot be reached for a reason a retry by the
// person would not change soon.
func down(err error) bool {
	return errors.Is(err, llm.ErrUnavailable) || errors.Is(err, llm.ErrAuth) || errors.Is(err, llm.ErrQuota) || errors.Is(err, llm.ErrModelNotFound)
}

// fallback lets the built-in responder do what needs no model. Anything it
// does not understand stays the failure it was.
func (t *turn) fallback(ctx context.Context, req llm.Request, cause error) (llm.Response, error) {
	req.Spend = nil
	resp, err := t.a.o.Fallback.Complete(ctx, req, nil)
	last := req.Messages[len(req.Messages)-1]
	if err != nil || (len(resp.Message.ToolCalls) == 0 && last.Role != llm.RoleTool) {
		return llm.Response{}, cause
	}
	return resp, nil
}

func (t *turn) account(resp llm.Response) {
	t.ledger.calls++
	t.ledger.usage = t.ledger.usage.Add(resp.Usage)
	t.model = resp.Model
}

// offered is the core of the set and what the turn asked for beyond it.
func (t *turn) offered() tools.Set {
	core := t.set.Core()
	return core.With(t.set.Only(t.offer...))
}

// named gives every call an id of its own: some servers send none, or the same
// one twice, and every result must name its call.
func named(calls []llm.ToolCall, step int) []llm.ToolCall {
	seen := map[string]bool{}
	for i := range calls {
		if id := calls[i].ID; id == "" || seen[id] {
			calls[i].ID = fmt.Sprintf("call_%d_%d", step, i)
		}
		seen[calls[i].ID] = true
	}
	if len(calls) > maxBatch {
		calls = calls[:maxBatch]
	}
	return calls
}

// act runs the calls of one answer. over says that the turn ends here, with a
// question to the person.
func (t *turn) act(ctx context.Context, said llm.Message) (answer chat.Answer, over bool) {
	kept := said
	kept.ToolCalls = slices.Clone(said.ToolCalls)
	for i, c := range kept.ToolCalls {
		if !json.Valid([]byte(c.Args)) {
			kept.ToolCalls[i].Args = "{}" // replaying it would fail every later request
		}
	}
	t.added = append(t.added, t.entry(kept))
	outcomes, began := t.runBatch(ctx, said.ToolCalls)
	for i, o := range outcomes {
		c := said.ToolCalls[i]
		o = t.numbered(o)
		t.past = append(t.past, tools.Step{Name: c.Name, Args: c.Args})
		result := t.entry(llm.Message{Role: llm.RoleTool, Name: toolName(c), ToolCallID: c.ID, Content: told(o)})
		result.Origin = o.Result.Origin
		t.added = append(t.added, result)
		t.lap(memory.Lap{Kind: "tool", Name: toolName(c)}, began[i], o.Duration)
		t.absorb(c, o)
	}
	for i, o := range outcomes {
		if o.Class == tools.NeedsYes && t.sub == nil {
			return t.confirm(ctx, said.ToolCalls[i], o), true
		}
	}
	return chat.Answer{}, false
}

// told is an outcome as the model reads it: what went wrong by its class first.
// It is never empty: some servers refuse that.
func told(o tools.Outcome) string {
	text := o.Result.Content
	if strings.TrimSpace(text) == "" {
		text = "(empty)"
	}
	if o.Class != "" {
		text = string(o.Class) + ": " + text
	}
	return text
}

// toolName is the name a call gave, kept short: it is the model's own text.
func toolName(c llm.ToolCall) string {
	if c.Name == "" {
		return "unnamed"
	}
	return text.Clip(c.Name, 64)
}

// runBatch runs calls in order, or beside each other when all of them only
// read (requirements C29). Results come in call order either way, with when
// each call began.
func (t *turn) runBatch(ctx context.Context, calls []llm.ToolCall) ([]tools.Outcome, []time.Time) {
	outcomes, began := make([]tools.Outcome, len(calls)), make([]time.Time, len(calls))
	run := func(i int, alone bool) {
		began[i] = t.a.o.Now()
		outcomes[i] = t.runCall(ctx, calls[i], alone)
	}
	if !t.allReadOnly(calls) {
		for i := range calls {
			run(i, true)
		}
		t.settle(ctx)
		return outcomes, began
	}
	t.settle(ctx)
	var wg sync.WaitGroup
	room := make(chan struct{}, maxParallel)
	for i := range calls {
		wg.Add(1)
		room <- struct{}{}
		go func() {
			defer wg.Done()
			run(i, false)
			<-room
		}()
	}
	wg.Wait()
	return outcomes, began
}

func (t *turn) allReadOnly(calls []llm.ToolCall) bool {
	for _, c := range calls {
		if spec, ok := t.set.Lookup(c.Name); ok && !spec.ReadOnly {
			return false
		}
	}
	return len(calls) > 1
}

// runCall runs one call. A call that changes something is journaled before and
// after, so that a crash never makes it happen twice: one that was begun and
// not finished is not begun again (promises.md B04).
func (t *turn) runCall(ctx context.Context, c llm.ToolCall, alone bool) tools.Outcome {
	if ctx.Err() != nil {
		return tools.Outcome{State: tools.Failed, Class: tools.Cancelled, Result: tools.Result{Content: "cancelled"}}
	}
	spec, _ := t.set.Lookup(c.Name)
	writes := alone && spec.Name != "" && !spec.ReadOnly && t.keep
	if writes {
		t.step++
		if st, ok := t.replay("tool", c.ID); ok {
			return t.resumed(st, spec)
		}
		if err := t.begin(ctx, c.ID); err != nil {
			return tools.Outcome{State: tools.Failed, Class: tools.Broken, Err: err, Result: tools.Result{Content: "not done: it could not be recorded"}}
		}
	} else if alone {
		t.settle(ctx)
	}
	o := t.a.o.Runner.Run(ctx, t.offered().With(t.set), t.call(c))
	if writes {
		t.a.o.Failpoint("after_tool")
		if err := t.owe("tool", c.ID, true, journal(o)); err != nil {
			t.a.o.Log.Error("journal tool result", "tool", c.Name, "err", err)
		}
	}
	return o
}

// call puts the transport's identity on the model's wish.
func (t *turn) call(c llm.ToolCall) tools.Call {
	return tools.Call{
		ID: c.ID, Name: c.Name, Args: json.RawMessage(c.Args), Who: t.m.From, Where: t.m.Key, Direct: t.m.Direct, Guild: t.m.Guild, Message: t.m.ID,
		Session: t.session.ID, Key: fmt.Sprintf("%s%s:%d:%s", t.under, t.m.UID, t.step, c.ID), Taint: t.taint, Origin: t.made(c.Args), Agent: t.agentName(),
	}
}

// absorb takes over what an outcome means for the rest of the turn.
func (t *turn) absorb(c llm.ToolCall, o tools.Outcome) {
	spec, _ := t.set.Lookup(c.Name)
	t.taint = t.taint.After(spec, o)
	t.origin = t.origin.And(o.Result.Origin)
	t.overheard()
	t.offer = append(t.offer, o.Result.Offer...)
	t.cited = append(t.cited, o.Result.Sources...)
	if o.Result.Private {
		t.held = append(t.held, o.Result.Content)
	}
	t.calls = append(t.calls, memory.CallRecord{
		CallID: c.ID, Name: text.Clip(c.Name, 64), Arguments: c.Args, Result: o.Result.Content,
		Status: string(o.State), Retries: o.Retries, Took: o.Duration,
	})
	switch o.Class { // what was run has its line from the runner
	case tools.NotFound, tools.NotAllowed, tools.Invalid:
		t.a.o.Log.Warn("tool not run", "tool", c.Name, "class", string(o.Class), "err", o.Err)
	}
	if o.State == tools.Success && !spec.ReadOnly {
		t.did = append(t.did, insight(o.Result.Content))
	}
	switch data := o.Result.Data.(type) {
	case tools.Decided:
		t.session.Decisions = decide(t.session.Decisions, string(data))
	case tools.VariableSet:
		t.setVariable(data)
	case Delegated:
		t.ledger.usage, t.ledger.calls = t.ledger.usage.Add(data.Usage), t.ledger.calls+data.Calls
	}
}
