package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/memory/facts"
	"parley/internal/memory/provenance"
	"parley/internal/memory/sessions"
	"parley/internal/memory/transcript"
	"parley/internal/tools"
)

// trust records whose words a turn has read, which decides what the turn may do.
type trust struct {
	*job
	taint  tools.Taint
	origin provenance.Origin // of everything the turn has read
	held   []string          // private results of tools
}

// read notes words that the turn has read: they may influence everything it does from now
// on. Once words from outside may, what the person says and sends here is private.
func (r *trust) read(o provenance.Origin) {
	r.origin = r.origin.And(o)
	r.heard(o.Outside(r.m.From.ID))
}

// heard notes whether words from outside may influence the turn.
func (r *trust) heard(outside bool) {
	r.taint.Outside = r.taint.Outside || outside
	r.taint.Private = r.taint.Private || r.taint.Outside
}

func (r *trust) others() []string { return r.origin.But(r.m.From.ID).People }

// guarded reports whether what the model writes may carry private data out.
func (r *trust) guarded() bool { return r.taint.Outside && r.taint.Private }

// Whose words a text holds is never guessed from the text: rows and messages carry it.

// listen reads what the message itself brings.
func (r *trust) listen(ctx context.Context) error {
	if strings.TrimSpace(r.m.Quote) != "" && !r.m.Relayed {
		said, err := r.a.o.Store.SaidBy(ctx, r.m.Key, r.m.ReplyTo)
		if err != nil {
			return err
		}
		if said.Outside(r.m.From.ID) {
			r.in.quoted = provenance.ViaQuoted
		}
		r.read(said)
	}
	r.read(provenance.Origin{Via: r.via()})
	return nil
}

// remember reads the conversation so far. An answer given to this very person counts for its
// people only: what it was made of stands beside it, or in the summary.
func (b *background) remember() {
	for _, e := range b.window {
		if e.Role == llm.RoleAssistant && e.User == b.m.From.ID {
			b.trust.origin = b.trust.origin.Of(e.Origin.People...)
			continue
		}
		b.trust.read(transcript.OriginOf(e))
	}
	if b.session.Summary != "" {
		b.readSummary(b.session.Origin)
	}
	b.readSummary(transcript.HeardIn(b.session.Decisions))
	b.readSummary(provenance.Origin{People: sessions.People(b.session.CarriedPage)})
	if b.session.Carried != "" {
		b.readSummary(b.session.CarriedOrigin)
	}
}

// readSummary reads the origin of summaries. In a direct chat only how the words came makes
// them outside; the people's names are kept, but taint nothing.
func (b *background) readSummary(o provenance.Origin) {
	if !b.m.Direct {
		b.trust.read(o)
		return
	}
	b.trust.read(provenance.Origin{Via: o.Via})
	b.trust.origin = b.trust.origin.Of(o.People...)
}

// typed returns what the person typed, if everything else that the turn has read was said
// here; "" otherwise.
func (r *trust) typed() string {
	if r.sub != nil || r.via().Outside() || r.origin.Via.Outside() {
		return ""
	}
	return r.in.text
}

// made returns the origin of what the model wrote into a call: the person, and those others
// whose words are in it and not in the person's message.
func (b *background) made(args string) provenance.Origin {
	o := provenance.Origin{Via: provenance.ViaTyped}
	if !b.trust.origin.Outside(b.m.From.ID) {
		return o
	}
	var values any
	_ = json.Unmarshal([]byte(args), &values) // calls without valid JSON are not run
	text := fmt.Sprint(values)
	used := func(from provenance.Origin, words ...string) {
		for _, w := range words {
			if from = from.But(b.m.From.ID); len(from.People) > 0 && facts.Contributes(w, text, b.in.text) {
				o = o.Of(from.People...)
			}
		}
	}
	for _, list := range [][]memory.Entry{b.window, b.added} {
		for _, e := range list {
			used(transcript.OriginOf(e), e.Content, e.Attached)
		}
	}
	used(b.session.Origin, b.session.Summary)
	for _, d := range b.session.Decisions {
		used(d.Origin.Of(d.User), d.Text)
	}
	used(b.session.CarriedOrigin, b.session.Carried)
	for _, l := range b.session.CarriedPage {
		used(provenance.Origin{People: l.People}, l.Text)
	}
	for _, f := range b.known.facts {
		used(f.Origin, f.Content)
	}
	return o
}
