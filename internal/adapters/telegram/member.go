package telegram

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"

	"parley/internal/chat"
)

// present returns what an update reports about membership. Telegram reports joins,
// leaves and removals to bots that administer a group, and by service messages in
// most other groups; it always reports a block.
func (a *Adapter) present(u *models.Update) (list []chat.Presence) {
	switch {
	case u.MyChatMember != nil:
		return ourselves(u.MyChatMember)
	case u.ChatMember != nil:
		c := u.ChatMember
		who, is := member(&c.NewChatMember)
		if who == nil {
			return nil
		}
		joined := c.Date
		if _, was := member(&c.OldChatMember); was {
			joined = 0
		}
		return append(list, presence(c.Chat.ID, who, is, joined))
	case u.Message != nil && u.Message.LeftChatMember != nil:
		if u.Message.LeftChatMember.ID == a.id {
			return []chat.Presence{{Key: place(u.Message.Chat.ID, 0)}}
		}
		return append(list, presence(u.Message.Chat.ID, u.Message.LeftChatMember, false, 0))
	case u.Message != nil:
		for i := range u.Message.NewChatMembers {
			list = append(list, presence(u.Message.Chat.ID, &u.Message.NewChatMembers[i], true, u.Message.Date))
		}
	}
	return list
}

// presence notes whether somebody is in a group now; joined is when they joined, 0 if they
// were in it before.
func presence(group int64, who *models.User, is bool, joined int) chat.Presence {
	p := chat.Presence{Key: place(group, 0), User: person(who), State: chat.Absent}
	if is {
		p.State = chat.Present
		if joined != 0 {
			p.Joined = time.Unix(int64(joined), 0).UTC()
		}
	}
	return p
}

// ourselves returns what happened to the bot itself: it was blocked or unblocked in a
// direct chat, or left a group.
func ourselves(c *models.ChatMemberUpdated) []chat.Presence {
	_, in := member(&c.NewChatMember)
	p := chat.Presence{Key: place(c.Chat.ID, 0), State: chat.Absent}
	if c.Chat.Type != models.ChatTypePrivate {
		if in {
			return nil
		}
		return []chat.Presence{p}
	}
	p.User, p.State = person(&c.From), chat.Blocked
	if in {
		p.State = chat.Present
	}
	return []chat.Presence{p}
}

// added returns a message that somebody added the bot to a group or a channel; any other
// change is skipped.
func added(c *models.ChatMemberUpdated, update int64) chat.Message {
	m := skipped(place(c.Chat.ID, 0), updateID(update), skipKind)
	_, was := member(&c.OldChatMember)
	_, is := member(&c.NewChatMember)
	if c.Chat.Type == models.ChatTypePrivate || was || !is {
		return m
	}
	m.Kind, m.Text, m.From, m.Title = chat.KindAdded, "", person(&c.From), c.Chat.Title
	m.Broadcast, m.At = c.Chat.Type == models.ChatTypeChannel, time.Unix(int64(c.Date), 0).UTC()
	return m
}

// member returns the person of an entry and whether they are in the group.
func member(m *models.ChatMember) (who *models.User, in bool) {
	switch {
	case m.Owner != nil:
		return m.Owner.User, true
	case m.Administrator != nil:
		return &m.Administrator.User, true
	case m.Member != nil:
		return m.Member.User, true
	case m.Restricted != nil:
		return m.Restricted.User, m.Restricted.IsMember
	case m.Left != nil:
		return m.Left.User, false
	case m.Banned != nil:
		return m.Banned.User, false
	}
	return nil, false
}

// errNotAGroup: a direct chat has no members.
var errNotAGroup = errors.New("not a group")

// Reads implements chat.MemberChecker, for groups.
func (a *Adapter) Reads(ctx context.Context, k chat.Key, userID string) (bool, error) {
	_, in, err := a.standing(ctx, k, userID)
	return in, err
}

// IsAdmin implements chat.AdminChecker. It is false for people who write in the
// name of a chat.
func (a *Adapter) IsAdmin(ctx context.Context, k chat.Key, userID string) (bool, error) {
	status, _, err := a.standing(ctx, k, userID)
	if errors.Is(err, errNotAGroup) {
		return false, nil
	}
	return status == models.ChatMemberTypeOwner || status == models.ChatMemberTypeAdministrator, err
}

// standing asks for a person's status in a group and whether they are in it. Somebody
// with an unknown status is not. Its error is errNotAGroup for a direct chat.
func (a *Adapter) standing(ctx context.Context, k chat.Key, userID string) (status models.ChatMemberType, in bool, err error) {
	to, err := targetOf(k, "")
	if err != nil {
		return "", false, err
	}
	who, err := personOf(chat.User{ID: userID})
	if err != nil || to.chat > 0 {
		return "", false, errNotAGroup
	}
	r, err := a.wire.call(ctx, "getChatMember", &bot.GetChatMemberParams{ChatID: to.chat, UserID: who.chat})
	if err != nil {
		return "", false, fmt.Errorf("get chat member: %w", err)
	}
	var m struct {
		Status models.ChatMemberType `json:"status"`
		Inside bool                  `json:"is_member"`
	}
	_ = json.Unmarshal(r.result, &m)
	switch m.Status {
	case models.ChatMemberTypeOwner, models.ChatMemberTypeAdministrator, models.ChatMemberTypeMember:
		return m.Status, true, nil
	case models.ChatMemberTypeRestricted:
		return m.Status, m.Inside, nil
	}
	return m.Status, false, nil
}

// Leave implements chat.Leaver.
func (a *Adapter) Leave(ctx context.Context, place string) error {
	kind, id := chat.CutID(place)
	number, err := strconv.ParseInt(id, 10, 64)
	if kind != "chat" || err != nil || number >= 0 {
		return errNotAGroup
	}
	if _, err := a.wire.call(ctx, "leaveChat", &bot.LeaveChatParams{ChatID: number}); err != nil {
		return fmt.Errorf("leave: %w", err)
	}
	return nil
}
