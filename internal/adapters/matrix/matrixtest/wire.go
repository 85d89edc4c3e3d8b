package matrixtest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// problem is a refusal.
type problem struct {
	status int
	code   string
	after  time.Duration
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	path := r.URL.EscapedPath()
	s.mu.Lock()
	s.calls = append(s.calls, Call{r.Method, path + "?" + r.URL.RawQuery, string(body)})
	fault := s.fault(r.Method, path)
	refused := s.refused || r.Header.Get("Authorization") != "Bearer "+Token
	s.mu.Unlock()
	if refused {
		answer(w, http.StatusUnauthorized, map[string]any{"errcode": "M_UNKNOWN_TOKEN", "error": "Invalid access token"})
		return
	}
	if fault != nil && !fault.After {
		fail(w, fault)
		return
	}
	out, no := s.route(w, r, strings.Split(strings.TrimPrefix(path, "/_matrix/"), "/"), body)
	switch {
	case fault != nil:
		fail(w, fault)
	case no != nil:
		answer(w, no.status, map[string]any{"errcode": no.code, "error": "no", "retry_after_ms": no.after.Milliseconds()})
	case out != nil:
		answer(w, http.StatusOK, out)
	}
}

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

// fault returns the one that fits. The lock is held.
func (s *Server) fault(method, path string) *Fault {
	i := slices.IndexFunc(s.faults, func(f *Fault) bool {
		return (f.Method == "" || f.Method == method) && strings.Contains(path, f.Path)
	})
	if i < 0 {
		return nil
	}
	f := s.faults[i]
	if f.Times--; f.Times <= 0 {
		s.faults = slices.Delete(s.faults, i, i+1)
	}
	return f
}

func fail(w http.ResponseWriter, f *Fault) {
	switch {
	case f.Cut:
		panic(http.ErrAbortHandler)
	case f.Page:
		w.WriteHeader(f.Status)
		_, _ = io.WriteString(w, "<html>bad gateway</html>")
	default:
		answer(w, f.Status, map[string]any{"errcode": f.Code, "error": "no", "retry_after_ms": f.Wait.Milliseconds()})
	}
}

var (
	notFound  = &problem{status: http.StatusNotFound, code: "M_NOT_FOUND"}
	forbidden = &problem{status: http.StatusForbidden, code: "M_FORBIDDEN"}
	unknown   = &problem{status: http.StatusNotFound, code: "M_UNRECOGNIZED"}
)

// route serves a path below /_matrix, whose parts are escaped.
func (s *Server) route(w http.ResponseWriter, r *http.Request, parts []string, body []byte) (any, *problem) {
	for i := range parts {
		parts[i], _ = url.PathUnescape(parts[i])
	}
	at := strings.Join(parts[:min(3, len(parts))], "/")
	switch {
	case at == "client/v3/sync":
		return s.sync(r)
	case at == "client/v1/media" || at == "media/v3/upload":
		return s.files(w, r, parts[3:], body)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case at == "client/v3/account":
		return map[string]any{"user_id": Bot}, nil
	case at == "client/v3/profile":
		return map[string]any{"displayname": "Parley"}, nil
	case at == "client/v3/user" && r.Method == http.MethodPut:
		s.direct = body
		return struct{}{}, nil
	case at == "client/v3/user" && s.direct == nil:
		return nil, notFound
	case at == "client/v3/user":
		return s.direct, nil
	case at == "client/v3/createRoom":
		return s.create(body)
	case at == "client/v3/join" && len(parts) == 4:
		return s.join(parts[3])
	case at == "client/v3/rooms" && len(parts) > 4:
		return s.inRoom(r, parts[3], parts[4:], body)
	}
	return nil, unknown
}

func (s *Server) create(body []byte) (any, *problem) {
	var in struct{ Invite []string }
	_ = json.Unmarshal(body, &in)
	id := fmt.Sprintf("!room%d:example.org", len(s.rooms)+1)
	s.makeRoom(id, Bot, "")
	s.member(id, Bot, Bot, "join")
	for _, who := range in.Invite {
		s.member(id, Bot, who, "invite directly")
	}
	return map[string]any{"room_id": id}, nil
}

func (s *Server) join(id string) (any, *problem) {
	r := s.rooms[id]
	switch {
	case r == nil:
		return nil, notFound
	case r.members[Bot] == "invite" || r.state["m.room.join_rules|"].Content["join_rule"] == "public":
		s.member(id, Bot, Bot, "join")
	case r.members[Bot] != "join":
		return nil, forbidden
	}
	return map[string]any{"room_id": id}, nil
}

func (s *Server) inRoom(q *http.Request, id string, parts []string, body []byte) (any, *problem) {
	r := s.rooms[id]
	if r == nil || r.members[Bot] != "join" && parts[0] != "leave" {
		return nil, forbidden
	}
	switch parts[0] {
	case "leave":
		s.member(id, Bot, Bot, "leave")
		return struct{}{}, nil
	case "typing":
		s.typing[id] = strings.Contains(string(body), `"typing":true`)
		return struct{}{}, nil
	case "receipt":
		s.read[id] = parts[2]
		return struct{}{}, nil
	case "messages":
		return s.messages(q, id), nil
	case "event":
		if e := s.find(parts[1]); e != nil && e.Room == id {
			return e, nil
		}
		return nil, notFound
	case "state":
		if e := r.state[parts[1]+"|"+strings.Join(parts[2:], "/")]; e != nil {
			return e.Content, nil
		}
		return nil, notFound
	case "send", "redact":
		return s.send(id, parts, body)
	}
	return nil, unknown
}

func (s *Server) send(id string, parts []string, body []byte) (any, *problem) {
	if s.rooms[id].state["m.room.tombstone|"] != nil {
		return nil, forbidden
	}
	if len(body) > 64<<10 {
		return nil, &problem{status: http.StatusRequestEntityTooLarge, code: "M_TOO_LARGE"}
	}
	txn := id + " " + parts[2]
	if known := s.txns[txn]; known != "" {
		return map[string]any{"event_id": known}, nil
	}
	var e *Event
	if parts[0] == "redact" {
		e = s.redact(id, Bot, parts[1])
	} else {
		c := map[string]any{}
		_ = json.Unmarshal(body, &c)
		e = s.add(&Event{Room: id, Type: parts[1], Sender: Bot, Content: c})
	}
	s.txns[txn] = e.ID
	return map[string]any{"event_id": e.ID}, nil
}

// messages pages back through a room.
func (s *Server) messages(q *http.Request, id string) any {
	v := q.URL.Query()
	from, to := s.position(v.Get("from"), len(s.events)), s.position(v.Get("to"), 0)
	limit, _ := strconv.Atoi(v.Get("limit"))
	chunk, end := []*Event{}, ""
	for i := min(from, len(s.events)) - 1; i >= to; i-- {
		if e := s.events[i]; e.Room == id {
			if len(chunk) == limit {
				end = s.token(i + 1)
				break
			}
			chunk = append(chunk, e)
		}
	}
	out := map[string]any{"chunk": chunk, "start": v.Get("from")}
	if end != "" {
		out["end"] = end
	}
	return out
}

func (s *Server) token(at int) string { return fmt.Sprint("s", at+s.base) }

func (s *Server) position(token string, none int) int {
	n, err := strconv.Atoi(strings.TrimPrefix(token, "s"))
	if err != nil {
		return none
	}
	return n - s.base
}

// sync waits for something new.
func (s *Server) sync(r *http.Request) (any, *problem) {
	v := r.URL.Query()
	wait, _ := strconv.Atoi(v.Get("timeout"))
	over := time.After(time.Duration(wait) * time.Millisecond)
	var filter struct {
		Room struct {
			Timeline struct{ Limit int }
		}
	}
	_ = json.Unmarshal([]byte(v.Get("filter")), &filter)
	for {
		s.mu.Lock()
		if kept, ok := s.first[r.URL.RawQuery]; ok {
			s.mu.Unlock()
			return kept, nil
		}
		since := s.position(v.Get("since"), 0)
		if since > len(s.events) || since < 0 {
			s.mu.Unlock()
			return nil, &problem{status: http.StatusBadRequest, code: "M_UNKNOWN_POS"}
		}
		limit := filter.Room.Timeline.Limit
		if s.limit > 0 {
			limit = min(limit, s.limit)
		}
		out, news := s.since(since, limit, v.Get("since") == "")
		changed := s.changed
		if v.Get("since") == "" {
			s.first[r.URL.RawQuery] = out
		}
		s.mu.Unlock()
		if news || wait == 0 {
			return out, nil
		}
		select {
		case <-changed:
		case <-over:
			return out, nil
		case <-r.Context().Done():
			return nil, nil
		}
	}
}

// since returns what happened behind a position. The lock is held.
func (s *Server) since(since, limit int, all bool) (out map[string]any, news bool) {
	joined, invited, left := map[string]any{}, map[string]any{}, map[string]any{}
	for id, r := range s.rooms {
		var list, whole []*Event
		came := false
		for i, e := range s.events {
			if e.Room != id {
				continue
			}
			if whole = append(whole, e); i < since {
				continue
			}
			list = append(list, e)
			was, _ := e.Unsigned["prev_content"].(map[string]any)
			came = came || e.StateKey != nil && *e.StateKey == Bot && e.Content["membership"] == "join" && was["membership"] != "join"
		}
		if came { // real servers show what was said before we came, too
			list = whole
		}
		for _, e := range s.again {
			if e.Room == id && !all {
				list = append(list, e)
			}
		}
		if len(list) == 0 && !all {
			continue
		}
		switch r.members[Bot] {
		case "join":
			joined[id] = s.joinedRoom(r, list, limit, all)
		case "invite":
			invited[id] = map[string]any{"invite_state": map[string]any{"events": r.stateEvents()}}
		case "leave":
			if !all {
				left[id] = map[string]any{"timeline": map[string]any{"events": list}}
			}
		}
	}
	if !all {
		s.again = nil
	}
	out = map[string]any{"next_batch": s.token(len(s.events)),
		"rooms": map[string]any{"join": joined, "invite": invited, "leave": left}}
	if s.direct != nil {
		out["account_data"] = map[string]any{"events": []any{map[string]any{"type": "m.direct", "content": s.direct}}}
	}
	return out, len(joined)+len(invited)+len(left) > 0 || all
}

func (r *room) stateEvents() (list []*Event) {
	for _, e := range r.state {
		list = append(list, e)
	}
	slices.SortFunc(list, func(a, b *Event) int { return a.at - b.at })
	return list
}

func (s *Server) joinedRoom(r *room, list []*Event, limit int, all bool) any {
	heroes, members, invited := []string{}, 0, 0
	for who, m := range r.members {
		switch m {
		case "join":
			members++
		case "invite":
			invited++
		}
		if who != Bot && (m == "join" || m == "invite") && len(heroes) < 5 {
			heroes = append(heroes, who)
		}
	}
	slices.Sort(heroes)
	t := map[string]any{"events": list, "limited": false}
	if len(list) > limit {
		t = map[string]any{"events": list[len(list)-limit:], "limited": true, "prev_batch": s.token(list[len(list)-limit].at - 1)}
	}
	state := []*Event{}
	if all || len(list) > limit {
		state = r.stateEvents()
	}
	sum := map[string]any{}
	if all || slices.ContainsFunc(list, func(e *Event) bool { return e.Type == "m.room.member" }) { // otherwise it is as it was
		sum = map[string]any{"m.heroes": heroes, "m.joined_member_count": members, "m.invited_member_count": invited}
	}
	return map[string]any{"timeline": t, "state": map[string]any{"events": state}, "summary": sum}
}

// files serves and takes media.
func (s *Server) files(w http.ResponseWriter, r *http.Request, parts []string, body []byte) (any, *problem) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case r.Method == http.MethodPost:
		id := fmt.Sprint("up", len(s.media)+1)
		s.media[id] = body
		return map[string]any{"content_uri": "mxc://example.org/" + id}, nil
	case len(parts) == 1 && parts[0] == "config":
		return map[string]any{"m.upload.size": 1 << 20}, nil
	case len(parts) == 3 && s.media[parts[2]] != nil:
		_, _ = w.Write(s.media[parts[2]])
		return nil, nil
	}
	return nil, notFound
}
