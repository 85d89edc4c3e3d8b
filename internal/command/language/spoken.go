// Package language decides which language each person is spoken to in: the one
// they chose, else that of their platform, else that of their messages. It holds
// no words but those of /language.
package language

import (
	"cmp"
	"context"
	"log/slog"
	"strings"

	"parley/internal/chat"
	"parley/internal/text/catalog"
)

// Rows is what is stored of people's languages, by their ids, as tags; "" is
// unknown. memory.People.
type Rows interface {
	Languages(ctx context.Context, person string) (chosen, heard string, err error)
	SetLanguage(ctx context.Context, person, tag string) error // what they chose
	SetHeard(ctx context.Context, person, tag string) error
}

// Speaker knows people's languages. It is safe for many goroutines.
type Speaker struct {
	Rows Rows
	// Home is the tag of the language of who sits at this machine; "" is unknown.
	Home string
	// English keeps to English whatever is written, until somebody chooses: scripts
	// that are compared stay as they are.
	English bool
	Log     *slog.Logger
}

// To returns the language for somebody who says nothing just now: of a reminder
// or a notice. It reads a row; English when nothing is known.
func (s Speaker) To(ctx context.Context, person string) catalog.Printer {
	chosen, heard := s.read(ctx, person)
	for _, tag := range []string{chosen, heardOf(heard).tag} {
		if p, known := catalog.For(tag); known {
			return p
		}
	}
	return catalog.Printer{}
}

// With returns a context in which somebody is spoken to who says nothing just now.
func (s Speaker) With(ctx context.Context, who chat.User) context.Context {
	return catalog.With(ctx, s.To(ctx, who.ID))
}

// Answering returns the language for the answer to m. It reads a row.
func (s Speaker) Answering(ctx context.Context, m chat.Message) catalog.Printer {
	chosen, before := s.read(ctx, m.From.ID)
	if p, known := catalog.For(chosen); known {
		return p
	}
	p, _ := catalog.For(s.heard(m, before).tag)
	return p
}

// Heard returns next behind a look at each message: what it tells of its author's
// language is stored, so that it is known when they are next spoken to. What they
// chose themselves is noted in the context. It is for people who were let in.
func (s Speaker) Heard(next chat.Handler) chat.Handler {
	pass := chat.FuncOf(next)
	return chat.HandlerFunc(func(ctx context.Context, m chat.Message, w chat.Reply) (chat.Answer, error) {
		if m.From.ID != "" && m.Addressed && !m.Unasked {
			chosen, before := s.read(ctx, m.From.ID)
			if _, known := catalog.For(chosen); known {
				ctx = catalog.Chosen(ctx)
			}
			if now := s.heard(m, before).String(); now != before {
				if err := s.Rows.SetHeard(ctx, m.From.ID, now); err != nil {
					s.Log.Warn("store a language", "err", err) // it is heard again
				}
			}
		}
		return pass(ctx, m, w)
	})
}

// state is what is stored of the language that somebody was heard to speak.
type state struct {
	tag string // "" is unknown
	// hint is another language, which the short message with the id by was in; it is
	// theirs if the next one is, too. "" is none.
	hint, by string
}

// heardOf reads what is stored.
func heardOf(stored string) state {
	tag, rest, _ := strings.Cut(stored, " ")
	hint, by, _ := strings.Cut(rest, " ")
	return state{tag, hint, by}
}

func (s state) String() string {
	if s.hint == "" {
		return s.tag
	}
	return s.tag + " " + s.hint + " " + s.by
}

// heard tells the language of m's author, of whom before is stored. It is the same for a
// message that is seen twice. What people write counts only where their platform says
// nothing, English or a language that is not spoken here: many leave it at English who
// write another.
func (s Speaker) heard(m chat.Message, before string) state {
	was := heardOf(before)
	if s.English {
		return state{}
	}
	said := m.Language
	if strings.HasPrefix(m.From.ID, "terminal:") {
		said = s.Home
	}
	platform, known := catalog.For(said)
	if known && platform.Tag() != catalog.English {
		return state{tag: platform.Tag()}
	}
	if m.Kind != chat.KindText || m.Forwarded || m.Shared {
		return was
	}
	p, tells := catalog.Heard(m.Text)
	return was.after(p.Tag(), tells, m)
}

// shortest is how long, in bytes, a lone word must be to tell the language of somebody who
// was never heard: "hola" is, "yo" and "die" are not.
const shortest = 4

// after is the state after a message in a language. A long one changes it at once, a short
// one if the one before was in the same other language, a word never.
func (s state) after(tag string, tells int, m chat.Message) state {
	_, known := catalog.For(s.tag)
	switch {
	case tells == catalog.Nothing, tells == catalog.Word && (known || len(strings.TrimSpace(m.Text)) < shortest):
		return s
	case tag == s.tag, tells == catalog.Much, !known, s.hint == tag && s.by != m.ID:
		return state{tag: tag}
	}
	return state{s.tag, tag, m.ID}
}

func (s Speaker) read(ctx context.Context, person string) (chosen, heard string) {
	if person == "" {
		return "", ""
	}
	chosen, heard, err := s.Rows.Languages(ctx, person)
	if err != nil {
		s.Log.Warn("read a language", "err", err) // English is understood, too
	}
	return chosen, heard
}

// Machine returns the tag of the language that a machine is set to, by its
// environment; "" when it is set to none.
func Machine(getenv func(string) string) string {
	lang, _, _ := strings.Cut(cmp.Or(getenv("LC_ALL"), getenv("LC_MESSAGES"), getenv("LANG")), ".")
	if p, known := catalog.For(lang); known {
		return p.Tag()
	}
	return ""
}
