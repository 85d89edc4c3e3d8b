package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"

	"parley/internal/chat"
	"parley/internal/memory"
	"parley/internal/memory/provenance"
	"parley/internal/tools"
)

// journal stores the steps of a turn as they are made, so that a crash makes none happen
// twice. The zero value stores nothing: a turn of no session starts over after a crash.
type journal struct {
	log   *slog.Logger
	store *memory.Store
	row   int64 // the message's

	step    int           // number of the current step
	last    int           // highest number in use
	answers int           // of the model, so far
	earlier []memory.Step // of an earlier process, in their order
	owed    []memory.Step // stored with the next commit
	stored  func() error  // waits for the last commit; nil for none
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

// begin stores that a call with a side effect begins, with everything owed, and returns when
// that is on the disk before anything that the call does. The call must not run before.
func (j *journal) begin(ctx context.Context, st memory.Step) error {
	if err := j.owe(st, nil); err != nil {
		return err
	}
	if err := j.flush(ctx)(); err != nil {
		return fmt.Errorf("journal step: %w", err)
	}
	return nil
}

// settle commits what is owed without waiting: the steps are done, and later writes are
// stored after them.
func (j *journal) settle(ctx context.Context) {
	if len(j.owed) > 0 {
		j.stored = j.flush(ctx)
	}
}

// flush queues what is owed; wait returns when it is stored.
func (j *journal) flush(ctx context.Context) (wait func() error) {
	j.await()
	steps := j.owed
	j.owed = nil
	return j.store.SaveSteps(context.WithoutCancel(ctx), j.row, steps)
}

// await waits for what was committed last.
func (j *journal) await() {
	if j.stored == nil {
		return
	}
	if err := j.stored(); err != nil {
		j.log.Error("journal step", "err", err)
	}
	j.stored = nil
}

// read takes over what an earlier process left.
func (j *journal) read(earlier []memory.Step) {
	j.earlier = earlier
	for _, st := range earlier {
		j.last = max(j.last, st.N)
	}
}

func (j *journal) next() {
	j.last++
	j.step = j.last
}

// answer moves on to the model's next answer, and returns it if an earlier process got it.
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

const (
	stepModel = "model"
	stepTool  = "tool"
)

// key names a call of the model's newest answer: ids of calls are unique within one answer
// only. It does not depend on what is known about the tool now.
func (j *journal) key(call string) string { return fmt.Sprintf("%d/%s", j.answers, call) }

// made returns what an earlier process stored about a call.
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

// journaled is the stored form of a tool's outcome.
type journaled struct {
	State   tools.State `json:"state"`
	Class   tools.Class `json:"class,omitempty"`
	Content string      `json:"content"`
	Private bool        `json:"private,omitempty"`
	// Origin is nil in rows of older versions: the result may be from outside.
	Origin    *provenance.Origin `json:"origin,omitempty"`
	Untrusted bool               `json:"untrusted,omitempty"`
	Waits     []Waiting          `json:"waits,omitempty"` // of a subagent, in rows of older versions
	Note      string             `json:"note,omitempty"`
	JSON      json.RawMessage    `json:"json,omitempty"` // if it is not the same as Content
	Same      bool               `json:"same,omitempty"` // JSON is the same as Content
	Cut       bool               `json:"cut,omitempty"`
	// Raw is the text in rows of older versions whose Content is as a model read it.
	Raw   string      `json:"raw,omitempty"`
	Files []chat.File `json:"files,omitempty"` // for the person
	// What follows is said or stored with the answer, which a later process may give.
	Decided  *tools.Decided     `json:"decided,omitempty"`
	Set      *tools.VariableSet `json:"set,omitempty"`
	Deed     *tools.Deed        `json:"deed,omitempty"`
	HandOver *string            `json:"hand_over,omitempty"` // its reason
	Job      *Delegated         `json:"job,omitempty"`
}

func kept(o tools.Outcome) journaled {
	r := o.Result
	j := journaled{State: o.State, Class: o.Class, Content: r.Content, Private: r.Private, Origin: &r.Origin, Untrusted: r.Untrusted,
		Note: r.Note, JSON: r.JSON, Cut: r.Cut, Files: givable(r.Files)}
	switch data := r.Data.(type) {
	case tools.Decided:
		j.Decided = &data
	case tools.VariableSet:
		j.Set = &data
	case tools.Deed:
		j.Deed = &data
	case tools.HandOver:
		j.HandOver = &data.Reason
	case Delegated:
		j.Job = &data
	}
	if j.Same = string(r.JSON) == r.Content; j.Same {
		j.JSON = nil
	}
	return j
}

// givable returns the files that an answer can have.
func givable(files []chat.File) []chat.File {
	size := 0
	for i, f := range files {
		if size += len(f.Data); i == maxAttached || size > maxAttachedBytes {
			return files[:i]
		}
	}
	return files
}

// asked reports whether a finished step was only asked about, so that it is asked about
// again: what was asked is not in the journal.
func (j *journal) asked(st memory.Step) bool {
	var was journaled
	return st.Done && json.Unmarshal([]byte(st.Result), &was) == nil && was.Class == tools.NeedsYes
}

// resumed returns the outcome of a step that an earlier process finished or began.
func (j *journal) resumed(st memory.Step, tool string) tools.Outcome {
	var was journaled
	if st.Done && json.Unmarshal([]byte(st.Result), &was) == nil && was.Class != tools.NeedsInput {
		r := tools.Result{Content: cmp.Or(was.Raw, was.Content), Note: was.Note, JSON: was.JSON, Cut: was.Cut, Files: was.Files,
			Private: was.Private, Untrusted: was.Untrusted}
		if was.Same || json.Valid([]byte(was.Raw)) {
			r.JSON = json.RawMessage(r.Content)
		}
		if was.Origin == nil {
			was.Origin, r.Untrusted = &provenance.Origin{Via: provenance.ViaUnknown}, true
		}
		r.Origin = *was.Origin
		switch {
		case len(was.Waits) > 0:
			r.Data = Delegated{Waits: was.Waits}
		case was.Decided != nil:
			r.Data = *was.Decided
		case was.Set != nil:
			r.Data = *was.Set
		case was.Deed != nil:
			r.Data = *was.Deed
		case was.HandOver != nil:
			r.Data = tools.ByAssistant(*was.HandOver)
		case was.Job != nil:
			r.Data = *was.Job
		}
		return tools.Outcome{State: was.State, Class: was.Class, Result: r}
	}
	j.log.Warn("a tool was interrupted and is not run again", "tool", tool)
	return tools.Outcome{State: tools.Unknown, Class: tools.Unsure, Result: tools.Result{Content: "I was interrupted while doing this and can't tell whether it was done; please check before asking again."}}
}
