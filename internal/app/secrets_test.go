package app

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/chat"
	"parley/internal/command/gate"
	"parley/internal/llm/llmtest"
	"parley/internal/notes/index"
	"parley/internal/tools"
)

// vaulted returns a stage with a captured model and notes that everybody may write.
func vaulted(t *testing.T) (st *stage, do func(m chat.Message) string) {
	t.Helper()
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "open.md"), []byte("# Opening hours\n\nThe library opens at nine.\n"), 0o600))
	st = staged(t, fmt.Sprintf(
		"-- settings.yaml --\naccess: {mode: open, owners: ['telegram:9', 'discord:9']}\nlimits: {user_per_minute: "+
			"0}\nvault: {dir: %q, writers: everyone}\n-- talk --\n", dir),
		&llmtest.Script{Answer: captured})
	must(t, st.app.notes.index.Refresh(t.Context()))
	n := 0
	return st, func(m chat.Message) string {
		t.Helper()
		n++
		m.ID, m.Addressed = fmt.Sprint("m", n), true
		if strings.HasPrefix(m.Text, "/") && m.Kind == chat.KindText {
			m.Kind = chat.KindCommand
		}
		must(t, st.Say(t.Context(), m))
		return st.Reply()
	}
}

// from returns a message in a group, or in a direct chat with "".
func from(platform, who, group, text string) chat.Message {
	m := chat.Message{Key: chat.Key{Platform: platform, Channel: who}, From: chat.User{ID: platform + ":" + who, Name: "P" + who},
		Text: text, Direct: group == ""}
	if group != "" {
		m.Key.Channel = group
	}
	return m
}

// askedForSecrets are attempts to get at stored things.
var askedForSecrets = []string{
	"what is the secret?",
	`call recall_conversation {"query":"secret"}`, `call recall_conversation {"query":"ZX CANARY A"}`, `call list_facts {}`,
	`call list_tasks {}`,
	`call list_reminders {}`, `call list_log {}`, `call vault_search {"query":"secret ZX"}`,
	`call vault_read {"path":"agent-notes/private.md"}`,
	`call vault_read {"path":"agent-notes/private.md","heading":"none"}`, `call vault_list {}`, `call vault_list {"folder":"agent-notes"}`,
	`call vault_write {"path":"private.md","content":"mine","mode":"append"}`, `call vault_write {"path":"private.md","content":"mine"}`,
	`call librarian {"task":"show all"}`, `call list_log {"topic":"secret"}`,
	"/notes search secret", "/notes search ZX-CANARY-A", "/notes show agent-notes/private.md", "/notes recent", "/notes",
	"/facts", "/facts list", "/facts history 1", "/facts export", "/facts important 1", "/tasks", "/tasks list",
	"/tasks done 1", "/tasks edit 1 x", "/remind list",
	"/remind done 1", "/log", "/why", "/why source:1", "/trace", "/trace last", "/export", "/session info", "/session list",
	"/summarize", "/stats", "/status",
	"/help", "/ask what is the secret?", "/librarian show all", "/journey", "/guideline", "/pair list", "/config show",
	"/page", "/tools list", "/nonsense",
}

// forgotten is the phase in which Bob may write a note of the same name.
const forgotten = "after she was forgotten"

// snoop asks for somebody else's secret on one platform.
type snoop struct {
	t        *testing.T
	st       *stage
	do       func(chat.Message) string
	platform string
	when     string
	cases    int
}

// look asks once: neither the answer, nor a request to a model, nor the log may contain
// the secret.
func (s *snoop) look(m chat.Message) {
	s.t.Helper()
	s.cases++
	got := s.do(m)
	if shown := got + s.st.Prompt() + s.st.Log(); strings.Contains(shown, canary) {
		s.t.Errorf("%s, %s: %q in %s: %.500s", s.platform, s.when, m.Text, m.Key, shown)
	}
}

// ask says words in a group, or in a direct chat with "".
func (s *snoop) ask(group string, words ...string) {
	s.t.Helper()
	for _, text := range words {
		s.look(from(s.platform, "2", group, text))
	}
}

// everywhere asks in all ways, also about one of her answers.
func (s *snoop) everywhere(when, answer string) {
	s.t.Helper()
	s.when = when
	for _, group := range []string{"", "-200"} {
		s.ask(group, askedForSecrets...)
		s.ask(group, "/why answer:"+answer, "/why source:1 answer:"+answer, "/trace "+answer)
		for _, pressed := range []string{"/why answer:" + answer + " source:1", "/facts list page:1", "/remind done 1",
			"/remind snooze 1 10m", "/notes show agent-notes/private.md"} {
			m := from(s.platform, "2", group, pressed)
			m.Kind = chat.KindButton
			s.look(m)
		}
	}
	s.ask("-100", "what is the secret?", `call recall_conversation {"query":"secret"}`, `call vault_search {"query":"secret"}`,
		"/why", "/session info", "/summarize")
	for _, c := range s.st.app.front.commands.Table() {
		s.complete("/"+c.Name, c.Options)
		for _, v := range c.Verbs {
			s.complete("/"+c.Name+" "+v.Name, v.Options)
		}
	}
}

// complete asks for completions of a command's options.
func (s *snoop) complete(path string, options []gate.Option) {
	s.t.Helper()
	for _, o := range options {
		for _, prefix := range []string{"", "ZX", "p"} {
			s.cases++
			m := from(s.platform, "2", "", path)
			m.Kind = chat.KindCommand
			got := fmt.Sprint(s.st.app.front.commands.Suggest(s.t.Context(), m, o.Name, prefix))
			if strings.Contains(got, canary) || s.when != forgotten && strings.Contains(got, "private.md") {
				s.t.Errorf("%s: completed %s: %s", s.when, path, got)
			}
		}
	}
}

// planted returns a stage with Ann's secret in every store; answer is the id of an answer
// to her.
func planted(t *testing.T, platform string) (bob *snoop, ann func(group, text string) string, answer string) {
	t.Helper()
	st, do := vaulted(t)
	ann = func(group, text string) string { t.Helper(); return do(from(platform, "1", group, text)) }
	do(from(platform, "2", "-100", "hello, I am Bob"))
	ann("", "my secret is "+canary)
	for _, call := range append(annsCalls, `vault_write {"path":"private.md","content":"The secret is `+canary+`"}`) {
		if got := ann("", "call "+call); !strings.Contains(got, "It said") || strings.Contains(got, "ERROR") || strings.Contains(got, "FAILED") {
			t.Fatalf("%s: %q", call, got)
		}
	}
	ann("", `call vault_search {"query":"secret"}`)
	answer = st.Decision().ID
	ann("-300", "in a group without Bob: "+canary)
	return &snoop{t: t, st: st, do: do, platform: platform}, ann, answer
}

// TestSecretsStayWithTheirOwner stores a secret of Ann's everywhere, on both platforms,
// and has Bob ask for it in all ways: before and after she edits, he leaves, and she is
// forgotten.
func TestSecretsStayWithTheirOwner(t *testing.T) {
	t.Parallel()
	cases := 0
	for _, platform := range []string{"telegram", "discord"} {
		bob, ann, answer := planted(t, platform)
		bob.everywhere("before anything", answer)
		// After Bob has left, something is said in the group.
		bob.when = "after he left"
		room := chat.Key{Platform: platform, Channel: "-100"}
		store := bob.st.app.storage.store
		must(t, store.Access.Attend(t.Context(), chat.Presence{Key: room, User: chat.User{ID: platform + ":2"}, State: chat.Absent}))
		ann("-100", "now that Bob is gone: the secret is "+canary)
		bob.ask("", askedForSecrets...)
		bob.when = "after she edited"
		edit := from(platform, "1", "", "my secret is nothing")
		edit.Kind, edit.ReplyTo = chat.KindEdit, "m2"
		bob.do(edit)
		bob.ask("", askedForSecrets...)
		if got := ann("", "/notes search secret"); !strings.Contains(got, canary) {
			t.Errorf("Ann lost her note: %q", got)
		}
		if got := ann("-300", "/notes search secret"); strings.Contains(got, canary) {
			t.Errorf("her note is shown in a group: %q", got)
		}
		ann("", "/forget-me")
		if got := ann("", "yes"); strings.Contains(got, canary) {
			t.Errorf("forgetting says %q", got)
		}
		must(t, filepath.WalkDir(filepath.Join(bob.st.app.cfg.Vault.Dir, "agent-notes"), func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				t.Errorf("left in the vault: %q", path)
			}
			return err
		}))
		bob.everywhere(forgotten, answer)
		cases += bob.cases
	}
	t.Logf("%d cases", cases)
	if cases < 1000 {
		t.Errorf("only %d cases", cases)
	}
}

// TestNotesBelongToPeople: a note dictated in a direct chat belongs to its author,
// whatever its name and edits; one dictated in a group is for everybody. To readers other
// than their author, notes are outside text, except the owner's own files.
func TestNotesBelongToPeople(t *testing.T) {
	t.Parallel()
	st, do := vaulted(t)
	ask := func(who, group, text string) string { t.Helper(); return do(from("telegram", who, group, text)) }
	ask("7", "", `call vault_write {"path":"diary.md","content":"The sparrow is hidden."}`)
	ask("7", "-100", `call vault_write {"path":"picnic.md","content":"The sparrow picnic is on Sunday."}`)
	ask("9", "", `call vault_write {"path":"rules.md","content":"The sparrow rules of the owner."}`)
	hidden := func(when, who, group string) {
		t.Helper()
		for _, text := range []string{"/notes search sparrow", "/notes recent", `call vault_search {"query":"sparrow"}`,
			`call vault_list {}`, `call vault_read {"path":"agent-notes/diary.md"}`, "/notes show agent-notes/diary.md",
			"/notes show agent-notes/moved.md"} {
			if got := ask(who, group, text); strings.Contains(got, "hidden") || strings.Contains(got, "Diary") ||
				strings.Contains(got, "diary") && strings.HasPrefix(text, "/notes r") {
				t.Errorf("%s: %s sees with %q: %s", when, who, text, got)
			}
		}
	}
	hidden("at first", "8", "")
	hidden("in a group", "7", "-100")
	hidden("to the owner, through the bot", "9", "")
	if got := ask("8", "", "/notes search sparrow"); !strings.Contains(got, "picnic") {
		t.Errorf("a note written in a group: %q", got)
	}
	if got := ask("7", "", "/notes search sparrow"); !strings.Contains(got, "hidden") {
		t.Errorf("its author: %q", got)
	}
	for _, text := range []string{`call vault_write {"path":"picnic.md","mode":"append","content":"No picnic."}`,
		`call vault_write {"path":"diary.md","mode":"append","content":"Mine."}`} {
		if got := ask("8", "", text); strings.Contains(got, "was updated") {
			t.Errorf("8 changes a note of 7: %q", got)
		}
	}
	folder := filepath.Join(st.app.cfg.Vault.Dir, "agent-notes")
	must(t, os.Rename(filepath.Join(folder, "diary.md"), filepath.Join(folder, "moved.md")))
	must(t, st.app.notes.index.Refresh(t.Context()))
	hidden("moved by hand", "8", "")
	must(t, os.Rename(filepath.Join(folder, "moved.md"), filepath.Join(folder, "diary.md")))
	must(t, os.WriteFile(filepath.Join(folder, "diary.md"), []byte("---\nauthor: telegram:8\n---\nThe sparrow is hidden, and edited.\n"),
		0o600))
	must(t, st.app.notes.index.Refresh(t.Context()))
	hidden("edited by hand", "8", "")
	// Whoever reads others' words is asked before changes.
	for who, tainted := range map[string]bool{"7": false, "8": true, "9": true} {
		r, err := st.app.notes.view().Shelf(t.Context(), tools.Call{Who: chat.User{ID: "telegram:" + who}, Direct: true})
		must(t, err)
		hits, err := r.Search(t.Context(), index.Query{Text: "picnic"})
		must(t, err)
		res, err := r.Found(t.Context(), "notes", hits)
		must(t, err)
		if res.Untrusted != tainted {
			t.Errorf("the note of 7, read by %s: outside %v", who, res.Untrusted)
		}
	}
	for who := range map[string]bool{"7": false, "8": false} {
		r, err := st.app.notes.view().Shelf(t.Context(), tools.Call{Who: chat.User{ID: "telegram:" + who}, Direct: true})
		must(t, err)
		hits, err := r.Search(t.Context(), index.Query{Text: "library opens"})
		must(t, err)
		if res, err := r.Found(t.Context(), "notes", hits); err != nil || res.Untrusted || len(res.Sources) == 0 {
			t.Errorf("the owner's file, read by %s: %+v, %v", who, res, err)
		}
	}
	notes, err := st.app.personCommands().Notes(t.Context(), "telegram:7")
	if must(t, err); !strings.Contains(notes, "hidden") || !strings.Contains(notes, "picnic") {
		t.Errorf("the export lacks notes: %s", notes)
	}
}
