package app

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/llm/llmtest"
	"parley/internal/memory"
)

// marker matches words that only one person ever said.
var marker = regexp.MustCompile(`(?i)(anns|bobs)word\d*`)

// parrot returns a model that repeats whatever it is told.
func parrot(r llm.Request) (llm.Response, error) {
	var heard []string
	for _, m := range r.Messages {
		heard = append(heard, marker.FindAllString(m.Content, -1)...)
	}
	all := strings.Join(heard, " ")
	resp, err := captured(r)
	if resp.Message.Content == "ok" {
		resp.Message.Content = "I heard " + all
	}
	return resp, err
}

// holding lists the files in some folders that contain a word, in any case.
func holding(t *testing.T, word string, folders ...string) (list []string) {
	t.Helper()
	for _, folder := range folders {
		must(t, filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			b, err := os.ReadFile(path)
			if strings.Contains(strings.ToLower(string(b)+path), word) {
				list = append(list, path)
			}
			return err
		}))
	}
	return list
}

// keepsake stores a person's words everywhere, from a direct chat and a group.
func keepsake(t *testing.T, say func(group, text string) string) {
	t.Helper()
	for _, group := range []string{"", "-100"} {
		say(group, "good morning, annsword1")
		for _, call := range []string{
			`save_fact {"content":"likes annsword2"}`, `add_task {"description":"buy annsword3"}`,
			`set_reminder {"text":"mind annsword4","when":"tomorrow at 9"}`,
			`log_entry {"content":"did annsword5"}`, `save_decision {"content":"keep annsword6"}`,
			`vault_write {"path":"annsword7` + group + `.md","content":"# annsword8\n\nThe sparrow is annsword9."}`,
			`vault_write {"path":"annsword7` + group + `.md","mode":"append","content":"And annsword10."}`,
		} {
			got := say(group, "call "+call)
			if strings.Contains(got, "yes or no") { // Bob's words are there too
				got = say(group, "yes") + "It said"
			}
			if !strings.Contains(got, "It said") || strings.Contains(got, "ERROR") || strings.Contains(got, "FAILED") {
				t.Fatalf("%s: %q", call, got)
			}
		}
		say(group, "/log add annsword11")
		say(group, "/facts add I need annsword12")
	}
}

// TestForgottenEverywhere: once somebody is forgotten, no file of the data folder or the
// vault contains anything of theirs, after talks, notes, facts, tasks, reminders, the
// journal, summaries and quotations. What others said stays and is summarized again.
func TestForgottenEverywhere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	st := staged(t, "-- settings.yaml --\naccess: {mode: open, owners: ['telegram:9']}\nlimits: {user_per_minute: 0}\nvault: {dir: \""+
		dir+"\", writers: everyone}\n-- talk --\n",
		&llmtest.Script{Answer: parrot})
	must(t, os.WriteFile(filepath.Join(dir, "open.md"),
		[]byte("---\naliases: [openingtimes]\n---\n# Hours\n\nThe library of bobsword0 opens at nine.\n"), 0o600))
	must(t, st.app.notes.index.Refresh(t.Context()))
	n := 0
	send := func(m chat.Message) string {
		t.Helper()
		n++
		m.ID, m.Addressed = "m"+string(rune('0'+n/100))+string(rune('0'+n/10%10))+string(rune('0'+n%10)), true
		m.Named = !m.Direct
		if strings.HasPrefix(m.Text, "/") {
			m.Kind = chat.KindCommand
		}
		must(t, st.Say(t.Context(), m))
		return st.Reply()
	}
	ann := func(group, text string) string { t.Helper(); return send(from("telegram", "1", group, text)) }
	bob := func(group, text string) string { t.Helper(); return send(from("telegram", "2", group, text)) }
	bob("-100", "hello, bobsword1 to all")
	keepsake(t, ann)
	bob("-100", "I know bobsword2")
	bob("-100", `call recall_conversation {"query":"good morning"}`)
	bob("-100", `call vault_search {"query":"sparrow"}`)
	quoted := from("telegram", "2", "-100", "as she said, bobsword3")
	quoted.Quote, quoted.Relayed = "annsword13", true
	send(quoted)
	named := from("telegram", "1", "", "look at this")
	named.Files = []chat.File{{Name: "annsword14.bin", Ref: "x", Size: 10}}
	send(named)
	edited := from("telegram", "1", "-100", "annsword15")
	edited.Kind, edited.ReplyTo = chat.KindEdit, "m002"
	send(edited)
	send(from("telegram", "9", "-100", "/summarize"))
	ann("", "/export")
	data := filepath.Dir(st.app.storage.store.File.Path())
	if list := holding(t, "annsword", data, dir); len(list) < 3 {
		t.Fatalf("the test stored too little: %q", list)
	}
	ann("", "/forget-me")
	if got := ann("", "yes"); marker.MatchString(got) {
		t.Errorf("forgetting says %q", got)
	}
	if list := holding(t, "annsword", data, dir); len(list) > 0 {
		t.Errorf("left in %q: %q", list, traces(t, list))
	}
	for _, group := range []string{"", "-100"} {
		for _, text := range []string{`call recall_conversation {"query":"good morning"}`, "what did she say?", "/session info",
			"/notes recent", "/facts list"} {
			if got := bob(group, text); strings.Contains(got, "annsword") {
				t.Errorf("%s brings %q", text, got)
			}
		}
	}
	for _, part := range []string{"librar", "bobswor", "peningtime"} {
		if got := bob("", "/notes search "+part); !strings.Contains(got, "Hours") {
			t.Errorf("searching part of a word finds %q", got)
		}
	}
	// Bob's words are there, and in a new summary of the group.
	room := memory.Place{Key: chat.Key{Platform: "telegram", Channel: "-100"}}
	summary := func() string {
		t.Helper()
		se, ok, err := st.app.storage.store.Sessions.LiveSession(context.Background(), room)
		if must(t, err); !ok {
			t.Fatal("the group has no session")
		}
		return se.Summary
	}
	bob("-100", "once more, bobsword4")
	send(from("telegram", "9", "-100", "/summarize"))
	if got := summary(); !strings.Contains(got, "bobsword2") || strings.Contains(got, "annsword") {
		t.Errorf("the group's summary is %q", got)
	}
}

// traces returns the context of each leftover.
func traces(t *testing.T, files []string) (list []string) {
	for _, f := range files {
		b, err := os.ReadFile(f)
		must(t, err)
		for _, at := range regexp.MustCompile(`(?i)annsword`).FindAllIndex(b, 3) {
			list = append(list, string(b[max(0, at[0]-80):min(len(b), at[1]+40)]))
		}
	}
	return list
}
