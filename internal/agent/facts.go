package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/text"
	"parley/internal/tools"
)

// factShare is the part of the token budget that important facts may take
// (requirements C3).
const factShare = 0.25

// maxShown bounds one fact in the prompt, in runes.
const maxShown = 500

// learned is how sure a fact is that was found in a conversation afterwards;
// what somebody asked to be remembered is 1.
const learned = 0.7

// known is what memory holds for a message.
type known struct {
	lasting  []string // part of the stable beginning
	relevant []string // for this message only
	cited    []string // all of them, for /why
	used     []int64  // those fetched for this message
	facts    []memory.Fact
	notes    string // passages of notes, numbered from 1
}

// recall fetches the facts for the turn. In company only what is meant for the
// whole place is stable: what is about the author changes with the author.
func (t *turn) recall(ctx context.Context) error {
	budget := int(factShare * float64(t.a.o.TokenBudget))
	facts, err := t.a.o.Store.FactsFor(ctx, memory.ViewerOf(t.m), t.in.text, budget)
	if err != nil {
		return err
	}
	if facts.Cut > 0 {
		t.a.o.Log.Warn("important facts left out, they are over budget", "person", t.m.From.ID, "left_out", facts.Cut)
	}
	t.known.facts = slices.Concat(facts.Important, facts.Recent, facts.Relevant)
	for _, f := range t.known.facts {
		line := fmt.Sprintf("#%d (%s) %s", f.ID, f.Updated.UTC().Format(time.DateOnly), text.Clip(f.Content, maxShown))
		switch {
		case f.Scope != memory.ScopePerson:
			t.known.lasting = append(t.known.lasting, "For everybody here: "+line)
		case !t.m.Direct:
			t.known.relevant = append(t.known.relevant, "About "+label(t.m.From.Name)+": "+line)
		case f.Important || slices.ContainsFunc(facts.Recent, func(r memory.Fact) bool { return r.ID == f.ID }):
			t.known.lasting = append(t.known.lasting, line)
		default:
			t.known.relevant = append(t.known.relevant, line)
		}
		t.known.cited = append(t.known.cited, tools.FactLine(f)[2:]+" "+origin(f))
	}
	for _, f := range facts.Relevant {
		t.known.used = append(t.known.used, f.ID)
	}
	for _, f := range t.known.facts {
		t.read(f.Heard())
	}
	t.taint.Private = len(t.known.cited) > 0
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
		t.cited, t.known.notes = append(t.cited, r.Sources...), r.Content
		t.given = len(t.cited)
		t.taint.Private = t.taint.Private || r.Private
		t.taint.Outside = t.taint.Outside || r.Untrusted
		t.read(r.Origin)
	}
}

// origin says where a fact comes from.
func origin(f memory.Fact) string {
	how := "you told me"
	if f.Author != "user" {
		how = "I gathered it from what you said"
	}
	return fmt.Sprintf("(%s on %s)", how, f.Updated.UTC().Format("2 January 2006"))
}

// learn remembers what people said about themselves, as a fold found it: only
// with words that really stand in a message of that person, said since they
// last had something forgotten.
func (a *Agent) learn(ctx context.Context, se memory.Session, f folded, entries []memory.Entry) {
	if !a.o.Learn {
		return
	}
	origin := se.Origin.And(originOf(entries))
	for _, fact := range f.Facts {
		e, ok := quoted(entries, fact.Person, fact.Quote)
		if !ok || tools.MayLearn(fact.Content) != nil || tools.MayLearn(fact.Quote) != nil {
			a.o.Log.Info("not remembered: nobody said so of themselves", "session", se.ID)
			continue
		}
		if origin.Outside(e.User) {
			fact.Content = fact.Quote // who summed it up may have obeyed what others wrote
		}
		kind := fact.Type
		if !slices.Contains([]string{"fact", "preference", "decision", "insight"}, kind) {
			kind = "fact"
		}
		v := memory.Viewer{User: e.User, Key: se.Key, Direct: se.Direct}
		_, err := a.o.Store.SaveFact(ctx, v, memory.NewFact{
			Content: fact.Content, Type: kind, Author: "assistant", Session: se.ID, Generation: se.Generation, MessageID: e.MessageID,
			Quote: text.Clip(fact.Quote, maxShown), Confidence: learned, Said: e.At,
		})
		if err != nil {
			a.o.Log.Warn("learn", "session", se.ID, "err", err)
		}
	}
}

// quoted finds the message in which a person said something themselves.
func quoted(entries []memory.Entry, person, quote string) (memory.Entry, bool) {
	quote = normal(quote)
	for _, e := range entries {
		own := e.Role == llm.RoleUser && e.Origin.Via&(memory.ViaForwarded|memory.ViaShared|memory.ViaUnknown) == 0
		if own && quote != "" && called(entries, person, e.User) && strings.Contains(normal(e.Content), quote) {
			return e, true
		}
	}
	return memory.Entry{}, false
}
