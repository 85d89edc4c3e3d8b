package main

import (
	"strings"
	"testing"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/llm/llmtest"
)

// laneAsks begins the question of the lane for the time of an alarm.
const laneAsks = "For when?"

// eachPlatform plays a conversation on Telegram, Discord and Matrix, where the model answers
// "paid".
func eachPlatform(t *testing.T, env []string, play func(t *testing.T, w *world, say func(string) string)) {
	t.Helper()
	for name, on := range map[string]func(*testing.T, *world) func(string) string{
		"telegram": onTelegram, "discord": onDiscordDM, "matrix": onMatrixDM,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, append([]string{"BOT_MODEL_RETRY_FOR=0s", "BOT_MODEL_RETRIES=1"}, env...)...)
			w.spend(10)
			play(t, w, on(t, w))
		})
	}
}

// hears says something and wants to read something in the answer.
func hears(t *testing.T, say func(string) string, said, want string) {
	t.Helper()
	if got := say(said); !strings.Contains(got, want) {
		t.Errorf("%q: %q, want %q", said, got, want)
	}
}

// paid checks how often the model was asked up to now.
func (w *world) paid(t *testing.T, n int) {
	t.Helper()
	if got := len(w.words()); got != n {
		t.Errorf("the model was asked %d times, want %d", got, n)
	}
}

// reminders checks how many there are.
func (w *world) reminders(t *testing.T, n int) {
	t.Helper()
	if got, err := w.open(t).Rows(t.Context(), "reminders"); got != n || err != nil {
		t.Errorf("%d reminders, want %d, %v", got, n, err)
	}
}

// With quick: on a question of the lane, its answer and what corrects that need no model; an
// answer of the model in between ends the question.
func TestTheLaneAsks(t *testing.T) {
	t.Parallel()
	eachPlatform(t, []string{"BOT_QUICK=on"}, func(t *testing.T, w *world, say func(string) string) {
		hears(t, say, "set an alarm", laneAsks)
		hears(t, say, "/why", "builtin")
		hears(t, say, "7 in the morning", "07:00")
		hears(t, say, "/why", "builtin")
		hears(t, say, "no, at six", "06:00")
		w.paid(t, 0)
		w.reminders(t, 1)
		hears(t, say, "set an alarm", laneAsks)
		hears(t, say, "how are you?", "paid")
		hears(t, say, "8 in the morning", "paid")
		w.paid(t, 2)
		w.reminders(t, 1)
	})
}

// By default the model answers; while it is down the lane does, and says so.
func TestTheLaneAsksWhileTheModelIsDown(t *testing.T) {
	t.Parallel()
	eachPlatform(t, nil, func(t *testing.T, w *world, say func(string) string) {
		hears(t, say, "set an alarm", "paid")
		w.down()
		hears(t, say, "set an alarm", laneAsks)
		hears(t, say, "7", "07:00")
		hears(t, say, "/why", "builtin")
		w.spend(10)
		hears(t, say, "no, at six", "paid")
		hears(t, say, "remind me tomorrow at 9 to call mom", "paid")
		w.reminders(t, 1)
	})
}

// With quick: off nothing is done without the model.
func TestTheLaneNeverAsksWhereItIsOff(t *testing.T) {
	t.Parallel()
	eachPlatform(t, []string{"BOT_QUICK=off"}, func(t *testing.T, w *world, say func(string) string) {
		hears(t, say, "remind me tomorrow at 9 to call mom", "paid")
		w.down()
		for _, said := range []string{"set an alarm", "7 in the morning", "remind me tomorrow at 9 to call mom"} {
			if got := say(said); strings.Contains(got, laneAsks) || strings.Contains(got, "remind") {
				t.Errorf("%q: %q", said, got)
			}
		}
		w.reminders(t, 0)
	})
}

// Past a limit the answer to a question of the lane needs no allowance either, nor does what
// corrects it.
func TestTheLaneAsksPastALimit(t *testing.T) {
	t.Parallel()
	eachPlatform(t, []string{"BOT_LIMITS_USER_TOKENS_PER_DAY=100"}, func(t *testing.T, w *world, say func(string) string) {
		w.spend(3000)
		hears(t, say, "one", "paid")
		hears(t, say, "set an alarm", laneAsks)
		hears(t, say, "7 in the morning", "07:00")
		hears(t, say, "no, at six", "06:00")
		hears(t, say, "and what do you think of it?", "allowance is used up")
		w.paid(t, 1)
		w.reminders(t, 1)
	})
}

// "No, at six" moves what the model set, too, and costs nothing.
func TestTheLaneCorrectsTheModel(t *testing.T) {
	t.Parallel()
	eachPlatform(t, []string{"BOT_QUICK=on"}, func(t *testing.T, w *world, say func(string) string) {
		w.llm.Queue(callTool("set_reminder", `{"text":"call mom","when":"tomorrow at 9"}`), llmtest.Turn{Text: "I will."})
		hears(t, say, "could you see to it that I ring mom in the morning", "I will.")
		w.paid(t, 2)
		hears(t, say, "no, at six", "18:00")
		w.paid(t, 2)
		w.reminders(t, 1)
		hears(t, say, "how are you?", "paid")
		hears(t, say, "no, at seven", "paid")
	})
}

// While a yes is waited for, the lane's question takes its own answer, and a yes is not one.
func TestTheLaneAsksBesideAConfirmation(t *testing.T) {
	t.Parallel()
	eachPlatform(t, []string{"BOT_QUICK=on"}, func(t *testing.T, w *world, say func(string) string) {
		hears(t, say, "add a task to call mom", "call mom")
		hears(t, say, "delete task 1", `Delete the task "call mom"?`)
		hears(t, say, "set an alarm", laneAsks)
		hears(t, say, "7 in the morning", "07:00")
		hears(t, say, "set an alarm", laneAsks)
		say("yes")
		w.paid(t, 1) // it tells what became of what was agreed to
		w.reminders(t, 1)
		if n, err := w.open(t).Rows(t.Context(), "tasks"); n != 0 || err != nil {
			t.Errorf("%d tasks, %v", n, err)
		}
	})
}

// After /forget-me nothing is left that an answer could complete.
func TestTheLaneForgetsItsQuestion(t *testing.T) {
	t.Parallel()
	eachPlatform(t, []string{"BOT_QUICK=on"}, func(t *testing.T, w *world, say func(string) string) {
		hears(t, say, "set an alarm", laneAsks)
		say("/forget-me")
		hears(t, say, "yes", "deleted everything about you")
		hears(t, say, "7 in the morning", "paid")
		w.paid(t, 1)
		w.reminders(t, 0)
	})
}

// In a group the answer counts from whom the lane asked, not from somebody else.
func TestTheLaneAsksOneOfAGroup(t *testing.T) {
	t.Parallel()
	for name, on := range map[string]func(*testing.T, *world) group{"telegram": onTelegramGroup, "discord": onDiscordGuild} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "BOT_QUICK=on")
			w.spend(10)
			g := on(t, w)
			n := 0
			says := func(user, said, want string) {
				t.Helper()
				g.say(user, said)
				eventually(t, said+" is answered", func() bool {
					texts, _ := g.all()
					return len(texts) > n && w.unfinished() == 0
				})
				texts, _ := g.all()
				if got := strings.Join(texts[n:], "\n"); !strings.Contains(got, want) {
					t.Errorf("%s, %q: %q, want %q", user, said, got, want)
				}
				n = len(texts)
			}
			says("7", "set an alarm", laneAsks)
			says("8", "7 in the morning", "paid")
			w.paid(t, 1)
			w.reminders(t, 0)
			says("7", "set an alarm", laneAsks)
			says("7", "8 in the morning", "08:00 UTC?") // others have written here
			says("7", "yes", "")
			w.reminders(t, 1)
			asked := len(w.words())
			says("8", "no, at six", "paid")
			w.paid(t, asked+1)
		})
	}
}

// Killed after its question, and again while its answer is done, the lane asks once and sets
// one alarm.
func TestTheLaneAsksAcrossKills(t *testing.T) {
	t.Parallel()
	for _, point := range []string{"after_model", "before_finish"} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "BOT_QUICK=on")
			w.spend(10)
			child := w.start(t)
			w.tg.Push(telegramtest.Text(7, 7, "set an alarm"))
			w.told(t, 7, laneAsks)
			w.settled(t)
			kill(child)
			child = w.start(t, "BOT_FAILPOINT="+point)
			w.tg.Push(telegramtest.Text(7, 7, "7 in the morning"))
			dies(t, child)
			child = w.start(t)
			w.settled(t)
			kill(child)
			w.saysWhatBecame(t, "07:00")
			if n := strings.Count(w.texts(7), laneAsks); n != 1 {
				t.Errorf("it asked %d times: %s", n, w.texts(7))
			}
			w.paid(t, 0)
			w.reminders(t, 1)
		})
	}
}

// saysWhatBecame fails the test unless chat 7 has read once what a call did: one that was cut
// short between the deed and its note is run again, and finds what it wrote.
func (w *world) saysWhatBecame(t *testing.T, done string) {
	t.Helper()
	if said := w.texts(7); strings.Count(said, done) != 1 || strings.Contains(said, "can't tell") {
		t.Errorf("not said once what became of %q: %s", done, said)
	}
}
