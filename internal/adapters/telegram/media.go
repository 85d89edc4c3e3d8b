package telegram

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-telegram/bot/models"

	"parley/internal/chat"
)

// maxOptions is how many options of a poll, or tasks of a checklist, are passed on.
const maxOptions = 30

// files lists what is attached, to be fetched by Ref.
func files(m *models.Message) []chat.File {
	var f chat.File
	switch {
	case len(m.Photo) > 0:
		p := m.Photo[len(m.Photo)-1] // the largest comes last
		f = chat.File{Name: "photo.jpg", MIME: "image/jpeg", Size: int64(p.FileSize), Ref: p.FileID}
	case m.Animation != nil: // it is a document, too
		d := m.Animation
		f = chat.File{Name: orName(d.FileName, "animation.mp4"), MIME: d.MimeType, Size: d.FileSize, Ref: d.FileID,
			Form: chat.FormGIF, Seconds: d.Duration, Still: still(d.Thumbnail)}
	case m.Document != nil:
		d := m.Document
		f = chat.File{Name: orName(d.FileName, "document"), MIME: d.MimeType, Size: d.FileSize, Ref: d.FileID}
	case m.Voice != nil:
		f = chat.File{Name: "voice.ogg", MIME: m.Voice.MimeType, Size: m.Voice.FileSize, Ref: m.Voice.FileID, Voice: true}
	case m.Audio != nil:
		d := m.Audio
		f = chat.File{Name: orName(d.FileName, "audio"), MIME: d.MimeType, Size: d.FileSize, Ref: d.FileID}
	case m.Video != nil:
		d := m.Video
		f = chat.File{Name: orName(d.FileName, "video.mp4"), MIME: d.MimeType, Size: d.FileSize, Ref: d.FileID,
			Form: chat.FormVideo, Seconds: d.Duration, Still: still(d.Thumbnail)}
	case m.VideoNote != nil:
		d := m.VideoNote
		f = chat.File{Name: "video.mp4", MIME: "video/mp4", Size: int64(d.FileSize), Ref: d.FileID,
			Form: chat.FormNote, Seconds: d.Duration, Still: still(d.Thumbnail)}
	case m.Sticker != nil:
		f = stickerFile(m.Sticker)
	default:
		return unseen(m)
	}
	if f.Ref == "" {
		return nil
	}
	f.MIME = cleanName(f.MIME)
	return []chat.File{f}
}

// still returns the picture that stands for a film, "" for none.
func still(p *models.PhotoSize) string {
	if p == nil {
		return ""
	}
	return p.FileID
}

// stickerFile is the picture of a sticker; one that moves has a still one at most.
func stickerFile(s *models.Sticker) chat.File {
	f := chat.File{Name: "sticker.webp", MIME: "image/webp", Size: int64(s.FileSize), Ref: s.FileID, Form: chat.FormSticker}
	if s.IsAnimated || s.IsVideo {
		f.MIME, f.Still = "video/webm", still(s.Thumbnail)
	}
	return f
}

// unseen is what Telegram does not hand to bots.
func unseen(m *models.Message) []chat.File {
	name := ""
	switch {
	case m.Story != nil:
		name = chat.WordsStory
	case m.PaidMedia != nil:
		name = chat.WordsPaid
	case m.Game != nil:
		name = chat.WordsGame
	case m.Invoice != nil:
		name = chat.WordsInvoice
	case m.Giveaway != nil:
		name = chat.WordsGiveaway
	default:
		return nil
	}
	return []chat.File{{Name: name, Form: chat.FormUnseen}}
}

func orName(name, otherwise string) string {
	if name = cleanName(name); name == "" {
		return otherwise
	}
	return name
}

// shareText describes in words what has no text of its own. others is true if it has words
// that somebody else may have chosen.
func shareText(m *models.Message) (s string, others bool) {
	switch {
	case m.Venue != nil:
		s = fmt.Sprintf("(shared a place: %s, %s; at %v, %v)", m.Venue.Title, m.Venue.Address, m.Venue.Location.Latitude,
			m.Venue.Location.Longitude)
	case m.Location != nil:
		what := "a location"
		if m.Location.LivePeriod != 0 {
			what = "a live location"
		}
		return fmt.Sprintf("(shared %s: %v, %v)", what, m.Location.Latitude, m.Location.Longitude), false
	case m.Contact != nil:
		s = fmt.Sprintf("(shared a contact: %s, %s)", strings.TrimSpace(m.Contact.FirstName+" "+m.Contact.LastName), m.Contact.PhoneNumber)
	case m.Poll != nil:
		s = pollText(m.Poll)
	case m.Checklist != nil:
		s = checklistText(m.Checklist)
	case m.Dice != nil:
		return clean(fmt.Sprintf("(rolled %s: %d)", m.Dice.Emoji, m.Dice.Value)), false
	case m.Sticker != nil:
		s = stickerText(m.Sticker)
	case m.Story != nil:
		s = fmt.Sprintf("(shared a story of %s, which bots are not shown)", m.Story.Chat.Title+m.Story.Chat.FirstName)
	case m.Game != nil:
		s = fmt.Sprintf("(shared a game: %s)", m.Game.Title)
	case m.Invoice != nil:
		s = fmt.Sprintf("(shared an invoice: %s)", m.Invoice.Title)
	}
	return clean(strings.TrimSpace(s)), s != ""
}

// pollText has the question, the options, and the votes where Telegram tells them.
func pollText(p *models.Poll) string {
	var options []string
	for i, o := range p.Options {
		if i == maxOptions {
			options = append(options, "…")
			break
		}
		text := o.Text
		if p.TotalVoterCount > 0 {
			text += fmt.Sprintf(" (%d votes)", o.VoterCount)
		}
		if slices.Contains(p.CorrectOptionIDs, i) {
			text += " (correct)"
		}
		options = append(options, text)
	}
	kind := "a poll"
	if p.Type == "quiz" {
		kind = "a quiz"
	}
	s := fmt.Sprintf("(shared %s: %s Options: %s", kind, p.Question, strings.Join(options, "; "))
	if p.AllowsMultipleAnswers {
		s += "; several may be chosen"
	}
	if p.IsClosed {
		s += "; it is closed"
	}
	return s + ")"
}

// checklistText has the tasks, and which of them are done.
func checklistText(c *models.Checklist) string {
	var tasks []string
	for i, t := range c.Tasks {
		if i == maxOptions {
			tasks = append(tasks, "…")
			break
		}
		mark := "[ ] "
		if t.CompletionDate != 0 {
			mark = "[x] "
		}
		tasks = append(tasks, mark+t.Text)
	}
	return fmt.Sprintf("(shared a checklist: %s: %s)", c.Title, strings.Join(tasks, "; "))
}

// stickerText has the emoji that stands for a sticker, and its set.
func stickerText(st *models.Sticker) string {
	s := "(sent a sticker"
	if st.Emoji != "" {
		s += ": " + st.Emoji
	}
	if st.SetName != "" {
		s += ", of the set " + st.SetName
	}
	return s + ")"
}
