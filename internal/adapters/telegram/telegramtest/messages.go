package telegramtest

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// SentMessage is a message of the bot as people see it now.
type SentMessage struct {
	Chat     int64
	Thread   int
	ID       int
	ReplyTo  int
	Text     string // or the caption of File
	Entities []Entity
	Buttons  [][]Button
	File     *File    // nil for a text message
	Edits    []string // earlier texts, oldest first
	Deleted  bool
}

// File is an uploaded or a served file.
type File struct {
	Name  string
	Data  []byte
	Voice bool // shown as somebody speaking
}

// Button is one button under a message.
type Button struct {
	Text string `json:"text"`
	Data string `json:"callback_data"`
	URL  string `json:"url"`
}

// Draft is one sendMessageDraft.
type Draft struct {
	Chat     int64
	Thread   int
	ID       int64
	Text     string
	Entities []Entity
}

// Action is one sendChatAction.
type Action struct {
	Chat   int64
	Thread int
	Action string
}

// Command is one entry of the bot's menu.
type Command struct {
	Command     string `json:"command"`
	Description string `json:"description"`
}

// room is one chat. Server.mu guards it.
type room struct {
	last     int
	known    map[int]bool // ids of existing messages
	mine     map[int]*SentMessage
	topics   map[int]bool
	blocked  string // "" or the 403 that every call gets
	migrated int64
}

// room returns a chat, known from now on. s.mu is held.
func (s *Server) room(id int64) *room {
	r := s.chats[id]
	if r == nil {
		r = &room{known: map[int]bool{}, mine: map[int]*SentMessage{}, topics: map[int]bool{}}
		s.chats[id] = r
	}
	return r
}

// Sent returns the bot's messages in the order they were sent.
func (s *Server) Sent() []SentMessage {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]SentMessage, len(s.sent))
	for i, m := range s.sent {
		list[i] = *m
	}
	return list
}

// Drafts returns the drafts shown so far.
func (s *Server) Drafts() []Draft {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.drafts)
}

// Actions returns the chat actions shown so far.
func (s *Server) Actions() []Action {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.actions)
}

// Menu returns the commands that were set for a scope: its type, or the id of a
// chat.
func (s *Server) Menu(scope string) []Command {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.menus[scope])
}

// Answered returns how often a callback query was answered.
func (s *Server) Answered(query string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.queries[query]
}

// Toast returns what a callback query was answered with, "" for no words.
func (s *Server) Toast(query string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.toasts[query]
}

// AddChat makes a chat known to the bot without a message.
func (s *Server) AddChat(id int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.room(id)
}

// Block makes every call for a chat fail with these words, such as "Forbidden: bot was
// blocked by the user", and with 403, or 400 if they begin with "Bad Request: "; "" ends it.
func (s *Server) Block(chat int64, words string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.room(chat).blocked = words
}

// DropTopic deletes a forum topic.
func (s *Server) DropTopic(chat int64, topic int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.room(chat).topics, topic)
}

// DropMessage deletes a message, as a person could.
func (s *Server) DropMessage(chat int64, id int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(s.room(chat), id)
}

func (s *Server) drop(r *room, id int) {
	if m := r.mine[id]; m != nil {
		m.Deleted = true
	}
	delete(r.mine, id)
	delete(r.known, id)
	s.touch()
}

// AddFile serves a file under an id; without Data it is known and yet gone.
func (s *Server) AddFile(id string, f File) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[id] = f
}

// Upgrade turns a group into a supergroup of which no update tells the bot, as when it
// was away for too long.
func (s *Server) Upgrade(from, to int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.room(from).migrated = to
	s.room(to)
}

// Migrate is Upgrade with both service messages.
func (s *Server) Migrate(from, to int64) {
	s.Upgrade(from, to)
	system := &User{ID: 1087968824, IsBot: true, FirstName: "Group"}
	s.Push(
		Update{Message: &Message{Chat: Chat{ID: from}, From: system, MigrateTo: to}},
		Update{Message: &Message{Chat: Chat{ID: to}, From: system, MigrateFrom: from}},
	)
}

func (q *request) number(field string) int64 {
	n, _ := strconv.ParseInt(q.fields[field], 10, 64)
	return n
}

func (q *request) chat() int64 { return q.number("chat_id") }

// destination finds the chat and topic a call is for. s.mu is held.
func (s *Server) destination(q *request) (*room, int, *problem) {
	if q.fields["chat_id"] == "" {
		return nil, 0, bad("chat_id is empty")
	}
	r := s.chats[q.chat()]
	switch {
	case r == nil:
		return nil, 0, bad("chat not found")
	case r.migrated != 0:
		p := bad("group chat was upgraded to a supergroup chat")
		p.migrateTo = r.migrated
		return nil, 0, p
	case strings.HasPrefix(r.blocked, "Bad Request: "):
		return nil, 0, bad("%s", strings.TrimPrefix(r.blocked, "Bad Request: "))
	case r.blocked != "":
		return nil, 0, &problem{code: http.StatusForbidden, text: r.blocked}
	}
	thread := int(q.number("message_thread_id"))
	if thread != 0 && !r.topics[thread] {
		return nil, 0, bad("message thread not found")
	}
	return r, thread, nil
}

// content reads text and entities under the given field names.
func (q *request) content(text, entities string, limit int) (string, []Entity, *problem) {
	body := q.fields[text]
	switch {
	case !utf8.ValidString(body):
		return "", nil, bad("strings must be encoded in UTF-8")
	case len(body) > 32768:
		return "", nil, bad("text is too long")
	case q.fields["parse_mode"] != "":
		return "", nil, bad("unsupported parse_mode")
	}
	list, p := parseEntities(body, q.fields[entities])
	if p != nil {
		return "", nil, p
	}
	trimmed := strings.TrimSpace(body)
	if units(trimmed) > limit {
		return "", nil, bad("message is too long")
	}
	return body, list, nil
}

// extras reads what a message answers and its buttons. s.mu is held.
func (q *request) extras(r *room) (reply int, buttons [][]Button, p *problem) {
	if raw := q.fields["reply_parameters"]; raw != "" {
		var to struct {
			ID    int  `json:"message_id"`
			Allow bool `json:"allow_sending_without_reply"`
		}
		if json.Unmarshal([]byte(raw), &to) != nil {
			return 0, nil, bad("can't parse reply parameters JSON object")
		}
		if r.known[to.ID] {
			reply = to.ID
		} else if !to.Allow {
			return 0, nil, bad("message to be replied not found")
		}
	}
	raw := q.fields["reply_markup"]
	if raw == "" {
		return reply, nil, nil
	}
	var markup struct {
		Rows [][]Button `json:"inline_keyboard"`
	}
	if json.Unmarshal([]byte(raw), &markup) != nil {
		return 0, nil, bad("can't parse reply keyboard markup JSON object")
	}
	for _, row := range markup.Rows {
		for _, b := range row {
			if b.Text == "" || (b.Data == "") == (b.URL == "") || len(b.Data) > 64 {
				return 0, nil, bad("BUTTON_DATA_INVALID")
			}
		}
	}
	return reply, markup.Rows, nil
}

func (s *Server) sendMessage(q *request) (any, *problem) {
	text, entities, p := q.content("text", "entities", 4096)
	if p != nil {
		return nil, p
	}
	if strings.TrimSpace(text) == "" {
		return nil, bad("message text is empty")
	}
	return s.place(q, SentMessage{Text: text, Entities: entities})
}

func (s *Server) sendDocument(q *request) (any, *problem) { return s.sendFile(q, "document") }

// sendVoice takes what Telegram shows as a voice message.
func (s *Server) sendVoice(q *request) (any, *problem) {
	f := q.files["voice"]
	switch kind := http.DetectContentType(f.Data); {
	case len(f.Data) == 0, kind == "application/ogg", kind == "audio/mpeg":
		return s.sendFile(q, "voice")
	default:
		return nil, bad("wrong type of a voice message: %s", kind)
	}
}

func (s *Server) sendFile(q *request, field string) (any, *problem) {
	caption, entities, p := q.content("caption", "caption_entities", 1024)
	if p != nil {
		return nil, p
	}
	f, ok := q.files[field]
	if !ok || len(f.Data) == 0 {
		return nil, bad("file must be non-empty")
	}
	if len(f.Data) > 50<<20 {
		return nil, &problem{code: http.StatusRequestEntityTooLarge, text: "Request Entity Too Large"}
	}
	f.Voice = field == "voice"
	return s.place(q, SentMessage{Text: caption, Entities: entities, File: &f})
}

// place puts a message into its chat.
func (s *Server) place(q *request, m SentMessage) (any, *problem) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, thread, p := s.destination(q)
	if p != nil {
		return nil, p
	}
	if m.ReplyTo, m.Buttons, p = q.extras(r); p != nil {
		return nil, p
	}
	r.last++
	m.Chat, m.Thread, m.ID = q.chat(), thread, r.last
	r.mine[m.ID], r.known[m.ID] = &m, true
	s.sent = append(s.sent, &m)
	s.touch()
	return s.view(&m), nil
}

// view returns the Message object the Bot API answers with.
func (s *Server) view(m *SentMessage) Message {
	return Message{
		ID: m.ID, Thread: m.Thread, IsTopic: m.Thread != 0, Text: m.Text, Entities: m.Entities, Date: s.opts.Now().Unix(),
		Chat: Chat{ID: m.Chat, Type: chatType(Chat{ID: m.Chat}, false)},
		From: &User{ID: s.botID, IsBot: true, FirstName: "Parley", Username: s.opts.Username},
	}
}

func (s *Server) editMessageText(q *request) (any, *problem) {
	text, entities, p := q.content("text", "entities", 4096)
	if p != nil {
		return nil, p
	}
	if strings.TrimSpace(text) == "" {
		return nil, bad("message text is empty")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r, _, p := s.destination(q)
	if p != nil {
		return nil, p
	}
	m := r.mine[int(q.number("message_id"))]
	if m == nil || m.File != nil {
		return nil, bad("message to edit not found")
	}
	_, buttons, p := q.extras(r)
	if p != nil {
		return nil, p
	}
	if m.Text == text && slices.Equal(m.Entities, entities) && slices.EqualFunc(m.Buttons, buttons, slices.Equal) {
		return nil, bad("message is not modified: specified new message content and reply markup are exactly the same as a " +
			"current content and reply markup of the message")
	}
	m.Edits = append(slices.Clip(m.Edits), m.Text)
	m.Text, m.Entities, m.Buttons = text, entities, buttons
	s.touch()
	return s.view(m), nil
}

func (s *Server) deleteMessage(q *request) (any, *problem) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, _, p := s.destination(q)
	if p != nil {
		return nil, p
	}
	id := int(q.number("message_id"))
	if !r.known[id] {
		return nil, bad("message to delete not found")
	}
	s.drop(r, id)
	return true, nil
}

func (s *Server) sendMessageDraft(q *request) (any, *problem) {
	text, entities, p := q.content("text", "entities", 4096)
	if p != nil {
		return nil, p
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, thread, p := s.destination(q)
	switch {
	case p != nil:
		return nil, p
	case q.chat() < 0:
		return nil, bad("TEXTDRAFT_PEER_INVALID")
	case q.number("draft_id") == 0:
		return nil, bad("TEXTDRAFT_ID_INVALID")
	}
	s.drafts = append(s.drafts, Draft{q.chat(), thread, q.number("draft_id"), text, entities})
	s.touch()
	return true, nil
}

var actions = regexp.MustCompile(`^(typing|upload_(photo|video|voice|document)|choose_sticker)$`)

func (s *Server) sendChatAction(q *request) (any, *problem) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, thread, p := s.destination(q)
	if p != nil {
		return nil, p
	}
	if !actions.MatchString(q.fields["action"]) {
		return nil, bad("wrong parameter action in request")
	}
	s.actions = append(s.actions, Action{q.chat(), thread, q.fields["action"]})
	s.touch()
	return true, nil
}
