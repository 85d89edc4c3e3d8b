package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"

	"parley/internal/memory"
	"parley/internal/memory/provenance"
	"parley/internal/tools"
	"parley/internal/tools/guards"
)

// journal stores the steps of a turn as they are made, so that a crash never
// makes one happen twice. The zero value stores nothing: what belongs to no
// session starts over after a crash.
type journal struct {
	log   *slog.Logger
	store *memory.Store
	row   int64 // the message's

	step    int           // number of the step that is being made
	last    int           // the highest number that a step has
	answers int           // of the model, so far
	earlier []memory.Step // of an earlier process, in their order
	owed    []memory.Step // to be stored next
	stored  func() error  // waits for those handed over last; nil for none
}

// owe notes the current step for the next commit. result may be nil.
func (j *journal) owe(st memory.Step, result any) error {
	if j.store == nil {
		return nil
	}
	st.N = j.step
	if result != nil {
		b, err := json.Marshal(result)
		if err != nil {
			return fmt.Errorf("journal step: %w", err)
		}
		st.Result = string(b)
	}
	j.owed = append(j.owed, st)
	return nil
}

// begin stores that a call which changes something begins, with all that is
// owed, and returns when that is durable: not before may it run.
func (j *journal) begin(ctx context.Context, st memory.Step) error {
	if err := j.owe(st, nil); err != nil {
		return err
	}
	if err := j.flush(ctx)(); err != nil {
		return fmt.Errorf("journal step: %w", err)
	}
	return nil
}

// settle hands over what is owed, all of it done, and does not wait: the next step, a
// model call or a tool that only reads, takes longer, and later writes are stored
// after it.
func (j *journal) settle(ctx context.Context) {
	if len(j.owed) > 0 {
		j.stored = j.flush(ctx)
	}
}

// flush queues what is owed; the function it returns waits for it.
func (j *journal) flush(ctx context.Context) (wait func() error) {
	if j.stored != nil {
		if err := j.stored(); err != nil {
			j.log.Error("journal step", "err", err)
		}
		j.stored = nil
	}
	steps := j.owed
	j.owed = nil
	return j.store.SaveSteps(context.WithoutCancel(ctx), j.row, steps)
}

// read takes over what an earlier process left.
func (j *journal) read(earlier []memory.Step) {
	j.earlier = earlier
	for _, st := range earlier {
		j.last = max(j.last, st.N)
	}
}

// next gives a new step its number, which no other has.
func (j *journal) next() {
	j.last++
	j.step = j.last
}

// answer goes on to the model's next answer, and returns it if an earlier process got it.
func (j *journal) answer() (memory.Step, bool) {
	j.answers++
	n := 0
	for _, st := range j.earlier {
		if st.Kind == stepModel {
			n++
		}
		if n == j.answers && st.Kind == stepModel {
			j.step = st.N
			return st, true
		}
	}
	j.next()
	return memory.Step{}, false
}

// The kinds of steps.
const (
	stepModel = "model"
	stepTool  = "tool"
)

// key names a call of the model's newest answer: ids of calls are unique within one answer
// only. It does not depend on what is known of the tool now.
func (j *journal) key(call string) string { return fmt.Sprintf("%d/%s", j.answers, call) }

// made returns what an earlier process noted of a call.
func (j *journal) made(call string) (memory.Step, bool) {
	key := j.key(call)
	for _, st := range j.earlier {
		if st.Kind == stepTool && (st.Key == key || st.Key == call && st.N == j.step+1) { // as versions before noted it
			j.step = st.N
			return st, true
		}
	}
	return memory.Step{}, false
}

// journaled is what a tool step remembers of an outcome.
type journaled struct {
	State   tools.State `json:"state"`
	Class   tools.Class `json:"class,omitempty"`
	Content string      `json:"content"`
	Private bool        `json:"private,omitempty"`
	// Origin is nil in what an older version wrote: it may be from outside.
	Origin    *provenance.Origin `json:"origin,omitempty"`
	Untrusted bool               `json:"untrusted,omitempty"`
	Waits     []Waiting          `json:"waits,omitempty"` // of a subagent
	Raw       string             `json:"raw,omitempty"`   // where it is another than Content, and short enough
	Long      bool               `json:"long,omitempty"`  // what the tool gave is too long to be kept
}

// kept returns what is journaled of an outcome.
func kept(o tools.Outcome) journaled {
	d, _ := o.Result.Data.(Delegated)
	j := journaled{o.State, o.Class, o.Result.Content, o.Result.Private, &o.Result.Origin, o.Result.Untrusted, d.Waits,
		o.Raw, len(o.Raw) > guards.MaxResult}
	if o.Raw == o.Result.Content || j.Long {
		j.Raw = ""
	}
	return j
}

// resumed returns the outcome of a step an earlier process made or began.
func (j *journal) resumed(st memory.Step, tool string) tools.Outcome {
	var was journaled
	if st.Done && json.Unmarshal([]byte(st.Result), &was) == nil && was.Class != tools.NeedsInput {
		r := tools.Result{Content: was.Content, Private: was.Private, Untrusted: was.Untrusted}
		if was.Origin == nil {
			was.Origin, r.Untrusted = &provenance.Origin{Via: provenance.ViaUnknown}, true
		}
		r.Origin = *was.Origin
		if len(was.Waits) > 0 {
			r.Data = Delegated{Waits: was.Waits}
		}
		o := tools.Outcome{State: was.State, Class: was.Class, Result: r, Raw: cmp.Or(was.Raw, was.Content)}
		if was.Long {
			o.Raw = ""
		}
		return o
	}
	j.log.Warn("a tool was interrupted and is not run again", "tool", tool)
	return tools.Outcome{State: tools.Unknown, Class: tools.Unsure, Result: tools.Result{Content: "I was interrupted while doing this and can't tell whether it was done; please check before asking again."}}
}
