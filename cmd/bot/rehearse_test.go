package main

import (
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/llm/llmtest"
)

const examples = "../../config/rehearsals"

// rehearsing runs the command without a key, and without the settings of whoever
// tests.
func rehearsing(args ...string) (code int, out string) {
	out, code = typed("", append([]string{"rehearse"}, args...)...)
	return code, out
}

// stageScript writes a script with a playbook of one rule and one journey.
func stageScript(t *testing.T, talk string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "script.txt")
	text := `What it shows.
-- playbook/rules.yaml --
guidelines:
  - id: refund
    condition: literal:refund
    action: Be kind.
-- talk --
` + talk
	must(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

// The examples for owners and the scripts that are only tests pass.
func TestRehearseExamples(t *testing.T) {
	t.Parallel()
	played := 0
	for _, dir := range []string{examples, "testdata/rehearsals"} {
		files, err := filepath.Glob(dir + "/*.txt")
		must(t, err)
		for _, file := range files {
			played++
			t.Run(filepath.Base(file), func(t *testing.T) {
				t.Parallel()
				if code, out := rehearsing(file); code != 0 || !strings.Contains(out, " 0 differ") {
					t.Errorf("exit %d\n%s", code, out)
				}
			})
		}
	}
	if played < 40 {
		t.Errorf("%d scripts", played)
	}
}

// Each wrong line is told with its place, what is wanted and what holds.
func TestRehearseDifference(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ talk, want string }{
		{"> a refund\n= Sure.\n< No.\n", "script.txt:10: differs\n  after > a refund\n- < No.\n+ < Sure.\n"},
		{"> a refund\n= One\n| two\n| three\n< One\n| zwei\n| three\n",
			"script.txt:12: differs\n  after > a refund\n  < One\n- | zwei\n+ | two\n  | three\n"},
		{"> hello\n= Hi.\n<~ ^H\nrule refund\n", ":11: differs\n  after > hello\n- rule refund\n+ !rule refund\n"},
		{"> a refund\n= Hi.\nrules\n", "- rules\n+ rules refund\n"},
		{"> a refund\n= Hi.\n? Be rude\n", "+ !? Be rude\n"},
		{"> hi\n! current_time {}\n= Hi.\ntool current_time {\"a\":1}\n", "+ tool current_time {}\n"},
		{"> hi\n= Hi.\ntool current_time\ncalls 1\n", "+ !tool current_time\n"},
		{"> hi\n= Hi.\ncalls 3\n", "+ calls 1\n"},
		{"> hi\n= Hi.\noffers nothing\n", "+ !offers nothing\n"},
		{"> hi\n= Hi.\nrows decisions 7\n", "+ rows decisions 1\n"},
		{"> hi\n= Hi.\n> /help\n> /help\noutcome answered\n", "+ outcome none\n"},
		{"> hi\nx 429\noutcome answered\n", "+ outcome failed\n"},
		{"> hi\n= Hi.\njourney none\n> hi\n", ":11: differs\n  after > hi\n  the model was asked for words"},
		{"> hi\n= Hi.\n= Ho.\n", ":8: differs\n  after > hi\n  the model was never asked for line 10: = Ho."},
		{"> [telegram:42] hi\n<~ ^$\n", "- <~ ^$\n+ < "}, // a stranger gets a code
		{"> hi\n= Hi.\n!<~ ^H\n", "- !<~ ^H\n+ <~ ^H\n"},
		{"> hi\n= Hi.\n< [telegram:42] Hi.\n", "- < [telegram:42] Hi.\n+ < [telegram:42]\n"},
		{"> hi\n= Hi.\nsum {}\n", "the model was never asked for line 10: sum {}"},
	} {
		code, out := rehearsing(stageScript(t, tt.talk))
		if code != exitFailure || !strings.Contains(out, tt.want) || !strings.Contains(out, "the turn:") {
			t.Errorf("%q: exit %d, want %q in\n%s", tt.talk, code, tt.want, out)
		}
	}
}

func TestRehearseUnreadable(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ talk, want string }{
		{"> hi\nrul refund\n", "script.txt:9: rul: no line begins so (did you mean rule?)"},
		{"< hi\n", "script.txt:8: <: nothing was said yet"},
		{"> hi\n= Hi.\n!rule refnd\n", `script.txt:10: !rule refnd: the playbook has no guideline "refnd": did you mean refund?`},
		{"> hi\nx 777\n", "script.txt:9: x 777: no such failure (did you mean"},
		{"> hi\n= Hi.\n<~ (\n", "script.txt:10: <~ (: error parsing regexp"},
		{"> [telgram:1] hi\n", "script.txt:8: > [telgram:1] hi: telgram is no platform: did you mean telegram?"},
		{"> [oops hi\n", "a speaker is written like"},
		{"hears [telegram:1] hi\n", "script.txt:8: hears [telegram:1] hi: the bot overhears in groups only"},
		{"> hi\n= Hi.\npress Yes\n", "script.txt:10: press Yes: there is no button here yet"},
		{"> add a task to x\n! add_task {\"description\":\"x\"}\n= Ok.\n> delete it\n! delete_task {\"id\":1}\npress Yep\n",
			"script.txt:13: press Yep: no button here is called that; there are Yes, No"},
		{"reply hi\n", "the bot has said nothing there yet"},
		{"edit hi\n", "a line at the terminal stays as it is"},
		{"edit [telegram:1] hi\n", "they have written nothing there yet"},
		{"delete [telegram:1@-100]\n", "telegram reports no deleted messages"},
		{"added [telegram:1]\n", "the bot is added to groups only"},
		{"after a while\n", "script.txt:8: after a while: wants a time like 65m"},
		{"at 2020-01-01 09:00\n", "does not go back"},
		{"> hi\n= Hi.\nrows decision 1\n", "there is no table decision"},
		{"> hi\n= Hi.\nvar x=1\n", `the playbook has no variable "x": there is none`},
		{"> hi\n= Hi.\n-- settings.yaml --\nsession: {tll: 5m}\n", "script.txt:11:11: session.tll: unknown setting"},
		{"> hi\n= Hi.\n-- playbook/more.yaml --\nguidelines:\n  - id: refund\n", "script.txt:12: guidelines"},
		{"> hi\n-- settings.yaml --\nweb: {search: {url: \"http://127.0.0.1:1\"}}\n", "a rehearsal reaches nothing outside"},
		{"> hi\n-- settings.yml --\n", "script.txt:9: settings.yml: a script has no such file"},
	} {
		code, out := rehearsing(stageScript(t, tt.talk))
		if code != exitUsage || !strings.Contains(out, tt.want) {
			t.Errorf("%q: exit %d, want %q in\n%s", tt.talk, code, tt.want, out)
		}
	}
	if code, out := rehearsing(t.TempDir()); code != exitUsage || !strings.Contains(out, "no scripts") {
		t.Errorf("an empty folder: exit %d, %s", code, out)
	}
}

func TestRehearseUpdate(t *testing.T) {
	t.Parallel()
	file := stageScript(t, "> a refund\n= One\n| two\n<\n| old\n# kept\ncalls 7\nrule refund\n\n> hello\n= Hi.\n<~ ^no\nrule refund\n")
	if code, out := rehearsing(file, "--update"); code != 0 || !strings.Contains(out, "new ") {
		t.Fatalf("exit %d: %s", code, out)
	}
	got, err := os.ReadFile(file)
	must(t, err)
	want := "-- talk --\n> a refund\n= One\n| two\n< One\n| two\n# kept\ncalls 1\nrule refund\n\n> hello\n= Hi.\n< Hi.\n!rule refund\n"
	if !strings.HasSuffix(string(got), want) || !strings.HasPrefix(string(got), "What it shows.\n-- playbook/rules.yaml --\nguidelines:\n") {
		t.Errorf("wrote\n%s", got)
	}
	if code, out := rehearsing(file); code != 0 {
		t.Errorf("afterwards: exit %d, %s", code, out)
	}
}

// What a model answered is written down and can be played without it.
func TestRehearseRecord(t *testing.T) {
	model := llmtest.NewServer()
	defer model.Close()
	model.Queue(llmtest.Turn{Calls: []llmtest.Call{{ID: "1", Name: "current_time", Args: `{ }`}}}, llmtest.Turn{Text: "It is\nlate."})
	t.Setenv("BOT_MODEL_BASE_URL", model.URL())
	t.Setenv("BOT_MODEL_NAME", "test")
	file := stageScript(t, "> what time is it?\n= old\n<\n")
	if code, out := rehearsing(file, "--record"); code != 0 {
		t.Fatalf("exit %d: %s", code, out)
	}
	got, err := os.ReadFile(file)
	must(t, err)
	if want := "> what time is it?\n! current_time { }\n= It is\n| late.\n< It is\n| late.\n"; !strings.HasSuffix(string(got), want) {
		t.Errorf("wrote\n%s", got)
	}
	if code, out := rehearsing(file); code != 0 || len(model.Requests()) != 2 {
		t.Errorf("afterwards: exit %d, %d requests, %s", code, len(model.Requests()), out)
	}
}

func TestRehearseJUnit(t *testing.T) {
	t.Parallel()
	report := filepath.Join(t.TempDir(), "junit.xml")
	good, bad := stageScript(t, "> hi\n= Hi.\n"), stageScript(t, "> hi\n= Hi.\n< <no>\n")
	odd := stageScript(t, "> hi\n= Hi.\nrule nobody\n")
	if code, out := rehearsing("--junit", report, good, bad, odd); code != exitUsage || !strings.Contains(out,
		"3 scripts, 3 messages, 1 differ") {
		t.Errorf("exit %d: %s", code, out)
	}
	text, err := os.ReadFile(report)
	must(t, err)
	var got struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Errors   int `xml:"errors,attr"`
		Cases    []struct {
			Failure *string `xml:"failure"`
			Error   *string `xml:"error"`
		} `xml:"testcase"`
	}
	must(t, xml.Unmarshal(text, &got))
	if got.Tests != 3 || got.Failures != 1 || got.Errors != 1 || len(got.Cases) != 3 ||
		got.Cases[0].Failure != nil || got.Cases[1].Failure == nil || !strings.Contains(*got.Cases[1].Failure, "- < <no>") ||
		got.Cases[2].Error == nil {
		t.Errorf("wrote\n%s", text)
	}
}
