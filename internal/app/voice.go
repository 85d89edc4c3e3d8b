package app

import (
	"context"
	_ "embed"
	"strings"
	"unicode/utf8"

	"parley/config"
	"parley/internal/agent/background"
	"parley/internal/app/setup"
	"parley/internal/chat"
	"parley/internal/command"
	"parley/internal/llm"
	"parley/internal/llm/wrap"
	"parley/internal/memory"
	"parley/internal/notes/citation"
	"parley/internal/playbook/review"
	"parley/internal/text"
	"parley/internal/text/catalog"
	"parley/internal/text/markdown"
)

// voice speaks answers, after their text is sent and beside the lane. nil is silent.
type voice struct {
	*front
	mouth  *wrap.Mouth
	beside *background.Work
	hide   text.Redactor // as in the answer: a tool's words that are passed on go through no model
}

//go:embed gist.md
var gistPrompt string

// newVoice returns what speaks; nil where the settings name no endpoint.
func (f *front) newVoice() *voice {
	e, name, ok := setup.Speech(f.cfg.Speech)
	if !ok {
		return nil
	}
	return &voice{f, &wrap.Mouth{Of: e, Name: name, Price: f.cfg.Speech.Price, Reserve: f.models.reserve, Count: f.models.count},
		&background.Work{Background: f.background}, setup.NewRedactor(f.cfg, setup.ShortestSaid)}
}

// open begins to speak beside the lanes.
func (v *voice) open() {
	if v != nil {
		v.beside.Open()
	}
}

// close cancels what is being spoken.
func (v *voice) close() {
	if v != nil {
		v.beside.Close()
	}
}

// speaking has answers of next spoken to those who want it. The text is the answer: a
// recording that fails, or that the end of the process overtakes, is left out.
func (v *voice) speaking(next chat.Handler) chat.Handler {
	if v == nil {
		return next
	}
	pass := chat.FuncOf(next)
	return chat.HandlerFunc(func(ctx context.Context, m chat.Message, w chat.Reply) (chat.Answer, error) {
		a, err := pass(ctx, m, w)
		turn, ok := a.Record.(*memory.Turn)
		if err != nil || !ok || a.Text == "" || a.Private && !m.Direct || !v.wanted(ctx, m) {
			return a, err
		}
		if turn.Decision.ID == "" {
			turn.Decision.ID = memory.NewID()
		}
		words := uttered(turn, a.Text)
		turn.Afterwards(func(context.Context) { v.speak(m, turn.Decision.ID, words) })
		return a, nil
	})
}

// wanted reports whether the author of m hears the answer to it.
func (v *voice) wanted(ctx context.Context, m chat.Message) bool {
	if _, ok := v.speaker(m); !ok || m.Kind == chat.KindEdit {
		return false
	}
	when, err := v.store.People.Voice(ctx, m.From.ID)
	if err != nil {
		v.log.Warn("whether somebody wants to hear answers", "err", err)
	}
	return when == command.VoiceOn || when == command.VoiceReply && spokenTo(m)
}

// spokenTo reports whether a message was spoken.
func spokenTo(m chat.Message) bool {
	for _, f := range m.Files {
		if f.Voice {
			return true
		}
	}
	return false
}

// uttered is what a turn answered, without what only eyes need: the list of sources.
func uttered(t *memory.Turn, answer string) string {
	for i := len(t.Entries) - 1; i >= 0; i-- {
		if e := t.Entries[i]; e.Role == llm.RoleAssistant && e.Content != "" {
			return e.Content
		}
	}
	return answer
}

// speak makes the recording of an answer, beside its lane, and sends it there.
func (v *voice) speak(m chat.Message, decision, said string) {
	v.beside.Run(v.platforms.hub.Do, m.Key, func(ctx context.Context) func(context.Context) {
		part, err := v.record(ctx, m, said)
		if err != nil {
			v.log.Warn("an answer is not spoken", "conversation", m.Key.String(), "err", err)
		}
		if err != nil || len(part.Files) == 0 {
			return nil
		}
		return func(ctx context.Context) {
			if err := v.store.Speak(ctx, decision, []chat.Part{part}); err != nil {
				v.log.Warn("a recording is not sent", "conversation", m.Key.String(), "err", err)
			}
			v.platforms.hub.Flush(m.Key)
		}
	})
}

// record returns a part with the recording of an answer; one without a file if there is
// nothing to say.
func (v *voice) record(ctx context.Context, m chat.Message, said string) (chat.Part, error) {
	p := v.people.speaker.To(ctx, m.From.ID)
	ctx = chat.PaidBy(catalog.With(ctx, p), m)
	part := chat.Part{Key: m.Key, To: m.From}
	if said = v.gist(ctx, v.hide.Hide(aloud(said))); said == "" {
		return part, nil
	}
	rec, err := v.mouth.Speak(ctx, said, v.cfg.Speech.Of(p.Tag()))
	if err != nil {
		return part, err
	}
	speaker, ok := v.speaker(m)
	part.Files = []chat.File{{Name: "voice" + rec.End, MIME: rec.MIME, Size: int64(len(rec.Data)), Data: rec.Data,
		Voice: ok && speaker.Plays(rec.MIME)}}
	if m.Kind == chat.KindText {
		part.ReplyTo = m.ID
	}
	return part, nil
}

func (f *front) speaker(m chat.Message) (chat.Speaker, bool) {
	return chat.As[chat.Speaker](chat.On(f.platforms.adapters, m.Key.Platform))
}

// gist is what is said of a text: all of it, or, of a long one, what a model makes of it in a
// sentence or two. Where no model does, or it says what is not there, it is the beginning.
func (v *voice) gist(ctx context.Context, said string) string {
	longest := v.cfg.Speech.Longest
	if utf8.RuneCountInString(said) <= longest {
		return said
	}
	beginning := text.ShortenWords(said, longest/2)
	model := v.models.routed(config.PurposeSummary)
	if model == nil || v.models.builtIn() {
		return beginning
	}
	resp, err := model.Complete(ctx, llm.Request{MaxTokens: maxGist, Messages: []llm.Message{
		{Role: llm.RoleSystem, Content: gistPrompt}, {Role: llm.RoleUser, Content: said}}}, nil)
	if err != nil {
		v.log.Warn("the gist of an answer", "err", err)
		return beginning
	}
	short := aloud(resp.Message.Content)
	if review.Bound(short, []string{said}, citation.Supported) != "" || short == "" || utf8.RuneCountInString(short) > longest {
		return beginning
	}
	return short
}

// maxGist bounds the gist, in tokens.
const maxGist = 200

// marks are the numbers of sources, which nobody wants to hear.
var marks = text.Pattern(`\s?\[\d{1,2}(?:, ?\d{1,2})*\]`)

// aloud is Markdown as somebody would read it out: without code, tables and addresses.
func aloud(said string) string {
	doc, source := markdown.Parse(said)
	var all []string
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		if s := strings.TrimSpace(markdown.Aloud(n, source)); s != "" {
			all = append(all, marks().ReplaceAllString(s, ""))
		}
	}
	return text.Plain(strings.Join(all, "\n"))
}

// voiceCommand is /voice, without anything where nothing speaks.
func (f *front) voiceCommand() command.Voice {
	if f.voice == nil {
		return command.Voice{}
	}
	return command.Voice{Rows: f.store.People, Speaks: func(m chat.Message) bool { _, ok := f.speaker(m); return ok }}
}
