package language_test

import (
	"context"
	"log/slog"
	"testing"

	"parley/internal/chat"
	"parley/internal/command/language"
	"parley/internal/memory"
	"parley/internal/memory/memorytest"
)

// A person is spoken to in what they chose, else in the language of their platform,
// else of what they write; it is known when they say nothing.
func TestAnswering(t *testing.T) {
	store := memorytest.Open(t, memory.Options{})
	s := language.Speaker{Rows: store.People, Log: slog.New(slog.DiscardHandler)}
	nobody := chat.HandlerFunc(func(context.Context, chat.Message, chat.Reply) (chat.Answer, error) { return chat.Answer{}, nil })
	message := func(text, platform string) chat.Message {
		return chat.Message{From: chat.User{ID: "x:1"}, Text: text, Language: platform, Addressed: true}
	}
	for _, step := range []struct {
		m            chat.Message
		chosen       string // before m, with "-" for unchanged
		answer, then string
	}{
		{message("ok", ""), "-", "en", "en"},
		{message("hola, ¿qué sabes de mí?", ""), "-", "es", "es"},
		{message("ok", ""), "-", "es", "es"},
		{message("ok", "en-US"), "-", "es", "es"}, // left at English
		{message("what do you know about me?", "en-US"), "-", "en", "en"},
		{message("what do you know about me?", "de-AT"), "-", "de", "de"},
		{message("ok", "pt-BR"), "-", "de", "de"},
		{message("Erinnere mich an die Milch", "de"), "fr", "fr", "fr"},
		{message("ok", ""), "", "de", "de"},
		{chat.Message{From: chat.User{ID: "x:1"}, Text: "hola, ¿qué sabes de mí?", Forwarded: true, Addressed: true}, "-", "de", "de"},
		{chat.Message{Text: "hola"}, "-", "es", "de"}, // nobody: of no row
	} {
		if step.chosen != "-" {
			if err := store.People.SetLanguage(t.Context(), "x:1", step.chosen); err != nil {
				t.Fatal(err)
			}
		}
		if got := s.Answering(t.Context(), step.m).Tag(); got != step.answer {
			t.Errorf("%q (%s): answered in %s, want %s", step.m.Text, step.m.Language, got, step.answer)
		}
		if _, err := s.Heard(nobody).Handle(t.Context(), step.m, nil); err != nil {
			t.Fatal(err)
		}
		if got := s.To(t.Context(), "x:1").Tag(); got != step.then {
			t.Errorf("after %q: spoken to in %s, want %s", step.m.Text, got, step.then)
		}
	}
}

func TestMachine(t *testing.T) {
	for want, env := range map[string]map[string]string{
		"de": {"LANG": "de_AT.UTF-8"},
		"zh": {"LANG": "en_US.UTF-8", "LC_MESSAGES": "zh_CN"},
		"ru": {"LC_ALL": "ru_RU", "LANG": "fr_FR"},
		"":   {"LANG": "C.UTF-8"},
	} {
		if got := language.Machine(func(name string) string { return env[name] }); got != want {
			t.Errorf("%v: %q, want %q", env, got, want)
		}
	}
}
