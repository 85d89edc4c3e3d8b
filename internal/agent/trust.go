package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"parley/internal/chat"
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
	user    string // whom the turn is for: their own words are no stranger's
	taint   tools.Taint
	origin  provenance.Origin // of all that the turn has read
	held    []string          // private results of tools
	brought map[string]bool   // addresses that people and tools brought up; nil before it is asked
}

// read notes words that the turn has read: they may influence all it does from now on.
// Once words from outside may, what the person says and sends here is private.
func (r *trust) read(o provenance.Origin) {
	r.origin = r.origin.And(o)
	r.heard(o.Outside(r.user))
}

// heard notes that words from outside may influence the turn, or not.
func (r *trust) heard(outside bool) {
	r.taint.Outside = r.taint.Outside || outside
	r.taint.Private = r.taint.Private || r.taint.Outside
}

// others returns the people besides the user whose words the turn has read.
func (r *trust) others() []string { return r.origin.But(r.user).People }

// guarded reports whether what the model makes up may carry private data out.
func (r *trust) guarded() bool { return r.taint.Outside && r.taint.Private }

// Nothing here looks at what a text says to find out whose it is: rows and
// messages carry that with them.

// ways returns how the words of a message came.
func ways(m chat.Message) provenance.Via {
	via := provenance.ViaTyped
	for way, is := range map[provenance.Via]bool{provenance.ViaForwarded: m.Forwarded, provenance.ViaQuoted: m.Relayed,
		provenance.ViaShared: m.Shared, provenance.ViaEdited: m.Kind == chat.KindEdit} {
		if is {
			via |= way
		}
	}
	return via
}

// via returns how this turn's message came, with its files.
func (t *turn) via() provenance.Via { return ways(t.m) | t.in.files.Via | t.in.quoted }

// listen reads what the message itself brings.
func (t *turn) listen(ctx context.Context) error {
	if strings.TrimSpace(t.m.Quote) != "" && !t.m.Relayed {
		said, err := t.a.o.Store.SaidBy(ctx, t.m.Key, t.m.ReplyTo)
		if err != nil {
			return err
		}
		if said.Outside(t.m.From.ID) {
			t.in.quoted = provenance.ViaQuoted
		}
		t.trust.read(said)
	}
	t.trust.read(provenance.Origin{Via: t.via()})
	return nil
}

// remember reads the conversation so far. An answer that this very person was
// given is no wish of others by itself: what it was made of stands beside it, or
// in the summary.
func (t *turn) remember() {
	for _, e := range t.context.window {
		if e.Role == llm.RoleAssistant && e.User == t.m.From.ID {
			t.trust.origin = t.trust.origin.Of(e.Origin.People...)
			continue
		}
		t.trust.read(transcript.OriginOf(e))
	}
	if t.context.session.Summary != "" || len(t.context.session.Decisions) > 0 {
		t.readSummary(t.context.session.Origin)
	}
	t.readSummary(provenance.Origin{People: sessions.People(t.context.session.CarriedPage)})
	if t.context.session.Carried != "" {
		t.readSummary(t.context.session.CarriedOrigin)
	}
}

// readSummary reads what sessions were made of. Where the person and the bot are
// alone, others have a word only by way of something, which is kept; of their
// names every later answer would keep some.
func (t *turn) readSummary(o provenance.Origin) {
	if !t.m.Direct {
		t.trust.read(o)
		return
	}
	t.trust.read(provenance.Origin{Via: o.Via})
	t.trust.origin = t.trust.origin.Of(o.People...)
}

// typed returns what the person has typed, where all else that the turn has read is
// what people said here; "" otherwise.
func (t *turn) typed() string {
	if t.sub != nil || t.via().Outside() || t.trust.origin.Via.Outside() {
		return ""
	}
	return t.in.text
}

// made returns the origin of what the model wrote into a call: the person's, who is
// asked where the turn has read others, and of others those whose words are in
// it and not in the person's message.
func (t *turn) made(args string) provenance.Origin {
	o := provenance.Origin{Via: provenance.ViaTyped}
	if !t.trust.origin.Outside(t.m.From.ID) {
		return o
	}
	var values any
	_ = json.Unmarshal([]byte(args), &values) // what is no JSON is not run
	text := fmt.Sprint(values)
	used := func(from provenance.Origin, words ...string) {
		for _, w := range words {
			if from = from.But(t.m.From.ID); len(from.People) > 0 && facts.Contributes(w, text, t.in.text) {
				o = o.Of(from.People...)
			}
		}
	}
	for _, list := range [][]memory.Entry{t.context.window, t.context.added} {
		for _, e := range list {
			used(transcript.OriginOf(e), e.Content, e.Attached)
		}
	}
	used(t.context.session.Origin, append([]string{t.context.session.Summary}, t.context.session.Decisions...)...)
	used(t.context.session.CarriedOrigin, t.context.session.Carried)
	for _, l := range t.context.session.CarriedPage {
		used(provenance.Origin{People: l.People}, l.Text)
	}
	for _, f := range t.context.known.facts {
		used(f.Origin, f.Content)
	}
	return o
}
