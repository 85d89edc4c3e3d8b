package discord

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/bwmarrin/discordgo"

	"parley/internal/chat"
)

// voiceMessage is the flag of a message that was spoken; the library does not
// name it.
const voiceMessage discordgo.MessageFlags = 1 << 13

// message normalizes an event. It returns a reason if somebody's message cannot be
// understood, and neither message nor reason if the event does not matter.
func (a *Adapter) message(ctx context.Context, m *wireMessage, kind chat.Kind) (out *chat.Message, reason string) {
	self := a.myID()
	if kind == chat.KindEdit && m.Edited == "" {
		return nil, "" // a link preview was added
	}
	if m.WebhookID != "" || m.Author != nil && (bool(m.Author.Bot) || string(m.Author.ID) == self) || !written(m.Type) {
		return nil, ""
	}
	if reason := m.broken(); reason != "" {
		return nil, reason
	}
	out = &chat.Message{
		ID: string(m.ID), Key: a.key(ctx, string(m.ChannelID), string(m.GuildID)), Kind: kind,
		From:   chat.User{ID: Platform + ":" + string(m.Author.ID), Name: nameOf(m.Author, m.Member)},
		Direct: m.GuildID == "", Guild: string(m.GuildID), At: when(m.Timestamp, m.ID),
	}
	a.titled(out)
	out.Text, out.Named = a.mentioned(m.Content.shown())
	out.Addressed = out.Direct || out.Named || a.hosts(string(m.ChannelID))
	a.quote(m, out)
	if kind == chat.KindEdit {
		a.edited(m, out)
	}
	m.attached(out)
	for _, s := range m.Snapshots {
		if s.Message != nil && out.Forwarded {
			s.Message.attached(out)
		}
	}
	if out.Text == "" && len(out.Files) == 0 && !out.Addressed {
		return nil, ""
	}
	out.Admin = out.Addressed && a.administers(ctx, m)
	if out.Addressed && kind == chat.KindText && !out.Forwarded && isCommand(out.Text) {
		out.Kind = chat.KindCommand // typed instead of picked
	}
	a.branch(ctx, out)
	return out, ""
}

// written reports whether a person wrote a message, as opposed to Discord's own notices.
func written(kind number) bool {
	return kind == number(discordgo.MessageTypeDefault) || kind == number(discordgo.MessageTypeReply)
}

// broken names an indispensable part that a message lacks; "" for none.
func (m *wireMessage) broken() string {
	switch {
	case !isID(m.ID):
		return "a message without an id"
	case !isID(m.ChannelID):
		return "a message without a channel"
	case m.Author == nil || !isID(m.Author.ID):
		return "a message without an author"
	case m.GuildID != "" && !isID(m.GuildID):
		return "a message of an unreadable server"
	case m.Content == unreadable && len(m.Attachments) == 0:
		return "a message whose text is no text"
	}
	return ""
}

// edited makes out a new version of an earlier message.
func (a *Adapter) edited(m *wireMessage, out *chat.Message) {
	out.ReplyTo, out.At = string(m.ID), a.now()
	version := "0"
	if at, err := time.Parse(time.RFC3339, string(m.Edited)); err == nil {
		out.At, version = at, strconv.FormatInt(at.UnixMilli(), 10)
	}
	out.ID = fmt.Sprintf("%s@%s", m.ID, version)
}

// gone stands for a message that is no longer there.
const gone = "gone"

// quote notes what a message answers or passes on.
func (a *Adapter) quote(m *wireMessage, out *chat.Message) {
	self := a.myID()
	if r := m.Referenced; r != nil {
		out.Quote, out.ReplyTo = r.Content.shown(), r.ID.shown()
		ours := r.Author != nil && string(r.Author.ID) == self
		out.Addressed = out.Addressed || ours
		out.Relayed = !ours && (r.Author == nil || r.Author.ID != m.Author.ID) || len(r.Snapshots) > 0
	} else if m.Type == number(discordgo.MessageTypeReply) { // what it answers is gone
		out.ReplyTo = gone
	}
	if len(m.Reference) > 0 && len(m.Snapshots) > 0 {
		out.Forwarded = true
		for _, s := range m.Snapshots {
			if s.Message != nil {
				out.Text += s.Message.Content.shown()
			}
		}
	}
}

// isCommand recognizes a slash command typed as text. As on Telegram, "/cmd@name"
// is meant for the bot of that name.
func isCommand(text string) bool {
	word, _, _ := strings.Cut(text, " ")
	return len(word) > 1 && word[0] == '/' && word[1] >= 'a' && word[1] <= 'z' && !strings.Contains(word, "@")
}

// nameOf returns what somebody calls themselves, on one line.
func nameOf(u *wireUser, m *wireMember) string {
	name := cmp.Or(u.GlobalName.shown(), u.Username.shown())
	if m != nil {
		name = cmp.Or(m.Nick.shown(), name)
	}
	return strings.Join(strings.FieldsFunc(name, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
	}), " ")
}

func idTime(id string) time.Time {
	n, _ := strconv.ParseInt(id, 10, 64)
	return time.UnixMilli(n>>22 + discordEpoch)
}

// idAt returns the smallest id of a moment.
func idAt(at time.Time) string {
	return strconv.FormatInt(max(0, at.UnixMilli()-discordEpoch)<<22, 10)
}

// newerID returns the later of two ids; "" is before all.
func newerID(a, b string) string {
	return slices.MaxFunc([]string{a, b}, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
}
