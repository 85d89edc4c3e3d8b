package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"parley/internal/adapters/discord/discordtest"
	"parley/internal/adapters/telegram/telegramtest"
)

// bubble is a message of the bot as people see it now.
type bubble struct {
	id, text string
	yes, no  string // the data of its first two buttons
	files    int
}

// seat is where people of a crossing talk, on one front end.
type seat interface {
	voice
	files
	eyes
}

// files have the first person send a file with some words; sends returns the message's id.
type files interface {
	sends(text, name string, data []byte) string
}

// voice is what people do.
type voice interface {
	// says writes as somebody, in reply to a message if to is not "", and returns the
	// message's id.
	says(who int, text, to string) string
	edits(who int, id, text string)
	deletes(id string) // only where the platform tells
	press(who int, id, data string)
}

// eyes is what they see.
type eyes interface {
	toast() string // what the last press was answered with
	sees() []bubble
	place() (platform, channel string)
}

// inCompany is how a message in a group or a server begins.
func inCompany(company bool, name, text string) string {
	if !company || strings.HasPrefix(text, "/") {
		return text
	}
	return name + " " + text
}

// onTG is a chat on Telegram.
type onTG struct {
	h       *theatre
	chat    int64
	first   int // the id of the first person
	presses int
	old     int64 // what the chat was called before it became a supergroup; 0 for nothing
}

func (s *onTG) user(who int) int64 {
	if who == owner {
		return 1
	}
	return int64(s.first + who)
}

func (s *onTG) update(who int, text, to string) telegramtest.Update {
	u := telegramtest.Text(s.chat, s.user(who), inCompany(s.chat < 0, "@parley_bot", text))
	if to != "" {
		id := 0
		_, _ = fmt.Sscan(to, &id)
		u = s.h.to(u, id, s.h.tg.BotID())
	}
	return u
}

func (s *onTG) says(who int, text, to string) string {
	u := s.update(who, text, to)
	s.h.tg.Push(u)
	return fmt.Sprint(u.Message.ID)
}

func (s *onTG) edits(who int, id, text string) {
	n := 0
	_, _ = fmt.Sscan(id, &n)
	s.h.tg.Push(telegramtest.Edit(s.chat, s.user(who), n, inCompany(s.chat < 0, "@parley_bot", text)))
}

func (s *onTG) deletes(string) {}

func (s *onTG) press(who int, id, data string) {
	n := 0
	_, _ = fmt.Sscan(id, &n)
	s.presses++
	chat := s.chat
	if _, before, ok := strings.Cut(id, "@"); ok {
		_, _ = fmt.Sscan(before, &chat)
	}
	s.h.tg.Push(telegramtest.Press(chat, s.user(who), n, fmt.Sprint("p", s.chat, "-", s.presses), data))
}

func (s *onTG) toast() string { return s.h.tg.Toast(fmt.Sprint("p", s.chat, "-", s.presses)) }

func (s *onTG) sees() (list []bubble) {
	for _, m := range s.h.tg.Sent() {
		if m.Chat != s.chat && (m.Chat != s.old || s.old == 0) || m.Deleted {
			continue
		}
		v := bubble{id: fmt.Sprint(m.ID), text: m.Text}
		if m.Chat == s.old {
			v.id += fmt.Sprint("@", m.Chat)
		}
		if len(m.Buttons) > 0 {
			v.yes = m.Buttons[0][0].Data
			v.no = m.Buttons[0][len(m.Buttons[0])-1].Data
		}
		if m.File != nil {
			v.files = 1
		}
		list = append(list, v)
	}
	return list
}

func (s *onTG) place() (platform, channel string) { return "telegram", fmt.Sprint(s.chat) }

// onDC is a channel on Discord.
type onDC struct {
	h              *theatre
	guild, channel string
	first          int
}

func (s *onDC) user(who int) string {
	if who == owner {
		return "1"
	}
	return fmt.Sprint(s.first + who)
}

func (s *onDC) says(who int, text, to string) string {
	text = inCompany(s.guild != "", "<@"+discordtest.App+">", text)
	if to != "" {
		return s.h.dc.Reply(discordtest.Reply{Guild: s.guild, Channel: s.channel, User: s.user(who), To: to, Text: text})
	}
	if strings.HasPrefix(text, "/") && s.guild != "" {
		text = "<@" + discordtest.App + "> " + text
	}
	return s.h.dc.Message(s.guild, s.channel, s.user(who), text)
}

func (s *onDC) edits(_ int, id, text string) {
	s.h.dc.Edit(id, inCompany(s.guild != "", "<@"+discordtest.App+">", text))
}

func (s *onDC) deletes(id string) { s.h.dc.Delete(s.guild, s.channel, id) }

func (s *onDC) press(who int, id, data string) {
	s.h.dc.Press(s.guild, s.channel, s.user(who), id, data)
}

func (s *onDC) toast() string { return "" }

func (s *onDC) sees() (list []bubble) {
	for _, m := range s.h.dc.Sent() {
		if where, only := s.h.dc.Readers(m); where != s.channel || only != "" && only != s.user(0) || m.Deleted {
			continue
		}
		v := bubble{id: m.ID, text: m.Content, files: len(m.Files)}
		if len(m.Buttons) > 0 {
			v.yes, v.no = m.Buttons[0], m.Buttons[min(1, len(m.Buttons)-1)]
		}
		list = append(list, v)
	}
	return list
}

func (s *onDC) place() (platform, channel string) { return "discord", s.channel }

// since returns the texts that came to be, or changed, after another look.
func since(before, now []bubble) (texts []string) {
	for _, m := range now {
		if !slices.ContainsFunc(before, func(b bubble) bool { return b.id == m.id && b.text == m.text }) {
			texts = append(texts, m.text)
		}
	}
	return texts
}

// onPipe is a terminal: one person, and one line a message.
type onPipe struct{ h *theatre }

// says returns a condition on the row of the line.
func (s *onPipe) says(_ int, text, _ string) string {
	last := s.h.one("SELECT coalesce(max(id), 0) FROM inbox")
	_, _ = fmt.Fprintln(s.h.typed, text)
	return fmt.Sprint("> ", last)
}

func (s *onPipe) edits(int, string, string) {}
func (s *onPipe) deletes(string)            {}
func (s *onPipe) press(int, string, string) {}
func (s *onPipe) toast() string             { return "" }

func (s *onPipe) sees() (list []bubble) {
	shown, _ := os.ReadFile(s.h.shown)
	for i, line := range strings.Split(string(shown), "\n") {
		if strings.TrimSpace(line) != "" {
			list = append(list, bubble{id: fmt.Sprint(i), text: line})
		}
	}
	return list
}

func (s *onPipe) place() (platform, channel string) { return "terminal", "local" }
