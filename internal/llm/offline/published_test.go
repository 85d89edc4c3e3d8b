package offline

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/llm"
	"parley/internal/text/catalog"
)

// operations are the intents of CLINC150 that Parley has operations for, with what each may
// be taken as. What is asked for outside a chat (a phone's own alarm, a shop) is not there.
var operations = map[string][]string{
	"alarm": {"set_reminder"}, "timer": {"set_reminder"}, "reminder_update": {"set_reminder"}, "reminder": {"list_reminders"},
	"todo_list": {"list_tasks"}, "shopping_list": {"list_tasks"}, "todo_list_update": {"add_task", "delete_task", "complete_task"},
	"shopping_list_update": {"add_task", "delete_task", "complete_task"}, "time": {"current_time"}, "timezone": {"current_time"},
	"date": {"current_time"}, "calculator": {"sum"}, "user_name": {"list_facts"}, "change_user_name": {"save_fact"},
}

// TestPublishedLane prints what the free lane makes of published sentences; make lane.
func TestPublishedLane(t *testing.T) {
	path := os.Getenv("PARLEY_LANE_SET")
	if path == "" {
		t.Skip("make lane")
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var rows [][2]string
	if err := json.Unmarshal(raw, &rows); err != nil {
		t.Fatal(err)
	}
	type score struct{ all, right, asked, wrong, deeds int }
	scores, ops := map[string]*score{}, &score{}
	var took []time.Duration
	for _, row := range rows {
		s := scores[row[1]]
		if s == nil {
			s = &score{}
			scores[row[1]] = s
		}
		may, is := operations[row[1]]
		began := time.Now()
		tk := talk{messages: []llm.Message{says(row[0])}, tools: everyTool(), speaks: "en", sure: true}
		a, ok := asked{}, tk.fits()
		took = append(took, time.Since(began))
		if ok {
			a, _ = tk.said()
		}
		for _, of := range []*score{s, ops} {
			if of == ops && !is {
				continue
			}
			of.all++
			if !ok {
				continue
			}
			if ok && is && a.lacks() && !completes(row[0], "en", a) {
				continue // it asks, and does not take the answer
			}
			if !is || slices.ContainsFunc(append([]asked{a}, a.more...), func(one asked) bool { return !slices.Contains(may, one.does) }) {
				of.wrong++
				if !slices.Contains(lookups, a.does) && a.does != "sum" && !a.lacks() {
					of.deeds++
				}
				if of == s {
					t.Logf("wrong: %s: %q is %s %v", row[1], row[0], a.does, a.args)
				}
				continue
			}
			of.right++
			if a.lacks() {
				of.asked++
			}
		}
	}
	slices.Sort(took)
	rest := &score{}
	for _, intent := range slices.Sorted(maps.Keys(scores)) {
		s := scores[intent]
		if _, is := operations[intent]; is || intent == "oos" || intent == "talk" {
			t.Logf("%-22s %5d sentences, %4d understood (%d of these after a question), %d otherwise, %d of these deeds",
				intent, s.all, s.right, s.asked, s.wrong, s.deeds)
			continue
		}
		rest.all, rest.wrong, rest.deeds = rest.all+s.all, rest.wrong+s.wrong, rest.deeds+s.deeds
	}
	t.Logf("%-22s %5d sentences, %d taken, %d of these deeds", "other intents", rest.all, rest.wrong, rest.deeds)
	t.Logf("operations: %.1f %% of %d understood, %.1f %% without a question, precision %.2f %%; p50 %s, p99 %s",
		100*float64(ops.right)/float64(ops.all), ops.all, 100*float64(ops.right-ops.asked)/float64(ops.all),
		100*float64(ops.right)/float64(max(1, ops.right+ops.wrong)), took[len(took)/2], took[len(took)*99/100])
	if n := rest.deeds + ops.deeds + scores["oos"].deeds; n > 0 || scores["talk"] != nil && scores["talk"].deeds > 0 {
		t.Errorf("%d wrong deeds, and in talk %+v", n, scores["talk"])
	}
}

// answersTo are answers to what the lane asks for: when, what for, and both.
var answersTo = map[string][3]string{
	"en": {"tomorrow at 9", "call mom", "call mom tomorrow at 9"}, "de": {"morgen um 9", "Mama anrufen", "morgen um 9 Mama anrufen"},
	"es": {"mañana a las 9", "llamar a mamá", "llamar a mamá mañana a las 9"},
	"fr": {"demain à 9h", "appeler maman", "appeler maman demain à 9h"},
	"ru": {"завтра в 9", "позвонить маме", "завтра в 9 позвонить маме"}, "zh": {"明天早上9点", "打电话给妈妈", "明天早上9点打电话给妈妈"},
}

// completes reports whether a reminder that lacks something is set after an answer, with
// all that was said.
func completes(said, tag string, a asked) bool {
	p, _ := catalog.For(tag)
	answer := answersTo[tag][0]
	switch {
	case a.args["text"] == "" && a.args["when"] == "":
		answer = answersTo[tag][2]
	case a.args["text"] == "":
		answer = answersTo[tag][1]
	case a.part != nil:
		answer = strings.TrimPrefix(strings.TrimPrefix(answer, "tomorrow "), "morgen ")
	}
	tk := talk{messages: []llm.Message{says(said), {Role: llm.RoleAssistant, Content: a.lacking(p)}, says(answer)},
		tools: everyTool(), speaks: tag, sure: true}
	if !tk.fits() {
		return false
	}
	whole, _ := tk.said()
	return whole.does == "set_reminder" && !whole.lacks() && (a.args["text"] == "" || whole.args["text"] == a.args["text"]) &&
		(a.args["when"] == "" || whole.args["when"] == a.args["when"])
}
