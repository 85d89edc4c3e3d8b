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
	"parley/internal/memory/sessions"
	"parley/internal/memory/transcript"
	"parley/internal/text"
	"parley/internal/text/catalog"
	"parley/internal/tools"
)

// background is what the requests of a turn contain besides the message: the session and
// what memory knows. It is read once, at the beginning.
type background struct {
	*job
	trust   *trust
	sources *sources

	session memory.Session
	window  []memory.Entry // stored entries that are sent raw
	added   []memory.Entry // what this turn adds
	known   known
	owed    owed
}

type known struct {
	lasting  []string // part of the stable beginning
	relevant []string // for this message only
	cited    []string // all of them, for /why
	used     []int64  // those fetched for this message
	facts    []facts.Fact
	notes    string // passages of notes, numbered from 1
}

// usedTools returns the tools this conversation has used: they stay offered, which also
// keeps the beginning of the request the same.
func usedTools(entries []memory.Entry) (names []string) {
	for _, e := range entries {
		for _, c := range e.ToolCalls {
			names = append(names, c.Name)
		}
	}
	return names
}

// heard returns what the person said, as the transcript keeps it.
func (b *background) heard() memory.Entry {
	attached := strings.Join(b.in.files.Notes, "\n")
	e := b.entry(llm.Message{Role: llm.RoleUser, Content: strings.TrimSpace(b.in.text + "\n" + attached)})
	e.Content, e.Attached, e.Origin = cmp.Or(b.in.text, transcript.NoText), attached, provenance.Origin{Via: b.via()}
	return e
}

func (b *background) entry(m llm.Message) memory.Entry {
	e := memory.Entry{
		Role: m.Role, User: b.m.From.ID, Name: m.Name, Content: m.Content, ToolCalls: m.ToolCalls, ToolCallID: m.ToolCallID,
		Tokens: llm.EstimateTokens(m), At: b.a.o.Now(), Origin: b.trust.origin.But(b.m.From.ID),
	}
	if m.Role == llm.RoleUser {
		e.MessageID, e.Name, e.At = b.m.ID, b.m.From.Name, b.m.At
	}
	return e
}

// recall fetches the facts for the turn. In a group only facts about the place belong to the
// stable beginning: those about the author change with the author.
func (b *background) recall(ctx context.Context) error {
	budget := int(factShare * float64(b.a.limit()))
	found, err := b.a.o.Store.Facts.FactsFor(ctx, provenance.ViewerOf(b.m), b.in.text, budget)
	if err != nil {
		return err
	}
	if found.Cut > 0 {
		b.a.o.Log.Warn("important facts left out, they are over budget", "person", b.m.From.ID, "left_out", found.Cut)
	}
	b.known.facts = found.All()
	apart := found.Apart()
	for _, f := range b.known.facts {
		line := fmt.Sprintf("#%d (%s) %s", f.Number, f.Updated.UTC().Format(time.DateOnly), text.Clip(f.Content, maxShown)) +
			facts.Until(catalog.Printer{}, f, b.a.o.Now())
		switch {
		case f.Scope != facts.ScopePerson:
			b.known.lasting = append(b.known.lasting, "For everybody here: "+line)
		case !b.m.Direct:
			b.known.relevant = append(b.known.relevant, "About "+transcript.Label(b.m.From.Name)+": "+line)
		case slices.ContainsFunc(apart, func(r facts.Fact) bool { return r.ID == f.ID }):
			b.known.relevant = append(b.known.relevant, line)
		default:
			b.known.lasting = append(b.known.lasting, line)
		}
		b.known.cited = append(b.known.cited, facts.Line(catalog.Printer{}, f, b.a.o.Now())[2:]+" "+origin(f))
	}
	for _, f := range found.Relevant {
		b.known.used = append(b.known.used, f.ID)
	}
	for _, f := range b.known.facts {
		b.trust.read(f.Heard())
	}
	b.trust.taint.Private = b.trust.taint.Private || len(b.known.cited) > 0
	return nil
}

// prefetch fetches notes that may fit the message. If notes cannot be searched now, the turn
// goes on without them.
func (b *background) prefetch(ctx context.Context) {
	if b.a.o.Prefetch == nil || b.sub != nil {
		return
	}
	m := b.m
	m.Text = b.in.text // as for facts and rules
	r, err := b.a.o.Prefetch(ctx, m)
	if err != nil {
		b.a.o.Log.Warn("prefetch notes", "err", err)
		return
	}
	if len(r.Sources) > 0 {
		b.sources.cited, b.known.notes = append(b.sources.cited, r.Sources...), r.Content
		b.sources.given = len(b.sources.cited)
		b.trust.taint.Private = b.trust.taint.Private || r.Private
		b.trust.heard(r.Untrusted)
		b.trust.read(r.Origin)
	}
}

// decided adds a decision to the session, with which it is stored.
func (b *background) decided(d tools.Decided, from provenance.Origin) {
	b.session.Decisions = append(slices.Clip(b.session.Decisions), sessions.Decision{Text: d.Content, Replaces: d.Replaces, Recorded: true,
		User: b.m.From.ID, Name: b.m.From.Name, Message: b.m.ID, At: b.a.o.Now(), Origin: from.But(b.m.From.ID)})
}
