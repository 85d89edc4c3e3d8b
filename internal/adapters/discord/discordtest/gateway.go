package discordtest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// gateway is the state of the event side. Server.mu guards it.
type gateway struct {
	conns    map[*client]bool
	sessions map[string]*session
	Interval time.Duration
	guilds   []map[string]any
	address  string // told to clients; "" is the server's own
	rules    rules
	misdeeds
	seen
}

// misdeeds are what the gateway does wrong.
type misdeeds struct {
	mute      bool // answer no heartbeat
	invalid   bool // refuse the next RESUME
	maybe     bool // and say that it could be tried again
	deaf      int  // RESUMEs to leave without any answer
	lax       bool // op 9 to each IDENTIFY
	closeWith int  // close code instead of READY
	silent    bool // never say READY
}

// seen is what clients did.
type seen struct {
	starts     []Start
	resumed    [][2]int
	identifies int
	resumes    int
	unheard    int // RESUMEs that were left without an answer
	beats      []time.Time
	dials      []time.Time
}

type event struct {
	Op   int             `json:"op"`
	Seq  int64           `json:"s,omitempty"`
	Type string          `json:"t,omitempty"`
	Data json.RawMessage `json:"d"`
}

// client is one connection. gorilla allows one writer at a time.
type client struct {
	ws      *websocket.Conn
	session *session   // nil before READY and RESUMED
	mu      sync.Mutex // serializes writes
}

func (c *client) send(e event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_ = c.ws.WriteJSON(e) // a client that left is noticed by its reader
}

func newGateway() gateway {
	return gateway{conns: map[*client]bool{}, sessions: map[string]*session{}, Interval: 45 * time.Second,
		rules: rules{shards: 1, atLeast: 1, side: 1}}
}

// Heartbeat sets the interval of connections made from now on.
func (s *Server) Heartbeat(d time.Duration) { s.with(func() { s.gw.Interval = d }) }

// Mute stops or resumes answering heartbeats.
func (s *Server) Mute(on bool) { s.with(func() { s.gw.mute = on }) }

// Invalidate makes the next RESUME fail with op 9.
func (s *Server) Invalidate() { s.with(func() { s.gw.invalid = true }) }

// Retryable makes the next RESUME fail with an op 9 that says it could be tried
// again.
func (s *Server) Retryable() { s.with(func() { s.gw.invalid, s.gw.maybe = true, true }) }

// Deafen leaves so many RESUMEs without any answer, though heartbeats get
// theirs.
func (s *Server) Deafen(resumes int) { s.with(func() { s.gw.deaf = resumes }) }

// Refuse answers every IDENTIFY with op 9, as when there are too many.
func (s *Server) Refuse(on bool) { s.with(func() { s.gw.lax = on }) }

// Announce makes servers known in each READY from now on, and has them come
// after it.
func (s *Server) Announce(guilds ...map[string]any) { s.with(func() { s.gw.guilds = guilds }) }

// Lose ends the session: every connection is cut, and the next RESUME fails.
// What is said until then is in the history alone.
func (s *Server) Lose() {
	s.Drop()
	s.with(func() { clear(s.gw.sessions) })
}

// Silent makes connections hang before READY.
func (s *Server) Silent(on bool) { s.with(func() { s.gw.silent = on }) }

// RefuseWith closes new connections with a code instead of READY; 0 accepts.
func (s *Server) RefuseWith(code int) { s.with(func() { s.gw.closeWith = code }) }

// Identifies and Resumes count handshakes.
func (s *Server) Identifies() (n int) { s.with(func() { n = s.gw.identifies }); return n }

// Resumes counts continued sessions.
func (s *Server) Resumes() (n int) { s.with(func() { n = s.gw.resumes }); return n }

// Resumed returns the shards whose sessions were continued, one for each time.
func (s *Server) Resumed() (list [][2]int) {
	s.with(func() { list = slices.Clone(s.gw.resumed) })
	return list
}

// Unheard counts RESUMEs that were left without an answer.
func (s *Server) Unheard() (n int) { s.with(func() { n = s.gw.unheard }); return n }

// Connected counts connections that are past READY.
func (s *Server) Connected() (n int) { s.with(func() { n = len(s.gw.conns) }); return n }

// Beats returns the times of all heartbeats so far.
func (s *Server) Beats() (list []time.Time) {
	s.with(func() { list = append(list, s.gw.beats...) })
	return list
}

// Dials returns the times of all connections to the gateway so far.
func (s *Server) Dials() (list []time.Time) {
	s.with(func() { list = append(list, s.gw.dials...) })
	return list
}

// Behind tells clients that the gateway is at another address, such as a
// Line's, or one with wss:// before it.
func (s *Server) Behind(address string) { s.with(func() { s.gw.address = address }) }

// gatewayURL returns where clients connect. mu is held.
func (s *Server) gatewayURL() string {
	address := cmp.Or(s.gw.address, s.addr)
	if strings.Contains(address, "://") {
		return address + "/gw/"
	}
	return "ws://" + address + "/gw/"
}

// Drop cuts every connection without a close frame.
func (s *Server) Drop() {
	s.with(func() {
		for c := range s.gw.conns {
			_ = c.ws.Close()
			delete(s.gw.conns, c)
		}
	})
}

// CloseWith closes every connection with a code.
func (s *Server) CloseWith(code int) {
	s.with(func() {
		for c := range s.gw.conns {
			c.mu.Lock()
			_ = c.ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, "test"), time.Now().Add(time.Second))
			c.mu.Unlock()
			_ = c.ws.Close()
			delete(s.gw.conns, c)
		}
	})
}

// Reconnect sends op 7.
func (s *Server) Reconnect() {
	s.with(func() {
		for c := range s.gw.conns {
			c.send(event{Op: 7, Data: json.RawMessage("null")})
		}
	})
}

// Packet sends a packet as it is to whoever is connected; kind is the websocket's.
func (s *Server) Packet(kind int, packet []byte) {
	s.with(func() {
		for c := range s.gw.conns {
			c.mu.Lock()
			_ = c.ws.WriteMessage(kind, packet)
			c.mu.Unlock()
		}
	})
}

// Dispatch sends an event to whoever is connected and keeps it for RESUME.
func (s *Server) Dispatch(kind string, data any) {
	b, err := json.Marshal(data)
	if err != nil {
		panic(err) // the test's data
	}
	s.with(func() { s.dispatch(kind, b) })
}

// Message says something as a person; guild "" is a direct message. It returns
// the message's id.
func (s *Server) Message(guild, channel, user, text string) (id string) {
	s.with(func() {
		id = s.id()
		s.places[channel] = guild
		s.messages = append(s.messages, &Message{ID: id, Channel: channel, Author: user, Content: text})
		b, _ := json.Marshal(s.event(guild, channel, user, text, id)) // plain data
		s.dispatch("MESSAGE_CREATE", b)
	})
	return id
}

// Reply is what a person says in reply to another message: the one with the id To, or one
// that is gone if there is none. Guild "" is a direct message.
type Reply struct{ Guild, Channel, User, To, Text string }

// Reply says that and returns the message's id.
func (s *Server) Reply(r Reply) (id string) {
	s.with(func() {
		id = s.id()
		s.places[r.Channel] = r.Guild
		s.messages = append(s.messages, &Message{ID: id, Channel: r.Channel, Author: r.User, Content: r.Text, ReplyTo: r.To})
		e := s.event(r.Guild, r.Channel, r.User, r.Text, id)
		e["type"], e["message_reference"], e["referenced_message"] = 19, map[string]any{"message_id": r.To, "channel_id": r.Channel}, nil
		for _, m := range s.messages {
			if m.ID == r.To {
				e["referenced_message"] = s.event(r.Guild, r.Channel, m.Author, m.Content, r.To)
			}
		}
		b, _ := json.Marshal(e) // plain data
		s.dispatch("MESSAGE_CREATE", b)
	})
	return id
}

// Edit changes what a person wrote, where the message is still there.
func (s *Server) Edit(id, text string) {
	var e map[string]any
	s.with(func() {
		for _, m := range s.messages {
			if m.ID == id {
				m.Content = text
				e = s.event(s.places[m.Channel], m.Channel, m.Author, text, id)
			}
		}
	})
	if e == nil {
		return
	}
	e["edited_timestamp"] = time.Now().UTC().Format(time.RFC3339Nano)
	s.Dispatch("MESSAGE_UPDATE", e)
}

// Delete takes messages back, several at once as a moderator does.
func (s *Server) Delete(guild, channel string, ids ...string) {
	s.with(func() {
		s.messages = slices.DeleteFunc(s.messages, func(m *Message) bool { return slices.Contains(ids, m.ID) })
	})
	e := map[string]any{"channel_id": channel}
	if guild != "" {
		e["guild_id"] = guild
	}
	if len(ids) == 1 {
		e["id"] = ids[0]
		s.Dispatch("MESSAGE_DELETE", e)
		return
	}
	e["ids"] = ids
	s.Dispatch("MESSAGE_DELETE_BULK", e)
}

// Attach returns a Message with a file, which the server serves; voice says that it
// was spoken.
func (s *Server) Attach(channel, user, text string, f Attachment) (id string) {
	var e map[string]any
	s.with(func() {
		id = s.id()
		s.messages = append(s.messages, &Message{ID: id, Channel: channel, Author: user, Content: text})
		s.files[id] = f.Data
		e = s.event("", channel, user, text, id)
	})
	file := map[string]any{"id": id, "filename": f.Name, "content_type": f.MIME, "size": len(f.Data),
		"url": "http://" + s.addr + "/attachments/" + id + "?hm=signed"}
	if f.URL != "" {
		file["url"] = f.URL
	}
	e["attachments"] = []any{file}
	if f.Voice {
		e["flags"] = 1 << 13
	}
	s.Dispatch("MESSAGE_CREATE", e)
	return id
}

// Missed returns a Message whose event never comes: it was written while nobody
// was connected, and only the history knows it.
func (s *Server) Missed(channel, user, text string) (id string) {
	s.with(func() {
		id = s.id()
		s.messages = append(s.messages, &Message{ID: id, Channel: channel, Author: user, Content: text})
	})
	return id
}

func (s *Server) event(guild, channel, user, text, id string) map[string]any {
	e := map[string]any{"id": id, "channel_id": channel, "content": text, "type": 0, "timestamp": s.now().UTC().Format(time.RFC3339Nano),
		"author": map[string]any{"id": user, "username": "user" + user}}
	if guild != "" {
		e["guild_id"] = guild
	}
	return e
}

// Use is somebody using, or typing, a slash command.
type Use struct {
	Guild, Channel, User string // Guild "" is a direct chat
	Command              string // "name" or "name verb"
	Permissions          int64
	Options              [][2]string // names and values
	Company              bool        // outside of servers, and others read along
}

// Interaction uses a slash command and returns the interaction's id.
func (s *Server) Interaction(u Use) (id string) { return s.interact(u, 2) }

// Typing has typed so much of the last of a command's options. It returns the
// interaction's id.
func (s *Server) Typing(u Use) (id string) { return s.interact(u, 4) }

func (s *Server) interact(u Use, kind int) (id string) {
	s.with(func() { id = s.id() })
	opts := []map[string]any{}
	command, verb, ok := strings.Cut(u.Command, " ")
	for i, o := range u.Options {
		focused, of := kind == 4 && i == len(u.Options)-1, s.optionKind(command, verb, o[0])
		opt := map[string]any{"name": o[0], "type": of, "value": o[1], "focused": focused}
		if n, err := strconv.Atoi(o[1]); of == 4 && err == nil && !focused {
			opt["value"] = n
		}
		if focused {
			s.with(func() { s.focused[id] = of })
		}
		opts = append(opts, opt)
	}
	if ok {
		opts = []map[string]any{{"name": verb, "type": 1, "options": opts}}
	}
	e := map[string]any{"id": id, "application_id": App, "type": kind, "token": "tok" + id, "channel_id": u.Channel, "version": 1,
		"data": map[string]any{"id": "1", "name": command, "type": 1, "options": opts}}
	if u.Company {
		e["context"] = 2
	}
	s.by(e, u.Guild, u.User, u.Permissions)
	s.Dispatch("INTERACTION_CREATE", e)
	return id
}

// by says in an interaction who it comes from.
func (s *Server) by(e map[string]any, guild, user string, permissions int64) {
	who := map[string]any{"id": user, "username": "user" + user}
	s.with(func() { s.uses[e["token"].(string)] = Use{Guild: guild, Channel: e["channel_id"].(string), User: user} })
	if guild == "" {
		e["user"] = who
		return
	}
	e["guild_id"] = guild
	e["member"] = map[string]any{"user": who, "permissions": fmt.Sprint(permissions), "roles": []string{}}
}

// Press presses a button under a message.
func (s *Server) Press(guild, channel, user, message, customID string) (id string) {
	s.with(func() { id = s.id() })
	e := map[string]any{"id": id, "application_id": App, "type": 3, "token": "tok" + id, "channel_id": channel, "version": 1,
		"message": s.event(guild, channel, App, "", message), "data": map[string]any{"custom_id": customID, "component_type": 2}}
	s.by(e, guild, user, 0)
	s.Dispatch("INTERACTION_CREATE", e)
	return id
}

var upgrader = websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}

// maxGatewayPayload is what Discord takes from a client.
const maxGatewayPayload = 4096

func (s *Server) socket(w http.ResponseWriter, r *http.Request) {
	ws, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return
	}
	defer func() { _ = ws.Close() }()
	ws.SetReadLimit(maxGatewayPayload)
	c := &client{ws: ws}
	var interval time.Duration
	s.with(func() { interval, s.gw.dials = s.gw.Interval, append(s.gw.dials, time.Now()) })
	hello, _ := json.Marshal(map[string]int64{"heartbeat_interval": interval.Milliseconds()}) // plain data
	c.send(event{Op: 10, Data: hello})
	defer s.with(func() { delete(s.gw.conns, c); s.touch() })
	for {
		var e event
		if err := ws.ReadJSON(&e); err != nil {
			return
		}
		s.mu.Lock()
		s.take(c, e)
		s.touch()
		s.mu.Unlock()
	}
}

// take answers one packet. mu is held.
func (s *Server) take(c *client, e event) {
	switch e.Op {
	case 1:
		s.gw.beats = append(s.gw.beats, time.Now())
		if !s.gw.mute {
			c.send(event{Op: 11, Data: json.RawMessage("null")})
		}
	case 2:
		s.identify(c, e.Data)
	case 6:
		s.resume(c, e.Data)
	}
}
