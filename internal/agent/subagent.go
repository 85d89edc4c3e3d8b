package agent

import (
	"context"
	"fmt"
	"parley/internal/text/catalog"
	"strings"

	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/tools"
	"parley/internal/tools/guards"
)

// Subagent is a helper with its own prompt, fewer tools and perhaps another model. It runs
// the same loop; its transcript stays out of the conversation's, and it has no helpers of
// its own.
type Subagent struct {
	Name        string // its tool name
	Description string // when to hand it a job
	Prompt      string
	Tools       []string
	MaxTurns    int       // model calls per job, 1-30; 0 is 10
	Model       llm.Model // nil is the conversation's
}

// Delegated is the Data of a subagent's result: what it cost and did.
type Delegated struct {
	Usage llm.Usage
	Calls int
	Did   []string
	Deeds []tools.Deed
	// Unasked are the tools of calls that asked nobody because of a yes for the task.
	Unasked []string
	Waits   []Waiting // calls that need a yes: the person is asked when the job is over
}

// Delegate has a subagent do a job for the person and place of c. Tools call it.
func (a *Agent) Delegate(ctx context.Context, s Subagent, c tools.Call, task string) (tools.Result, error) {
	if s.MaxTurns == 0 {
		s.MaxTurns = 10
	}
	m := chat.Message{ID: c.Message, Key: c.Where, From: c.Who, Direct: c.Direct, Guild: c.Guild, Agent: c.Memory, Text: task}
	set, err := a.equip(ctx, m, s)
	if err != nil {
		return tools.Result{}, fmt.Errorf("%s: %w", s.Name, err)
	}
	t := a.newTurn(m, input{p: catalog.Of(ctx), text: task}, false)
	t.sub, t.trust.taint, t.trust.origin = &s, c.Taint, c.Origin
	t.tools.set, t.tools.offer = set, s.Tools
	t.tools.under, t.tools.guards, t.tools.allowed = c.Key+"/", guards.From(ctx), c.Allowed
	t.report.ledger.maxAttempts = attemptsPerCall * s.MaxTurns
	t.context.added = []memory.Entry{t.context.heard()}
	answer, err := t.loop(ctx)
	if err != nil {
		return tools.Result{}, fmt.Errorf("%s: %w", s.Name, err)
	}
	r := tools.Result{
		Content: strings.TrimSpace(answer.Text), Untrusted: t.trust.taint.Outside, Origin: t.trust.origin.But(c.Who.ID),
		Private: t.trust.taint.Private, Sources: t.sources.cited,
		Data: Delegated{Usage: t.report.ledger.usage, Calls: t.report.ledger.calls, Did: t.report.did, Deeds: t.report.deeds,
			Unasked: t.report.unasked, Waits: t.asks.waits},
	}
	return r, nil
}

// equip returns the tools of a helper, once those of its servers that are just starting are
// there: it is offered no others, so its model could not call one that comes later.
func (a *Agent) equip(ctx context.Context, m chat.Message, s Subagent) (tools.Set, error) {
	set, err := a.o.Tools(ctx, m)
	waited := map[string]bool{}
	for _, name := range s.Tools {
		server, _, remote := strings.Cut(name, "__")
		if _, there := set.Lookup(name); there || !remote || waited[server] || err != nil || a.o.Await == nil {
			continue
		}
		if waited[server] = true; a.o.Await(ctx, name) {
			set, err = a.o.Tools(ctx, m)
		}
	}
	return set.ForAgent(s.Name).Only(s.Tools...), err
}
