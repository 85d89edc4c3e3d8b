package matrix

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"maunium.net/go/mautrix/id"

	"parley/internal/chat"
	"parley/internal/text"
)

// replyFallback is how older clients repeat what they reply to.
var replyFallback = text.Pattern(`\A(> .*\n?)+\n`)

// mentioned returns the text of a message without our name before it, and whether it calls us.
func (a *Adapter) mentioned(c *content) (said string, called bool) {
	said = c.Body
	if rel := c.RelatesTo; rel != nil && rel.InReplyTo != nil && strings.Contains(c.FormattedBody, "<mx-reply>") {
		said = replyFallback().ReplaceAllString(said, "")
	}
	me := a.me.Load()
	if me == nil {
		return strings.TrimSpace(said), false
	}
	names := []string{me.id, me.name, "@" + localpart(me.id), localpart(me.id)}
	for _, name := range names {
		if rest, ok := addressing(said, name); ok {
			return rest, true
		}
	}
	if c.Mentions != nil {
		called = slices.Contains(c.Mentions.UserIDs, id.UserID(me.id))
	} else {
		called = strings.Contains(c.Body, me.id) || strings.Contains(c.FormattedBody, "https://matrix.to/#/"+me.id)
	}
	if called {
		said = strings.ReplaceAll(said, me.id, me.name)
	}
	return strings.TrimSpace(said), called
}

// addressing cuts a name off the beginning of a text that is addressed with it.
func addressing(said, name string) (rest string, ok bool) {
	said = strings.TrimSpace(said)
	if name == "" || len(said) < len(name) || !strings.EqualFold(said[:len(name)], name) {
		return "", false
	}
	rest = said[len(name):]
	next, _ := utf8.DecodeRuneInString(rest)
	switch {
	case rest == "", next == ':', next == ',':
	case strings.HasPrefix(name, "@") && unicode.IsSpace(next):
	default:
		return "", false
	}
	return strings.TrimSpace(strings.TrimLeft(rest, ":, ")), true
}

// bang is how people of Matrix call bots: clients keep the slash for commands of their own.
var bang = text.Pattern(`^!([A-Za-z0-9_-]+)`)

// command returns a command as it is written elsewhere. "!name" is one only when it is ours.
func (a *Adapter) command(said string) (string, bool) {
	if chat.IsCommand(said) {
		return said, true
	}
	if m := bang().FindStringSubmatch(said); m != nil && a.o.Command != nil && a.o.Command(strings.ToLower(m[1])) {
		return "/" + said[1:], true
	}
	return said, false
}

// calling makes the first mention of a person's name one that notifies them.
func calling(c *content, u chat.User) {
	platform, who := chat.CutID(u.ID)
	if platform != Platform || !Identity.Person(who) {
		return
	}
	c.Mentions.UserIDs = append(c.Mentions.UserIDs, id.UserID(who))
	name := regexp.QuoteMeta(escape(u.Name))
	at := regexp.MustCompile(name).FindStringIndex(c.FormattedBody)
	if at == nil || u.Name == "" || strings.LastIndex(c.FormattedBody[:at[0]], "<") > strings.LastIndex(c.FormattedBody[:at[0]], ">") {
		return
	}
	c.FormattedBody = c.FormattedBody[:at[0]] + `<a href="https://matrix.to/#/` + escape(who) + `">` + escape(u.Name) + "</a>" +
		c.FormattedBody[at[1]:]
}
