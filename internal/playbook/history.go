package playbook

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"slices"
	"time"
)

// Status is the state of a journey.
type Status string

// The states of a journey. One that never started has none.
const (
	Active    Status = "active"    // in front
	Waiting   Status = "waiting"   // put aside while another one is in front
	Left      Status = "left"      // by its person, who said so; it can be taken up again
	Completed Status = "completed" // reached a terminal step
	Abandoned Status = "abandoned" // stopped, or its session expired
	Suspended Status = "suspended" // its definition is away; it goes on once that is back
	Failed    Status = "failed"    // its definition went away, as earlier versions took it
)

// journeyState is a journey that was started, under way or over. The history is
// kept packed, so that reading a session costs the same whatever its length.
type journeyState struct {
	ID      string    `json:"id"`
	Status  Status    `json:"status"`
	Reason  string    `json:"reason,omitempty"` // why it was abandoned or is suspended
	Step    string    `json:"step"`
	Started time.Time `json:"started"`
	Entered time.Time `json:"entered"`       // the current step
	Ran     bool      `json:"ran,omitempty"` // the current step's tool, and it worked
	Ended   time.Time `json:"ended,omitzero"`
	Steps   []string  `json:"steps,omitempty"` // names used by Log, each once
	Log     []byte    `json:"log,omitempty"`   // per step left: index into Steps, ms from Started to entering, ms stayed; uvarints
}

// HistoryEntry is one step a journey went through. ExitedAt is zero for the
// one it is in.
type HistoryEntry struct {
	StepID    string    `json:"step_id"`
	EnteredAt time.Time `json:"entered_at"`
	ExitedAt  time.Time `json:"exited_at,omitzero"`
}

// alive reports whether there is a journey and it is not over.
func (j *journeyState) alive() bool {
	return j != nil && (j.Status == Active || j.Status == Waiting || j.Status == Suspended)
}

func (j *journeyState) leave(now time.Time) {
	i := slices.Index(j.Steps, j.Step)
	if i < 0 {
		i = len(j.Steps)
		j.Steps = append(j.Steps, j.Step)
	}
	j.Log = binary.AppendUvarint(j.Log, uint64(i))
	j.Log = binary.AppendUvarint(j.Log, millis(j.Entered.Sub(j.Started)))
	j.Log = binary.AppendUvarint(j.Log, millis(now.Sub(j.Entered)))
}

func (j *journeyState) moveTo(step string, now time.Time) {
	j.leave(now)
	j.Step, j.Entered, j.Ran = step, now, false
}

// history unpacks the log.
func (j *journeyState) history() ([]HistoryEntry, error) {
	out := make([]HistoryEntry, 0, len(j.Log)/4+1)
	for log := j.Log; len(log) > 0; {
		var n [3]uint64
		for i := range n {
			v, size := binary.Uvarint(log)
			if size <= 0 {
				return nil, errors.New("journey history is damaged")
			}
			n[i], log = v, log[size:]
		}
		if n[0] >= uint64(len(j.Steps)) {
			return nil, errors.New("journey history is damaged")
		}
		in := j.Started.Add(time.Duration(n[1]) * time.Millisecond)
		out = append(out, HistoryEntry{j.Steps[n[0]], in, in.Add(time.Duration(n[2]) * time.Millisecond)})
	}
	if j.alive() {
		out = append(out, HistoryEntry{StepID: j.Step, EnteredAt: j.Entered})
	}
	return out, nil
}

func millis(d time.Duration) uint64 { return uint64(max(0, d.Milliseconds())) }

// Standing is the state of a journey.
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

// Standings lists a person's journeys and those of the place they write in: the one
// in front first, then those that wait or were left. One that is over is there until
// another begins.
func (b *Book) Standings(st State) (list []Standing, err error) {
	r, err := st.read()
	for _, s := range []*standing{r.own, r.shared} {
		for _, j := range s.Journeys {
			at, e := b.standing(r, j)
			list, err = append(list, at), errors.Join(err, e)
		}
	}
	return list, err
}

// Front returns the id of the journey in front: a person's own, or that of the place they
// write in; "" is none.
func (b *Book) Front(st State) (journey string, err error) {
	r, err := st.read()
	for _, s := range []*standing{r.own, r.shared} {
		if j := s.front(); j != nil && journey == "" {
			journey = j.ID
		}
	}
	return journey, err
}

// UnderWay reports whether a journey is under way in a state, and defined: in front and in
// this step, unless that is "".
func (b *Book) UnderWay(st State, journey, step string) (bool, error) {
	r, err := st.read()
	if err != nil {
		return false, err
	}
	for _, s := range []*standing{r.own, r.shared} {
		for _, j := range s.Journeys {
			def := b.journeys[j.ID]
			if j.ID == journey && j.alive() && def != nil && def.steps[j.Step] != nil && (step == "" || j == s.front() && j.Step == step) {
				return true, nil
			}
		}
	}
	return false, nil
}

// Status returns the state of the journey in front; ok is false when none was ever
// started.
func (b *Book) Status(st State) (at Standing, ok bool, err error) {
	list, err := b.Standings(st)
	if len(list) == 0 {
		return at, false, err
	}
	return list[0], true, err
}

func (b *Book) standing(r *record, j *journeyState) (at Standing, err error) {
	at = Standing{JourneyID: j.ID, Name: j.ID, Status: j.Status, Reason: j.Reason, CurrentStep: j.Step,
		StartedAt: j.Started, LastTransition: j.Entered, Context: map[string]json.RawMessage{}}
	if def, known := b.journeys[j.ID]; known {
		at.Name = def.Name
		for _, step := range def.Steps {
			for _, name := range step.RequiredContext {
				if v, ok := b.variables[name].known(r); ok {
					at.Context[name] = v.Value
				}
			}
		}
	}
	at.History, err = j.history()
	return at, err
}
