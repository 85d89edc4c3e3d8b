package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/internal/agent/attachments"
	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/memory/facts"
	"parley/internal/memory/provenance"
	"parley/internal/playbook"
	"parley/internal/text"
	"parley/internal/tools"
	"parley/internal/tools/guards"
)

// toolrun runs a turn's calls of tools.
type toolrun struct {
	*job
	context *background
	trust   *trust
	journal *journal
	report  *report

	set   tools.Set    // everything this turn may use
	offer []string     // names offered beyond the core
	under string       // prefix of its calls' keys: the key of the call that gave the job
	past  []tools.Step // for loop detection
	// agreed are the calls, by their id, that the person said yes to.
	agreed map[string]Pending
	steps  map[string]playbook.ToolRun // those that steps of journeys make, by id
	// allowed are the tool servers that the person said yes to for this task.
	allowed []string
	batch   batch    // the newest
	worked  []string // tools that succeeded in this turn
	// guards are the playbook's; nil is none.
	guards *guards.Turn
	// reply is what the person has said to a server's question.
	reply tools.Reply
}

type batch struct {
	calls    []llm.ToolCall
	outcomes []tools.Outcome
}

// maxParallel bounds how many read-only tools of one batch run in parallel; maxBatch how
// many calls of one answer are run at all, and maxNamed how many are kept in the transcript.
const (
	maxParallel = 4
	maxBatch    = 16
	maxNamed    = 128
)

// tooMany tells the model that a call of its answer was one more than are run.
func tooMany() tools.Outcome {
	why := fmt.Sprintf("Not done: at most %d calls of one answer are run, and this was one more. Call it again if it is still needed.", maxBatch)
	return tools.Outcome{State: tools.Failed, Class: tools.NotRun, Result: tools.Result{Content: why}}
}

// offered returns the core of the set and what the turn asked for beyond it.
func (r *toolrun) offered() tools.Set {
	return r.set.Core().With(r.set.Only(r.offer...))
}

// named gives every call a unique id: some servers send none, or the same twice, and every
// result must name its call.
func named(calls []llm.ToolCall, step int) []llm.ToolCall {
	seen := map[string]bool{}
	for i := range calls {
		if id := calls[i].ID; id == "" || seen[id] {
			calls[i].ID = fmt.Sprintf("call_%d_%d", step, i)
		}
		seen[calls[i].ID] = true
	}
	return calls[:min(len(calls), maxNamed)]
}

// act runs the calls of one answer. over is true when the turn ends here, for example with a
// question to the person.
func (t *turn) act(ctx context.Context, said llm.Message) (answer chat.Answer, over bool) {
	stored := said
	_, stored.Content = kindOf(said.Content)
	stored.ToolCalls = slices.Clone(said.ToolCalls)
	for i, c := range stored.ToolCalls {
		if !json.Valid([]byte(c.Args)) {
			stored.ToolCalls[i].Args = "{}" // replaying it would fail every later request
		}
	}
	t.context.added = append(t.context.added, t.context.entry(stored))
	outcomes, began := t.tools.runBatch(ctx, said.ToolCalls)
	t.tools.oneInquiry(ctx, said.ToolCalls, outcomes)
	outcomes = t.asks.askable(said.ToolCalls, outcomes)
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

// heardOf adds a call's outcome to the conversation.
func (t *turn) heardOf(c llm.ToolCall, o tools.Outcome, began time.Time) {
	if o.State == tools.Success {
		t.tools.worked = append(t.tools.worked, c.Name)
	}
	t.guide.came(c, o)
	o = t.sources.numbered(o)
	t.tools.past = append(t.tools.past, tools.Step{Name: c.Name, Args: c.Args})
	t.context.added = append(t.context.added, told(t.context.entry(llm.Message{Role: llm.RoleTool, Name: toolName(c), ToolCallID: c.ID}), o))
	t.report.lap(memory.Lap{Kind: "tool", Name: toolName(c)}, began, o.Duration)
	t.absorb(c, o)
}

// told returns a call's entry with its outcome: what went wrong by its class first. Its text
// is as the tool gave it, and what we say about that stands in Attached. It is never empty:
// some servers refuse that.
func told(e memory.Entry, o tools.Outcome) memory.Entry {
	e.Content, e.Attached, e.Origin = o.Result.Content, o.Result.Note, o.Result.Origin
	if strings.TrimSpace(e.Content) == "" {
		e.Content, e.Attached = cmp.Or(e.Attached, "(empty)"), ""
	}
	switch {
	case o.Class != "" && e.Attached != "":
		e.Attached = string(o.Class) + ": " + e.Attached
	case o.Class != "":
		e.Content = string(o.Class) + ": " + e.Content
	}
	e.Tokens = llm.EstimateTokens(llm.Message{Role: e.Role, Name: e.Name, ToolCallID: e.ToolCallID, Content: e.Attached + e.Content})
	return e
}

// toolName returns the name a call gave, kept short: it is the model's own text.
func toolName(c llm.ToolCall) string { return text.Clip(cmp.Or(c.Name, "unnamed"), 64) }

// runBatch runs calls in order, or in parallel if all of them only read. Either way results
// come in call order, with the time each call began.
func (r *toolrun) runBatch(ctx context.Context, calls []llm.ToolCall) ([]tools.Outcome, []time.Time) {
	outcomes, began := make([]tools.Outcome, len(calls)), make([]time.Time, len(calls))
	for i := maxBatch; i < len(calls); i++ {
		outcomes[i], began[i] = tooMany(), r.a.o.Now()
	}
	calls = calls[:min(len(calls), maxBatch)]
	run := func(i int, alone bool) {
		began[i] = r.a.o.Now()
		outcomes[i] = r.runCall(ctx, calls[i], alone)
	}
	if !r.allReadOnly(calls) {
		for i := range calls {
			run(i, true)
		}
		r.journal.settle(ctx)
		return outcomes, began
	}
	r.journal.settle(ctx)
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

// allReadOnly reports whether these are several calls that surely change nothing.
func (r *toolrun) allReadOnly(calls []llm.ToolCall) bool {
	for _, c := range calls {
		if spec, ok := r.set.Lookup(c.Name); !ok || !spec.ReadOnly {
			return false
		}
	}
	return len(calls) > 1
}

// runCall runs one call and tells the guards, before the next call of the same answer.
func (r *toolrun) runCall(ctx context.Context, c llm.ToolCall, alone bool) tools.Outcome {
	o := r.runOnce(ctx, c, alone)
	r.witnessed(c, o)
	return o
}

// runOnce runs a call. One with a side effect is journaled before and after, so that a crash
// never makes it happen twice: a call that was begun and not finished is run again only where
// its tool knows its key. The journal is asked first: the tool may be gone by now, or its
// server not back yet.
func (r *toolrun) runOnce(ctx context.Context, c llm.ToolCall, alone bool) tools.Outcome {
	if ctx.Err() != nil {
		return notBegun()
	}
	_, agreed := r.agreed[c.ID]
	journaled := alone && r.journal.store != nil
	st, begun := memory.Step{}, false
	if journaled {
		st, begun = r.journal.made(c.ID)
	}
	asked := r.journal.asked(st)
	own, _ := r.set.Lookup(c.Name)
	settled := begun && !asked && (st.Done || !own.Keyed)
	if settled && (st.Done || agreed) {
		return r.journal.resumed(st, c.Name)
	}
	spec := r.tool(ctx, c.Name)
	if settled && (spec.Asks() != tools.AskAlways || r.mayGo(spec)) { // else it was only asked about
		return r.journal.resumed(st, c.Name)
	}
	writes := journaled && spec.Name != "" && !spec.ReadOnly
	if writes {
		if !begun {
			r.journal.next()
		}
		if err := r.journal.begin(ctx, memory.Step{Kind: stepTool, Key: r.journal.key(c.ID), People: r.trust.others(),
			Rows: spec.Rows}); err != nil {
			return tools.Outcome{State: tools.Failed, Class: tools.Broken, Err: err,
				Result: tools.Result{Content: "not done: it could not be recorded"}}
		}
	} else if alone {
		r.journal.settle(ctx)
	}
	if !spec.ReadOnly && chat.OnDisk(ctx) != nil {
		return notBegun()
	}
	if writes {
		r.a.o.Failpoint("before_tool")
	}
	o := r.perform(ctx, c)
	if writes {
		r.a.o.Failpoint("after_tool")
		if err := r.journal.owe(memory.Step{Kind: stepTool, Key: r.journal.key(c.ID), Done: true, People: r.trust.others()},
			kept(o)); err != nil {
			r.a.o.Log.Error("journal tool result", "tool", c.Name, "err", err)
		}
	}
	return o
}

// mayGo reports whether calls of a tool may go without a question because of a yes for this task.
func (r *toolrun) mayGo(s tools.Spec) bool {
	return s.ForTask() && slices.Contains(r.allowed, s.Server)
}

func notBegun() tools.Outcome {
	return tools.Outcome{State: tools.Failed, Class: tools.Cancelled, Result: tools.Result{Content: "cancelled"}}
}

// tool looks a tool up, and waits if its server is just starting. The zero Spec is no tool.
func (r *toolrun) tool(ctx context.Context, name string) tools.Spec {
	spec, ok := r.set.Lookup(name)
	if ok || r.sub != nil || r.a.o.Await == nil {
		return spec
	}
	defer chat.Aside(ctx)()
	if !r.a.o.Await(ctx, name) {
		return spec
	}
	set, err := r.a.o.Tools(ctx, r.m)
	if err != nil {
		r.a.o.Log.Warn("tools of a server that started", "err", err)
		return spec
	}
	r.set = set.ForAgent("")
	spec, _ = r.set.Lookup(name)
	return spec
}

// perform runs a call, or continues one whose person was asked something.
func (r *toolrun) perform(ctx context.Context, c llm.ToolCall) tools.Outcome {
	person := tools.Person{Status: r.w.Status, Asks: r.sub == nil && r.a.o.Confirm != nil, Guard: r.guards.Rule}
	defer chat.Work(r.w, toolName(c))()
	defer chat.Aside(ctx)()
	set := r.offered().With(r.set)
	if p, ok := r.agreed[c.ID]; ok && p.Inquiry != "" {
		q := r.a.inquiries.Take(p.Inquiry)
		if q == nil {
			return tools.Outcome{State: tools.Unknown, Class: tools.Unsure, Result: tools.Result{Content: "The tool server's question was lost, because I was restarted before it was answered. Whether " +
				"the tool has done anything is not known; check before calling it again."}}
		}
		set, person.Guard = tools.NewSet(q.Go(r.reply)), nil // it was let pass when it began
	}
	return r.a.o.Runner.Run(guards.With(tools.WithPerson(ctx, person), r.guards), set, r.call(c))
}

// call adds the identity from the transport to the model's call.
func (r *toolrun) call(c llm.ToolCall) tools.Call {
	call := tools.Call{
		ID: c.ID, Name: c.Name, Args: json.RawMessage(c.Args), Who: r.m.From, Where: r.m.Key, Direct: r.m.Direct,
		Guild: r.m.Guild, Caller: tools.Caller{Agent: r.agentName(), Memory: r.m.Agent}, Message: r.m.ID,
		Session: r.context.session.ID, Key: fmt.Sprintf("%s%s:%d:%s", r.under, r.m.UID, r.journal.step, c.ID),
		Taint: r.trust.taint, Origin: r.context.made(c.Args), Said: r.trust.typed(), Allowed: r.allowed,
	}
	if p, ok := r.agreed[c.ID]; ok {
		call.Key, call.Origin, call.Message, call.Confirmed = p.Key, p.Origin, cmp.Or(p.Message, call.Message), true
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
		CallID: c.ID, Name: text.Clip(c.Name, 64), Arguments: c.Args, Result: o.Result.Told(),
		Status: string(o.State), Class: string(o.Class), Retries: o.Retries, Took: o.Duration,
	})
	if o.ForTask {
		t.report.unasked = append(t.report.unasked, spec.Name)
	}
	switch o.Class { // the runner logs those that ran
	case tools.NotFound, tools.NotAllowed, tools.Guarded, tools.Invalid:
		t.a.o.Log.Warn("tool not run", "tool", c.Name, "class", string(o.Class), "err", o.Err)
	}
	if o.State == tools.Unknown {
		t.report.unsure = append(t.report.unsure, strings.ReplaceAll(toolName(c), "_", " "))
	}
	if o.State == tools.Success && !spec.ReadOnly {
		t.report.did = append(t.report.did, deed(c, o.Result))
	}
	t.tools.give(o.Result.Files)
	switch data := o.Result.Data.(type) {
	case tools.Decided:
		t.context.decided(data, t.context.made(c.Args))
	case tools.VariableSet:
		t.guide.setVariable(data)
	case tools.HandOver:
		t.report.handOver = &data
	case Delegated:
		t.report.ledger.add(data.Calls, data.Usage)
		t.report.deeds = append(t.report.deeds, data.Deeds...)
		t.report.unasked = append(t.report.unasked, data.Unasked...)
		t.asks.takeUp(c, data.Waits)
	case tools.Deed:
		t.report.deeds = append(t.report.deeds, data)
	case facts.Change:
		t.report.noted.List = append(t.report.noted.List, data)
	}
}

// ofOurs reports whether an entry is a tool's result from memory or notes.
func (r *toolrun) ofOurs(e memory.Entry) bool {
	spec, ok := r.set.Lookup(e.Name)
	return ok && e.Role == llm.RoleTool && spec.Category != tools.Web && spec.Category != tools.About
}

// Bounds of the files that tools give to one answer.
const (
	maxAttached      = 4
	maxAttachedBytes = 8 << 20 // of all of them, which every platform takes
)

// give keeps the files of a tool's result for the answer, and shows the pictures among them
// to a model that can see.
func (r *toolrun) give(files []chat.File) {
	size := 0
	for _, f := range r.report.files {
		size += len(f.Data)
	}
	for _, f := range files {
		if size += len(f.Data); len(r.report.files) == maxAttached || size > maxAttachedBytes {
			return
		}
		r.report.files = append(r.report.files, f)
		if kind, mime := attachments.File(f, f.Data); kind == attachments.Image && r.a.o.Files.Unseen(r.in.p, mime, f.Data) == "" {
			r.in.files.Images = append(r.in.files.Images, llm.Image{MIME: mime, Data: f.Data})
			r.trust.origin.Via |= provenance.ViaPicture // what is written in it
		}
	}
}

// witnessed tells the guards about a call.
func (r *toolrun) witnessed(c llm.ToolCall, o tools.Outcome) {
	_, agreed := r.agreed[c.ID]
	r.guards.Heard(tools.Call{Name: c.Name, Args: json.RawMessage(c.Args), Confirmed: agreed}, o,
		o.Result.Origin.But(r.m.From.ID).People)
}

// oneInquiry keeps the first question of servers in a batch: a person is asked one thing at
// a time, and the other servers are told that nobody answers.
func (r *toolrun) oneInquiry(ctx context.Context, calls []llm.ToolCall, outcomes []tools.Outcome) {
	first := firstInquiry(outcomes)
	for i, o := range outcomes {
		if o.Class == tools.NeedsInput && i != first {
			outcomes[i] = r.unanswered(ctx, calls[i], o)
		}
	}
}

// unanswered continues a call as if its person had not answered.
func (r *toolrun) unanswered(ctx context.Context, c llm.ToolCall, o tools.Outcome) tools.Outcome {
	call := r.call(c)
	call.Confirmed = true
	for range 3 { // a server may ask again
		q, ok := o.Result.Data.(tools.Inquiry)
		if !ok || o.Class != tools.NeedsInput {
			r.witnessed(c, o)
			return o
		}
		o = r.a.o.Runner.Run(ctx, tools.NewSet(q.Go(tools.Reply{Action: tools.Cancel})), call)
	}
	return unasked(o, wordsTooManyToAsk)
}
