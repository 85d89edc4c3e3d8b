package discord

import (
	"fmt"
	"strings"

	"parley/internal/chat"
)

// maxAnswers is how many answers of a poll are passed on.
const maxAnswers = 30

// wireSticker is a sticker as messages have it.
type wireSticker struct {
	ID     plain  `json:"id"`
	Name   plain  `json:"name"`
	Format number `json:"format_type"`
}

// The formats of stickers that are pictures; the fourth is drawn by a program.
const (
	stickerPNG  = 1
	stickerAPNG = 2
	stickerGIF  = 4
)

// wirePoll is a poll; Results are there once somebody voted.
type wirePoll struct {
	Question wirePollText `json:"question"`
	Answers  []struct {
		ID    number       `json:"answer_id"`
		Media wirePollText `json:"poll_media"`
	} `json:"answers"`
	Several truth `json:"allow_multiselect"`
	Results *struct {
		Final  truth `json:"is_finalized"`
		Counts []struct {
			ID    number `json:"id"`
			Count number `json:"count"`
		} `json:"answer_counts"`
	} `json:"results"`
}

type wirePollText struct {
	Text  plain `json:"text"`
	Emoji struct {
		Name plain `json:"name"`
	} `json:"emoji"`
}

func (t wirePollText) String() string {
	return strings.TrimSpace(t.Emoji.Name.shown() + " " + t.Text.shown())
}

// attached adds the files, stickers and polls of a message to out.
func (m *wireMessage) attached(out *chat.Message) {
	for _, f := range m.Attachments {
		if f.URL.shown() == "" {
			continue
		}
		file := chat.File{Name: f.Filename.shown(), MIME: f.ContentType.shown(), Size: int64(f.Size), Ref: string(f.URL),
			Voice: m.Flags&number(voiceMessage) != 0}
		if strings.HasPrefix(file.MIME, "video/") {
			file.Form, file.Seconds = chat.FormVideo, max(0, int(f.Seconds))
		}
		out.Files = append(out.Files, file)
	}
	for _, s := range m.Stickers {
		if s.Name.shown() == "" {
			continue
		}
		share(out, fmt.Sprintf("(sent a sticker: %s)", s.Name.shown()))
		if ref := s.picture(); ref != "" {
			out.Files = append(out.Files, chat.File{Name: "sticker", MIME: "image/png", Ref: ref, Form: chat.FormSticker})
		}
	}
	if m.Poll != nil && (m.Poll.Question.String() != "" || len(m.Poll.Answers) > 0) {
		share(out, m.Poll.String())
	}
}

// share adds words that somebody else may have chosen.
func share(out *chat.Message, words string) {
	out.Text, out.Shared = strings.TrimSpace(out.Text+"\n"+words), true
}

// picture returns where the picture of a sticker is, "" for nowhere.
func (s wireSticker) picture() string {
	switch {
	case !isID(s.ID):
		return ""
	case s.Format == stickerPNG, s.Format == stickerAPNG:
		return "https://media.discordapp.net/stickers/" + string(s.ID) + ".png"
	case s.Format == stickerGIF:
		return "https://media.discordapp.net/stickers/" + string(s.ID) + ".gif"
	}
	return ""
}

// String has the question, the answers, and the votes where Discord tells them.
func (p *wirePoll) String() string {
	votes := map[number]number{}
	if p.Results != nil {
		for _, c := range p.Results.Counts {
			votes[c.ID] = c.Count
		}
	}
	var answers []string
	for i, a := range p.Answers {
		if i == maxAnswers {
			answers = append(answers, "…")
			break
		}
		text := a.Media.String()
		if len(votes) > 0 {
			text += fmt.Sprintf(" (%d votes)", votes[a.ID])
		}
		answers = append(answers, text)
	}
	s := fmt.Sprintf("(shared a poll: %s Options: %s", p.Question, strings.Join(answers, "; "))
	if p.Several {
		s += "; several may be chosen"
	}
	if p.Results != nil && p.Results.Final {
		s += "; it is closed"
	}
	return s + ")"
}

// Plays implements chat.Speaker: an attachment that is a recording has a button that plays it.
func (a *Adapter) Plays(string) bool { return true }
