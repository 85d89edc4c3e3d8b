package matrix

import (
	"encoding/json"
	"slices"
	"sync"

	"maunium.net/go/mautrix/event"
)

// room is what we know of one room that we are in.
type room struct {
	title     string
	alias     string
	public    bool // anybody may join it
	world     bool // anybody may read it
	encrypted bool
	successor string // of a room that was upgraded; "" for none
	joined    int    // members, we among them
	invited   int
	heroes    []string // some members other than us
	names     map[string]string
}

// peer returns the only other member, "" where there are more or others may read along.
func (r *room) peer() string {
	if r == nil || r.joined+r.invited != 2 || len(r.heroes) == 0 || r.public || r.world {
		return ""
	}
	return r.heroes[0]
}

// hears notes who speaks: of a room with a name, servers do not say who the only other member is.
func (r *room) hears(who string) {
	if r.joined == 2 && r.invited == 0 && len(r.heroes) == 0 {
		r.heroes = []string{who}
	}
}

func (r *room) called() string {
	if r.title != "" {
		return r.title
	}
	return r.alias
}

// rooms are those that we are in.
type rooms struct {
	mu      sync.Mutex // guards the rest
	byID    map[string]*room
	directs map[string][]string // by person, as m.direct has them
}

// with runs f on a room, or on nil.
func (rs *rooms) with(id string, f func(*room)) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	f(rs.byID[id])
}

// known reports whether we are in a room.
func (rs *rooms) known(id string) (yes bool) {
	rs.with(id, func(r *room) { yes = r != nil })
	return yes
}

// peer returns the only other member of a room.
func (rs *rooms) peer(id string) (who string) {
	rs.with(id, func(r *room) { who = r.peer() })
	return who
}

// direct returns the rooms that a person and we have alone, those of m.direct first.
func (rs *rooms) direct(person string) (list []string) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	for i := len(rs.directs[person]) - 1; i >= 0; i-- { // the newest is the last
		if id := rs.directs[person][i]; rs.byID[id].peer() == person {
			list = append(list, id)
		}
	}
	var others []string
	for id, r := range rs.byID {
		if r.peer() == person && !slices.Contains(list, id) {
			others = append(others, id)
		}
	}
	slices.Sort(others)
	return append(list, others...)
}

// absorb takes over what a sync says about rooms, but for their timelines.
func (rs *rooms) absorb(r *syncReply) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if rs.byID == nil {
		rs.byID = map[string]*room{}
	}
	for _, e := range r.Account.Events {
		if e.Type == event.AccountDataDirectChats.Type {
			directs := map[string][]string{}
			if json.Unmarshal(e.Content, &directs) == nil {
				rs.directs = directs
			}
		}
	}
	for id, j := range r.Rooms.Join {
		one := rs.byID[id]
		if one == nil {
			one = &room{names: map[string]string{}}
			rs.byID[id] = one
		}
		one.summarize(j.Summary)
		for i := range j.State.Events {
			one.state(&j.State.Events[i])
		}
	}
	for id := range r.Rooms.Leave {
		delete(rs.byID, id)
	}
}

func (r *room) summarize(s summary) {
	if s.Joined != nil {
		r.joined = *s.Joined
	}
	if s.Invited != nil {
		r.invited = *s.Invited
	}
	if s.Heroes != nil {
		r.heroes = s.Heroes
	}
}

// note takes over a state event of a timeline.
func (rs *rooms) note(id string, e *wireEvent) {
	rs.with(id, func(r *room) {
		if r != nil {
			r.state(e)
		}
	})
}

// maxNames bounds the names that are known of the members of one room.
const maxNames = 5000

func (r *room) state(e *wireEvent) {
	if e.StateKey == nil {
		return
	}
	var c struct {
		Name      string `json:"name"`
		Alias     string `json:"alias"`
		JoinRule  string `json:"join_rule"`
		Visible   string `json:"history_visibility"`
		Successor string `json:"replacement_room"`
		Shown     string `json:"displayname"`

		Membership string `json:"membership"`
	}
	_ = json.Unmarshal(e.Content, &c) // what others wrote; what does not fit is left out
	switch e.Type {
	case event.StateRoomName.Type:
		r.title = c.Name
	case event.StateCanonicalAlias.Type:
		r.alias = c.Alias
	case event.StateJoinRules.Type:
		r.public = c.JoinRule == "public"
	case event.StateHistoryVisibility.Type:
		r.world = c.Visible == "world_readable"
	case event.StateEncryption.Type:
		r.encrypted = true
	case event.StateTombstone.Type:
		r.successor = c.Successor
	case event.StateMember.Type:
		if c.Membership != "join" && c.Membership != "invite" {
			r.heroes = slices.DeleteFunc(slices.Clone(r.heroes), func(who string) bool { return who == *e.StateKey })
		}
		if len(r.names) >= maxNames {
			clear(r.names)
		}
		r.names[*e.StateKey] = c.Shown
	}
}

// name returns what somebody is called in a room.
func (rs *rooms) name(id, who string) (name string) {
	rs.with(id, func(r *room) {
		if r != nil {
			name = r.names[who]
		}
	})
	return name
}
