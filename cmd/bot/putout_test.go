package main

import (
	"fmt"
	"strings"
	"testing"

	"parley/internal/llm/llmtest"
)

// standings are Telegram's words for what somebody is in a group, and whether they
// still read there.
var standings = []struct {
	status        string
	inside, reads bool
}{
	{"creator", true, true}, {"administrator", true, true}, {"member", true, true}, {"restricted", true, true},
	{"restricted", false, false}, {"left", false, false}, {"kicked", false, false},
}

// TestPutOutOfAGroupRecallsNothing: what others said in a group is recalled from a
// direct chat by who is in it, and by nobody whom the platform says to be out, asked
// or told of it; over a kill.
func TestPutOutOfAGroupRecallsNothing(t *testing.T) {
	t.Parallel()
	for _, told := range []bool{false, true} {
		t.Run(fmt.Sprint("told ", told), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			child := w.start(t)
			for i := range standings {
				w.answered(t, -100, int64(20+i), "@parley_bot hello")
			}
			w.answered(t, -100, 8, "@parley_bot the canary sings at noon")
			w.settled(t)
			kill(child)
			for i, s := range standings {
				if told {
					w.tg.Changes(-100, int64(20+i), s.status, s.inside)
				} else {
					w.tg.SetMember(-100, int64(20+i), s.status, s.inside)
				}
			}
			child = w.start(t)
			for range 2 {
				for i, s := range standings {
					if got := w.recalls(t, int64(20+i), "canary noon"); strings.Contains(got, "sings at noon") != s.reads {
						t.Errorf("%s, inside: %v: recalled %q", s.status, s.inside, got)
					}
				}
				kill(child)
				child = w.start(t)
			}
		})
	}
}

// recalls returns what a model is given that looks for words in somebody's direct chat.
func (w *world) recalls(t *testing.T, user int64, words string) string {
	t.Helper()
	w.llm.Queue(callTool("recall_conversation", fmt.Sprintf(`{"query":%q}`, words)), llmtest.Turn{Text: "That is all."})
	w.tg.AddChat(user)
	w.answered(t, user, user, "what is it about?")
	list := w.words()
	last := list[len(list)-1].Messages
	return last[len(last)-1].Text()
}
