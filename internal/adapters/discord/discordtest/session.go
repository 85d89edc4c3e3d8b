package discordtest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/gorilla/websocket"
)

// session is one that the gateway began: a share of all events.
type session struct {
	id    string
	shard [2]int  // which, of how many
	kept  []event // all of it, for RESUME
	seq   int64
}

// rules are what the gateway asks of those who begin sessions.
type rules struct {
	shards  int           // what it recommends; those that run are a multiple of it where strict
	atLeast int           // fewer have too many servers each
	strict  bool          // as with very large bots
	side    int           // max_concurrency
	pace    time.Duration // between two sessions of a bucket; 0 is none
	last    map[int]time.Time
}

// Start is a session that somebody asked for.
type Start struct {
	Shard [2]int // which, of how many
	At    time.Time
	Early bool // refused: the one before it in its bucket was too close
}

// Recommend says how many shards the bot should have. With fewer than least of them it is
// refused (4011), as it is in too many servers.
func (s *Server) Recommend(shards, least int) {
	s.with(func() { s.gw.rules.shards, s.gw.rules.atLeast = shards, least })
}

// Strict refuses numbers of shards that are no multiple of the recommended one (4010), as
// with very large bots.
func (s *Server) Strict() { s.with(func() { s.gw.rules.strict = true }) }

// Pace lets a session begin, in each of so many buckets, only so long after the one before.
func (s *Server) Pace(buckets int, d time.Duration) {
	s.with(func() { s.gw.rules.side, s.gw.rules.pace, s.gw.rules.last = buckets, d, map[int]time.Time{} })
}

// Starts returns the sessions that were asked for, refused ones too.
func (s *Server) Starts() (list []Start) {
	s.with(func() { list = slices.Clone(s.gw.starts) })
	return list
}

// Shards returns those that are connected now, by number and how many there are.
func (s *Server) Shards() (list [][2]int) {
	s.with(func() {
		for c := range s.gw.conns {
			list = append(list, c.session.shard)
		}
	})
	slices.SortFunc(list, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	return list
}

// Sessions returns the ids of those that are connected now.
func (s *Server) Sessions() (list []string) {
	s.with(func() {
		for c := range s.gw.conns {
			list = append(list, c.session.id)
		}
	})
	return list
}

// share returns which of n shards hears of an event: of a server always the same, and the
// first one of all that is in none.
func share(kind string, data json.RawMessage, n int) int {
	var about struct {
		ID    json.RawMessage `json:"id"`
		Guild json.RawMessage `json:"guild_id"`
	}
	_ = json.Unmarshal(data, &about) // odd events are in no server
	id := about.Guild
	if kind == "GUILD_CREATE" || kind == "GUILD_UPDATE" || kind == "GUILD_DELETE" {
		id = about.ID
	}
	guild, err := strconv.ParseUint(string(trimmed(id)), 10, 64)
	if err != nil {
		return 0
	}
	return int(guild >> 22 % uint64(n))
}

func trimmed(b []byte) []byte {
	if len(b) > 1 && b[0] == '"' {
		return b[1 : len(b)-1]
	}
	return b
}

// dispatch tells every session of an event that it is for. mu is held.
func (s *Server) dispatch(kind string, data json.RawMessage) {
	for _, one := range s.gw.sessions {
		if share(kind, data, one.shard[1]) == one.shard[0] {
			s.tell(one, kind, data)
		}
	}
}

// tell tells one session. mu is held.
func (s *Server) tell(one *session, kind string, data json.RawMessage) {
	one.seq++
	e := event{Seq: one.seq, Type: kind, Data: data}
	one.kept = append(one.kept, e)
	for c := range s.gw.conns {
		if c.session == one {
			c.send(e)
		}
	}
}

func (s *Server) identify(c *client, data json.RawMessage) {
	in := struct {
		Token   string  `json:"token"`
		Intents int     `json:"intents"`
		Shard   *[2]int `json:"shard"`
	}{Shard: &[2]int{0, 1}}
	_ = json.Unmarshal(data, &in) // judged below
	s.gw.identifies++
	start := Start{Shard: *in.Shard, At: time.Now()}
	code := s.gw.closeWith
	if s.revoked || in.Token != "Bot "+Token {
		code = 4004
	}
	if code == 0 {
		code = s.gw.rules.judge(start.Shard)
	}
	start.Early = code == 0 && s.gw.rules.early(start)
	s.gw.starts = append(s.gw.starts, start)
	switch {
	case code != 0:
		_ = c.ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, "refused"), time.Now().Add(time.Second))
	case s.gw.silent:
	case s.gw.lax || start.Early:
		c.send(event{Op: 9, Data: json.RawMessage("false")})
	default:
		s.begin(c, start.Shard)
	}
}

// judge returns the close code for a number of shards that may not be, else 0.
func (r *rules) judge(shard [2]int) int {
	switch {
	case shard[0] < 0 || shard[0] >= shard[1] || r.strict && shard[1]%r.shards != 0:
		return 4010
	case shard[1] < r.atLeast:
		return 4011
	}
	return 0
}

// early reports whether a session may not begin yet, and notes it otherwise.
func (r *rules) early(start Start) bool {
	if r.pace == 0 {
		return false
	}
	bucket := start.Shard[0] % r.side
	if start.At.Sub(r.last[bucket]) < r.pace {
		return true
	}
	r.last[bucket] = start.At
	return false
}

// begin begins a session. mu is held.
func (s *Server) begin(c *client, shard [2]int) {
	one := &session{id: fmt.Sprintf("session-%d", s.gw.identifies), shard: shard, seq: 1}
	s.gw.sessions[one.id] = one
	var mine []json.RawMessage
	unavailable := []any{}
	for _, g := range s.gw.guilds {
		b, _ := json.Marshal(g) // plain data
		if share("GUILD_CREATE", b, shard[1]) == shard[0] {
			mine = append(mine, b)
			unavailable = append(unavailable, map[string]any{"id": g["id"], "unavailable": true})
		}
	}
	ready, _ := json.Marshal(map[string]any{"v": 9, "session_id": one.id, "resume_gateway_url": s.gatewayURL(), "shard": shard,
		"user": map[string]any{"id": App, "username": "parley", "bot": true}, "application": map[string]any{"id": App}, "guilds": unavailable})
	c.session = one
	s.gw.conns[c] = true
	c.send(event{Seq: 1, Type: "READY", Data: ready})
	for _, b := range mine {
		s.tell(one, "GUILD_CREATE", b)
	}
}

func (s *Server) resume(c *client, data json.RawMessage) {
	var in struct {
		Session string `json:"session_id"`
		Seq     int64  `json:"seq"`
	}
	_ = json.Unmarshal(data, &in) // judged below
	if s.gw.deaf > 0 {
		s.gw.deaf--
		s.gw.unheard++
		return
	}
	one := s.gw.sessions[in.Session]
	if s.gw.invalid || one == nil {
		again, _ := json.Marshal(s.gw.maybe) // plain data
		s.gw.invalid, s.gw.maybe = false, false
		c.send(event{Op: 9, Data: again})
		return
	}
	for other := range s.gw.conns {
		if other.session == one { // a session has one connection
			_ = other.ws.Close()
			delete(s.gw.conns, other)
		}
	}
	s.gw.resumes++
	s.gw.resumed = append(s.gw.resumed, one.shard)
	c.session = one
	s.gw.conns[c] = true
	for _, e := range one.kept {
		if e.Seq > in.Seq {
			c.send(e)
		}
	}
	c.send(event{Seq: one.seq, Type: "RESUMED", Data: json.RawMessage("{}")})
}

// LoseShard ends the sessions of one shard, as Lose does all.
func (s *Server) LoseShard(id int) {
	s.with(func() {
		for c := range s.gw.conns {
			if c.session.shard[0] == id {
				_ = c.ws.Close()
				delete(s.gw.conns, c)
			}
		}
		for name, one := range s.gw.sessions {
			if one.shard[0] == id {
				delete(s.gw.sessions, name)
			}
		}
	})
}
