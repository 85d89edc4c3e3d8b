package telegram

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-telegram/bot/models"

	"parley/internal/chat"
)

// script is the text of a message without the bot's name.
type script struct {
	text    string
	named   bool // it mentions the bot
	command bool // it is a command of this bot
}

// script reads the text or the caption. Captions, code and quotations are never commands.
func (a *Adapter) script(m *models.Message) script {
	text, entities := m.Text, m.Entities
	if text == "" {
		text, entities = m.Caption, m.CaptionEntities
	}
	var s script
	var b strings.Builder
	rest, at, quoted := 0, -1, false
	for _, e := range entities {
		from, to, ok := span(text, e.Offset, e.Length)
		if !ok || from < rest {
			continue
		}
		switch e.Type {
		case models.MessageEntityTypeMention, models.MessageEntityTypeTextMention:
			if !a.names(e, text[from:to]) {
				continue
			}
			s.named = true
			b.WriteString(text[rest:from])
			rest = to
		case models.MessageEntityTypeBotCommand:
			if m.Text != "" && strings.TrimSpace(b.String()+text[rest:from]) == "" { // first, but for our name
				at = to
			}
		case models.MessageEntityTypeCode, models.MessageEntityTypePre,
			models.MessageEntityTypeBlockquote, models.MessageEntityTypeExpandableBlockquote:
			quoted = quoted || from == 0
		}
	}
	b.WriteString(text[rest:])
	s.text = clean(strings.TrimSpace(b.String()))
	if at > 0 && !quoted && chat.IsCommand(s.text) {
		s.text, s.command = a.command(s.text)
	}
	return s
}

// names reports whether an entity means this bot.
func (a *Adapter) names(e models.MessageEntity, written string) bool {
	if e.User != nil {
		return e.User.ID == a.id
	}
	me := a.me.Load()
	return me != nil && me.Username != "" && strings.EqualFold(written, "@"+me.Username)
}

// command brings the command word into canonical form: no invisible characters,
// lower case, without this bot's name, and with "-" where Telegram only has "_".
// ok is false when another bot is meant.
func (a *Adapter) command(text string) (normal string, ok bool) {
	word, args := text, ""
	if i := strings.IndexFunc(text, unicode.IsSpace); i >= 0 {
		word, args = text[:i], text[i:]
	}
	word = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, word)
	word, whose, _ := strings.Cut(word, "@")
	me := a.me.Load()
	if whose != "" && (me == nil || !strings.EqualFold(whose, me.Username)) {
		return text, false
	}
	return strings.ReplaceAll(strings.ToLower(word), "_", "-") + args, true
}

// span turns UTF-16 offset and length into byte positions. ok is false outside
// the text or inside a character.
func span(text string, offset, length int) (from, to int, ok bool) {
	if offset < 0 || length <= 0 {
		return 0, 0, false
	}
	from, to, unit := -1, -1, 0
	for i, r := range text {
		switch unit {
		case offset:
			from = i
		case offset + length:
			to = i
		}
		unit += units(r)
	}
	if unit == offset+length {
		to = len(text)
	}
	return from, to, from >= 0 && to > from
}

// units returns the number of UTF-16 code units of r.
func units(r rune) int {
	if r > 0xFFFF {
		return 2
	}
	return 1
}

// length counts the UTF-16 code units of s, the unit of Telegram's limits.
func length(s string) (n int) {
	for _, r := range s {
		n += units(r)
	}
	return n
}

// clean returns s as valid UTF-8 without NUL, safe to store and to send.
func clean(s string) string {
	if utf8.ValidString(s) && !strings.ContainsRune(s, 0) {
		return s
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "")
}

// cleanName makes a name one line without control characters.
func cleanName(s string) string {
	return strings.Join(strings.FieldsFunc(clean(s), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
}
