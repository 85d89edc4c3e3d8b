package agent

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/memory/facts"
	"parley/internal/memory/provenance"
	"parley/internal/text"
	"parley/internal/text/catalog"
	"parley/internal/tools"
)

const (
	wordsMisset    = "My language model is not set up properly. My owner can run `bot doctor` to see what to fix. (%s)"
	wordsMayBeDone = "I do not know whether this was done, so please check before asking for it again: %s."
)

// report collects what a turn reports about itself: to the audit, and to the person when it
// ends early.
type report struct {
	*job
	guide  *guidance
	began  time.Time
	ledger ledger
	laps   []memory.Lap
	calls  []memory.CallRecord
	noted  facts.Notes // what the answer says was remembered
	did    []string    // side effects, in plain words
	unsure []string    // calls that may have been done, by their tools
	// unasked are the tools of calls that asked nobody because of a yes for the task.
	unasked []string
	deeds   []tools.Deed // what code says about them
	files   []chat.File  // from tools, for the person
	model   string       // as the provider names it
	by      string       // as the owner does
	rote    bool         // the answer is a canned one
	worded  bool         // the answer is in the model's words
	// settles is the question that this turn is the answer to; nil for none.
	settles *memory.Settled
	well    chat.End // how the message ends if nothing goes wrong
	// handOver is what passes the conversation on to people; nil for nothing.
	handOver *tools.HandOver
}

// lap records a step with its beginning and duration.
func (r *report) lap(l memory.Lap, began time.Time, took time.Duration) {
	l.Start, l.Took = began.Sub(r.began).Milliseconds(), took.Milliseconds()
	r.laps = append(r.laps, l)
}

func (r *report) account(resp llm.Response) {
	r.ledger.add(1, resp.Usage)
	r.model, r.by = resp.Model, resp.By
}

// lose adds what a failed call was billed for.
func (r *report) lose(err error) {
	var e *llm.Error
	if errors.As(err, &e) {
		r.ledger.add(0, e.Usage)
	}
}

// withDone adds to words what was really done, and what may have been, so that nobody asks
// for it twice.
func (r *report) withDone(p catalog.Printer, words string) string {
	if len(r.did) > 0 {
		words += " " + p.Say("What I did so far: %s.", strings.Join(r.did, "; "))
	}
	if len(r.unsure) > 0 {
		words += " " + p.Say(wordsMayBeDone, strings.Join(r.unsure, "; "))
	}
	return words
}

// ledger bounds what one message may cost; retries, fallbacks and repairs count.
type ledger struct {
	attempts, maxAttempts int
	calls                 int
	usage                 llm.Usage
}

// errSpent is returned by Spend when the ledger is used up.
var errSpent = errors.New("this message has used up its model calls")

// spend is asked before every request on the wire.
func (l *ledger) spend() error {
	if l.attempts >= l.maxAttempts {
		return errSpent
	}
	l.attempts++
	return nil
}

func (l *ledger) add(calls int, used llm.Usage) {
	l.calls, l.usage = l.calls+calls, l.usage.Add(used)
}

// finish returns the answer with everything the turn leaves behind.
func (t *turn) finish(said string, end chat.End) chat.Answer {
	if t.in.notice != "" {
		said = t.in.notice + "\n\n" + said
	}
	said, sources, below := t.sources.sourced(text.Clean(said))
	if t.sub == nil {
		t.report.noted.In = t.in.p
		t.report.noted = t.a.o.Store.Facts.Tell(provenance.ViewerOf(t.m), t.report.noted, t.report.rote)
	}
	done, undo := t.report.told()
	kept := text.Clip(said, maxAnswer)
	if len(kept) < len(said) {
		kept += "\n\n" + t.in.p.Text(wordsCutShort)
	}
	spoken := t.context.entry(llm.Message{Role: llm.RoleAssistant, Content: kept})
	spoken.Insight = insight(said)
	t.context.added = append(t.context.added, spoken)
	rec := t.record(end, memory.Detail{Sources: sources})
	rec.Decision.ID = memory.NewID()
	// The footer is not part of what was said: the model would imitate it.
	buttons := slices.Concat(sourceButtons(rec.Decision.ID, sources), t.report.noted.Buttons, undo)
	return chat.Answer{Text: said + done + below + t.report.noted.Below, Files: t.report.files, Buttons: buttons, Record: rec}
}

const maxDeeds = 10

// told returns the lines about this turn's deeds, for below the answer, and the buttons of
// the last one. A subagent leaves that to its caller.
func (r *report) told() (below string, buttons [][]chat.Button) {
	if r.sub != nil || len(r.deeds) == 0 {
		return "", nil
	}
	for i, d := range r.deeds {
		if i == maxDeeds {
			below += "\n" + r.in.p.Say("… and %d more.", len(r.deeds)-i)
			break
		}
		below += "\n" + d.Note
	}
	if last := r.deeds[len(r.deeds)-1]; len(last.Buttons) > 0 {
		buttons = [][]chat.Button{last.Buttons}
	}
	return "\n" + below, buttons
}

func (t *turn) record(end chat.End, d memory.Detail) *memory.Turn {
	d.Intent = t.report.intent(end)
	d.Requests = t.report.ledger.attempts
	guards, why := t.tools.guards.Told()
	d.Guards = guards
	d.Why, d.Facts, d.Tools, d.Steps = slices.Concat(t.guide.Why, why, t.allowances()), t.context.known.cited, t.report.did, t.report.laps
	for _, s := range t.sources.cited {
		if !slices.Contains(d.Read, s.Title) {
			d.Read = append(d.Read, s.Title)
		}
	}
	if len(t.guide.Result.Matches)+len(t.guide.Result.Dropped) > 0 {
		d.Playbook, _ = json.Marshal(t.guide.Result) // plain data: cannot fail
	}
	model := t.report.model
	if model == "" && t.report.ledger.attempts > 0 { // no answer came
		model = t.modelName()
	}
	rec := &memory.Turn{Entries: t.context.added, Calls: t.report.calls, Settles: t.report.settles, Facts: t.context.known.used,
		Told: t.report.noted.IDs, Precedents: t.tools.guards.Precedents(), Decision: memory.Decision{
			Origin: t.trust.origin, Session: t.context.session.ID, End: end, Model: model,
			By: t.report.by, Usage: t.report.ledger.usage, Calls: t.report.ledger.calls,
			Took: t.a.o.Now().Sub(t.report.began), Detail: d,
		}}
	if !t.keep {
		rec.Entries = nil
		return rec
	}
	if t.guide.changed {
		rec.Person = t.guide.noted
	}
	sent := t.prompt.messages()
	t.context.note(sent)
	rec.Session = &t.context.session
	if size, should := t.a.shouldFold(t, sent); should {
		id, at := t.context.session.ID, t.context.session.SummarizedAt
		rec.Fold = func(ctx context.Context) { t.a.foldAfter(ctx, id, size, at) }
	}
	return rec
}

const maxIntents = 4

// intent returns what the model took the person to want: the tools it called or, without
// any, the kind of its answer. Without a model it is what the playbook answered.
func (r *report) intent(end chat.End) memory.Intent {
	var names []string
	for _, c := range r.calls {
		if name := strings.ReplaceAll(c.Name, "_", " "); !slices.Contains(names, name) && len(names) < maxIntents {
			names = append(names, name)
		}
	}
	switch {
	case len(names) > 0:
		return memory.Intent{By: "model", Is: strings.Join(names, ", ")}
	case r.worded:
		return memory.Intent{By: "model", Is: meant(end)}
	case r.guide.Reply != "" && r.guide.From != "":
		return memory.Intent{By: "playbook", Is: r.guide.From}
	}
	return memory.Intent{}
}

// allowances says which tool servers were allowed for this task, and what was called because
// of it.
func (t *turn) allowances() (lines []string) {
	for _, server := range t.tools.allowed {
		line := t.in.p.Say("you allowed “%s” for this task", server)
		var names []string
		for _, name := range t.report.unasked {
			if is, ok := strings.CutPrefix(name, server+"__"); ok && !slices.Contains(names, is) {
				names = append(names, is)
			}
		}
		if len(names) > 0 {
			line += ": " + strings.ReplaceAll(strings.Join(names, ", "), "_", " ")
		}
		lines = append(lines, line)
	}
	return lines
}

// note updates the session row with what the turn added. sent is what the next request
// would begin with.
func (b *background) note(sent []llm.Message) {
	now := b.a.o.Now()
	b.session.Status, b.session.LastActivity, b.session.Expires = memory.Active, now, now.Add(b.a.o.TTL())
	b.session.Direct = b.m.Direct
	b.session.LastModel = b.a.ModelName()
	b.session.Origin = b.session.Origin.Of(b.trust.origin.People...)
	for _, e := range b.added {
		if e.Role != llm.RoleTool {
			b.session.Mentions = b.session.Mentions.With(e.Content)
		}
	}
	b.session.TokensUsed = b.a.o.Limits.Tokens(llm.Request{Model: b.modelName(), Messages: sent, Cache: b.session.ID})
}

// maxInsight caps the line that stands for an exchange when it is folded.
const maxInsight = 160

// deed returns what a call did, in a line. What a tool of others says of it is no sentence of
// ours: the tool is named before it.
func deed(c llm.ToolCall, r tools.Result) string {
	line, _, _ := strings.Cut(strings.TrimSpace(r.Content), "\n")
	if r.Untrusted {
		line = strings.ReplaceAll(toolName(c), "_", " ") + ": " + line
	}
	return text.ShortenWords(line, maxInsight)
}

// insight returns the first line of an answer.
func insight(answer string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(answer), "\n")
	return text.Clip(line, maxInsight)
}

// failed turns an error into one sentence for people, with the id under which the log
// has the details. The person's message is kept.
func (t *turn) failed(ctx context.Context, err error) (chat.Answer, error) {
	cause := context.Cause(ctx)
	switch {
	case errors.Is(cause, chat.ErrDraining):
		return chat.Answer{}, cause // parked
	case errors.Is(cause, chat.ErrTakenBack):
		return t.stopped(chat.TakenBack), nil
	case errors.Is(cause, chat.ErrStopped):
		return t.stopped(""), nil
	}
	id := chat.ErrorID()
	text, end := explain(ctx, err, id)
	t.a.o.Log.Error("turn failed", "id", id, "conversation", t.m.Key.String(), "err", err)
	answer := chat.Answer{Text: t.report.withDone(t.in.p, text)}
	answer.Record = t.record(end, memory.Detail{Error: err.Error()})
	return answer, nil
}

// explain returns what an error means to a person.
func explain(ctx context.Context, err error, id string) (text string, end chat.End) {
	say := func(words string) string {
		if strings.Contains(words, "%s") {
			return catalog.Say(ctx, words, id)
		}
		return catalog.Text(ctx, words)
	}
	for _, row := range []struct {
		is    error
		words string
		how   chat.Outcome
		why   chat.Reason
	}{
		{errSpent, wordsTooComplex, chat.Failed, chat.TooComplex},
		{llm.ErrRateLimited, "There are too many requests at the moment. Please try again in a minute. (%s)", chat.Failed, chat.Busy},
		{llm.ErrQuota, "My language model's quota is used up. My owner has to raise it. (%s)", chat.Failed, chat.NoQuota},
		{llm.ErrLimit, "Today's allowance is used up, so I stopped here. It renews at midnight UTC; please come back then.", chat.Refused, chat.Spent},
		{llm.ErrAuth, wordsMisset, chat.Failed, chat.Misset},
		{llm.ErrModelNotFound, wordsMisset, chat.Failed, chat.Misset},
		{llm.ErrBadRequest, wordsMisset, chat.Failed, chat.Misset},
		{llm.ErrContextOverflow, "This conversation has become too long for me to continue, even shortened. Send /session reset " +
			"to start afresh; I keep what I know about you. (%s)", chat.Failed, chat.TooLong},
		{llm.ErrFiltered, "I can't help with that one: the answer was declined by the model's provider.", chat.Refused, chat.Filtered},
		{llm.ErrInvalidOutput, "I did not get a usable answer from my language model. Please try again, or put it another way. (%s)", chat.Failed, chat.Unreadable},
	} {
		if errors.Is(err, row.is) {
			return say(row.words), chat.End{Outcome: row.how, Reason: row.why, ErrorID: id}
		}
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return say("This took longer than I may take for one message, so I stopped. Please try again, perhaps with " +
			"a smaller question. (%s)"), chat.End{Outcome: chat.Failed, Reason: chat.TimedOut, ErrorID: id}
	}
	return say("I can't reach my language model right now. Please try again in a moment; commands such as " +
		"/help, /facts and /tasks still work. (%s)"), chat.End{Outcome: chat.Failed, Reason: chat.Unavailable, ErrorID: id}
}
