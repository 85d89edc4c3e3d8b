package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/memory/sessions"
	"parley/internal/memory/transcript"
)

// maxSummaryTries is how often the model is asked for a closing summary before the session
// is archived with an extract, and owes one.
const maxSummaryTries = 3

// digested returns the extract stored of a session that ends now, until a model has
// summarized it.
func (a *Agent) digested(se memory.Session, entries []memory.Entry) memory.Closing {
	c := memory.Closing{Title: cmp.Or(se.Title, shortTitle("", insight(firstSaid(entries)))),
		Decisions: transcript.Decided(se, sessions.Folded{}, entries), Owed: se.Owed}
	told := sessions.Digest(transcript.Left(transcript.Points(entries), se.Summary), maxClosing)
	if !slices.ContainsFunc(transcript.Points(entries), func(p sessions.Point) bool { return !p.Bot }) {
		told = transcript.Text(entries) // nobody said much
	}
	c.Text = sessions.Squeeze(se.Summary+"\n"+told, maxClosing)
	c.Page = sessions.Page(se.CarriedPage, append(own(se, entries), transcript.Lines(se, sessions.Folded{}, entries)...)...)
	c.Origin = a.closingOrigin(se, entries)
	return c
}

// own returns the lines that earlier folds of a session have put on its page.
func own(se memory.Session, entries []memory.Entry) []sessions.Line {
	return slices.DeleteFunc(slices.Clone(se.Page), func(l sessions.Line) bool {
		return l.Session != se.ID || len(entries) > 0 && !l.At.Before(entries[0].At)
	})
}

// closingOrigin returns whose words a closing summary is made of; the summarizer also reads
// the carried page.
func (a *Agent) closingOrigin(se memory.Session, entries []memory.Entry) memory.Origin {
	return se.Origin.And(transcript.Origin(entries)).Of(sessions.People(se.CarriedPage)...)
}

// Archive writes the closing summary of an ended session: by the model, or after three
// failures by code, which still owes it. Call it in the session's lane.
func (a *Agent) Archive(ctx context.Context, id string) error {
	se, err := a.o.Store.Sessions.SessionByID(ctx, id)
	if err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	if se.Ended.IsZero() || se.Status == memory.Archived && se.Owed == nil {
		return nil
	}
	p := part{session: se, before: se.Summary, final: true}
	from := se.SummarizedAt
	if se.Owed != nil {
		p.before, from = se.Owed.Summary, se.Owed.After
	}
	if p.entries, err = a.dialogue(ctx, id, from, 0); err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	if len(p.entries) == 0 && p.before == "" {
		return a.o.Store.Sessions.ArchiveSession(ctx, se,
			memory.Closing{Text: se.Closing, Decisions: se.Decisions, Page: se.Page, Origin: se.Origin})
	}
	return a.beside(ctx, p, maxFolds, a.archive)
}

// archive stores the closing summary, or how asking for it failed.
func (a *Agent) archive(ctx context.Context, p part, s summing) error {
	se := p.session
	failed := s.err != nil && !errors.Is(s.err, llm.ErrNone) && s.read == 0
	if failed && se.Status != memory.Archived {
		tries, err := a.o.Store.Past.Failed(ctx, se.ID)
		if err != nil || tries < maxSummaryTries {
			return fmt.Errorf("archive: %w", errors.Join(s.err, err))
		}
	}
	owed := a.owing(se, p, s)
	if failed && se.Status == memory.Archived && owed != nil && owed.Awaited() {
		return a.o.Store.Past.Postpone(ctx, se.ID, *owed)
	}
	c := memory.Closing{Text: se.Closing, Decisions: se.Decisions, Page: se.Page, Owed: owed, Origin: a.closingOrigin(se, p.entries)}
	if s.read > 0 || s.err == nil {
		c.Title = shortTitle(s.Title, se.Title)
		c.Text = withDigest(s.Summary, p.entries[s.read:], maxClosing, maxClosing)
		c.Decisions = transcript.Decided(se, s.Folded, p.entries)
		carried := sessions.Without(se.CarriedPage, s.Outdated)
		c.Page = sessions.Page(carried, append(own(se, p.entries), transcript.Lines(se, s.Folded, p.entries)...)...)
		a.learn(ctx, se, s.Folded, p.entries[:s.read])
	}
	return a.o.Store.Sessions.ArchiveSession(ctx, se, c)
}

// Pay writes a summary that a session owes. Call it in the session's lane.
func (a *Agent) Pay(ctx context.Context, id string) error {
	se, err := a.o.Store.Sessions.SessionByID(ctx, id)
	if err != nil || se.Owed == nil {
		return err
	}
	if !se.Ended.IsZero() {
		return a.Archive(ctx, id)
	}
	p := a.part(ctx, se, nil)
	if len(p.entries) == 0 { // retention took them
		se.Owed = nil
		return a.o.Store.Sessions.SaveSession(ctx, se)
	}
	return a.beside(ctx, p, maxFolds, a.refold)
}

// refold puts a summary into a live session, unless what it was made of has changed.
func (a *Agent) refold(ctx context.Context, p part, s summing) error {
	now, err := a.o.Store.Sessions.SessionByID(ctx, p.session.ID)
	if err != nil {
		return fmt.Errorf("fold: %w", err)
	}
	if now.Generation != p.session.Generation || now.SummarizedAt != p.session.SummarizedAt || !now.Ended.IsZero() || !a.unchanged(ctx, p) {
		return nil // the next message, or tick, begins anew
	}
	now.Folded = p.session.Folded
	p.session = now
	err = a.o.Store.Sessions.SaveSession(ctx, a.folded(ctx, p, s))
	if errors.Is(err, memory.ErrOutdated) {
		return nil
	}
	return err
}

func (a *Agent) unchanged(ctx context.Context, p part) bool {
	if len(p.entries) == 0 {
		return true
	}
	now, err := a.dialogue(ctx, p.session.ID, p.entries[0].ID-1, 0)
	if err != nil || len(now) < len(p.entries) {
		return false
	}
	for i, e := range p.entries {
		if now[i].ID != e.ID || now[i].Content != e.Content {
			return false
		}
	}
	return true
}

// beside has a model summarize in the background, and takes the result in the lane. A
// session is summarized once at a time.
func (a *Agent) beside(ctx context.Context, p part, pieces int, take func(context.Context, part, summing) error) error {
	id := p.session.ID
	if _, busy := a.folding.LoadOrStore(id, true); busy {
		return nil
	}
	if a.o.Beside == nil {
		defer a.folding.Delete(id)
		s := a.sumUp(ctx, p, pieces)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return take(ctx, p, s)
	}
	a.o.Beside(p.session.Key, func(ctx context.Context) func(context.Context) {
		s := a.sumUp(ctx, p, pieces)
		if ctx.Err() != nil {
			a.folding.Delete(id)
			return nil
		}
		return func(ctx context.Context) {
			defer a.folding.Delete(id)
			if err := take(ctx, p, s); err != nil {
				a.o.Log.Warn("sum up", "session", id, "err", err)
			}
		}
	})
	return nil
}

// foldAfter shortens a session after its answer was sent; size is that of its request, and
// at its SummarizedAt then. Call it in the lane.
func (a *Agent) foldAfter(ctx context.Context, id string, size int, at int64) {
	se, err := a.o.Store.Sessions.SessionByID(ctx, id)
	if err != nil {
		a.o.Log.Error("fold: read session", "err", err)
		return
	}
	if se.SummarizedAt != at {
		return // another fold was taken meanwhile
	}
	entries, err := a.dialogue(ctx, id, se.SummarizedAt, 0)
	if err != nil {
		a.o.Log.Error("fold: read transcript", "err", err)
		return
	}
	cut, left := a.halved(entries, size, keeping{keepExchanges, 1, foldAt})
	if cut == 0 {
		return
	}
	se.Folded = left
	if err := a.beside(ctx, a.part(ctx, se, entries[:cut]), maxFolds, a.refold); err != nil {
		a.o.Log.Error("fold", "err", err)
	}
}

// Summarize summarizes a live session now and returns that; "" means that there is nothing
// yet. All but the last exchanges leave the window. Call it in the session's lane.
func (a *Agent) Summarize(ctx context.Context, p memory.Place) (string, error) {
	se, ok, err := a.o.Store.Sessions.LiveSession(ctx, p)
	if err != nil || !ok {
		return "", err
	}
	entries, err := a.o.Store.Transcript(ctx, se.ID, se.SummarizedAt, 0)
	if err != nil || len(entries) == 0 {
		return se.Summary, err
	}
	whole := a.part(ctx, se, entries)
	all := a.sumUp(ctx, whole, maxFolds)
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	said := withDigest(all.Summary, whole.entries[all.read:], maxSummary, maxSummary)
	if all.read == 0 {
		said = sessions.Squeeze(whole.before+"\n"+said, maxSummary)
	}
	older := a.part(ctx, se, entries[:transcript.CutAt(entries, keepExchanges)])
	s := summing{all.Folded, min(all.read, len(older.entries)), all.err}
	if all.read >= len(older.entries) {
		s.err = nil
	}
	se = a.folded(ctx, older, s)
	if all.read > 0 { // of the exchanges that stay as well
		se.Summary, se.Title, se.Origin = said, shortTitle(all.Title, se.Title), se.Origin.And(transcript.Origin(entries))
		se.Compressions = older.session.Compressions + 1
	}
	if err = a.o.Store.Sessions.SaveSession(ctx, se); errors.Is(err, memory.ErrOutdated) { // somebody was forgotten: without their words
		return a.Summarize(ctx, p)
	}
	return said, err
}

func firstSaid(entries []memory.Entry) string {
	for _, e := range entries {
		if e.Role == llm.RoleUser {
			return e.Content
		}
	}
	return ""
}
