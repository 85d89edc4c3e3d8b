package agent

import (
	"context"
	"encoding/json"
	"fmt"

	"parley/internal/memory"
	"parley/internal/tools"
)

// journaled is what a tool step remembers of an outcome.
type journaled struct {
	State   tools.State `json:"state"`
	Class   tools.Class `json:"class,omitempty"`
	Content string      `json:"content"`
	Private bool        `json:"private,omitempty"`
	// Origin is nil in what an older version wrote: it may be from outside.
	Origin    *memory.Origin `json:"origin,omitempty"`
	Untrusted bool           `json:"untrusted,omitempty"`
}

// journal is what is kept of an outcome.
func journal(o tools.Outcome) journaled {
	return journaled{o.State, o.Class, o.Result.Content, o.Result.Private, &o.Result.Origin, o.Result.Untrusted}
}

// owe notes a finished step for the next commit of the journal.
func (t *turn) owe(kind, key string, done bool, result any) error {
	if !t.keep {
		return nil
	}
	st := memory.Step{N: t.step, Kind: kind, Key: key, Done: done, People: t.origin.But(t.m.From.ID).People}
	if result != nil {
		b, err := json.Marshal(result)
		if err != nil {
			return fmt.Errorf("journal step: %w", err)
		}
		st.Result = string(b)
	}
	t.owed = append(t.owed, st)
	return nil
}

// begin journals that a call which changes something begins, with all that is
// owed, and returns when that is durable: not before may it run.
func (t *turn) begin(ctx context.Context, call string) error {
	if err := t.owe("tool", call, false, nil); err != nil {
		return err
	}
	if err := t.store(ctx)(); err != nil {
		return fmt.Errorf("journal step: %w", err)
	}
	return nil
}

// settle hands over what is owed and does not wait for the disk: what comes
// next, a model call or a tool that only reads, takes longer, and what is
// stored later is stored behind it.
func (t *turn) settle(ctx context.Context) {
	if len(t.owed) > 0 {
		t.stored = t.store(ctx)
	}
}

// store queues what is owed; the function it returns waits for it.
func (t *turn) store(ctx context.Context) (wait func() error) {
	if t.stored != nil {
		if err := t.stored(); err != nil {
			t.a.o.Log.Error("journal step", "err", err)
		}
		t.stored = nil
	}
	steps := t.owed
	t.owed = nil
	return t.a.o.Store.SaveSteps(context.WithoutCancel(ctx), t.m.Row, steps)
}

// replay finds the current step in what an earlier process left.
func (t *turn) replay(kind, key string) (memory.Step, bool) {
	for _, st := range t.steps {
		if st.N == t.step && st.Kind == kind && st.Key == key {
			return st, true
		}
	}
	return memory.Step{}, false
}

// resumed is the outcome of a step an earlier process made or began.
func (t *turn) resumed(st memory.Step, spec tools.Spec) tools.Outcome {
	var j journaled
	if st.Done && json.Unmarshal([]byte(st.Result), &j) == nil {
		r := tools.Result{Content: j.Content, Private: j.Private, Untrusted: j.Untrusted}
		if j.Origin == nil {
			j.Origin, r.Untrusted = &memory.Origin{Via: memory.ViaUnknown}, true
		}
		r.Origin = *j.Origin
		return tools.Outcome{State: j.State, Class: j.Class, Result: r}
	}
	t.a.o.Log.Warn("a tool was interrupted and is not run again", "tool", spec.Name)
	return tools.Outcome{State: tools.Failed, Class: tools.Broken, Result: tools.Result{Content: wordsLateTool}}
}
