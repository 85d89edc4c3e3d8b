package main

import (
	"strings"
	"testing"

	"parley/internal/adapters/matrix/matrixtest"
	"parley/internal/llm/llmtest"
)

// TestAmbientOnMatrix: the same in a room on Matrix, across a kill: everybody is told once, what
// was overheard is known when somebody asks there, and who wants none of it is left out.
func TestAmbientOnMatrix(t *testing.T) {
	t.Parallel()
	const bo, cy = "@bo:example.org", "@cy:example.org"
	w := newWorld(t, "BOT_ACCESS_OWNERS=matrix:"+matrixAnna)
	w.ambient(t, unaskedRules)
	s := w.onMatrix(t)
	a := annaOnMatrix{s, w, s.Room("Kitchen", matrixAnna, bo, cy, matrixtest.Bot)}
	says := func(who, text string) {
		t.Helper()
		id := s.Say(a.room, who, text, nil)
		eventually(t, text+" is taken", func() bool {
			return w.count(t, "SELECT count(*) FROM inbox WHERE state = 'done' AND message_id = '"+id+"'") == 1
		})
		w.settled(t)
	}
	child := a.begins(t, "")
	says(bo, "nobody hears the heron")
	says(matrixAnna, "!config channel ambient")
	a.reads(t, "I read along in this channel")
	says(bo, "the deploy failed again")
	a.reads(t, "Just so you know")
	n := len(s.Sent())
	says(bo, "the rollback took 12 minutes")
	kill(child)
	child = a.begins(t, "")
	says(bo, "and the moose watched")
	says(matrixAnna, "the falcon watched too")
	if got := len(s.Sent()); got != n || len(w.llm.Requests()) != 0 {
		t.Errorf("said %d, asked a model %d times: %q", got-n, len(w.llm.Requests()), s.Texts())
	}
	if w.overheardOf(t, "heron")+w.overheardOf(t, "deploy") != 0 || w.overheardOf(t, "rollback") != 1 || w.overheardOf(t, "falcon") != 1 {
		t.Error("what was said before its author knew is kept, or what was said afterwards is not")
	}
	w.llm.Queue(llmtest.Turn{Text: "It took 12 minutes."})
	s.Say(a.room, cy, "Parley, how long did the rollback take?",
		map[string]any{"m.mentions": map[string]any{"user_ids": []string{matrixtest.Bot}}})
	a.reads(t, "It took 12 minutes.")
	if read := w.lastAsked(); !strings.Contains(read, "[overheard] the rollback took 12 minutes") || strings.Contains(read, "deploy failed") {
		t.Errorf("the model reads %s", read)
	}
	says(bo, "!listen off")
	question := s.Sent()[len(s.Sent())-1]
	s.React(a.room, bo, question.ID, "1️⃣")
	a.reads(t, "have removed what I overheard of you")
	says(bo, "the otter is mine alone")
	if w.overheardOf(t, "rollback")+w.overheardOf(t, "moose")+w.overheardOf(t, "otter") != 0 || w.overheardOf(t, "falcon") != 1 {
		t.Errorf("who wants none of it is heard, or others are not: %q", s.Texts())
	}
	kill(child)
}
