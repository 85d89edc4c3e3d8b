package memory

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/db/engine"
	"parley/internal/db/postgres/postgrestest"
	"parley/internal/llm"
	"parley/internal/llm/llmtest"
	"parley/internal/memory/agenda"
	"parley/internal/memory/facts"
	"parley/internal/memory/sessions"
)

// After forgetting, the file has none of the person's words, in no table, index,
// free page or log; other people's stay.
func TestForgettingLeavesNoTrace(t *testing.T) {
	s := open(t, Options{Embed: vectorsFor, EmbedModel: "m"})
	const secret, kept = "zxcanaryword", "bobsownword"
	place := chat.Key{Platform: "x", Channel: "room"}
	for i, who := range []string{"a", "b"} {
		word := []string{secret, kept}[i]
		for n := range 200 {
			m := chat.Message{ID: fmt.Sprintf("%s%d", who, n), Key: place, From: chat.User{ID: "x:" + who, Name: who + word},
				Text: word, At: time.Now(), Addressed: true}
			in, err := s.Accept(bg, chat.Batch{Platform: "x", Messages: []chat.Message{m}})
			must(t, err)
			se := Session{ID: "s-room", Key: place, Status: Active, Created: time.Now(), LastActivity: time.Now(),
				Expires: time.Now(), Summary: secret + " said", Decisions: []sessions.Decision{{Text: secret}}}
			must(t, s.Finish(bg, in[0], nil, &Turn{Session: &se, Entries: []Entry{
				{Role: "user", User: m.From.ID, Name: m.From.Name, Content: fmt.Sprint(word, n), MessageID: m.ID, At: time.Now()},
				{Role: "assistant", User: m.From.ID, Content: "you said " + word, At: time.Now()}},
				Decision: Decision{End: chat.End{Outcome: chat.Answered}, Detail: Detail{Reason: word}},
				Calls:    []CallRecord{{CallID: "1", Name: "t", Arguments: word, Status: "success"}}}))
		}
		v := Viewer{User: "x:" + who, Key: place}
		for n := range 50 {
			f := save(t, s, v, fmt.Sprintf("%s number%d is here", word, n))
			_, err := s.Facts.UpdateFact(bg, v, f.ID, facts.NewFact{Content: fmt.Sprintf("%s number%d was there once more", word, n)})
			must(t, err)
		}
		must(t, second(s.Agenda.AddTask(bg, v, word, "", Origin{})))
		must(t, second(s.Agenda.AddLog(bg, v, agenda.LogEntry{Content: word}, "")))
		must(t, second(s.Agenda.AddReminder(bg, agenda.Reminder{User: chat.User{ID: v.User, Name: word}, Key: place,
			Text: word, Due: time.Now()}, "")))
		must(t, s.People.SetTimeZone(bg, v.User, "Europe/"+word))
	}
	must(t, s.Settings.SetSetting(bg, Passing+"librarian:1:2:c", "tidy what "+secret+" wrote"))
	must(t, s.Settings.SetSetting(bg, "bot.name", kept))
	for more := true; more; {
		var err error
		more, err = s.Facts.EmbedFacts(bg)
		must(t, err)
	}
	meant, theirs := vectorsOf(t, s, "x:a"), vectorsOf(t, s, "x:b")
	if hits(t, s, secret) == 0 || hits(t, s, kept) == 0 || inFiles(t, s, meant) == 0 {
		t.Fatal("the test stores nothing that could be found")
	}
	must(t, s.ForgetPerson(bg, "x:a", 0))
	if n, left := inFiles(t, s, meant), inFiles(t, s, theirs); n != 0 || left != len(theirs) {
		t.Errorf("%d vectors are left, and %d of %d of somebody else", n, left, len(theirs))
	}
	if n := hits(t, s, secret); n != 0 {
		t.Errorf("%d traces are left", n)
	}
	if hits(t, s, kept) == 0 {
		t.Error("somebody else was forgotten too")
	}
	if name, err := s.Settings.Setting(bg, "bot.name"); err != nil || name != kept {
		t.Errorf("another setting is %q, %v", name, err)
	}
	if list, err := s.Recall(bg, Query{User: "x:b", Key: place, Text: kept}); err != nil || len(list) == 0 {
		t.Errorf("the index lost the others: %v, %v", list, err)
	}
	must(t, s.File.Check(bg))
}

// vectorsFor makes vectors as a model would.
func vectorsFor(_ context.Context, texts []string) (list [][]float32, err error) {
	for _, text := range texts {
		list = append(list, llmtest.Vector(text, nil))
	}
	return list, nil
}

// vectorsOf returns those of a person's facts.
func vectorsOf(t *testing.T, s *Store, user string) [][]byte {
	t.Helper()
	rows, err := s.db.Query("SELECT x.vector FROM fact_vectors x JOIN key_facts f ON f.id = x.fact_id WHERE f.subject = ? AND x.model <> ''",
		user)
	must(t, err)
	list, err := engine.Collect(rows, func(r engine.Scanner) (b []byte, err error) { return b, r.Scan(&b) })
	must(t, err)
	return list
}

// inFiles counts how many of some byte strings are in the database's files.
func inFiles(t *testing.T, s *Store, all [][]byte) (n int) {
	t.Helper()
	whole := allBytes(t, s)
	for _, b := range all {
		if bytes.Contains(whole, b) || postgrestest.Served() && bytes.Contains(whole, []byte(hex.EncodeToString(b))) {
			n++
		}
	}
	return n
}

// hits counts a word in the database's files.
func hits(t *testing.T, s *Store, word string) int {
	t.Helper()
	return bytes.Count(bytes.ToLower(allBytes(t, s)), []byte(word))
}

func allBytes(t *testing.T, s *Store) (whole []byte) {
	t.Helper()
	if postgrestest.Served() {
		return allRows(t, s)
	}
	files, err := filepath.Glob(s.File.Path() + "*")
	must(t, err)
	for _, f := range files {
		b, err := os.ReadFile(f)
		must(t, err)
		whole = append(whole, b...)
	}
	return whole
}

// TestForgettingLeavesOthersAnswered: who was answered in words made of a person's has no words
// of the answer left, and does not look as if they still waited for one.
func TestForgettingLeavesOthersAnswered(t *testing.T) {
	s := open(t, Options{})
	room := chat.Key{Platform: "x", Channel: "room"}
	se := Session{ID: "s1", Key: room, Status: Active, Created: s.now()}
	hers := Origin{People: []string{"x:ada"}}
	must(t, s.db.Write(bg, func(tx *engine.Tx) error {
		if _, err := saveSession(tx, se); err != nil {
			return err
		}
		return insertEntries(tx, se, []Entry{
			{Role: "user", User: "x:ada", Content: "I keep zxbees", At: s.now()},
			{Role: "assistant", User: "x:ada", Content: "Noted: zxbees.", At: s.now()},
			{Role: "user", User: "x:bob", Content: "who keeps animals?", At: s.now()},
			{Role: "assistant", User: "x:bob", ToolCalls: []llm.ToolCall{{ID: "1", Name: "recall", Args: `{"q":"zxbees"}`}}, At: s.now(),
				Origin: hers},
			{Role: "tool", ToolCallID: "1", Name: "recall", Content: "zxbees", At: s.now(), Origin: hers},
			{Role: "assistant", User: "x:bob", Content: "Ada keeps zxbees.", Insight: "zxbees", At: s.now(), Origin: hers},
			{Role: "user", User: "x:bob", Content: "thanks", At: s.now()},
		})
	}))
	must(t, s.ForgetPerson(bg, "x:ada", 0))
	var got []string
	list, err := s.Transcript(bg, "s1", 0, 0)
	must(t, err)
	for _, e := range list {
		got = append(got, fmt.Sprint(e.Role, " ", e.User, " ", e.Content, e.Insight, e.Origin.People))
	}
	want := []string{"user x:bob who keeps animals?[]", "assistant x:bob " + Forgotten + "[]", "user x:bob thanks[]"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
