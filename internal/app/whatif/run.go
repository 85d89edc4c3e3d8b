package whatif

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/memory/provenance"
	"parley/internal/playbook"
	"parley/internal/text/catalog"
	"parley/internal/tools"
)

// replayed is a message that is run again: what came then, and what was asked for so far.
type replayed struct {
	past  memory.Past
	said  []reply
	given map[fingerprint]llm.Response // what requests as it is got
	tally
}

// tally is about one run of a message.
type tally struct {
	side    int
	same    int     // requests that were answered from the record
	again   int     // that would be put to a model, and were not
	asked   int     // that were
	cost    float64 // of these
	waited  time.Duration
	models  []string // that were asked for an answer
	used    []bool   // of the replies, by their order
	calls   map[string]int
	stop    context.CancelCauseFunc
	unknown string // what the record does not tell; the run ended there
	summed  bool   // a summary was asked for
}

// errUnknown ends a run that needs what the record does not tell.
var errUnknown = errors.New("the record does not tell")

// Outcome is what came of a message.
type Outcome struct {
	Text    string         `json:"text"`
	Ended   string         `json:"ended"` // answered, asked, confirmed, …
	Rules   []string       `json:"rules,omitempty"`
	Guards  []memory.Ruled `json:"guards,omitempty"`
	Calls   []Call         `json:"calls,omitempty"`
	Models  []string       `json:"models,omitempty"` // that were asked for the answer
	Money   float64        `json:"money"`
	Took    time.Duration  `json:"took_ns"`
	Asked   int            `json:"asked,omitempty"`   // requests that were put to a model now
	Again   int            `json:"again,omitempty"`   // that would be, and were not
	Unknown string         `json:"unknown,omitempty"` // what the record does not tell; the rest is unknown

	turn  *memory.Turn
	whole bool // the record had everything
}

// Call is a call of a tool.
type Call struct {
	Tool string `json:"tool"`
	Args string `json:"args"`
	// Came is how it ended: success, pending where it was asked about, failed, …
	Came string `json:"came"`
}

// run runs a message on one side.
func (w *world) run(ctx context.Context, side int, turn *replayed, at time.Time) (out Outcome, err error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	w.runs++
	m := message(turn.past, w.runs)
	if is := w.sides[side].Agent(m); is.ID == m.Agent.ID {
		m.Agent = is
	}
	w.Clock.Set(at)
	w.mu.Lock()
	w.turn = turn
	turn.tally = tally{side: side, used: make([]bool, len(turn.said)), calls: map[string]int{}, stop: stop}
	w.mu.Unlock()
	answer, err := w.sides[side].Handle(catalog.With(ctx, w.sides[side].Speak(ctx, m)), m, chat.Unwatched{})
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil && turn.unknown == "" {
		return out, fmt.Errorf("run %s again: %w", turn.past.ID, err)
	}
	out = Outcome{Text: answer.Text, Models: turn.models, Asked: turn.asked, Again: turn.again, Unknown: turn.unknown,
		whole: turn.unknown == ""}
	if e, ok := answer.Record.(chat.Ended); ok {
		out.Ended = string(e.Ending().Outcome)
	}
	if t, ok := answer.Record.(*memory.Turn); ok {
		out.turn = t
		out.Rules, out.Guards, out.Calls = rules(t.Decision.Detail.Playbook), t.Decision.Detail.Guards, calls(t.Calls)
	}
	w.price(&out, turn)
	return out, nil
}

// price fills in money and time. What was answered from the record costs and takes its
// share of what the answer then did.
func (w *world) price(out *Outcome, turn *replayed) {
	then, share := turn.past.Decision, 1.0
	if all := turn.same + turn.again + turn.asked; all > 0 {
		share = float64(turn.same+turn.again) / float64(all)
	} else if turn.side == changed && then.Calls > 0 {
		share = 0
	}
	price := w.Asking.price(turn.side, turn.models)
	out.Money = share*price.Of(then.Usage) + turn.cost
	out.Took = time.Duration(share*float64(then.Took)) + turn.waited
}

// message returns a message of the past as it came. Of files there are the words that were
// read in them.
func message(p memory.Past, run int64) chat.Message {
	e := p.Entries[0]
	via := func(way provenance.Via) bool { return e.Origin.Via&way != 0 }
	return chat.Message{
		Row: farRow + run, UID: p.ID, ID: p.Message, Key: p.Key, From: chat.User{ID: p.User, Name: e.Name},
		Text: strings.TrimSpace(e.Content + "\n" + e.Attached), Addressed: true, Direct: p.Direct, At: e.At,
		Forwarded: via(provenance.ViaForwarded), Shared: via(provenance.ViaShared), Relayed: via(provenance.ViaQuoted),
		Agent: chat.Agent{ID: p.Agent},
	}
}

// farRow is past every row of an inbox: each run has one of its own.
const farRow = 1 << 40

// rules returns the ids of the rules that applied, sorted.
func rules(detail json.RawMessage) (ids []string) {
	var r playbook.MatchResult
	_ = json.Unmarshal(detail, &r) // none is none
	for _, m := range r.TopMatches {
		ids = append(ids, m.GuidelineID)
	}
	slices.Sort(ids)
	return ids
}

func calls(list []memory.CallRecord) (out []Call) {
	for _, c := range list {
		came := c.Status
		if c.Class == string(tools.Guarded) {
			came = "stopped by a guard"
		}
		out = append(out, Call{Tool: c.Name, Args: canonical(c.Arguments), Came: came})
	}
	return out
}

// canonical returns JSON with its keys in order and without spaces.
func canonical(args string) string {
	var v any
	d := json.NewDecoder(strings.NewReader(args))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return args
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // was JSON
	return strings.TrimSpace(b.String())
}

// fingerprint stands for a request with the model that it goes to: two are the same, byte
// for byte.
type fingerprint [sha256.Size]byte

func printOf(l Leg, r llm.Request) fingerprint {
	b, _ := json.Marshal(struct {
		Purpose, Name, Model string
		Messages             []llm.Message
		Images               int
		Tools                []llm.ToolSpec
		Schema               *llm.Schema
		MaxTokens            int
	}{l.Purpose, l.Name, r.Model, r.Messages, pictures(r), r.Tools, r.Schema, r.MaxTokens}) // schemas are JSON
	return sha256.Sum256(b)
}

func pictures(r llm.Request) (n int) {
	for _, m := range r.Messages {
		n += len(m.Images)
	}
	return n
}

// tool tells how a call of a tool ended then.
func (w *world) tool(_ context.Context, c tools.Call) tools.Outcome {
	w.mu.Lock()
	defer w.mu.Unlock()
	t := w.turn
	args := canonical(string(c.Args))
	t.calls[c.Name+args]++
	nth := t.calls[c.Name+args]
	for _, r := range t.past.Calls {
		if r.Name != c.Name || canonical(r.Arguments) != args && (r.CallID != c.ID || !wrote(r.Arguments, c.Args)) {
			continue
		}
		if nth--; nth == 0 && r.Class != string(tools.NeedsYes) && r.Class != string(tools.Guarded) {
			return then(t.past.Entries, r)
		}
	}
	t.unknown = "what " + c.Name + " gives for " + args
	t.stop(errUnknown)
	return tools.Outcome{State: tools.Failed, Class: tools.Cancelled, Err: errUnknown}
}

// wrote reports whether arguments are those that a model wrote, or what validation left of
// them: it takes away what a tool does not know.
func wrote(written string, args json.RawMessage) bool {
	var left, all any
	return json.Unmarshal(args, &left) == nil && json.Unmarshal([]byte(written), &all) == nil && leftOf(left, all)
}

func leftOf(left, all any) bool {
	switch l := left.(type) {
	case map[string]any:
		a, _ := all.(map[string]any)
		for key, inner := range l {
			if is, ok := a[key]; !ok || !leftOf(inner, is) {
				return false
			}
		}
		return a != nil
	case []any:
		a, _ := all.([]any)
		return slices.EqualFunc(l, a, leftOf)
	}
	return left == all
}

// then returns a call as it ended.
func then(entries []memory.Entry, r memory.CallRecord) tools.Outcome {
	o := tools.Outcome{State: tools.State(r.Status), Class: tools.Class(r.Class), Result: tools.Result{Content: r.Result}}
	for _, e := range entries {
		if e.Role == llm.RoleTool && e.ToolCallID == r.CallID && o.Class == "" {
			o.Result = tools.Result{Content: e.Content, Note: e.Attached, Origin: e.Origin, Untrusted: e.Origin.Outside(e.User)}
		}
	}
	if o.Class != "" {
		o.Err = errors.New(r.Class)
	}
	if r.Name == "set_variable" && o.Class == "" {
		var set tools.VariableSet
		if json.Unmarshal([]byte(r.Arguments), &set) == nil {
			o.Result.Data = set
		}
	}
	return o
}
