package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/playbook"
	"parley/internal/text"
	"parley/internal/tools"
)

// turn is the making of one answer. It is thrown away afterwards.
type turn struct {
	a     *Agent
	m     chat.Message
	w     chat.Reply
	in    input
	files attachments
	began time.Time
	keep  bool      // the turn belongs to a session and leaves a transcript
	sub   *Subagent // whose turn it is; nil is the conversation's own
	under string    // before the keys of its calls: the key of the call that is the job

	session  memory.Session
	window   []memory.Entry // stored entries that are sent raw
	added    []memory.Entry // what this turn adds
	known    known
	guidance playbook.Guidance
	person   string // the playbook's note on the author
	changed  bool   // and whether it has to be stored

	set    tools.Set // everything this turn may use
	offer  []string  // names offered beyond the core
	taint  tools.Taint
	origin memory.Origin // of all that the turn has read
	quoted memory.Via    // ViaQuoted where the quotation is not the person's own
	past   []tools.Step  // for loop detection
	steps  []memory.Step // of an earlier process
	owed   []memory.Step // to be journaled next
	stored func() error  // waits for those handed over last; nil for none
	step   int           // number of the next journaled step
	ledger ledger
	calls  []memory.CallRecord
	laps   []memory.Lap
	did    []string // side effects, in plain words
	rote   bool     // the answer was said by rote
	worded bool     // the answer is in the model's words
	cited  []tools.Source
	given  int    // how many of them were there before the model asked for any
	model  string // as the provider names it

	held    []string        // private results of tools
	brought map[string]bool // addresses that people and tools brought up; nil before it is asked
	growing growing
}

// ledger bounds what one message may cost: retries, fallbacks and repairs all
// draw on it (promises.md C75).
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

// run makes the answer. Every way out leaves one audit row.
func (t *turn) run(ctx context.Context) (chat.Answer, error) {
	// Three attempts for each model call, and the playbook's one.
	t.ledger.maxAttempts = 3 * (t.a.o.MaxCalls + 1)
	done, err := t.attach(ctx)
	if errors.Is(err, chat.ErrStopped) {
		return t.a.note(wordsStopped, memory.CategoryStopped), nil
	}
	if err != nil {
		return chat.Answer{}, fmt.Errorf("open files: %w", err)
	}
	defer done()
	if t.in.text == "" && t.files.used == 0 {
		return t.a.note(t.in.notice, memory.CategoryInvalid), nil
	}
	if err := t.load(ctx); err != nil {
		return chat.Answer{}, fmt.Errorf("load conversation: %w", err)
	}
	t.added = []memory.Entry{t.heard()}
	if err := t.guide(ctx); err != nil {
		return t.failed(ctx, err)
	}
	if t.guidance.Reply != "" {
		return t.finish(t.guidance.Reply, memory.CategoryReply), nil
	}
	return t.loop(ctx)
}

// load reads memory once.
func (t *turn) load(ctx context.Context) (err error) {
	set, err := t.a.o.Tools(ctx, t.m)
	if err != nil {
		return err
	}
	t.set = set.ForAgent("")
	if err := t.listen(ctx); err != nil {
		return err
	}
	if !t.m.Forwarded && !t.m.Shared { // hosts in such a text were typed by somebody else
		t.taint.Hosts = tools.TypedHosts(t.in.text)
	}
	if err = t.recall(ctx); err != nil {
		return err
	}
	t.prefetch(ctx)
	if !t.keep {
		return nil
	}
	if t.m.Attempt > 0 {
		if t.steps, err = t.a.o.Store.Steps(ctx, t.m.Row); err != nil {
			return err
		}
	}
	if t.session, err = t.a.open(ctx, t.m); err != nil {
		return err
	}
	entries, err := t.a.o.Store.Transcript(ctx, t.session.ID, t.session.SummarizedAt, t.a.o.MaxMessages)
	t.window = wholeExchanges(entries)
	t.offer = usedTools(t.window)
	t.remember()
	t.taint.Private = t.taint.Private || slices.ContainsFunc(t.window, t.ofOurs)
	t.overheard()
	return err
}

// overheard makes what was said here before private as soon as somebody outside
// may have a word in the turn.
func (t *turn) overheard() {
	t.taint.Private = t.taint.Private || t.taint.Outside && len(t.window) > 0
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

// usedTools are the tools this conversation has used: they stay offered, which
// also keeps the beginning of the request the same.
func usedTools(entries []memory.Entry) (names []string) {
	for _, e := range entries {
		for _, c := range e.ToolCalls {
			names = append(names, c.Name)
		}
	}
	return names
}

// heard is what the person said, as the transcript keeps it.
func (t *turn) heard() memory.Entry {
	attached := strings.Join(t.files.notes, "\n")
	e := t.entry(llm.Message{Role: llm.RoleUser, Content: strings.TrimSpace(t.in.text + "\n" + attached)})
	e.Content, e.Attached, e.Origin = cmp.Or(t.in.text, wordsNoText), attached, memory.Origin{Via: t.via()}
	return e
}

// entry stamps a message for the transcript.
func (t *turn) entry(m llm.Message) memory.Entry {
	e := memory.Entry{
		Role: m.Role, User: t.m.From.ID, Name: m.Name, Content: m.Content, ToolCalls: m.ToolCalls, ToolCallID: m.ToolCallID,
		Tokens: llm.EstimateTokens(m), At: t.a.o.Now(), Origin: t.origin.But(t.m.From.ID),
	}
	if m.Role == llm.RoleUser {
		e.MessageID, e.Name, e.At = t.m.ID, t.m.From.Name, t.m.At
	}
	return e
}

// guide asks the playbook how to behave now: no model call, or one.
func (t *turn) guide(ctx context.Context) error {
	book := t.a.o.Book()
	if book == nil {
		return nil
	}
	person, err := t.a.o.Store.Person(ctx, t.m.From.ID)
	if err != nil {
		return err
	}
	model := t.a.o.BookModel
	if model == nil && !t.a.o.NoBookModel {
		model = t.a.o.Model
	}
	s := playbook.Situation{
		Platform: t.m.Key.Platform, Channel: t.m.Key.Channel, User: t.m.From.ID, Text: t.in.text, Forwarded: t.m.Forwarded || t.m.Shared, MessageID: t.m.ID,
		State: playbook.State{Session: raw(t.session.Playbook), Person: raw(person.Playbook)},
		Tools: t.set.Specs(), Events: t.events(), Now: t.began, Spend: t.ledger.spend,
	}
	if role := t.a.o.Role(ctx, t.m); role != "" {
		s.Roles = []string{role}
	}
	if s.Enabled, err = t.a.RuleSwitches(ctx); err != nil {
		return err
	}
	for _, e := range t.window {
		if e.Role != llm.RoleTool && e.Content != "" {
			s.Recent = append(s.Recent, llm.Message{Role: e.Role, Content: memory.Shown(e.Content, e.Origin.Via)})
		}
	}
	began := t.a.o.Now()
	t.guidance, err = book.Guide(ctx, model, s)
	if err != nil {
		return err
	}
	t.lap(memory.Lap{Kind: "rules", Tokens: t.guidance.Usage.Total}, began, t.a.o.Now().Sub(began))
	t.ledger.calls += t.guidance.Calls
	t.ledger.usage = t.ledger.usage.Add(t.guidance.Usage)
	level := slog.LevelWarn
	if model == nil {
		level = slog.LevelDebug // that nothing is judged was the owner's choice
	}
	for _, n := range t.guidance.Notes {
		t.a.o.Log.Log(ctx, level, "playbook", "note", n)
	}
	t.session.Playbook = string(t.guidance.State.Session)
	t.person = string(t.guidance.State.Person)
	t.changed = t.person != person.Playbook
	t.offer = append(t.offer, t.guidance.Tools...)
	return nil
}

func raw(s string) json.RawMessage {
	if s == "" {
		return nil
	}
	return json.RawMessage(s)
}

// events are what happened besides words.
func (t *turn) events() (events []string) {
	if t.session.LastActivity.IsZero() {
		events = append(events, playbook.EventStart)
		if t.session.CarriedFrom == "" {
			events = append(events, playbook.EventFirstMessage)
		}
	}
	if t.session.Status == memory.Idle {
		events = append(events, playbook.EventIdleReturn)
	}
	if len(t.m.Files) > 0 {
		events = append(events, playbook.EventFile)
	}
	return events
}

// finish is the answer with everything the turn leaves behind.
func (t *turn) finish(said, category string) chat.Answer {
	if t.in.notice != "" {
		said = t.in.notice + "\n\n" + said
	}
	said, sources, below := t.sourced(text.Clean(said))
	kept := text.Clip(said, maxAnswer)
	if len(kept) < len(said) {
		kept += "\n\n" + wordsCutShort
	}
	spoken := t.entry(llm.Message{Role: llm.RoleAssistant, Content: kept})
	spoken.Insight = insight(said)
	t.added = append(t.added, spoken)
	rec := t.record(category, memory.Detail{Sources: sources})
	rec.Decision.ID = memory.NewID()
	// The footer is not part of what was said: the model would imitate it.
	return chat.Answer{Text: said + below, Buttons: sourceButtons(rec.Decision.ID, sources), Record: rec}
}

// record is what the finishing transaction stores.
func (t *turn) record(category string, d memory.Detail) *memory.Turn {
	d.Why, d.Facts, d.Tools, d.Steps = t.guidance.Why, t.known.cited, t.did, t.laps
	for _, s := range t.cited {
		d.Read = append(d.Read, s.Title)
	}
	if len(t.guidance.Result.Matches)+len(t.guidance.Result.Dropped) > 0 {
		d.Playbook, _ = json.Marshal(t.guidance.Result) // plain data: cannot fail
	}
	rec := &memory.Turn{Entries: t.added, Calls: t.calls, Facts: t.known.used, Decision: memory.Decision{
		Origin: t.origin, Session: t.session.ID, Category: category, Model: t.model, Usage: t.ledger.usage, Calls: t.ledger.calls,
		Took: t.a.o.Now().Sub(t.began), Detail: d,
	}}
	if !t.keep {
		rec.Entries = nil
		return rec
	}
	if t.changed {
		rec.Person = t.person
	}
	t.note()
	rec.Session = &t.session
	if t.a.shouldFold(t) {
		id := t.session.ID
		rec.Fold = func(ctx context.Context) { t.a.foldAfter(ctx, id) }
	}
	return rec
}

// lap notes a step that began then and took so long.
func (t *turn) lap(l memory.Lap, began time.Time, took time.Duration) {
	l.Start, l.Took = began.Sub(t.began).Milliseconds(), took.Milliseconds()
	t.laps = append(t.laps, l)
}

// note brings the session row up to date with what the turn added.
func (t *turn) note() {
	now := t.a.o.Now()
	t.session.Status, t.session.LastActivity, t.session.Expires = memory.Active, now, now.Add(t.a.o.TTL())
	t.session.Direct = t.m.Direct
	t.session.LastModel = t.a.ModelName()
	t.session.Origin = t.session.Origin.Of(t.origin.People...)
	for _, e := range t.added {
		if e.Role != llm.RoleTool {
			t.session.Mentions = mention(t.session.Mentions, e.Content)
		}
	}
	t.session.TokensUsed = estimate(t.messages())
}

func estimate(ms []llm.Message) (n int) {
	for _, m := range ms {
		n += llm.EstimateTokens(m)
	}
	return n
}

// maxInsight caps the line that stands for an exchange when it is folded.
const maxInsight = 160

// insight is the first line of an answer.
func insight(answer string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(answer), "\n")
	return text.Clip(line, maxInsight)
}

// failed turns what went wrong into the one sentence people are told, with the
// id under which the log has the rest. What the person said is kept.
func (t *turn) failed(ctx context.Context, err error) (chat.Answer, error) {
	cause := context.Cause(ctx)
	switch {
	case errors.Is(cause, chat.ErrDraining):
		return chat.Answer{}, cause // parked
	case errors.Is(cause, chat.ErrStopped):
		return t.stopped(), nil
	}
	id := chat.ErrorID()
	text, category := explain(ctx, err, id)
	t.a.o.Log.Error("turn failed", "id", id, "conversation", t.m.Key.String(), "err", err)
	answer := chat.Answer{Text: t.withDone(text)}
	answer.Record = t.record(category, memory.Detail{ErrorID: id, Error: err.Error()})
	return answer, nil
}

// explain is the table of what each error means to a person.
func explain(ctx context.Context, err error, id string) (text, category string) {
	say := func(words string) string {
		if strings.Contains(words, "%s") {
			return fmt.Sprintf(words, id)
		}
		return words
	}
	for _, row := range []struct {
		is       error
		words    string
		category string
	}{
		{errSpent, wordsTooComplex, memory.CategoryError},
		{llm.ErrRateLimited, wordsRateLimited, memory.CategoryRateLimited},
		{llm.ErrQuota, wordsQuota, memory.CategoryRateLimited},
		{llm.ErrAuth, wordsMisset, memory.CategoryError},
		{llm.ErrModelNotFound, wordsMisset, memory.CategoryError},
		{llm.ErrBadRequest, wordsMisset, memory.CategoryError},
		{llm.ErrContextOverflow, wordsOverflow, memory.CategoryError},
		{llm.ErrFiltered, wordsFiltered, memory.CategoryRefusal},
		{llm.ErrInvalidOutput, wordsInvalid, memory.CategoryError},
	} {
		if errors.Is(err, row.is) {
			return say(row.words), row.category
		}
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return say(wordsTimeout), memory.CategoryError
	}
	return say(wordsUnavailable), memory.CategoryError
}

// withDone adds what was really done, so that nobody asks for it twice.
func (t *turn) withDone(text string) string {
	if len(t.did) == 0 {
		return text
	}
	return text + " " + fmt.Sprintf(wordsDone, strings.Join(t.did, "; "))
}
