package playbook

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"parley/internal/playbook/sheet"
)

// State is what the playbook remembers between messages. It is opaque to everybody
// else: Session belongs to the session's row, Person to the person's. An empty State
// is a fresh start.
type State struct {
	Session json.RawMessage
	Person  json.RawMessage
}

// session is State.Session.
type session struct {
	Version int               `json:"v"`
	Journey *journeyState     `json:"journey,omitempty"`
	Vars    map[string]Value  `json:"vars,omitempty"`
	Applied map[string]string `json:"applied,omitempty"` // guideline -> version of the rule that was applied
	Asked   string            `json:"asked,omitempty"`   // the variable asked for with the last answer
	Past    []ended           `json:"past,omitempty"`    // journeys that are over, oldest first
	Parked  *journeyState     `json:"parked,omitempty"`  // suspended when another began
}

// person is State.Person.
type person struct {
	Version int              `json:"v"`
	Vars    map[string]Value `json:"vars,omitempty"`
}

type ended struct {
	ID     string    `json:"id"`
	Status Status    `json:"status"`
	At     time.Time `json:"at"`
}

// stateVersion is the only version so far.
const stateVersion = 1

var errNewer = errors.New("written by a newer version")

// maxPast bounds the list of journeys that are over.
const maxPast = 50

// Status is the state of a journey.
type Status string

// The states of a journey. One that never started has none.
const (
	Active    Status = "active"
	Completed Status = "completed" // reached a terminal step
	Abandoned Status = "abandoned" // stopped, or its session expired
	Suspended Status = "suspended" // its definition is away; it goes on once that is back
	Failed    Status = "failed"    // its definition went away, as earlier versions took it
)

// journeyState is the journey a session is in, or was in last. The history is
// kept packed, so that reading a session costs the same whatever its length.
type journeyState struct {
	ID      string    `json:"id"`
	Status  Status    `json:"status"`
	Reason  string    `json:"reason,omitempty"` // why it was abandoned or is suspended
	Step    string    `json:"step"`
	Started time.Time `json:"started"`
	Entered time.Time `json:"entered"` // the current step
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
func (j *journeyState) alive() bool { return j != nil && (j.Status == Active || j.Status == Suspended) }

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
	j.Step, j.Entered = step, now
}

// visited reports whether the journey was in a step before.
func (j *journeyState) visited(step string) bool { return slices.Contains(j.Steps, step) }

func (j *journeyState) end(s Status, reason string, now time.Time) {
	j.leave(now)
	j.Status, j.Reason, j.Ended = s, reason, now
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

// read decodes a state. A part that cannot be read starts afresh, and err reports
// it: a damaged row must not silence the bot.
func (st State) read() (s session, p person, err error) {
	var errS, errP error
	if len(st.Session) > 0 {
		if errS = json.Unmarshal(st.Session, &s); errS != nil || s.Version > stateVersion {
			s, errS = session{}, fmt.Errorf("playbook state of the session not readable, starting afresh: %w", cmp.Or(errS, errNewer))
		}
	}
	if len(st.Person) > 0 {
		if errP = json.Unmarshal(st.Person, &p); errP != nil || p.Version > stateVersion {
			p, errP = person{}, fmt.Errorf("playbook state of the person not readable, starting afresh: %w", cmp.Or(errP, errNewer))
		}
	}
	if s.Vars == nil {
		s.Vars = map[string]Value{}
	}
	if s.Applied == nil {
		s.Applied = map[string]string{}
	}
	if p.Vars == nil {
		p.Vars = map[string]Value{}
	}
	return s, p, errors.Join(errS, errP)
}

func write(s session, p person) (State, error) {
	s.Version, p.Version = stateVersion, stateVersion
	a, err := json.Marshal(s)
	if err != nil {
		return State{}, fmt.Errorf("write session state: %w", err)
	}
	b, err := json.Marshal(p)
	if err != nil {
		return State{}, fmt.Errorf("write person state: %w", err)
	}
	return State{Session: a, Person: b}, nil
}

// SetVariable stores a value from outside the matching, such as the tool
// set_variable: v.Name and v.Value are needed, and Source. The value is
// checked like any other; the error can be told to a model.
func (b *Book) SetVariable(st State, v Value) (State, error) {
	def, ok := b.variables[v.Name]
	if !ok {
		return st, fmt.Errorf("unknown variable %q%s", v.Name, sheet.Suggest(v.Name, sortedKeys(b.variables)))
	}
	checked, err := def.valid.Check(v.Value)
	if err != nil {
		return st, fmt.Errorf("%s is not taken: %w", v.Name, err)
	}
	v.Value = checked
	if v.Confidence <= 0 || v.Confidence > 1 {
		v.Confidence = 1
	}
	s, p, _ := st.read()
	if def.PerPerson {
		p.Vars[v.Name] = v
	} else {
		s.Vars[v.Name] = v
	}
	return write(s, p)
}

// Variables lists what is known, in the order of the files, defaults included.
func (b *Book) Variables(st State) []Value {
	s, p, _ := st.read()
	var out []Value
	for i := range b.doc.Variables {
		def := &b.doc.Variables[i]
		if v, ok := def.known(s, p); ok {
			out = append(out, v)
		}
	}
	return out
}

// known returns the variable's value, or its default.
func (v *Variable) known(s session, p person) (Value, bool) {
	from := s.Vars
	if v.PerPerson {
		from = p.Vars
	}
	if got, ok := from[v.Name]; ok {
		return got, true
	}
	if v.fallback != nil {
		return Value{Name: v.Name, Value: v.fallback, Source: SourceDefault, Confidence: 1}, true
	}
	return Value{}, false
}
