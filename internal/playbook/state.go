package playbook

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"parley/internal/playbook/sheet"
)

// State is the playbook's memory between messages, as User sees it. Session belongs in
// the session's row and holds the standing of each of its people and of the channel;
// Person belongs in the person's row. Both are opaque to everybody else. An empty State
// is a fresh start.
type State struct {
	User    string
	Session json.RawMessage
	Person  json.RawMessage
}

// session is State.Session.
type session struct {
	Version int                  `json:"v"`
	People  map[string]*standing `json:"people,omitempty"`
	Channel *standing            `json:"channel,omitempty"`
}

// standing is the state of one person in a session, or of the channel.
type standing struct {
	Journeys []*journeyState   `json:"journeys,omitempty"` // the one in front first
	Vars     map[string]Value  `json:"vars,omitempty"`
	Applied  map[string]string `json:"applied,omitempty"` // guideline -> version of the rule that was applied
	Asked    string            `json:"asked,omitempty"`   // the variable asked for with the last answer
	Past     []ended           `json:"past,omitempty"`    // journeys that are over, oldest first
	Lapsed   []ended           `json:"lapsed,omitempty"`  // ended with the session before; the person was not told yet
}

// oldSession is State.Session of version 1, when a session had one journey.
type oldSession struct {
	standing
	Journey *journeyState `json:"journey,omitempty"`
	Parked  *journeyState `json:"parked,omitempty"`
}

// person is State.Person. Tags are the owner's.
type person struct {
	Version int              `json:"v"`
	Vars    map[string]Value `json:"vars,omitempty"`
	Tags    []string         `json:"tags,omitempty"`
}

type ended struct {
	ID     string    `json:"id"`
	Status Status    `json:"status"`
	At     time.Time `json:"at"`
}

// The versions of the two parts.
const (
	sessionVersion = 2
	personVersion  = 1
)

var errNewer = errors.New("written by a newer version")

// Bounds on what is kept of journeys that are over.
const (
	maxPast = 50
	maxLeft = 5
)

// record is a State that was read.
type record struct {
	user    string
	session session
	own     *standing // the user's
	shared  *standing // the channel's
	person  person
}

// read decodes a state. A part that cannot be read starts afresh, and err reports
// it: a damaged row must not silence the bot. The record is never nil.
func (st State) read() (r *record, err error) {
	r = &record{user: st.User}
	var errS, errP error
	if len(st.Session) > 0 {
		if errS = r.session.decode(st.Session, st.User); errS != nil || r.session.Version > sessionVersion {
			r.session, errS = session{}, fmt.Errorf("playbook state of the session not readable, starting afresh: %w", cmp.Or(errS, errNewer))
		}
	}
	if len(st.Person) > 0 {
		if errP = json.Unmarshal(st.Person, &r.person); errP != nil || r.person.Version > personVersion {
			r.person, errP = person{}, fmt.Errorf("playbook state of the person not readable, starting afresh: %w", cmp.Or(errP, errNewer))
		}
	}
	if r.session.People == nil {
		r.session.People = map[string]*standing{}
	}
	r.own, r.shared = r.session.People[st.User].ready(), r.session.Channel.ready()
	r.session.People[st.User], r.session.Channel = r.own, r.shared
	if r.person.Vars == nil {
		r.person.Vars = map[string]Value{}
	}
	return r, errors.Join(errS, errP)
}

// decode reads a session's part. What version 1 kept was of whoever wrote last, and
// the schema's migration has given it to them; a state without a row is the reader's.
func (s *session) decode(raw json.RawMessage, user string) error {
	if err := json.Unmarshal(raw, s); err != nil || s.Version != 1 {
		return err
	}
	var old oldSession
	if err := json.Unmarshal(raw, &old); err != nil {
		return err
	}
	for _, j := range []*journeyState{old.Journey, old.Parked} {
		if j != nil {
			old.Journeys = append(old.Journeys, j)
		}
	}
	s.People = map[string]*standing{user: &old.standing}
	return nil
}

// ready returns a standing whose maps can be written to.
func (s *standing) ready() *standing {
	if s == nil {
		s = &standing{}
	}
	if s.Vars == nil {
		s.Vars = map[string]Value{}
	}
	if s.Applied == nil {
		s.Applied = map[string]string{}
	}
	s.Journeys = slices.DeleteFunc(s.Journeys, func(j *journeyState) bool { return j == nil })
	return s
}

func (s *standing) empty() bool {
	return len(s.Lapsed) == 0 && len(s.Journeys)+len(s.Vars)+len(s.Applied)+len(s.Past) == 0 && s.Asked == ""
}

// write encodes a state; those who have nothing going on leave nothing.
func (r *record) write() (State, error) {
	s, p := session{Version: sessionVersion, People: maps.Clone(r.session.People)}, r.person
	maps.DeleteFunc(s.People, func(_ string, st *standing) bool { return st == nil || st.empty() })
	if !r.shared.empty() {
		s.Channel = r.shared
	}
	p.Version = personVersion
	a, err := json.Marshal(s)
	if err != nil {
		return State{}, fmt.Errorf("write session state: %w", err)
	}
	b, err := json.Marshal(p)
	if err != nil {
		return State{}, fmt.Errorf("write person state: %w", err)
	}
	return State{User: r.user, Session: a, Person: b}, nil
}

// Tags returns those that the owner gave the person.
func (st State) Tags() []string {
	r, _ := st.read()
	return r.person.Tags
}

// Tag gives a person a tag, or takes it away.
func (st State) Tag(tag string, on bool) (State, error) {
	r, err := st.read()
	if err != nil {
		return st, err
	}
	r.person.Tags = slices.DeleteFunc(r.person.Tags, func(t string) bool { return t == tag })
	if on {
		r.person.Tags = append(r.person.Tags, tag)
		slices.Sort(r.person.Tags)
	}
	return r.write()
}

// SetVariable stores a value from outside the matching, such as the tool
// set_variable: v.Name and v.Value are needed, and Source. The value is
// checked like any other; the error can be told to a model.
func (b *Book) SetVariable(st State, v Value) (State, error) {
	def, ok := b.variables[v.Name]
	if !ok {
		return st, fmt.Errorf("unknown variable %q%s", v.Name, sheet.Suggest(v.Name, sortedKeys(b.variables)))
	}
	var err error
	if v.Value, err = def.valid.Check(v.Value); err != nil {
		return st, fmt.Errorf("%s is not taken: %w", v.Name, err)
	}
	if v.Confidence <= 0 || v.Confidence > 1 {
		v.Confidence = 1
	}
	r, _ := st.read()
	r.store(def)[v.Name] = v
	return r.write()
}

// Variables lists what is known, in the order of the files, defaults included.
func (b *Book) Variables(st State) []Value {
	r, _ := st.read()
	var out []Value
	for _, def := range b.doc.Variables {
		if v, ok := def.known(r); ok {
			out = append(out, v)
		}
	}
	return out
}

// store returns where a variable is kept.
func (r *record) store(v *Variable) map[string]Value {
	switch {
	case v.PerPerson:
		return r.person.Vars
	case v.shared:
		return r.shared.Vars
	}
	return r.own.Vars
}

// known returns the variable's value, or its default.
func (v *Variable) known(r *record) (Value, bool) {
	if got, ok := r.store(v)[v.Name]; ok {
		return got, true
	}
	if v.fallback != nil {
		return Value{Name: v.Name, Value: v.fallback, Source: SourceDefault, Confidence: 1}, true
	}
	return Value{}, false
}
