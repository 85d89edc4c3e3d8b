package telegramtest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"parley/internal/text"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
)

// Update is one update to push: exactly one of its fields is set.
type Update struct {
	ID                int64    `json:"update_id"`
	Message           *Message `json:"message,omitempty"`
	EditedMessage     *Message `json:"edited_message,omitempty"`
	ChannelPost       *Message `json:"channel_post,omitempty"`
	EditedChannelPost *Message `json:"edited_channel_post,omitempty"`
	CallbackQuery     *Query   `json:"callback_query,omitempty"`
	// Raw is sent as it is, its `"update_id":0` replaced.
	Raw string `json:"-"`
}

// Message is what a bot sees of a message; Push fills in ID, Date, Chat.Type
// and the entities of commands and mentions where they are missing.
type Message struct {
	ID                 int             `json:"message_id"`
	Thread             int             `json:"message_thread_id,omitempty"`
	IsTopic            bool            `json:"is_topic_message,omitempty"`
	From               *User           `json:"from,omitempty"`
	SenderChat         *Chat           `json:"sender_chat,omitempty"`
	Chat               Chat            `json:"chat"`
	Date               int64           `json:"date"`
	EditDate           int64           `json:"edit_date,omitempty"`
	Text               string          `json:"text,omitempty"`
	Entities           []Entity        `json:"entities,omitempty"`
	Album              string          `json:"media_group_id,omitempty"`
	Caption            string          `json:"caption,omitempty"`
	CaptionEntities    []Entity        `json:"caption_entities,omitempty"`
	ReplyTo            *Message        `json:"reply_to_message,omitempty"`
	Quote              json.RawMessage `json:"quote,omitempty"`
	ForwardOrigin      json.RawMessage `json:"forward_origin,omitempty"`
	IsAutomaticForward bool            `json:"is_automatic_forward,omitempty"`
	ViaBot             *User           `json:"via_bot,omitempty"`
	ForumTopicCreated  json.RawMessage `json:"forum_topic_created,omitempty"`
	Photo              json.RawMessage `json:"photo,omitempty"`
	Document           json.RawMessage `json:"document,omitempty"`
	Voice              json.RawMessage `json:"voice,omitempty"`
	Audio              json.RawMessage `json:"audio,omitempty"`
	Video              json.RawMessage `json:"video,omitempty"`
	Sticker            json.RawMessage `json:"sticker,omitempty"`
	Location           json.RawMessage `json:"location,omitempty"`
	NewChatTitle       string          `json:"new_chat_title,omitempty"`
	MigrateTo          int64           `json:"migrate_to_chat_id,omitempty"`
	MigrateFrom        int64           `json:"migrate_from_chat_id,omitempty"`
}

// User is a person or a bot.
type User struct {
	ID        int64  `json:"id"`
	IsBot     bool   `json:"is_bot"`
	FirstName string `json:"first_name"`
	LastName  string `json:"last_name,omitempty"`
	Username  string `json:"username,omitempty"`
	Language  string `json:"language_code,omitempty"`
}

// Chat is a private chat (id > 0), a group, a supergroup or a channel.
type Chat struct {
	ID    int64  `json:"id"`
	Type  string `json:"type"`
	Title string `json:"title,omitempty"`
}

// Query is a pressed button.
type Query struct {
	ID      string   `json:"id"`
	From    User     `json:"from"`
	Message *Message `json:"message,omitempty"`
	Data    string   `json:"data,omitempty"`
}

// Text is somebody writing text; a private chat has the person's own id.
func Text(chat, user int64, text string) Update {
	return Update{Message: &Message{
		Chat: Chat{ID: chat}, From: &User{ID: user, FirstName: "User " + strconv.FormatInt(user, 10)}, Text: text,
	}}
}

// TopicText is Text in a forum topic.
func TopicText(chat int64, topic int, user int64, text string) Update {
	u := Text(chat, user, text)
	u.Message.Thread, u.Message.IsTopic = topic, true
	return u
}

// Edit is somebody changing the message id.
func Edit(chat, user int64, id int, text string) Update {
	m := Text(chat, user, text).Message
	m.ID = id
	return Update{EditedMessage: m}
}

// Press is somebody pressing a button on the bot's message id.
func Press(chat, user int64, id int, query, data string) Update {
	m := &Message{ID: id, Chat: Chat{ID: chat}, Date: 1}
	return Update{CallbackQuery: &Query{ID: query, From: User{ID: user, FirstName: "Presser"}, Message: m, Data: data}}
}

// Raw returns an update given as JSON, its `"update_id":0` replaced.
func Raw(raw string) Update { return Update{Raw: raw} }

func (u *Update) kind() (string, *Message) {
	switch {
	case u.Message != nil:
		return "message", u.Message
	case u.EditedMessage != nil:
		return "edited_message", u.EditedMessage
	case u.ChannelPost != nil:
		return "channel_post", u.ChannelPost
	case u.EditedChannelPost != nil:
		return "edited_channel_post", u.EditedChannelPost
	case u.CallbackQuery != nil:
		return "callback_query", u.CallbackQuery.Message
	}
	return "", nil
}

// queue holds updates until they are confirmed.
type queue struct {
	next    int64
	waiting []stored
	wake    chan struct{} // closed when something is pushed
	rival   chan struct{} // closed when another poll takes over; nil without one
	offset  int64
	started time.Time
	ended   time.Time
	allowed []string
}

type stored struct {
	id   int64
	data json.RawMessage
}

// Push makes updates available and returns the id of the last one.
func (s *Server) Push(updates ...Update) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := &s.inbound
	for _, u := range updates {
		kind, m := u.kind()
		if kind != "" && q.allowed != nil && !slices.Contains(q.allowed, kind) {
			continue
		}
		u.ID = q.next
		q.next++
		if m != nil {
			s.complete(kind, m)
		}
		if u.CallbackQuery != nil {
			s.queries[u.CallbackQuery.ID] = 0
		}
		data := []byte(strings.Replace(u.Raw, `"update_id":0`, `"update_id":`+strconv.FormatInt(u.ID, 10), 1))
		if u.Raw == "" {
			data, _ = json.Marshal(u)
		}
		q.waiting = append(q.waiting, stored{u.ID, data})
	}
	close(q.wake)
	q.wake = make(chan struct{})
	return q.next - 1
}

// Waiting returns the number of updates not confirmed.
func (s *Server) Waiting() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.inbound.waiting)
}

// Polling reports whether a getUpdates is being held.
func (s *Server) Polling() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.inbound.rival != nil
}

// complete fills in what Telegram fills in. s.mu is held.
func (s *Server) complete(kind string, m *Message) {
	now := s.opts.Now().Unix()
	m.Chat.Type = chatType(m.Chat, strings.HasSuffix(kind, "channel_post"))
	r := s.room(m.Chat.ID)
	if m.ID == 0 {
		r.last++
		m.ID = r.last
	}
	r.last = max(r.last, m.ID)
	if m.Thread != 0 && m.IsTopic {
		r.topics[m.Thread] = true
	}
	if m.Date == 0 {
		m.Date = now
	}
	if strings.HasPrefix(kind, "edited") && m.EditDate == 0 {
		m.EditDate = now
	}
	if m.Entities == nil {
		m.Entities = detect(m.Text)
	}
	if m.CaptionEntities == nil {
		m.CaptionEntities = detect(m.Caption)
	}
	r.known[m.ID] = true
}

func chatType(c Chat, channel bool) string {
	switch {
	case c.Type != "":
		return c.Type
	case c.ID > 0:
		return "private"
	case channel:
		return "channel"
	case c.ID < -1_000_000_000_000:
		return "supergroup"
	}
	return "group"
}

var detected = text.Pattern(`(?:^|[^A-Za-z0-9_/@])(/[A-Za-z0-9_]{1,64}(?:@[A-Za-z0-9_]{3,32})?|@[A-Za-z0-9_]{4,32})`)

// detect finds commands and mentions as Telegram does.
func detect(text string) (list []Entity) {
	for _, m := range detected().FindAllStringSubmatchIndex(text, -1) {
		kind := "mention"
		if text[m[2]] == '/' {
			kind = "bot_command"
		}
		list = append(list, Entity{Type: kind, Offset: units(text[:m[2]]), Length: units(text[m[2]:m[3]])})
	}
	return list
}

func units(s string) int { return len(utf16.Encode([]rune(s))) }

func (s *Server) getUpdates(q *request) (any, *problem) {
	offset, limit, timeout := q.number("offset"), q.number("limit"), q.number("timeout")
	if limit <= 0 || limit > 100 {
		limit = 100
	}
	wait := time.Duration(min(max(timeout, 0), 50)) * time.Second
	s.mu.Lock()
	in := &s.inbound
	if s.hook.url != "" {
		s.mu.Unlock()
		return nil, &problem{code: http.StatusConflict,
			text: "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first"}
	}
	if allowed := q.fields["allowed_updates"]; allowed != "" {
		if json.Unmarshal([]byte(allowed), &in.allowed) != nil {
			s.mu.Unlock()
			return nil, bad("can't parse allowed updates JSON object")
		}
	}
	now := time.Now()
	if offset == in.offset && wait < 3*time.Second && now.Sub(in.started) < 3*time.Second {
		wait = 3 * time.Second
	}
	if offset == in.offset && now.Sub(in.ended) < 500*time.Millisecond {
		limit = 1
	}
	in.offset, in.started = offset, now
	if in.rival != nil {
		close(in.rival)
	}
	mine := make(chan struct{})
	in.rival = mine
	in.confirm(offset)
	s.touch()
	s.mu.Unlock()
	return s.hold(q, mine, wait, int(limit))
}

// hold answers a poll as soon as there is something, or after wait.
func (s *Server) hold(q *request, mine chan struct{}, wait time.Duration, limit int) (any, *problem) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for over := wait == 0; ; {
		s.mu.Lock()
		in := &s.inbound
		if len(in.waiting) > 0 || over {
			list := make([]json.RawMessage, 0, min(limit, len(in.waiting)))
			for _, u := range in.waiting[:min(limit, len(in.waiting))] {
				list = append(list, u.data)
			}
			if in.rival == mine {
				in.rival = nil
			}
			in.ended = time.Now()
			s.mu.Unlock()
			return list, nil
		}
		wake := in.wake
		s.mu.Unlock()
		select {
		case <-wake:
		case <-timer.C:
			over = true
		case <-mine:
			return nil, &problem{code: http.StatusConflict,
				text: "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"}
		case <-q.http.Context().Done():
			return s.abandon(mine)
		case <-s.closing:
			return s.abandon(mine)
		}
	}
}

// abandon ends a poll whose caller is gone: it must not take updates with it.
func (s *Server) abandon(mine chan struct{}) (any, *problem) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.inbound.rival == mine {
		s.inbound.rival = nil
	}
	return []json.RawMessage{}, nil
}

// confirm drops the updates below offset; a negative one counts from the end
// and drops all before it. s.mu is held.
func (in *queue) confirm(offset int64) {
	if offset < 0 {
		in.waiting = in.waiting[max(0, len(in.waiting)+int(offset)):]
		return
	}
	n := 0
	for n < len(in.waiting) && in.waiting[n].id < offset {
		n++
	}
	in.waiting = in.waiting[n:]
}

// webhook is where updates are posted instead.
type webhook struct {
	url, secret string
	stop        chan struct{}
}

var secretForm = text.Pattern(`^[A-Za-z0-9_-]{0,256}$`)

func (s *Server) setWebhook(q *request) (any, *problem) {
	url := q.fields["url"]
	switch {
	case url != "" && !strings.HasPrefix(url, "https://") && !strings.HasPrefix(url, "http://127.0.0.1:"):
		return nil, bad("bad webhook: An HTTPS URL must be provided for webhook")
	case !secretForm().MatchString(q.fields["secret_token"]):
		return nil, bad("secret token contains unallowed characters")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unhook(q.fields["drop_pending_updates"] == "true")
	if url != "" {
		s.hook = webhook{url, q.fields["secret_token"], make(chan struct{})}
		h := s.hook
		s.posts.Go(func() { s.post(h) })
	}
	return true, nil
}

// leaveChat ends what a chat knows of the bot; the real server knows no way back.
func (s *Server) leaveChat(q *request) (any, *problem) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if id, err := strconv.ParseInt(q.fields["chat_id"], 10, 64); err != nil || id >= 0 {
		return nil, bad("chat member status can't be changed in private chats")
	}
	return true, nil
}

func (s *Server) deleteWebhook(q *request) (any, *problem) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unhook(q.fields["drop_pending_updates"] == "true")
	return true, nil
}

// unhook ends posting. s.mu is held.
func (s *Server) unhook(drop bool) {
	if s.hook.stop != nil {
		close(s.hook.stop)
	}
	s.hook = webhook{}
	if drop {
		s.inbound.waiting = nil
	}
}

// post delivers updates one after the other until it is stopped.
func (s *Server) post(h webhook) {
	client := &http.Client{Timeout: time.Minute, Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	pause := time.Duration(0)
	for {
		s.mu.Lock()
		wake, waiting := s.inbound.wake, s.inbound.waiting
		s.mu.Unlock()
		if len(waiting) > 0 && pause == 0 {
			if pause = s.postOne(client, h, waiting[0]); pause == 0 {
				s.mu.Lock()
				s.inbound.confirm(waiting[0].id + 1)
				s.touch()
				s.mu.Unlock()
				continue
			}
		}
		var again <-chan time.Time
		if pause > 0 {
			again, wake = time.After(pause), nil
		}
		select {
		case <-h.stop:
			return
		case <-s.closing:
			return
		case <-again:
			pause = 0
		case <-wake:
		}
	}
}

// postOne returns 0 when the update was taken, else how long to wait.
func (s *Server) postOne(client *http.Client, h webhook, u stored) time.Duration {
	retry := s.opts.WebhookRetry
	req, err := http.NewRequest(http.MethodPost, h.url, bytes.NewReader(u.data))
	if err == nil {
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("X-Telegram-Bot-Api-Secret-Token", h.secret)
		resp, err := client.Do(req)
		if err == nil {
			resp.Body.Close()
			if resp.StatusCode/100 == 2 {
				return 0
			}
			if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && retry == 0 {
				return time.Duration(seconds) * time.Second
			}
		}
	}
	return max(retry, time.Millisecond)
}
