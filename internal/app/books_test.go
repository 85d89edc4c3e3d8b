package app

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/app/rehearse"
	"parley/internal/llm"
	"parley/internal/llm/llmtest"
)

// annasDay is what Anna says: everything that shows numbers or takes them, by hand and
// through the model.
var annasDay = []string{
	"/facts add I like tea", "/facts add My sister lives in Lima #important",
	`call save_fact {"content":"I play the harp"}`, `call save_fact {"content":"I own a red boat"}`,
	"what do I like?", "/facts list", "/facts search tea", "/facts history 1", "/facts important 1",
	"/facts change 1 I like green tea", "/facts change 2", `call update_fact {"id":1,"content":"I like black tea"}`,
	"/facts undo", "call list_facts {}", "/facts learned", "/facts keep 3", "/facts forget 2", "yes",
	"/facts forget 2 now", "yes", "/facts forget 2", `call forget_fact {"id":4}`, "yes", "/facts add I like rain",
	"/facts export", "/tasks add water the plants", `call add_task {"description":"pay the rent"}`, "/tasks",
	"/tasks done 1", "/tasks edit 2 pay the rent today", `call complete_task {"words":"rent"}`, "call list_tasks {}",
	"/tasks delete 2", "yes", "/tasks add bake bread", "/tasks done 99", "/tasks done 9", "/remind zone utc",
	"/remind in 2 hours to stretch", `call set_reminder {"text":"the bread","when":"in 3 hours"}`, "/remind list",
	"call list_reminders {}", "/remind snooze 1 30m", "/remind cancel 2", "/remind done 1",
	"/remind in 5 hours to rest", "/remind cancel 9", "/log add began a book",
	`call log_entry {"content":"read ten pages"}`, "/log day", "/log search book", "call list_log {}", "/facts list",
}

// bensDay is what Ben does beside her.
var bensDay = []string{
	"/facts add I like coffee", `call save_fact {"content":"I play the drums"}`,
	"/facts add My brother lives in Rome", "/tasks add feed the cat", "/tasks add mow the lawn",
	"/remind in 9 hours to sleep", "/log add had a long day", `call add_task {"description":"call mum"}`,
}

// annasWorld plays Anna's day and returns all that she and the models she talked to were told.
// Ben speaks before each of her messages: what he keeps, or else nothing that is kept.
func annasWorld(t *testing.T, keeps bool) (told []string) {
	t.Helper()
	anna := false
	model := &llmtest.Script{Answer: func(r llm.Request) (llm.Response, error) {
		if anna {
			for _, m := range r.Messages { // names of calls are random
				told = append(told, "the model: "+string(m.Role)+": "+m.Content)
			}
		}
		return captured(r)
	}}
	st := staged(t, "-- settings.yaml --\naccess: {mode: open}\nlimits: {user_per_minute: 0}\nmemory: {learn: false}\n-- talk --\n", model)
	n := map[bool]int{true: 0, false: 100_000}
	say := func(who, text string) {
		n[anna]++
		m, err := rehearse.Message(n[anna], "["+who+"] "+text)
		must(t, err)
		must(t, st.Say(context.Background(), m))
		if anna {
			told = append(told, "> "+text, st.Reply())
		}
	}
	for _, place := range []string{"telegram:1", "discord:1@10"} {
		for i, text := range annasDay {
			for _, who := range []string{"telegram:2", "discord:2@20", "discord:2@10"} {
				switch his := bensDay[i%len(bensDay)]; {
				case !keeps, who == "discord:2@10" && his[0] != '/': // her model reads what is said where she is
					say(who, "/help")
				default:
					say(who, his)
				}
			}
			anna = true
			say(place, text)
			anna = false
		}
	}
	return told
}

// TestNumbersTellNothingOfOthers: whether Ben has anything or not, Anna and her model read the
// same, to the byte: in a direct chat and in a group, lists and numbers, what she changes and
// what is not there.
func TestNumbersTellNothingOfOthers(t *testing.T) {
	alone, among := annasWorld(t, false), annasWorld(t, true)
	if len(alone) != len(among) {
		t.Errorf("told %d and %d times", len(alone), len(among))
	}
	for i := range min(len(alone), len(among)) {
		if alone[i] != among[i] {
			t.Fatalf("alone:\n%s\n\nbeside Ben:\n%s", alone[max(i-2, 0):i+1], cmp.Diff(alone[i], among[i]))
		}
	}
	if all := strings.Join(alone, "\n"); !strings.Contains(all, "Task #1 added") || strings.Contains(all, "went wrong") {
		t.Errorf("%s", all)
	}
}
