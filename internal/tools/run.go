package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"parley/internal/memory/facts"
	"parley/internal/memory/provenance"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// Said in more than one place.
const (
	wordsCut     = "\n[cut: the result was longer]"
	wordsInvalid = "The arguments are not valid; nothing was done. Correct them and call again:\n%s"
)

// State is the state of a call.
type State string

// The states of a call.
const (
	Pending  State = "pending"
	Running  State = "running"
	Retrying State = "retrying"
	Success  State = "success"
	Failed   State = "failed"
	Timeout  State = "timeout"
	Declined State = "declined" // the person said no
	Unknown  State = "unknown"  // it was begun, and whether it was done cannot be told
)

// Class is why a call did not succeed; "" when it did.
type Class string

// The classes.
const (
	NotFound   Class = "TOOL_NOT_FOUND"
	Invalid    Class = "VALIDATION_ERROR"
	NotAllowed Class = "NOT_ALLOWED"
	TimedOut   Class = "TIMEOUT"
	Broken     Class = "FAILED"
	Cancelled  Class = "CANCELLED"
	Guarded    Class = "GUARD_REFUSED" // by a guard of the playbook
	NeedsYes   Class = "CONFIRMATION_REQUIRED"
	Refused    Class = "DECLINED"
	NeedsInput Class = "INPUT_REQUIRED" // Result.Data is an Inquiry
	Unsure     Class = "OUTCOME_UNKNOWN"
	NotRun     Class = "NOT_RUN" // the turn ended before its person was asked, or it was one too many
	Lapsed     Class = "LAPSED"  // what its question hung on is gone (chat.Lapse); memory writes it
)

// maxHold is the longest that a call waits because a service says so.
const maxHold = time.Minute

// DefaultResult caps a result's Content, in bytes.
const DefaultResult = 16 << 10

// Outcome is how a call ended. When Class is not empty, Result explains in a sentence what
// went wrong: in its Note, or in Content if that is not from outside.
type Outcome struct {
	State    State // Success, Failed, Timeout or Unknown; Pending with NeedsYes and NeedsInput
	Class    Class
	Result   Result
	Err      error           // for the log; nil on success
	Args     json.RawMessage // the validated arguments; nil when they were not valid
	Dropped  []string        // arguments the tool does not have, ignored
	Duration time.Duration   // all attempts and the waits between
	Retries  int             // attempts after the first
	Question string          // the tool's own words for the person, with NeedsYes; "" when it has none
	Because  string          // why a guard asks, or where the call leads, with NeedsYes; "" for neither
	ForTask  bool            // it asked nobody because of a yes for the task
	Far      []string        // addresses in the arguments that are asked about, or were agreed to
}

// Runner runs calls. The zero Runner is ready; it may be used from many
// goroutines and must not be copied after use.
type Runner struct {
	Log       *slog.Logger     // nil is silent
	MaxResult int              // bytes of a result's Content; 0 is DefaultResult
	Timeout   time.Duration    // of an attempt of a tool that names none; 0 is DefaultTimeout
	Now       func() time.Time // nil is time.Now
	// Watch, when not nil, is called with every State a call enters, in the
	// goroutine of Run.
	Watch func(c Call, s State)
	// Replay, when not nil, tells from a record how an admitted call ended: no tool runs.
	Replay func(ctx context.Context, c Call) Outcome

	calls sync.WaitGroup // one for each goroutine that runs a tool
}

// Run does one call and always returns an outcome, at the latest when ctx
// ends or when the tool's timeout has passed on its last attempt. A tool that
// does not return at its deadline is abandoned: its result is thrown away, and Wait
// waits until the tool returns.
func (r *Runner) Run(ctx context.Context, set Set, c Call) Outcome {
	now := r.Now
	if now == nil {
		now = time.Now
	}
	start := now()
	r.enter(c, Pending)
	o := r.admit(ctx, set, c)
	if o.Class == "" {
		c.Args = o.Args
		r.begin(ctx, set.find(c.Name), c, &o)
	}
	o.Duration = now().Sub(start)
	r.enter(c, o.State)
	return o
}

// Wait blocks until every abandoned tool has returned, or ctx ends, in which case it
// returns ctx's error.
func (r *Runner) Wait(ctx context.Context) error {
	done := make(chan struct{})
	go func() { r.calls.Wait(); close(done) }()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for tools: %w", ctx.Err())
	}
}

func (r *Runner) enter(c Call, s State) {
	if r.Watch != nil {
		r.Watch(c, s)
	}
}

func (r *Runner) log() *slog.Logger {
	if r.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return r.Log
}

// admit decides whether the call may run at all. Validation comes before
// permission, so a person is never asked about nonsense.
func (r *Runner) admit(ctx context.Context, set Set, c Call) Outcome {
	e := set.find(c.Name)
	if e == nil {
		name, _ := text.Strip(c.Name)
		name, _ = cut(name, 64)
		return refuse(NotFound, fmt.Sprintf("There is no tool %q. Use one of the tools you were given.", name), nil)
	}
	if (Set{[]*entry{e}}).ForAgent(c.Agent).Len() == 0 {
		return refuse(NotAllowed, fmt.Sprintf("The tool %q is not for you.", e.spec.Name), nil)
	}
	args, dropped, err := e.args().parse(c.Args)
	if len(dropped) > 0 {
		dropped = shorten(dropped)
		r.log().WarnContext(ctx, "arguments ignored", "tool", c.Name, "keys", dropped, "who", c.Who.ID)
	}
	if err != nil {
		o := refuse(Invalid, fmt.Sprintf(wordsInvalid, err), err)
		o.Dropped = dropped
		return o
	}
	o := Outcome{State: Pending, Args: args, Dropped: dropped}
	ruled, say := guarded(ctx, c, args)
	rule := c.Taint.Check(e.spec, args)
	o.Far = rule.Far
	if ruled == Guarded {
		rule.Class, rule.Why = ruled, say
	}
	switch {
	case rule.Class == Guarded || rule.Class == NotAllowed:
		o.State, o.Class, o.Result.Content, o.Err = Failed, rule.Class, rule.Why, errors.New(rule.Why)
	case ruled == NeedsYes:
		o.Because = say
		return r.question(ctx, e, c, o)
	case c.covered(e.spec, rule):
		o.ForTask = true
	case rule.Class == NeedsYes && !c.Confirmed && (len(rule.Far) > 0 || !e.owned(ctx, c, args)):
		return r.question(ctx, e, c, o)
	case c.Confirmed && e.spec.Unsettled():
		if err := e.spec.Claim.Take(); err != nil { // this call was agreed to all the same
			r.log().ErrorContext(ctx, "remember that a tool only reads", "tool", c.Name, "err", err)
		}
	}
	return o
}

// guarded asks the guards of the turn about a call.
func guarded(ctx context.Context, c Call, args json.RawMessage) (Class, string) {
	guard := PersonOf(ctx).Guard
	if guard == nil {
		return "", ""
	}
	c.Args = args
	return guard(ctx, c)
}

// owned reports whether a call contains only what its caller typed, and concerns
// only what is theirs.
func (e *entry) owned(ctx context.Context, c Call, args json.RawMessage) bool {
	if e.spec.Own == nil || c.Said == "" || e.spec.Asks() != AskOutside {
		return false
	}
	c.Args = args
	words, err := e.spec.Own(ctx, c)
	return err == nil && facts.Within(words, c.Said)
}

// question returns the outcome of a call that waits for a yes.
func (r *Runner) question(ctx context.Context, e *entry, c Call, o Outcome) Outcome {
	o.Because = strings.TrimSpace(o.Because + "\n" + leads(ctx, o.Far))
	switch {
	case e.spec.Unsettled():
		o.Question = AskClaim(ctx, e.spec.Meta, o.Args)
	case e.spec.Ask != nil:
		c.Args = o.Args
		q, err := e.spec.Ask(ctx, c)
		if err != nil {
			return refuse(Broken, failure(ctx, err), err)
		}
		o.Question = q
	}
	o.Class, o.Result.Content, o.Err = NeedsYes, wordsConfirm, errors.New("needs confirmation")
	return o
}

func shorten(keys []string) []string {
	keys = keys[:min(len(keys), 10)]
	for i, k := range keys {
		k, _ = text.Strip(k)
		keys[i], _ = cut(k, 64)
	}
	return keys
}

func refuse(class Class, why string, err error) Outcome {
	if err == nil {
		err = errors.New(why)
	}
	return Outcome{State: Failed, Class: class, Result: Result{Content: why}, Err: err}
}

// begin runs an admitted call, or tells how it ended then.
func (r *Runner) begin(ctx context.Context, e *entry, c Call, o *Outcome) {
	if r.Replay == nil {
		r.attempts(ctx, e, c, o)
		return
	}
	then := r.Replay(ctx, c)
	o.State, o.Class, o.Err, o.Result = then.State, then.Class, then.Err, r.present(e.spec, c, then.Result)
}

func (r *Runner) attempts(ctx context.Context, e *entry, c Call, o *Outcome) {
	retry := Retry{Attempts: 1}
	if e.spec.Retry != nil {
		retry = *e.spec.Retry
	}
	delay := retry.Delay
	r.enter(c, Running)
	var lost *Outcome // of an attempt that may have done it
	for {
		r.once(ctx, e, c, o)
		if o.State == Unknown {
			lost = &Outcome{Err: o.Err, Result: o.Result}
		}
		wait, again := retry.after(o, delay)
		if !again {
			break
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			*o = stopped(*o, ctx.Err())
			again = false
		}
		if !again {
			break
		}
		delay = time.Duration(float64(delay) * retry.Multiplier)
		o.Retries++
		r.enter(c, Retrying)
	}
	if lost != nil && o.Class != "" && o.Class != NeedsInput {
		o.State, o.Class, o.Err, o.Result = Unknown, Unsure, lost.Err, lost.Result
	}
}

// after reports whether a call is tried again that ended so, and how long that waits; delay
// is the least.
func (retry Retry) after(o *Outcome, delay time.Duration) (wait time.Duration, again bool) {
	if o.Class == "" || o.Class == NeedsInput || o.Class == Cancelled || o.Class == Invalid || o.Retries+1 >= retry.Attempts {
		return 0, false
	}
	var asked *Again
	if errors.As(o.Err, &asked) {
		return max(delay, asked.After), !asked.Never && asked.After <= maxHold
	}
	return delay, true
}

type returned struct {
	result Result
	err    error
}

// once makes one attempt.
func (r *Runner) once(ctx context.Context, e *entry, c Call, o *Outcome) {
	if ctx.Err() != nil {
		*o = stopped(*o, ctx.Err()) // before it began
		return
	}
	timeout := cmp.Or(e.spec.Timeout, r.Timeout, DefaultTimeout)
	attempt, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	back := make(chan returned, 1)
	r.calls.Go(func() { back <- fenced(attempt, e.tool, c) })
	var got returned
	select {
	case got = <-back:
	case <-attempt.Done():
		got.err = attempt.Err()
	}
	var invalid *ArgumentError
	switch {
	case got.err == nil:
		o.State, o.Class, o.Err = Success, "", nil
		o.Result = r.present(e.spec, c, got.result)
		o.inquired()
	case errors.As(got.err, &invalid):
		o.State, o.Class, o.Err = Failed, Invalid, got.err
		o.Result = Result{Content: fmt.Sprintf(wordsInvalid, line(got.err.Error()))}
	case errors.Is(got.err, ErrUnknown), !e.spec.ReadOnly && attempt.Err() != nil:
		o.State, o.Class, o.Err, o.Result = Unknown, Unsure, got.err, Result{Content: unsure(ctx, attempt, timeout)}
	case ctx.Err() != nil:
		*o = stopped(*o, got.err)
	case errors.Is(got.err, context.DeadlineExceeded) && attempt.Err() != nil:
		o.State, o.Class, o.Err = Timeout, TimedOut, got.err
		o.Result = Result{Content: fmt.Sprintf("The tool did not answer within %s. Nothing was changed.", timeout)}
	default:
		o.State, o.Class, o.Err = Failed, Broken, got.err
		o.Result = r.present(e.spec, c, got.result).despite(failure(ctx, got.err))
	}
	if o.Class != "" && o.Class != NeedsInput {
		r.log().WarnContext(ctx, "tool failed", "tool", c.Name, "class", o.Class, "retry", o.Retries, "err", o.Err)
	}
}

// ErrUnknown is wrapped by the error of a tool that cannot tell whether it did what it
// was called for.
var ErrUnknown = errors.New("whether it was done cannot be told")

// unsure returns what the model hears of an attempt that may have done what it was for.
func unsure(ctx, attempt context.Context, timeout time.Duration) string {
	switch {
	case ctx.Err() != nil:
		return "Nobody waits for this call any more, and it was under way: it may have been done. Find out before doing it again."
	case attempt.Err() != nil:
		return fmt.Sprintf("The tool did not answer within %s, so it may have been done, or still be. Find out before doing it again.", timeout)
	}
	return "The connection was lost while this was under way: it may have been done. Find out before doing it again."
}

func stopped(o Outcome, err error) Outcome {
	o.State, o.Class, o.Err = Failed, Cancelled, err
	o.Result = Result{Content: "The call was stopped."}
	return o
}

// panicked is a tool's panic as an error; its text is for the log only.
type panicked struct {
	value any
	stack []byte
}

func (p panicked) Error() string { return fmt.Sprintf("panic: %v\n%s", p.value, p.stack) }

func fenced(ctx context.Context, t Tool, c Call) (got returned) {
	defer func() {
		if v := recover(); v != nil {
			got = returned{err: panicked{v, debug.Stack()}}
		}
	}()
	result, err := t.Call(ctx, c)
	return returned{result, err}
}

// deed is what came of something that is stored, whose words are made of those of from.
type deed struct {
	from provenance.Origin
	err  error
}

// worded returns a result with this text, or only the error.
func worded(ctx context.Context, d deed, words string, args ...any) (Result, error) {
	if d.err != nil {
		return Result{}, d.err
	}
	return Result{Content: catalog.Say(ctx, words, args...), Origin: d.from}, nil
}

// failure returns why a tool failed, for the model. A sentence made for people is
// used as it is.
func failure(ctx context.Context, err error) string {
	if sentence, ok := catalog.Sentence(ctx, err); ok {
		return line(sentence)
	}
	return fmt.Sprintf("The tool failed: %s", line(explain(err)))
}

func explain(err error) string {
	var p panicked
	if errors.As(err, &p) {
		return "it broke down"
	}
	return err.Error()
}

func line(s string) string {
	s, _ = text.Strip(s)
	s, _ = cut(s, 1000)
	return s
}

// way returns how words of others came, for a tool that does not say so.
func way(c Category) provenance.Via {
	switch c {
	case Web:
		return provenance.ViaPage
	case Vault, Code:
		return provenance.ViaNote
	case Thread, Memory, Task:
		return provenance.ViaPerson
	}
	return provenance.ViaServer
}

// despite returns a result with why its call failed, or does not end yet.
func (r Result) despite(why string) Result {
	if r.Untrusted {
		r.Note = why
	} else {
		r.Content = strings.TrimSpace(why + "\n" + r.Content)
	}
	return r
}

// present prepares a result for whoever reads it: clean, capped, and with its origin.
func (r *Runner) present(spec Spec, c Call, res Result) Result {
	if res.JSON == nil && len(res.Content) <= MaxJSON && json.Valid([]byte(res.Content)) {
		res.JSON = json.RawMessage(res.Content)
	}
	if len(res.JSON) > MaxJSON {
		res.JSON = nil
	}
	limit := r.MaxResult
	if limit <= 0 {
		limit = DefaultResult
	}
	// Most of a huge result is thrown away: cleaning four times the cap is
	// enough, and cloning the rest frees the remainder.
	content, long := cut(res.Content, 4*limit)
	content, _ = text.Strip(content)
	content, over := cut(content, limit)
	if res.Cut = res.Cut || long || over; long || over {
		content = strings.Clone(content) + wordsCut
	}
	res.Private = res.Private && !spec.Public
	res.Untrusted = res.Untrusted || res.Origin.Outside(c.Who.ID)
	if res.Untrusted && !res.Origin.Outside(c.Who.ID) {
		res.Origin.Via |= way(spec.Category)
	}
	res.Content = content
	return res
}
