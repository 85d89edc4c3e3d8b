package playbook

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"parley/internal/playbook/sheet"
)

// Errors of the journey commands.
var (
	ErrAlreadyActive  = errors.New("this journey is under way")
	ErrNoJourney      = errors.New("no journey is under way")
	ErrUnknownJourney = errors.New("unknown journey")
)

// Start begins a journey by command or tool; one that is under way waits beside it,
// and one that was put aside or left is taken up again. ErrAlreadyActive and
// ErrUnknownJourney leave st as it was. Guide with the new state and no text gives the
// instructions for its step.
func (b *Book) Start(st State, id string, now time.Time) (State, error) {
	j, ok := b.journeys[id]
	if !ok {
		return st, fmt.Errorf("%w %q%s", ErrUnknownJourney, id, sheet.Suggest(id, sortedKeys(b.journeys)))
	}
	r, _ := st.read()
	s := r.home(j)
	if at := s.front(); at != nil && at.ID == id {
		return st, fmt.Errorf("%w: %s", ErrAlreadyActive, id)
	}
	if old := s.open(id); old != nil {
		s.takeUp(old, now)
	} else {
		s.begin(j, now)
	}
	return r.write()
}

// Stop abandons a journey because somebody asked for it, the one in front with id "";
// ErrNoJourney when there is none.
func (b *Book) Stop(st State, id string, now time.Time) (State, error) {
	r, _ := st.read()
	for _, s := range []*standing{r.own, r.shared} {
		i := slices.IndexFunc(s.Journeys, func(j *journeyState) bool { return j.alive() && (id == "" || j.ID == id) })
		if i >= 0 {
			s.finish(s.Journeys[i], Abandoned, "stopped", now)
			return r.write()
		}
	}
	return st, ErrNoJourney
}

// Abandon ends everybody's journeys because their session expired.
func (b *Book) Abandon(st State, now time.Time) (State, error) {
	r, _ := st.read()
	for _, s := range append(slices.Collect(maps.Values(r.session.People)), r.shared) {
		for _, j := range slices.Clone(s.Journeys) {
			if j.alive() {
				s.finish(j, Abandoned, sessionExpired, now)
			}
		}
	}
	return r.write()
}

// sessionExpired is the reason of a journey that nobody ended.
const sessionExpired = "the session expired"

// maxLapsed is how long people are told of a journey that expired.
const maxLapsed = 7 * 24 * time.Hour

// Succeed returns the state of a session that begins after another: whose journeys expired
// with it, so that they can be told. It is nil if nobody's did.
func (b *Book) Succeed(before json.RawMessage, now time.Time) json.RawMessage {
	old, _ := State{Session: before}.read()
	next := session{Version: sessionVersion, People: map[string]*standing{}}
	for who, s := range old.session.People {
		if l := s.lapsed(now); len(l) > 0 {
			next.People[who] = &standing{Lapsed: l}
		}
	}
	if l := old.shared.lapsed(now); len(l) > 0 {
		next.Channel = &standing{Lapsed: l}
	}
	if len(next.People) == 0 && next.Channel == nil {
		return nil
	}
	raw, err := json.Marshal(next)
	if err != nil {
		return nil // of names and times
	}
	return raw
}

// lapsed lists the journeys that expired with a session, and those of the one before that
// nobody was told of.
func (s *standing) lapsed(now time.Time) (list []ended) {
	if s == nil {
		return nil
	}
	for _, j := range s.Journeys {
		if j.Status == Abandoned && j.Reason == sessionExpired {
			list = append(list, ended{j.ID, j.Status, j.Ended})
		}
	}
	list = append(list, s.Lapsed...)
	return slices.DeleteFunc(list, func(e ended) bool { return now.Sub(e.At) > maxLapsed })
}

// tellLapsed tells the person, with the first message they send, of journeys that expired;
// one that begins with it again needs no words.
func (t *turn) tellLapsed() (notice string) {
	if t.sit.Text == "" {
		return ""
	}
	for _, k := range t.tracks {
		for _, e := range k.Lapsed {
			def := t.book.journeys[e.ID]
			if def == nil {
				continue
			}
			t.why("journey %q had ended before this message: the conversation was silent too long", def.Name)
			if k.open(e.ID) == nil && !k.past(e.ID) {
				notice += "\n" + t.says.Say("“%s” had ended: nothing was said for too long. It begins again with `/journey start %s`.", def.Name, e.ID)
			}
		}
		k.Lapsed = nil
	}
	return strings.TrimSpace(notice)
}

// home returns where a journey is kept: with the person, or with the channel.
func (r *record) home(j *Journey) *standing {
	if j.shared() {
		return r.shared
	}
	return r.own
}

// front returns the journey that is in front, nil for none.
func (s *standing) front() *journeyState {
	if len(s.Journeys) > 0 && s.Journeys[0].Status == Active {
		return s.Journeys[0]
	}
	return nil
}

// open returns a journey that can be taken up again, nil for none.
func (s *standing) open(id string) *journeyState {
	i := slices.IndexFunc(s.Journeys, func(j *journeyState) bool { return j.ID == id && (j.alive() || j.Status == Left) })
	if i < 0 {
		return nil
	}
	return s.Journeys[i]
}

func (s *standing) begin(def *Journey, now time.Time) {
	s.toFront(&journeyState{ID: def.ID, Status: Active, Step: def.InitialStep, Started: now, Entered: now})
}

// takeUp goes on with a journey where it stood.
func (s *standing) takeUp(j *journeyState, now time.Time) {
	if j.Status == Left {
		j.Entered, j.Ended = now, time.Time{}
	}
	j.Status, j.Reason = Active, ""
	s.toFront(j)
}

// toFront puts a journey before the others. The one that was in front waits, and what
// was over goes.
func (s *standing) toFront(j *journeyState) {
	if old := s.front(); old != nil && old != j {
		old.Status = Waiting
	}
	left := 0
	s.Journeys = slices.DeleteFunc(s.Journeys, func(o *journeyState) bool {
		if o.Status == Left {
			left++
		}
		return o == j || !o.alive() && o.Status != Left || left > maxLeft
	})
	s.Journeys = slices.Insert(s.Journeys, 0, j)
	s.Asked = ""
}

// finish ends a journey. The one that waited last comes to the front.
func (s *standing) finish(j *journeyState, as Status, reason string, now time.Time) {
	j.leave(now)
	j.Status, j.Reason, j.Ended = as, reason, now
	s.Asked = ""
	if as != Left {
		s.Past = append(s.Past, ended{j.ID, as, now})
		s.Past = s.Past[max(0, len(s.Past)-maxPast):]
	}
	s.promote()
}

// promote brings a waiting journey to the front when none is there.
func (s *standing) promote() {
	if s.front() != nil {
		return
	}
	if i := slices.IndexFunc(s.Journeys, func(j *journeyState) bool { return j.Status == Waiting }); i >= 0 {
		j := s.Journeys[i]
		j.Status = Active
		s.Journeys = slices.Insert(slices.Delete(s.Journeys, i, i+1), 0, j)
	}
}

func (s *standing) past(id string) bool {
	return slices.ContainsFunc(s.Past, func(e ended) bool { return e.ID == id })
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
			if s.IsTerminal || slices.ContainsFunc(s.Transitions, func(t *Transition) bool { return ends[t.ToStep] }) {
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
