package main

import (
	"strings"
	"testing"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/llm/llmtest"
)

// down has the model fail whatever it is asked.
func (w *world) down() {
	w.llm.Respond(func(llmtest.Request) llmtest.Turn {
		return llmtest.Turn{Status: 503, Body: `{"error":{"message":"down"}}`}
	})
}

// In the middle of a conversation the model goes away and comes back: what needs none is
// done, and nothing is done for what only sounds like it.
func TestTheLaneWhileTheModelIsDown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "BOT_MODEL_RETRY_FOR=0s", "BOT_MODEL_RETRIES=1")
	w.run(t)
	w.spend(10)
	w.saying(t, 7, 7, "add milk to my shopping list")
	asked := len(w.words())
	if asked == 0 {
		t.Fatal("a model that works was not asked")
	}
	w.down()
	got := w.saying(t, 7, 7, "add milk to my shopping list and remind me tomorrow at 9 to call mom")
	if !strings.Contains(got, "buy milk") || !strings.Contains(got, "call mom") {
		t.Errorf("two wishes: %q", got)
	}
	if got := w.saying(t, 7, 7, "I need to pay the rent"); strings.Contains(got, "rent") || strings.Contains(got, "Shall I") {
		t.Errorf("a guess beside a model: %q", got)
	}
	if got := w.saying(t, 7, 7, "füge eine Aufgabe hinzu: Brot kaufen"); !strings.Contains(got, "Brot kaufen") {
		t.Errorf("in German: %q", got)
	}
	got = w.saying(t, 7, 7, "/tasks")
	if strings.Count(got, "buy milk") != 1 || strings.Contains(got, "rent") || !strings.Contains(got, "Brot") {
		t.Errorf("tasks: %q", got)
	}
	w.spend(10)
	if got := w.saying(t, 7, 7, "how are you?"); !strings.Contains(got, "paid") {
		t.Errorf("back again: %q", got)
	}
}

func TestTheLaneIsOff(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "BOT_QUICK=off", "BOT_MODEL_RETRY_FOR=0s", "BOT_MODEL_RETRIES=1")
	w.down()
	w.run(t)
	w.saying(t, 7, 7, "add milk to my shopping list")
	if got := w.saying(t, 7, 7, "/tasks"); strings.Contains(got, "milk") {
		t.Errorf("tasks: %q", got)
	}
}

// The lane answers before the model is asked, says so in /why, and the model reads what was
// done with what follows.
func TestTheLaneIsOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "BOT_QUICK=on")
	w.spend(10)
	w.run(t)
	for _, one := range [][2]string{{"remind me tomorrow at 9 to call mom", "call mom"}, {"what's on my shopping list", "no tasks"},
		{"what time is it in Tokyo?", "Asia/Tokyo"}, {"read me my reminder list", "eminder"}, {"what is 12 * 7?", "84"}} {
		said, want := one[0], one[1]
		if got := w.saying(t, 7, 7, said); !strings.Contains(got, want) {
			t.Errorf("%q: %q", said, got)
		}
		if got := w.saying(t, 7, 7, "/why"); !strings.Contains(got, "builtin") {
			t.Errorf("/why: %q", got)
		}
	}
	if n := len(w.words()); n != 0 {
		t.Errorf("the model was asked %d times", n)
	}
	if got := w.saying(t, 7, 7, "no, at ten"); got != "paid" {
		t.Errorf("what follows: %q", got)
	}
	var read strings.Builder
	for _, m := range w.words()[0].Messages {
		read.WriteString(string(m.Content) + "\n")
	}
	if !strings.Contains(read.String(), "remind me tomorrow at 9 to call mom") || !strings.Contains(read.String(), "12 * 7 = 84") {
		t.Errorf("the model read: %s", read.String())
	}
}

// Past a limit the lane still answers, once told apart from what needs the model.
func TestTheLanePastALimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "BOT_LIMITS_USER_TOKENS_PER_DAY=100")
	w.spend(3000)
	w.run(t)
	w.say(t, 7, "one")
	if got := w.saying(t, 7, 7, "add a task to call mom"); !strings.Contains(got, "call mom") || strings.Contains(got, "allowance") {
		t.Errorf("past the limit: %q", got)
	}
	if got := w.saying(t, 7, 7, "and what do you think of it?"); !strings.Contains(got, "allowance is used up") {
		t.Errorf("what needs the model: %q", got)
	}
	if n := len(w.words()); n != 1 {
		t.Errorf("%d model calls", n)
	}
}

// What the lane does is journaled as a model's calls are: killed at any point, it is done
// once.
func TestTheLaneKilledIsDoneOnce(t *testing.T) {
	t.Parallel()
	for _, point := range []string{"after_model", "after_tool", "before_finish", "after_finish"} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "BOT_QUICK=on")
			w.spend(10)
			child := w.start(t, "BOT_FAILPOINT="+point)
			w.tg.Push(telegramtest.Text(7, 7, "add milk to my shopping list and add a task to call mom"))
			dies(t, child)
			w.run(t)
			w.sent(t, 1)
			got := w.saying(t, 7, 7, "/tasks")
			if strings.Count(got, "buy milk") != 1 || strings.Count(got, "call mom") != 1 {
				t.Errorf("tasks: %q after %+v", got, w.tg.Sent())
			}
			if n := len(w.words()); n != 0 {
				t.Errorf("%d model calls", n)
			}
		})
	}
}

// While people have taken over, the lane is silent as the model is; in a group it hears whom
// the bot answers there, and what somebody edits is not done again.
func TestTheLaneKeepsItsPlace(t *testing.T) {
	t.Parallel()
	w := manned(t, "discord:50")
	w.env = append(w.env, "BOT_QUICK=on")
	w.spend(10)
	w.start(t)
	w.connected(t)
	w.tg.Push(telegramtest.Text(42, 42, "add bread to my shopping list"))
	first := w.told(t, 42, "buy bread")
	w.tg.Push(telegramtest.Edit(42, 42, first.ReplyTo, "add butter to my shopping list"))
	w.settled(t)
	w.tg.Push(telegramtest.Text(42, 42, "/handoff"))
	w.told(t, 42, "asked a person")
	w.dc.Press("77", "50", "9", w.posted(t, "50", "telegram:42").ID, "/handoff take 1")
	w.told(t, 42, "is here now")
	w.tg.Push(telegramtest.Text(42, 42, "add milk to my shopping list"))
	w.posted(t, "50", "add milk to my shopping list")
	w.settled(t)
	list, err := w.open(t).Agenda.Tasks(t.Context(), viewer("telegram:42", "42"), 10, 0)
	must(t, err)
	for _, one := range list {
		if strings.Contains(one.Description, "milk") {
			t.Errorf("done behind a person's back: %+v", list)
		}
	}
	if len(list) != 1 {
		t.Errorf("%d tasks: %+v", len(list), list)
	}
}
