package playbook

import (
	"fmt"
	"slices"
	"strings"
)

// track is the journeys of the person or of the channel, during one message.
type track struct {
	*standing
	shared bool
	final  *Step    // the terminal step reached with this message
	done   *Journey // what it ended
}

// step returns the definition of the step a track is in, nil when no journey is in
// front.
func (t *turn) step(k *track) *Step {
	if j := k.front(); j != nil {
		if def, ok := t.book.journeys[j.ID]; ok {
			return def.steps[j.Step]
		}
	}
	return nil
}

// checkJourneys suspends journeys whose definition is missing: the owner may be
// editing it, or a file may be cut off. They resume once their step is there again,
// after any journey that started in the meantime.
func (t *turn) checkJourneys() {
	for _, k := range t.tracks {
		for i, j := range k.Journeys {
			switch {
			case !j.alive():
			case t.defined(j) && j.Status == Suspended:
				t.note("journey %s goes on: its step %q is in the playbook again", j.ID, j.Step)
				j.Status, j.Reason = Waiting, ""
			case !t.defined(j) && j.Status != Suspended:
				t.note("journey %s is suspended: its step %q is not in the playbook", j.ID, j.Step)
				j.Status, j.Reason = Suspended, fmt.Sprintf("its step %q is not in the playbook", j.Step)
				if i == 0 {
					k.Asked = ""
				}
			}
		}
		k.promote()
	}
}

// defined reports whether the playbook has the step that a journey is in.
func (t *turn) defined(j *journeyState) bool {
	def, ok := t.book.journeys[j.ID]
	return ok && def.steps[j.Step] != nil
}

// walk starts, leaves or takes up a journey as the message wants it, or advances the
// one in front as far as what is known allows. Only the step that the message answers
// may look at its words; steps after it are passed when what they ask for is already
// known.
func (t *turn) walk(k *track) {
	answered := strings.TrimSpace(t.sit.Text) != "" || len(t.sit.Events) > 0
	switch {
	case answered && t.turnAway(k):
		answered = false
	case t.step(k) == nil:
		return
	case t.goBack(k):
		answered = false
	}
	t.advance(k, answered)
}

// advance follows the transitions of the journey in front.
func (t *turn) advance(k *track, answered bool) {
	entered := map[string]bool{}
	for {
		step := t.step(k)
		if step == nil {
			return
		}
		if j := k.front(); step.IsTerminal {
			k.final, k.done = step, t.book.journeys[j.ID]
			t.events[EventJourneyCompleted] = true
			t.why("journey %q was completed at the step %q", k.done.Name, step.Name)
			k.finish(j, Completed, "", t.sit.Now)
			return
		}
		entered[step.ID] = true
		if step.Tool != "" && !k.front().Ran && !t.ran(step.Tool) {
			return // its tool comes first
		}
		tr, why := t.next(step, answered)
		if tr == nil || entered[tr.ToStep] {
			return
		}
		def := t.book.journeys[k.front().ID]
		if tr.Condition == "" {
			why = "nothing more was needed there"
		}
		t.why("journey %q went from the step %q to %q, because %s", def.Name, step.Name, def.stepName(tr.ToStep), why)
		k.front().moveTo(tr.ToStep, t.sit.Now)
		t.events[EventStepEntered] = true
		answered = false
	}
}

// goBack returns to the step whose answer the person changed, if the journey
// has passed it.
func (t *turn) goBack(k *track) bool {
	j := k.front()
	for _, step := range slices.Backward(t.book.journeys[j.ID].Steps) {
		if step.ID == j.Step || !slices.Contains(j.Steps, step.ID) {
			continue
		}
		if i := slices.IndexFunc(step.RequiredContext, func(name string) bool { return t.changed[name] }); i >= 0 {
			t.why("journey %q went back to the step %q, because %s was changed", t.book.journeys[j.ID].Name, step.Name, step.RequiredContext[i])
			j.moveTo(step.ID, t.sit.Now)
			t.events[EventStepEntered] = true
			return true
		}
	}
	return false
}

// next returns the first transition, by priority, whose condition holds. Unless the
// message answers this very step, it only leaves a step whose questions are already
// answered, and ignores the words of the message.
func (t *turn) next(step *Step, answered bool) (*Transition, string) {
	missing := t.missing(step.RequiredContext)
	if !answered && (len(step.RequiredContext) == 0 || missing != "") {
		return nil, ""
	}
	for _, tr := range step.Transitions {
		if missing != "" && !tr.Early || !answered && tr.when.OfMessage() || t.before != nil && answered && !t.ofResults(step, tr) {
			continue
		}
		if score, why := t.holds(tr.when); score >= t.book.threshold {
			return tr, why
		}
	}
	return nil, ""
}

// missing returns the first of names that is not known, or "".
func (t *turn) missing(names []string) string {
	for _, name := range names {
		if _, ok := t.value(name); !ok {
			return name
		}
	}
	return ""
}
