package agent

import (
	"context"
	"slices"
	"strings"
	"testing"

	"parley/internal/chat"
	"parley/internal/llm"
)

// seen is a chat.Reply that keeps all that somebody could see of an answer.
type seen struct {
	now string
	all []string
}

func (s *seen) Text(delta string) { s.now += delta; s.all = append(s.all, s.now) }
func (s *seen) Status(string)     {}
func (s *seen) Reset()            { s.now = "" }

// letters is a model whose answer comes one character at a time.
type letters struct{ says string }

// Complete implements llm.Model.
func (l letters) Complete(_ context.Context, _ llm.Request, onText func(string)) (llm.Response, error) {
	for _, r := range l.says {
		if onText != nil {
			onText(string(r))
		}
	}
	return llm.Response{Model: "letters", Finish: llm.FinishStop, Message: llm.Message{Role: llm.RoleAssistant, Content: l.says}}, nil
}

// TestMarksOfKindsAreNeverSeen: not in the answer, not while it grows and not in
// what the model is shown later; and whatever else begins with a bracket is seen
// whole.
func TestMarksOfKindsAreNeverSeen(t *testing.T) {
	for said, want := range map[string]string{
		"[ask] A list, or a reminder?":        "A list, or a reminder?",
		" [OUT OF SCOPE]\n\nThat is private.": "That is private.",
		"[asking] is a word":                  "[asking] is a word",
		"[ask](https://example.org/a) them":   "[ask](https://example.org/a) them",
		"[1] is a source":                     "[1] is a source",
		"[":                                   "[",
		"plain":                               "plain",
	} {
		b := newBench(t, Options{Model: letters{said}})
		w := &seen{}
		m := b.accept(chat.Message{Key: chat.Key{Platform: "telegram", Channel: "7"}, From: chat.User{ID: "telegram:7", Name: "Ann"},
			Text: "hello", Direct: true})
		a, err := b.Handle(context.Background(), m, w)
		must(t, err)
		if got := b.finish(m, a); got != want {
			t.Errorf("%q is answered as %q", said, got)
		}
		if w.now != want && want != "[" {
			t.Errorf("%q was shown as %q", said, w.now)
		}
		if i := slices.IndexFunc(w.all, func(s string) bool { return !strings.HasPrefix(want, s) }); i >= 0 {
			t.Errorf("%q was shown as %q meanwhile", said, w.all[i])
		}
	}
}
