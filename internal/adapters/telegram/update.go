package telegram

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-telegram/bot/models"

	"parley/internal/chat"
)

// Said in more than one place.
const (
	skipKind   = "an update of a kind that is not used"
	skipBot    = "written by another bot"
	skipNobody = "no chat or no sender"
)

// maxRaw is how much of an update that cannot be read is kept, in bytes.
const maxRaw = 64 << 10

// event is one update, normalized.
type event struct {
	id      int64        // update_id, 0 when it has none
	message chat.Message // ID "" when there is nothing to keep
	move    chat.Move    // zero unless the conversation moved
	present []chat.Presence
	query   string // callback query to acknowledge, "" for none
	dead    *chat.DeadLetter
}

// event normalizes one update. It never fails: an update that makes no message, or makes
// our code panic, is put aside as it came.
func (a *Adapter) event(raw json.RawMessage) (e event) {
	defer func() {
		if r := recover(); r != nil {
			e.bury(raw, "the update made the program fail while it was read")
		}
	}()
	e.id = updateNumber(raw)
	var u models.Update
	whole := decode(raw, &u)
	e.present = a.present(&u)
	switch {
	case u.Message != nil:
		e.message, e.move = a.message(u.Message), moved(u.Message)
	case u.ChannelPost != nil:
		e.message = a.message(u.ChannelPost)
	case u.EditedMessage != nil:
		e.message = a.edit(u.EditedMessage, e.id)
	case u.EditedChannelPost != nil:
		e.message = a.edit(u.EditedChannelPost, e.id)
	case u.CallbackQuery != nil:
		e.query, e.message = u.CallbackQuery.ID, a.button(u.CallbackQuery)
	case u.MyChatMember != nil:
		e.message = added(u.MyChatMember, e.id)
	default:
		e.message = skipped(nowhere, updateID(e.id), skipKind)
	}
	switch {
	case e.id == 0:
		e.bury(raw, "the update has no number of its own")
	case whole:
	case e.message.Kind != chat.KindSkipped:
		a.log.Info("telegram: parts of an update are of a kind not known here and left out", "update", e.id)
	case e.message.Text != skipBot && (e.message.Text != skipKind || !object(raw)) && e.move == (chat.Move{}):
		e.bury(raw, "too little of the update could be read to make a message")
	}
	return e
}

// bury puts the update aside instead of keeping a message.
func (e *event) bury(raw []byte, why string) {
	id := updateID(e.id)
	if e.id == 0 {
		sum := sha256.Sum256(raw)
		id = fmt.Sprintf("update:%x", sum[:8])
	}
	e.message = chat.Message{}
	e.dead = &chat.DeadLetter{ID: id, Raw: slices.Clone(raw[:min(len(raw), maxRaw)]), Reason: why}
}

// nowhere is the conversation of events without one.
var nowhere = chat.Key{Platform: platform, Channel: "0"}

func place(channel int64, thread int) chat.Key {
	k := chat.Key{Platform: platform, Channel: strconv.FormatInt(channel, 10)}
	if thread != 0 {
		k.Thread = strconv.Itoa(thread)
	}
	return k
}

// messageID returns the id of a message. A group that becomes a supergroup starts counting
// again, so earlier ids carry a mark: they are no duplicates of later ones, and nothing
// replies to them.
func messageID(channel int64, id int) string {
	if early(channel) {
		return "g" + strconv.Itoa(id)
	}
	return strconv.Itoa(id)
}

// messageNumber reads a messageID of this very chat; 0 when it is none.
func messageNumber(channel int64, id string) int {
	number, marked := strings.CutPrefix(id, "g")
	if marked != early(channel) {
		return 0
	}
	n, _ := strconv.Atoi(number)
	return n
}

// early reports whether a chat is a group that can still become a supergroup.
func early(channel int64) bool { return channel < 0 && channel > -1_000_000_000_000 }

func updateID(id int64) string { return "update:" + strconv.FormatInt(id, 10) }

func skipped(k chat.Key, id, why string) chat.Message {
	return chat.Message{ID: id, Key: k, Kind: chat.KindSkipped, Text: why}
}

// moved returns the move that a service message reports: a group became a supergroup. Both
// get one.
func moved(m *models.Message) chat.Move {
	switch {
	case m.MigrateToChatID != 0:
		return chat.Move{From: place(m.Chat.ID, 0), To: place(m.MigrateToChatID, 0)}
	case m.MigrateFromChatID != 0:
		return chat.Move{From: place(m.MigrateFromChatID, 0), To: place(m.Chat.ID, 0)}
	}
	return chat.Move{}
}

// edit normalizes an edited message. Every edit gets an ID of its own: several may occur
// within a second.
func (a *Adapter) edit(m *models.Message, update int64) chat.Message {
	c := a.message(m)
	if c.ID == "" || c.Kind == chat.KindSkipped {
		return c
	}
	c.Kind, c.ReplyTo = chat.KindEdit, c.ID
	c.ID += "@" + strconv.FormatInt(update, 10)
	c.At = a.date(m.EditDate)
	return c
}

// button normalizes a press. It names the person, even one who writes anonymously.
func (a *Adapter) button(q *models.CallbackQuery) chat.Message {
	c := chat.Message{
		ID: "cb:" + q.ID, Kind: chat.KindButton, From: person(&q.From),
		Text: clean(q.Data), Addressed: true, At: a.now().UTC(), Language: clean(q.From.LanguageCode),
	}
	switch m := q.Message; {
	case m.Message != nil:
		c.Key, c.ReplyTo = placeOf(m.Message), messageID(m.Message.Chat.ID, m.Message.ID)
		c.Direct, c.Title = oneToOne(m.Message.Chat), clean(m.Message.Chat.Title)
	case m.InaccessibleMessage != nil:
		c.Key = place(m.InaccessibleMessage.Chat.ID, 0)
		c.ReplyTo = messageID(m.InaccessibleMessage.Chat.ID, m.InaccessibleMessage.MessageID)
		c.Direct = oneToOne(m.InaccessibleMessage.Chat)
	default:
		return skipped(nowhere, c.ID, "a button on a message that is not ours")
	}
	if c.Key.Channel == "0" || q.From.ID == 0 {
		return skipped(nowhere, c.ID, skipNobody)
	}
	return c
}

// elsewhere stands for a message of another chat, or a story.
const elsewhere = "elsewhere"

// message normalizes what somebody wrote. The bot's own messages give the zero
// Message.
func (a *Adapter) message(m *models.Message) chat.Message {
	id, key := messageID(m.Chat.ID, m.ID), placeOf(m)
	from := author(m)
	switch {
	case m.Chat.ID == 0 || m.ID == 0 || from.ID == "":
		return skipped(key, id, skipNobody)
	case m.SenderChat == nil && m.From.ID == a.id:
		return chat.Message{}
	case m.SenderChat == nil && m.From.IsBot && !shared(m.From.ID):
		return skipped(key, id, skipBot)
	}
	c := chat.Message{
		ID: id, Key: key, From: from, Files: files(m),
		Direct:    oneToOne(m.Chat),
		Forwarded: m.ForwardOrigin != nil || m.IsAutomaticForward || m.ViaBot != nil,
		At:        a.date(m.Date),
		Album:     m.MediaGroupID,
		Title:     clean(m.Chat.Title),
	}
	if m.SenderChat == nil {
		c.Language = clean(m.From.LanguageCode)
	}
	s := a.script(m)
	c.Text, c.Addressed, c.Named = s.text, c.Direct || s.named, s.named
	if s.command && !c.Forwarded {
		c.Kind, c.Addressed = chat.KindCommand, true
	}
	if r := m.ReplyToMessage; r != nil && !opensTopic(m, r) {
		c.ReplyTo, c.Quote = messageID(m.Chat.ID, r.ID), clean(r.Text+r.Caption)
		ours := r.From != nil && r.From.ID == a.id
		c.Addressed = c.Addressed || ours
		c.Relayed = !ours && author(r).ID != from.ID || r.ForwardOrigin != nil || r.ViaBot != nil
	}
	if m.ExternalReply != nil || m.ReplyToStory != nil {
		c.ReplyTo = elsewhere
	}
	if m.Quote != nil {
		c.Quote, c.Relayed = clean(m.Quote.Text), c.Relayed || m.ExternalReply != nil
	}
	if c.Text == "" {
		c.Text, c.Shared = shareText(m)
	}
	if c.Text == "" && len(c.Files) == 0 && !s.named && c.Quote == "" {
		return skipped(key, id, "a service message")
	}
	return c
}

// date reads a time; an impossible one counts as now.
func (a *Adapter) date(unix int) time.Time {
	now := a.now().UTC()
	if unix <= 0 || int64(unix) > now.Add(24*time.Hour).Unix() {
		return now
	}
	return time.Unix(int64(unix), 0).UTC()
}

// oneToOne reports whether a chat is one person and the bot; without a type the id decides.
func oneToOne(c models.Chat) bool {
	return c.Type == models.ChatTypePrivate || c.Type == "" && c.ID > 0
}

// opensTopic reports whether r merely opens the topic of m: in a forum, messages that reply
// to nothing reply to that.
func opensTopic(m, r *models.Message) bool {
	return r.ForumTopicCreated != nil || m.IsTopicMessage && r.ID == m.MessageThreadID
}

// placeOf returns the conversation of m. A thread id counts only in topics; elsewhere it
// groups replies.
func placeOf(m *models.Message) chat.Key {
	if m.IsTopicMessage {
		return place(m.Chat.ID, m.MessageThreadID)
	}
	return place(m.Chat.ID, 0)
}

// shared reports whether a user id stands for people who write anonymously or on
// behalf of a chat, never for one person.
func shared(id int64) bool {
	return id == 1087968824 || id == 777000 || id == 136817688
}

// author returns who wrote m: a person, or the chat that somebody wrote as. ID is "" for
// neither.
func author(m *models.Message) chat.User {
	switch {
	case m.SenderChat != nil && m.SenderChat.ID == 0:
		return chat.User{}
	case m.SenderChat != nil:
		return chat.User{ID: chatUser(m.SenderChat.ID), Name: cleanName(m.SenderChat.Title)}
	case m.From == nil || m.From.ID == 0:
		return chat.User{}
	case shared(m.From.ID):
		return chat.User{ID: chatUser(m.Chat.ID), Name: cleanName(m.Chat.Title)}
	}
	return person(m.From)
}

func chatUser(id int64) string { return platform + ":chat:" + strconv.FormatInt(id, 10) }

func person(u *models.User) chat.User {
	return chat.User{
		ID:   platform + ":" + strconv.FormatInt(u.ID, 10),
		Name: cleanName(u.FirstName + " " + u.LastName),
	}
}

// Renormalize implements chat.Renormalizer. A button that was pressed long ago
// is answered like any other press; its question may have expired.
func (a *Adapter) Renormalize(raw []byte) ([]chat.Message, error) {
	if a.me.Load() == nil {
		return nil, chat.ErrNotReady // what is meant for the bot in a group cannot be told
	}
	if !object(raw) {
		return nil, errors.New("not a Telegram update")
	}
	e := a.event(raw)
	switch {
	case e.dead != nil:
		return nil, errors.New(e.dead.Reason)
	case e.message.ID == "":
		return nil, nil
	}
	return []chat.Message{e.message}, nil
}
