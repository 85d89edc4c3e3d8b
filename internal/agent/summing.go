package agent

import (
	"cmp"
	"context"
	_ "embed" // prompts
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/memory/sessions"
	"parley/internal/memory/transcript"
	"parley/internal/text"
)

//go:embed prompts/fold.md
var foldPrompt string

//go:embed prompts/refold.md
var refoldPrompt string

// Bounds of summing up.
const (
	maxFoldInput = 24_000 // runes of transcript given to the summarizer at once
	maxFolds     = 8      // pieces of one conversation, where nobody waits
	firstDebt    = 5 * time.Minute
	longestDebt  = 24 * time.Hour
)

// errPutOff says that summarizing was deferred.
var errPutOff = errors.New("left to a later tick")

// part is what to summarize of a session: the entries no model has read yet, and the
// summary of those before.
type part struct {
	session memory.Session
	before  string
	entries []memory.Entry
	final   bool // the session is over
}

// summing is the result: a summary of the first read entries, and why the others are not
// in it; nil if there are none.
type summing struct {
	sessions.Folded
	read int
	err  error
}

// part adds to entries those that an earlier summary still owes.
func (a *Agent) part(ctx context.Context, se memory.Session, entries []memory.Entry) part {
	p := part{session: se, before: se.Summary, entries: entries}
	if se.Owed == nil {
		return p
	}
	owed, err := a.dialogue(ctx, se.ID, se.Owed.After, 0)
	if err != nil {
		a.o.Log.Warn("read what is owed", "session", se.ID, "err", err)
		return p
	}
	owed = slices.DeleteFunc(owed, func(e memory.Entry) bool { return e.ID > se.SummarizedAt })
	p.before, p.entries = se.Owed.Summary, slices.Concat(owed, entries)
	return p
}

// sumUp asks the model for a summary, in at most this many pieces. An error comes with
// what was read before it.
func (a *Agent) sumUp(ctx context.Context, p part, pieces int) (s summing) {
	if chat.Payer(ctx).Key == (chat.Key{}) { // after a turn, or by cron
		ctx = chat.PaidBy(ctx, chat.Message{Key: p.session.Key, From: chat.User{ID: transcript.LastSpeaker(p.entries)}})
	}
	for first := true; first || s.read < len(p.entries); first = false {
		if pieces--; pieces < 0 {
			s.err = errPutOff
			return s
		}
		rest := p.entries[s.read:]
		piece := rest[:fitting(rest)]
		f, err := a.summarize(ctx, p, piece)
		if err != nil {
			s.err = err
			return s
		}
		if f.Prose {
			f.Summary = withDigest(f.Summary, piece, maxClosing, maxSummary)
		}
		f.Summary = sessions.Restore(p.before, f.Summary, maxSummary)
		f.Decisions, f.Keep = append(s.Decisions, f.Decisions...), append(s.Keep, f.Keep...)
		f.Facts, f.Outdated = append(s.Facts, f.Facts...), append(s.Outdated, f.Outdated...)
		s.Folded, s.read, p.before = f, s.read+len(piece), f.Summary
	}
	return s
}

// withDigest adds to a summary what it lacks of entries, in at most digest runes, and keeps
// it within room runes.
func withDigest(summary string, entries []memory.Entry, digest, room int) string {
	return sessions.Squeeze(summary+"\n"+sessions.Digest(transcript.Left(transcript.Points(entries), summary), digest), room)
}

// fitting returns how many entries make one piece; one at least, if there is any.
func fitting(entries []memory.Entry) (n int) {
	for room := maxFoldInput; n < len(entries); n++ {
		if room -= utf8.RuneCountInString(transcript.Text(entries[n : n+1])); room < 0 {
			return max(n, 1)
		}
	}
	return n
}

// summarize asks for one summary, and if its form is wrong, once more for the same.
func (a *Agent) summarize(ctx context.Context, p part, entries []memory.Entry) (sessions.Folded, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "Summary so far:\n<data>%s</data>\n\n", escapeData(p.before))
	if p.final && len(p.session.CarriedPage) > 0 {
		b.WriteString("Carried from earlier conversations:\n<data>\n")
		for i, l := range p.session.CarriedPage {
			fmt.Fprintf(&b, "%d. %s %s\n", i+1, l.At.UTC().Format(time.DateOnly), escapeData(l.Text))
		}
		b.WriteString("</data>\n\n")
	}
	fmt.Fprintf(&b, "Transcript:\n<data>\n%s</data>", escapeData(text.ClipStart(transcript.Text(entries), maxFoldInput)))
	said, err := a.askSummarizer(ctx, foldPrompt, b.String())
	if err != nil {
		return sessions.Folded{}, err
	}
	if f, ok := sessions.ReadFolded(said); ok {
		return f, nil
	}
	if strings.TrimSpace(said) == "" {
		return sessions.Folded{}, errors.New("summary: empty")
	}
	again, err := a.askSummarizer(ctx, refoldPrompt, "<data>\n"+escapeData(text.Clip(said, maxFoldInput))+"\n</data>")
	if f, ok := sessions.ReadFolded(again); ok && err == nil {
		return f, nil
	}
	if f, ok := sessions.Prose(said, maxSummary); ok {
		return f, nil
	}
	return sessions.Folded{}, errors.Join(errors.New("summary: neither an object nor a text"), err)
}

func (a *Agent) askSummarizer(ctx context.Context, system, data string) (string, error) {
	resp, err := a.o.Summarizer.Complete(ctx, llm.Request{
		Model:    a.ModelName(),
		Messages: []llm.Message{{Role: llm.RoleSystem, Content: system}, {Role: llm.RoleUser, Content: data}},
		Schema:   sessions.FoldSchema,
	}, nil)
	return resp.Message.Content, err
}

// folded puts a summary into a live session. Of entries that no model has read it keeps an
// extract, and owes a summary. It must run in the session's lane.
func (a *Agent) folded(ctx context.Context, p part, s summing) memory.Session {
	se := p.session
	if len(p.entries) == 0 {
		return se
	}
	se.Origin = se.Origin.And(transcript.Origin(p.entries))
	done := p.entries[:s.read]
	if s.read > 0 {
		se.Summary, se.Title = sessions.Squeeze(s.Summary, maxSummary), shortTitle(s.Title, se.Title)
		a.learn(ctx, se, s.Folded, done)
	} else {
		se.Summary = p.before
	}
	se.Decisions = transcript.Decided(se, s.Folded, p.entries)
	se.Page = sessions.Page(se.Page, transcript.Lines(se, s.Folded, p.entries)...)
	se.Owed = a.owing(se, p, s)
	if rest := p.entries[s.read:]; len(rest) > 0 {
		se.Summary = withDigest(se.Summary, rest, maxSummary, maxSummary)
	}
	se.SummarizedAt = max(se.SummarizedAt, p.entries[len(p.entries)-1].ID)
	se.Compressions++
	return se
}

// owing returns the debt that a summary leaves; nil for none, and where there is no model
// that could pay it.
func (a *Agent) owing(se memory.Session, p part, s summing) *sessions.Debt {
	rest := p.entries[s.read:]
	if s.err == nil || len(rest) == 0 || errors.Is(s.err, llm.ErrNone) {
		return nil
	}
	d := &sessions.Debt{Summary: p.before, Due: a.o.Now().Add(firstDebt)}
	switch {
	case s.read > 0:
		d.After, d.Summary = p.entries[s.read-1].ID, sessions.Squeeze(s.Summary, maxSummary)
	case se.Owed != nil:
		d.After, d.Tries = se.Owed.After, se.Owed.Tries
	default:
		d.After = se.SummarizedAt
	}
	if errors.Is(s.err, errPutOff) {
		d.Due = a.o.Now()
		return d
	}
	a.o.Log.Warn("the summarizer failed, an extract takes its place until it works", "session", se.ID, "err", s.err)
	d.Tries++
	d.Due = a.o.Now().Add(min(longestDebt, firstDebt<<min(d.Tries-1, 9)))
	return d
}

// shortTitle returns a title as it is stored; otherwise where there is none.
func shortTitle(title, otherwise string) string {
	return text.Clip(cmp.Or(strings.Join(strings.Fields(text.Plain(title)), " "), otherwise), maxTitle)
}
