package gate

import (
	"fmt"
	"strings"
	"testing"

	"parley/internal/chat"
)

// TestAnswers: whole messages are read as people mean them, in six languages;
// what says more than yes or no is neither.
func TestAnswers(t *testing.T) {
	for text, want := range map[string]string{
		"Yes!": "[true]", "yes, do it": "[true]", "go ahead": "[true]", "OK, thanks": "[true]", "please do": "[true]",
		"👍🏽": "[true]", "✔️": "[true]",
		"Ja": "[true]", "ja, mach das bitte": "[true]", "Na klar!": "[true]", "in Ordnung": "[true]",
		"sí": "[true]", "Si, dale": "[true]", "¡Sí, por favor!": "[true]", "claro que sí": "[true]",
		"oui": "[true]", "D’accord": "[true]", "vas-y": "[true]", "bien sûr, merci": "[true]",
		"да": "[true]", "Давай": "[true]", "да, конечно": "[true]", "хорошо, спасибо": "[true]",
		"好的": "[true]", "可以。": "[true]", "好，删吧": "[true]", "没问题": "[true]",
		"no": "[false]", "No, thanks": "[false]", "don't do it": "[false]", "please don't": "[false]", "Nein danke": "[false]",
		"lieber nicht": "[false]",
		"no, gracias":  "[false]", "mejor no": "[false]", "non merci": "[false]", "нет": "[false]", "не надо": "[false]",
		"不要": "[false]", "不用了，谢谢": "[false]", "👎": "[false]", "❌": "[false]",

		"yes, but not today": "", "yes and no": "", "ja nein": "", "да нет": "", "好不好": "", "可以吗": "", "no problem": "",
		"yesterday": "", "ok so what is it?": "", "nota": "",
		"thanks": "", "": "", "1": "", "all": "", "die": "", "yes " + strings.Repeat("yes ", 40): "", strings.Repeat("嗯", 79) + "x": "",

		"2:yes": "[true true]", "2:no": "[false false]", "2:all of them": "[true true]", "2:both": "[true true]",
		"2:alle": "[true true]", "2:none": "[false false]", "2:ни одного": "[false false]",
		"3:1 and 3": "[true false true]", "3:nur 2": "[false true false]", "3:yes, 1, 2": "[true true false]",
		"3:only the second": "[false true false]", "3:#3": "[false false true]", "3:第一个和第三个": "[true false true]",
		"3:4": "", "3:no 2": "", "3:1 but not 2": "",
	} {
		n := 1
		if before, after, ok := strings.Cut(text, ":"); ok {
			_, _ = fmt.Sscan(before, &n) // the test's own
			text = after
		}
		got := ""
		if agreed, ok := verdict(chat.Message{Kind: chat.KindText, Text: text}, n); ok {
			got = fmt.Sprint(agreed)
		}
		if got != want {
			t.Errorf("%q of %d: %s, want %s", text, n, got, want)
		}
	}
	for name, m := range map[string]chat.Message{
		"forwarded": {Forwarded: true}, "shared": {Shared: true}, "with a file": {Files: []chat.File{{Name: "a"}}},
		"a command": {Kind: chat.KindCommand},
	} {
		if m.Text = "yes"; m.Kind == "" {
			m.Kind = chat.KindText
		}
		if _, ok := verdict(m, 1); ok {
			t.Errorf("%s is an answer", name)
		}
	}
}

// What is meant for an option and is none of its choices is refused, not stored as text.
func TestWrongChoicesAreRefused(t *testing.T) {
	options := []Option{{Name: "text", Required: true}, {Name: "type", Choices: []string{"fact", "rule"}},
		{Name: "scope", Choices: []string{"me", "channel"}}}
	for _, text := range []string{
		"my cat type:bogus", "my cat scope:nowhere type:fact", "type:bogus my cat", "my cat type:fact scope:nowhere",
	} {
		if got, err := arguments(options, text); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
	for text, want := range map[string]string{
		"my cat type:fact scope:me":   "map[scope:me text:my cat type:fact]",
		`"my cat type:bogus"`:         "map[text:my cat type:bogus]",
		"my blood type: O":            "map[text:my blood type: O]",
		"the type:bogus is a mistake": "map[text:the type:bogus is a mistake]",
	} {
		if got, err := arguments(options, text); err != nil || fmt.Sprint(got) != want {
			t.Errorf("%q: %v, %v; want %s", text, got, err, want)
		}
	}
}

// TestForTask: a yes may be for the rest of the task, in six languages; a no is not.
func TestForTask(t *testing.T) {
	for text, want := range map[string]string{
		"Yes, for this task!": "[true] true", "for this task": "[true] true", "allow for this task": "[true] true",
		"Ja, für diese Aufgabe": "[true] true", "sí, para esta tarea": "[true] true", "Oui, pour cette tâche.": "[true] true",
		"да, для этой задачи": "[true] true", "好的，本次任务": "[true] true",
		"yes": "[true] false", "no, not for this task": " false", "no for this task": " false", "what is this task for?": " false",
		"only 1 for this task": " false",
	} {
		m := chat.Message{Kind: chat.KindText, Text: text}
		got := ""
		agreed, ok := verdict(m, 1)
		if ok {
			got = fmt.Sprint(agreed)
		}
		if got = fmt.Sprintf("%s %t", got, ok && forTask(m)); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	some := body{Action: Action{Items: []Item{{Task: "a"}, {Task: "b"}, {Task: "a"}}}}
	if got := fmt.Sprint(answered{agreed: []bool{true, true, true}, task: true}.allows(some)); got != "[a b]" {
		t.Errorf("all of it allows %s", got)
	}
	if got := (answered{agreed: []bool{true, false, true}, task: true}).allows(some); got != nil {
		t.Errorf("a part allows %s", got)
	}
	some.Items[1].Task = ""
	if got := some.servers(); got != nil {
		t.Errorf("with a call that is never covered, %s may be allowed", got)
	}
}

// Free text before options that are only named takes the rest of the line.
func TestNamedOptions(t *testing.T) {
	options := []Option{{Name: "query"}, {Name: "tag", Named: true}, {Name: "when", Named: true}, {Name: "page", Kind: Number, Named: true}}
	for text, want := range map[string]string{
		"red car":                      "map[query:red car]",
		"red car tag:x":                "map[query:red car tag:x]",
		"red car tag:x page:2":         "map[page:2 query:red car tag:x]",
		"tag:x red car":                "map[query:red car tag:x]",
		`when:"last week" red`:         "map[query:red when:last week]",
		`red when:"last week"`:         `map[query:red when:"last week"]`,
		"tag:x":                        "map[tag:x]",
		"see http://x.org for details": "map[query:see http://x.org for details]",
	} {
		if got, err := arguments(options, text); err != nil || fmt.Sprint(got) != want {
			t.Errorf("%q: %v, %v; want %s", text, got, err, want)
		}
	}
}
