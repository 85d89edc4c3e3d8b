package agent

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/memory/facts"
	"parley/internal/memory/provenance"
	"parley/internal/memory/transcript"
	"parley/internal/playbook"
	"parley/internal/text"
	"parley/internal/text/catalog"
	"parley/internal/tools"
)

// background is the context of a turn: what its requests contain besides the message.
// It is read once, at the beginning.
type background struct {
	session  memory.Session
	window   []memory.Entry // stored entries that are sent raw
	added    []memory.Entry // what this turn adds
	known    known
	guidance playbook.Guidance
	ruling   ruling
	noted    memory.PersonNote // the playbook's note on the author
	changed  bool              // and whether it has to be stored
	waits    string            // what the author was asked and has not answered
}

// known holds what memory knows for a message.
type known struct {
	lasting  []string // part of the stable beginning
	relevant []string // for this message only
	cited    []string // all of them, for /why
	used     []int64  // those fetched for this message
	facts    []facts.Fact
	notes    string // passages of notes, numbered from 1
}

// load reads memory once.
func (t *turn) load(ctx context.Context) (err error) {
	set, err := t.a.o.Tools(ctx, t.m)
	if err != nil {
		return err
	}
	t.tools.set = set.ForAgent("")
	t.tools.guards = t.guards()
	if err := t.listen(ctx); err != nil {
		return err
	}
	if !t.m.Forwarded && !t.m.Shared { // hosts in such a text were typed by somebody else
		t.trust.taint.Hosts = tools.TypedHosts(t.in.text)
	}
	if err = t.recall(ctx); err != nil {
		return err
	}
	t.prefetch(ctx)
	if t.m.Attempt > 0 && t.journal.store != nil {
		earlier, err := t.a.o.Store.Steps(ctx, t.m.Row)
		if err != nil {
			return err
		}
		t.journal.read(earlier)
	}
	if !t.keep {
		return nil
	}
	if t.context.waits, err = t.waiting(ctx); err != nil {
		return err
	}
	entries, err := t.earlier(ctx)
	if err != nil {
		return err
	}
	t.context.window = wholeExchanges(entries)
	t.tools.offer = usedTools(t.context.window)
	t.remember()
	t.trust.taint.Private = t.trust.taint.Private || slices.ContainsFunc(t.context.window, t.ofOurs)
	return err
}

// wholeExchanges drops the beginning of a window up to the first thing a
// person said, so that no tool result comes without its call.
func wholeExchanges(entries []memory.Entry) []memory.Entry {
	for i, e := range entries {
		if e.Role == llm.RoleUser {
			return entries[i:]
		}
	}
	return nil
}

// usedTools returns the tools this conversation has used: they stay offered, which
// also keeps the beginning of the request the same.
func usedTools(entries []memory.Entry) (names []string) {
	for _, e := range entries {
		for _, c := range e.ToolCalls {
			names = append(names, c.Name)
		}
	}
	return names
}

// ofOurs reports whether an entry holds what a tool took from memory or notes.
func (t *turn) ofOurs(e memory.Entry) bool {
	spec, ok := t.tools.set.Lookup(e.Name)
	return ok && e.Role == llm.RoleTool && spec.Category != tools.Web && spec.Category != tools.About
}

// heard returns what the person said, as the transcript keeps it.
func (t *turn) heard() memory.Entry {
	attached := strings.Join(t.in.files.Notes, "\n")
	e := t.entry(llm.Message{Role: llm.RoleUser, Content: strings.TrimSpace(t.in.text + "\n" + attached)})
	e.Content, e.Attached, e.Origin = cmp.Or(t.in.text, transcript.NoText), attached, provenance.Origin{Via: t.via()}
	return e
}

// entry makes a transcript entry from a message.
func (t *turn) entry(m llm.Message) memory.Entry {
	e := memory.Entry{
		Role: m.Role, User: t.m.From.ID, Name: m.Name, Content: m.Content, ToolCalls: m.ToolCalls, ToolCallID: m.ToolCallID,
		Tokens: llm.EstimateTokens(m), At: t.a.o.Now(), Origin: t.trust.origin.But(t.m.From.ID),
	}
	if m.Role == llm.RoleUser {
		e.MessageID, e.Name, e.At = t.m.ID, t.m.From.Name, t.m.At
	}
	return e
}

// recall fetches the facts for the turn. In company only what is meant for the
// whole place is stable: what is about the author changes with the author.
func (t *turn) recall(ctx context.Context) error {
	budget := int(factShare * float64(t.a.o.TokenBudget))
	found, err := t.a.o.Store.Facts.FactsFor(ctx, provenance.ViewerOf(t.m), t.in.text, budget)
	if err != nil {
		return err
	}
	if found.Cut > 0 {
		t.a.o.Log.Warn("important facts left out, they are over budget", "person", t.m.From.ID, "left_out", found.Cut)
	}
	t.context.known.facts = slices.Concat(found.Important, found.Recent, found.Relevant)
	for _, f := range t.context.known.facts {
		line := fmt.Sprintf("#%d (%s) %s", f.ID, f.Updated.UTC().Format(time.DateOnly), text.Clip(f.Content, maxShown)) +
			facts.Until(catalog.Printer{}, f, t.a.o.Now())
		switch {
		case f.Scope != facts.ScopePerson:
			t.context.known.lasting = append(t.context.known.lasting, "For everybody here: "+line)
		case !t.m.Direct:
			t.context.known.relevant = append(t.context.known.relevant, "About "+transcript.Label(t.m.From.Name)+": "+line)
		case f.Important || slices.ContainsFunc(found.Recent, func(r facts.Fact) bool { return r.ID == f.ID }):
			t.context.known.lasting = append(t.context.known.lasting, line)
		default:
			t.context.known.relevant = append(t.context.known.relevant, line)
		}
		t.context.known.cited = append(t.context.known.cited, facts.Line(catalog.Printer{}, f, t.a.o.Now())[2:]+" "+origin(f))
	}
	for _, f := range found.Relevant {
		t.context.known.used = append(t.context.known.used, f.ID)
	}
	for _, f := range t.context.known.facts {
		t.trust.read(f.Heard())
	}
	t.trust.taint.Private = t.trust.taint.Private || len(t.context.known.cited) > 0
	return nil
}

// prefetch fetches notes that may fit the message. Notes that cannot be searched
// now are a gap, not a failure.
func (t *turn) prefetch(ctx context.Context) {
	if t.a.o.Prefetch == nil || t.sub != nil {
		return
	}
	m := t.m
	m.Text = t.in.text // what facts and rules are asked too
	r, err := t.a.o.Prefetch(ctx, m)
	if err != nil {
		t.a.o.Log.Warn("prefetch notes", "err", err)
		return
	}
	if len(r.Sources) > 0 {
		t.sources.cited, t.context.known.notes = append(t.sources.cited, r.Sources...), r.Content
		t.sources.given = len(t.sources.cited)
		t.trust.taint.Private = t.trust.taint.Private || r.Private
		t.trust.heard(r.Untrusted)
		t.trust.read(r.Origin)
	}
}
