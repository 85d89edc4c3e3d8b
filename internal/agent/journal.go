package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"

	"parley/internal/guarding"
	"parley/internal/memory"
	"parley/internal/provenance"
	"parley/internal/tools"
)

// journal stores the steps of a turn as they are made, so that a crash never
// makes one happen twice. The zero value stores nothing: what belongs to no
// session starts over after a crash.
type journal struct {
	log   *slog.Logger
	store *memory.Store
	row   int64 // the message's

	step    int           // number of the step that is being made
	earlier []memory.Step // of an earlier process
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

// replay finds the current step in what an earlier process left.
func (j *journal) replay(kind, key string) (memory.Step, bool) {
	for _, st := range j.earlier {
		if st.N == j.step && st.Kind == kind && st.Key == key {
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
	Raw       string             `json:"raw,omitempty"`   // for guards, where it is short enough
}

// kept returns what is journaled of an outcome.
func kept(o tools.Outcome) journaled {
	d, _ := o.Result.Data.(Delegated)
	j := journaled{o.State, o.Class, o.Result.Content, o.Result.Private, &o.Result.Origin, o.Result.Untrusted, d.Waits, o.Raw}
	if o.Raw == o.Result.Content || len(o.Raw) > guarding.MaxResult {
		j.Raw = ""
	}
	return j
}

// resumed returns the outcome of a step an earlier process made or began.
func (j *journal) resumed(st memory.Step, spec tools.Spec) tools.Outcome {
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
		return tools.Outcome{State: was.State, Class: was.Class, Result: r, Raw: cmp.Or(was.Raw, was.Content)}
	}
	j.log.Warn("a tool was interrupted and is not run again", "tool", spec.Name)
	return tools.Outcome{State: tools.Failed, Class: tools.Broken, Result: tools.Result{Content: wordsLateTool}}
}
