package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/memory/facts"
	"parley/internal/memory/sessions"
	"parley/internal/text"
	"parley/internal/tools"
	"parley/internal/tools/guards"
)

// toolrun holds the tools a turn has and the calls it has made.
type toolrun struct {
	set   tools.Set    // everything this turn may use
	offer []string     // names offered beyond the core
	under string       // before the keys of its calls: the key of the call that is the job
	past  []tools.Step // for loop detection
	// agreed are the calls, by their id, that the person said yes to.
	agreed map[string]Pending
	batch  batch // the newest
	// waits are calls of subagents that need a yes; in a subagent's turn, its own.
	waits  []Waiting
	worked []string // tools that succeeded in this turn
	// guards are the playbook's; nil is none.
	guards *guards.Turn
	// reply is what the person has said to a server's question.
	reply tools.Reply
}

// batch is the calls of one answer, and what came of each.
type batch struct {
	calls    []llm.ToolCall
	outcomes []tools.Outcome
}

// maxParallel bounds how many read-only tools of one batch run beside each
// other; maxBatch how many calls of one answer are run at all.
const (
	maxParallel = 4
	maxBatch    = 16
)

// offered returns the core of the set and what the turn asked for beyond it.
func (r *toolrun) offered() tools.Set {
	return r.set.Core().With(r.set.Only(r.offer...))
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

// act runs the calls of one answer. over is true when the turn ends here, with
// a question to the person.
func (t *turn) act(ctx context.Context, said llm.Message) (answer chat.Answer, over bool) {
	stored := said
	_, stored.Content = kindOf(said.Content)
	stored.ToolCalls = slices.Clone(said.ToolCalls)
	for i, c := range stored.ToolCalls {
		if !json.Valid([]byte(c.Args)) {
			stored.ToolCalls[i].Args = "{}" // replaying it would fail every later request
		}
	}
	t.context.added = append(t.context.added, t.entry(stored))
	outcomes, began := t.runBatch(ctx, said.ToolCalls)
	t.oneInquiry(ctx, said.ToolCalls, outcomes)
	outcomes = t.askable(said.ToolCalls, outcomes)
	t.tools.batch = batch{said.ToolCalls, outcomes}
	for i, o := range outcomes {
		t.heardOf(said.ToolCalls[i], o, began[i])
	}
	if why := t.tools.set.Lost(t.in.p, said.ToolCalls, outcomes); why != "" {
		return t.finish(t.report.withDone(t.in.p, why), chat.End{Outcome: chat.Failed, Reason: chat.ToolFailed}), true
	}
	if answer, over := t.handedOver(ctx); over {
		return answer, true
	}
	if answer, over = t.park(ctx, said.ToolCalls, outcomes); over {
		return answer, over
	}
	return t.follow(ctx)
}

// heardOf adds what came of a call to the conversation.
func (t *turn) heardOf(c llm.ToolCall, o tools.Outcome, began time.Time) {
	if o.State == tools.Success {
		t.tools.worked = append(t.tools.worked, c.Name)
	}
	t.context.ruling.came(c, o)
	o = t.sources.numbered(o)
	t.tools.past = append(t.tools.past, tools.Step{Name: c.Name, Args: c.Args})
	result := t.entry(llm.Message{Role: llm.RoleTool, Name: toolName(c), ToolCallID: c.ID, Content: told(o)})
	result.Origin = o.Result.Origin
	t.context.added = append(t.context.added, result)
	t.report.lap(memory.Lap{Kind: "tool", Name: toolName(c)}, began, o.Duration)
	t.absorb(c, o)
}

// told returns an outcome as the model reads it: what went wrong by its class first.
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

// toolName returns the name a call gave, kept short: it is the model's own text.
func toolName(c llm.ToolCall) string {
	if c.Name == "" {
		return "unnamed"
	}
	return text.Clip(c.Name, 64)
}

// runBatch runs calls in order, or beside each other when all of them only
// read. Results come in call order either way, with when
// each call began.
func (t *turn) runBatch(ctx context.Context, calls []llm.ToolCall) ([]tools.Outcome, []time.Time) {
	outcomes, began := make([]tools.Outcome, len(calls)), make([]time.Time, len(calls))
	run := func(i int, alone bool) {
		began[i] = t.a.o.Now()
		outcomes[i] = t.runCall(ctx, calls[i], alone)
	}
	if !t.tools.allReadOnly(calls) {
		for i := range calls {
			run(i, true)
		}
		t.journal.settle(ctx)
		return outcomes, began
	}
	t.journal.settle(ctx)
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

// allReadOnly reports whether several calls surely change nothing.
func (r *toolrun) allReadOnly(calls []llm.ToolCall) bool {
	for _, c := range calls {
		if spec, ok := r.set.Lookup(c.Name); !ok || !spec.ReadOnly {
			return false
		}
	}
	return len(calls) > 1
}

// runCall runs one call. The guards know of it before the next one, also of the same
// answer.
func (t *turn) runCall(ctx context.Context, c llm.ToolCall, alone bool) tools.Outcome {
	o := t.runOnce(ctx, c, alone)
	t.witnessed(c, o)
	return o
}

// runOnce runs a call. One that changes something is journaled before and
// after, so that a crash never makes it happen twice: one that was begun and
// not finished is not begun again. The journal is asked first: the tool may be gone
// by now, or its server may not be back yet.
func (t *turn) runOnce(ctx context.Context, c llm.ToolCall, alone bool) tools.Outcome {
	if ctx.Err() != nil {
		return notBegun()
	}
	_, agreed := t.tools.agreed[c.ID]
	journaled := alone && t.journal.store != nil
	st, begun := memory.Step{}, false
	if journaled {
		st, begun = t.journal.made(c.ID)
	}
	if begun && (st.Done || agreed) {
		return t.journal.resumed(st, c.Name)
	}
	spec := t.tool(ctx, c.Name)
	if begun && spec.Asks() != tools.AskAlways { // else it was only asked about
		return t.journal.resumed(st, c.Name)
	}
	writes := journaled && spec.Name != "" && !spec.ReadOnly
	if writes {
		if !begun {
			t.journal.next()
		}
		if err := t.journal.begin(ctx, memory.Step{Kind: stepTool, Key: t.journal.key(c.ID), People: t.trust.others()}); err != nil {
			return tools.Outcome{State: tools.Failed, Class: tools.Broken, Err: err,
				Result: tools.Result{Content: "not done: it could not be recorded"}}
		}
	} else if alone {
		t.journal.settle(ctx)
	}
	if !spec.ReadOnly && chat.OnDisk(ctx) != nil {
		return notBegun()
	}
	o := t.perform(ctx, c)
	if writes {
		t.a.o.Failpoint("after_tool")
		if err := t.journal.owe(memory.Step{Kind: stepTool, Key: t.journal.key(c.ID), Done: true, People: t.trust.others()},
			kept(o)); err != nil {
			t.a.o.Log.Error("journal tool result", "tool", c.Name, "err", err)
		}
	}
	return o
}

// notBegun is the outcome of a call whose turn ended before.
func notBegun() tools.Outcome {
	return tools.Outcome{State: tools.Failed, Class: tools.Cancelled, Result: tools.Result{Content: "cancelled"}}
}

// tool returns what is known of a tool; one whose server is about to start is waited for.
// The zero Spec is that of no tool.
func (t *turn) tool(ctx context.Context, name string) tools.Spec {
	spec, ok := t.tools.set.Lookup(name)
	if ok || t.sub != nil || t.a.o.Await == nil {
		return spec
	}
	defer chat.Aside(ctx)()
	if !t.a.o.Await(ctx, name) {
		return spec
	}
	set, err := t.a.o.Tools(ctx, t.m)
	if err != nil {
		t.a.o.Log.Warn("tools of a server that started", "err", err)
		return spec
	}
	t.tools.set = set.ForAgent("")
	spec, _ = t.tools.set.Lookup(name)
	return spec
}

// perform runs a call, or goes on with one whose person was asked something.
func (t *turn) perform(ctx context.Context, c llm.ToolCall) tools.Outcome {
	person := tools.Person{Status: t.w.Status, Asks: t.sub == nil && t.a.o.Confirm != nil, Guard: t.tools.guards.Rule}
	defer chat.Work(t.w, toolName(c))()
	defer chat.Aside(ctx)()
	set := t.tools.offered().With(t.tools.set)
	if p, ok := t.tools.agreed[c.ID]; ok && p.Inquiry != "" {
		q := t.a.inquiries.Take(p.Inquiry)
		if q == nil {
			return tools.Outcome{State: tools.Unknown, Class: tools.Unsure, Result: tools.Result{Content: "The tool server's question was lost, because I was restarted before it was answered. Whether " +
				"the tool has done anything is not known; check before calling it again."}}
		}
		set, person.Guard = tools.NewSet(q.Go(t.tools.reply)), nil // it was let pass when it began
	}
	return t.a.o.Runner.Run(guards.With(tools.WithPerson(ctx, person), t.tools.guards), set, t.call(c))
}

// call adds the identity from the transport to the model's call.
func (t *turn) call(c llm.ToolCall) tools.Call {
	call := tools.Call{
		ID: c.ID, Name: c.Name, Args: json.RawMessage(c.Args), Who: t.m.From, Where: t.m.Key, Direct: t.m.Direct,
		Guild: t.m.Guild, Caller: tools.Caller{Agent: t.agentName(), Memory: t.m.Agent}, Message: t.m.ID,
		Session: t.context.session.ID, Key: fmt.Sprintf("%s%s:%d:%s", t.tools.under, t.m.UID, t.journal.step, c.ID),
		Taint: t.trust.taint, Origin: t.made(c.Args), Said: t.typed(),
	}
	if p, ok := t.tools.agreed[c.ID]; ok {
		call.Key, call.Origin, call.Confirmed = p.Key, p.Origin, true
	}
	return call
}

// absorb applies what an outcome means for the rest of the turn.
func (t *turn) absorb(c llm.ToolCall, o tools.Outcome) {
	spec, _ := t.tools.set.Lookup(c.Name)
	t.trust.taint = t.trust.taint.After(spec, o)
	t.trust.origin = t.trust.origin.And(o.Result.Origin)
	t.tools.offer = append(t.tools.offer, o.Result.Offer...)
	t.sources.cited = append(t.sources.cited, o.Result.Sources...)
	if o.Result.Private {
		t.trust.held = append(t.trust.held, o.Result.Content)
	}
	t.report.calls = append(t.report.calls, memory.CallRecord{
		CallID: c.ID, Name: text.Clip(c.Name, 64), Arguments: c.Args, Result: o.Result.Content,
		Status: string(o.State), Class: string(o.Class), Retries: o.Retries, Took: o.Duration,
	})
	switch o.Class { // what was run has its line from the runner
	case tools.NotFound, tools.NotAllowed, tools.Guarded, tools.Invalid:
		t.a.o.Log.Warn("tool not run", "tool", c.Name, "class", string(o.Class), "err", o.Err)
	}
	if o.State == tools.Unknown {
		t.report.unsure = append(t.report.unsure, strings.ReplaceAll(toolName(c), "_", " "))
	}
	if o.State == tools.Success && !spec.ReadOnly {
		t.report.did = append(t.report.did, deed(o.Result.Content))
	}
	switch data := o.Result.Data.(type) {
	case tools.Decided:
		t.context.session.Decisions = sessions.Decide(t.context.session.Decisions, string(data))
	case tools.VariableSet:
		t.setVariable(data)
	case tools.HandOver:
		t.report.handOver = &data
	case Delegated:
		t.report.ledger.add(data.Calls, data.Usage)
		t.report.deeds = append(t.report.deeds, data.Deeds...)
		t.takeUp(c, data.Waits)
	case tools.Deed:
		t.report.deeds = append(t.report.deeds, data)
	case facts.Change:
		t.report.noted.List = append(t.report.noted.List, data)
	case tools.Attached:
		t.give(data)
	}
}
