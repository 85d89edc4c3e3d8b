package playbook

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/internal/playbook/sheet"
)

// Errors of the journey commands.
var (
	ErrAlreadyActive  = errors.New("a journey is already active")
	ErrNoJourney      = errors.New("no journey is active")
	ErrUnknownJourney = errors.New("unknown journey")
)

// Standing is the state of a session's journey.
type Standing struct {
	JourneyID      string                     `json:"journey_id"`
	Name           string                     `json:"name"`
	Status         Status                     `json:"status"`
	Reason         string                     `json:"reason,omitempty"`
	CurrentStep    string                     `json:"current_step"`
	Context        map[string]json.RawMessage `json:"context"` // what its steps asked for and got
	StartedAt      time.Time                  `json:"started_at"`
	LastTransition time.Time                  `json:"last_transition_at"`
	History        []HistoryEntry             `json:"step_history"`
}

// Start begins a journey by command or tool. ErrAlreadyActive and
// ErrUnknownJourney leave st as it was. Guide with the new state and no text
// gives the instructions for the first step.
func (b *Book) Start(st State, id string, now time.Time) (State, error) {
	j, ok := b.journeys[id]
	if !ok {
		return st, fmt.Errorf("%w %q%s", ErrUnknownJourney, id, sheet.Suggest(id, sortedKeys(b.journeys)))
	}
	s, p, _ := st.read()
	if s.Journey != nil && s.Journey.Status == Active {
		return st, fmt.Errorf("%w: %s", ErrAlreadyActive, s.Journey.ID)
	}
	s.begin(j, now)
	return write(s, p)
}

// Stop abandons the active journey because somebody asked for it; ErrNoJourney when
// there is none.
func (b *Book) Stop(st State, now time.Time) (State, error) {
	s, p, _ := st.read()
	if !s.Journey.alive() {
		return st, ErrNoJourney
	}
	s.finish(Abandoned, "stopped", now)
	return write(s, p)
}

// Abandon ends the active journey, if any, because its session expired.
func (b *Book) Abandon(st State, now time.Time) (State, error) {
	s, p, _ := st.read()
	if s.Parked != nil {
		s.Past = append(s.Past, ended{s.Parked.ID, Abandoned, now})
		s.Parked = nil
	}
	if !s.Journey.alive() {
		return write(s, p)
	}
	s.finish(Abandoned, "the session expired", now)
	return write(s, p)
}

// Status returns the state of the session's journey; ok is false when none was ever
// started.
func (b *Book) Status(st State) (at Standing, ok bool, err error) {
	s, p, err := st.read()
	if s.Journey == nil {
		return Standing{}, false, err
	}
	j := s.Journey
	at = Standing{JourneyID: j.ID, Name: j.ID, Status: j.Status, Reason: j.Reason, CurrentStep: j.Step,
		StartedAt: j.Started, LastTransition: j.Entered, Context: map[string]json.RawMessage{}}
	if def, known := b.journeys[j.ID]; known {
		at.Name = def.Name
		for _, step := range def.Steps {
			for _, name := range step.RequiredContext {
				if v, ok := b.variables[name].known(s, p); ok {
					at.Context[name] = v.Value
				}
			}
		}
	}
	at.History, err = j.history()
	return at, true, err
}

func (s *session) begin(j *Journey, now time.Time) {
	if s.Journey != nil && s.Journey.Status == Suspended {
		s.Parked = s.Journey
	}
	s.Journey = &journeyState{ID: j.ID, Status: Active, Step: j.InitialStep, Started: now, Entered: now}
}

func (s *session) finish(as Status, reason string, now time.Time) {
	s.Journey.end(as, reason, now)
	s.Asked = ""
	s.Past = append(s.Past, ended{s.Journey.ID, as, now})
	s.Past = s.Past[max(0, len(s.Past)-maxPast):]
}

func (s *session) past(id string) bool {
	return slices.ContainsFunc(s.Past, func(e ended) bool { return e.ID == id })
}

// step returns the definition of the current step, nil when no journey is active.
func (t *turn) step() *Step {
	j := t.session.Journey
	if j == nil || j.Status != Active {
		return nil
	}
	def, ok := t.book.journeys[j.ID]
	if !ok {
		return nil
	}
	return def.steps[j.Step]
}

// checkJourney suspends a journey whose definition is missing: the owner may be
// editing it, or a file may be cut off. It resumes once its step is there again,
// after any journey that started in the meantime.
func (t *turn) checkJourney() {
	s := &t.session
	if !s.Journey.alive() && s.Parked != nil && t.defined(s.Parked) {
		s.Journey, s.Parked = s.Parked, nil
	}
	j := s.Journey
	switch {
	case !j.alive():
	case t.defined(j) && j.Status == Suspended:
		t.note("journey %s goes on: its step %q is in the playbook again", j.ID, j.Step)
		j.Status, j.Reason = Active, ""
	case !t.defined(j) && j.Status == Active:
		t.note("journey %s is suspended: its step %q is not in the playbook", j.ID, j.Step)
		j.Status, j.Reason, s.Asked = Suspended, fmt.Sprintf("its step %q is not in the playbook", j.Step), ""
	}
}

// defined reports whether the playbook has the step that a journey is in.
func (t *turn) defined(j *journeyState) bool {
	def, ok := t.book.journeys[j.ID]
	return ok && def.steps[j.Step] != nil
}

// walk starts a journey or advances the active one as far as the known variables
// allow. Only the step that the message answers may look at its words; steps after
// it are passed when what they ask for is already known.
func (t *turn) walk() {
	answered := strings.TrimSpace(t.sit.Text) != "" || len(t.sit.Events) > 0
	if t.step() == nil {
		if !t.trigger() {
			return
		}
		answered = false
	} else if t.goBack() {
		answered = false
	}
	entered := map[string]bool{}
	for {
		step := t.step()
		if step.IsTerminal {
			t.arrive(step)
			return
		}
		entered[step.ID] = true
		tr, why := t.next(step, answered)
		if tr == nil || entered[tr.ToStep] {
			return
		}
		t.why("journey: from %q to %q, because %s", step.ID, tr.ToStep, why)
		t.session.Journey.moveTo(tr.ToStep, t.sit.Now)
		t.events[EventStepEntered] = true
		answered = false
	}
}

func (t *turn) arrive(step *Step) {
	t.final = step
	t.events[EventJourneyCompleted] = true
	t.why("journey %s completed at %q", t.session.Journey.ID, step.ID)
	t.session.finish(Completed, "", t.sit.Now)
}

// trigger starts the journey whose trigger fits best.
func (t *turn) trigger() bool {
	var best *Journey
	var top float64
	var because string
	for i := range t.book.doc.Journeys {
		j := &t.book.doc.Journeys[i]
		if j.Trigger == "" || !j.Repeat && t.session.past(j.ID) {
			continue
		}
		if score, why := t.holds(j.trigger); score >= t.book.threshold && score > top {
			best, top, because = j, score, why
		}
	}
	if best == nil {
		return false
	}
	t.session.begin(best, t.sit.Now)
	t.events[EventJourneyStarted], t.events[EventStepEntered] = true, true
	t.why("journey %s started at %q, because %s", best.ID, best.InitialStep, because)
	return true
}

// goBack returns to the step whose answer the person changed, if the journey
// has passed it.
func (t *turn) goBack() bool {
	j := t.session.Journey
	for _, step := range slices.Backward(t.book.journeys[j.ID].Steps) {
		if step.ID == j.Step || !j.visited(step.ID) {
			continue
		}
		for _, name := range step.RequiredContext {
			if t.changed[name] {
				t.why("journey: back to %q, because %s was changed", step.ID, name)
				j.moveTo(step.ID, t.sit.Now)
				t.events[EventStepEntered] = true
				return true
			}
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
	for i := range step.Transitions {
		tr := &step.Transitions[i]
		if missing != "" && !tr.Early || !answered && tr.when.OfMessage() {
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

// stuck returns a step in a cycle from which no terminal step can be reached, with
// the cycle, or "".
func (j *Journey) stuck() (step, cycle string) {
	ends := map[string]bool{}
	for again := true; again; {
		again = false
		for _, s := range j.Steps {
			if ends[s.ID] {
				continue
			}
			if s.IsTerminal || slices.ContainsFunc(s.Transitions, func(t Transition) bool { return ends[t.ToStep] }) {
				ends[s.ID], again = true, true
			}
		}
	}
	for _, s := range j.Steps {
		if path := j.loop(s.ID, ends); path != nil {
			return s.ID, strings.Join(path, " -> ")
		}
	}
	return "", ""
}

// loop returns a path from a step back to itself over steps that are not terminal.
func (j *Journey) loop(from string, ends map[string]bool) []string {
	before := map[string]string{}
	for queue := []string{from}; len(queue) > 0; queue = queue[1:] {
		if ends[queue[0]] {
			continue
		}
		for _, tr := range j.steps[queue[0]].Transitions {
			if tr.ToStep == from {
				path := []string{from}
				for at := queue[0]; at != from; at = before[at] {
					path = append(path, at)
				}
				path = append(path, from)
				slices.Reverse(path)
				return path
			}
			if _, seen := before[tr.ToStep]; !seen {
				before[tr.ToStep] = queue[0]
				queue = append(queue, tr.ToStep)
			}
		}
	}
	return nil
}
