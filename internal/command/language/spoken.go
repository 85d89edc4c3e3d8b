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
	for _, tag := range []string{chosen, heard} {
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
	return s.heard(m, before)
}

// Heard returns next behind a look at each message: what it tells of its author's
// language is stored, so that it is known when they are next spoken to. What they
// chose themselves is noted in the context. It is for people who were let in.
func (s Speaker) Heard(next chat.Handler) chat.Handler {
	return chat.HandlerFunc(func(ctx context.Context, m chat.Message, w chat.Reply) (chat.Answer, error) {
		if m.From.ID != "" && m.Addressed && !m.Unasked {
			chosen, before := s.read(ctx, m.From.ID)
			if _, known := catalog.For(chosen); known {
				ctx = catalog.Chosen(ctx)
			}
			now := s.heard(m, before).Tag()
			if now != before && (before != "" || now != catalog.English) {
				if err := s.Rows.SetHeard(ctx, m.From.ID, now); err != nil {
					s.Log.Warn("store a language", "err", err) // it is heard again
				}
			}
		}
		return next.Handle(ctx, m, w)
	})
}

// heard tells the language of m's author, of whom before is known. What people
// write counts only where their platform says nothing, English or a language
// that is not spoken here: many leave it at English who write another.
func (s Speaker) heard(m chat.Message, before string) catalog.Printer {
	if s.English {
		return catalog.Printer{}
	}
	said := m.Language
	if strings.HasPrefix(m.From.ID, "terminal:") {
		said = s.Home
	}
	platform, known := catalog.For(said)
	if known && platform.Tag() != catalog.English {
		return platform
	}
	if m.Kind == chat.KindText && !m.Forwarded && !m.Shared {
		if p, sure := catalog.Heard(m.Text); sure {
			return p
		}
	}
	p, _ := catalog.For(before)
	return p
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
