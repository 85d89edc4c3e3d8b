package telegram

import (
	"slices"
	"strings"

	"github.com/go-telegram/bot/models"

	"parley/internal/chat"
)

// calling makes the first mention of a person's name one that Telegram tells them of,
// also where they have no @name.
func (r rendered) calling(u chat.User) rendered {
	at := strings.Index(r.text, u.Name)
	who, err := personOf(u)
	if err != nil || u.Name == "" || at < 0 || shared(who.chat) {
		return r
	}
	call := models.MessageEntity{Type: models.MessageEntityTypeTextMention, Offset: length(r.text[:at]), Length: length(u.Name),
		User: &models.User{ID: who.chat, FirstName: u.Name}}
	if slices.ContainsFunc(r.entities, func(e models.MessageEntity) bool {
		return e.Offset < call.Offset+call.Length && call.Offset < e.Offset+e.Length
	}) {
		return r // the name is part of a link or of code
	}
	r.entities = append(slices.Clone(r.entities), call)
	slices.SortStableFunc(r.entities, func(a, b models.MessageEntity) int { return a.Offset - b.Offset })
	return r
}
