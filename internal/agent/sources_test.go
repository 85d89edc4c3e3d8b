package agent

import (
	"context"
	"strings"
	"testing"

	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/memory/facts"
	"parley/internal/notes/citation"
	"parley/internal/tools"
)

func checkedBy(answer string, list []tools.Source) (string, []int, []string) {
	passages := make([]citation.Passage, len(list))
	for i, s := range list {
		passages[i] = citation.Passage{Document: s.Path, Title: s.Title, Text: s.Text, URL: s.URL}
	}
	c := citation.Check(answer, passages)
	return c.Text, c.Numbers, c.Unsure
}

// library finds two notes.
func library() tools.Tool {
	return gives(tools.Meta{Name: "find", Description: "finds", Category: tools.Vault, ReadOnly: true, Core: true},
		tools.Result{Content: "[1] Lease — a.md\nEnds on 30 April 2030.\n\n[2] Bike — b.md\nFrame B7.", Sources: []tools.Source{
			{Kind: "note", Title: "Lease", Path: "a.md", Snippet: "Ends", Text: "Ends on 30 April 2030."},
			{Kind: "note", Title: "Bike", Path: "b.md", Snippet: "Frame", Text: "Frame B7."}}})
}

// watched says something and shows the answer as it grows.
func (b *bench) watched(text string) (answer string, v *viewer) {
	b.t.Helper()
	v = &viewer{}
	m := chat.Message{ID: "w" + text, Key: annAlone.Key, From: chat.User{ID: "telegram:7", Name: "Ann"},
		Text: text, Direct: true, Addressed: true, At: b.clock}
	a, err := b.Handle(context.Background(), m, v)
	must(b.t, err)
	return a.Text, v
}

// TestMarksAreTouchedOnlyWhereSomethingWasLookedUp: lists and indexes of an
// answer that looked nothing up stay as they are.
func TestMarksAreTouchedOnlyWhereSomethingWasLookedUp(t *testing.T) {
	b := newBench(t, Options{Notes: Notes{Cite: checkedBy}}, library())
	for _, s := range []string{`{"items": [1, 2, 3]}`, "x[0] then a[9], [4] and 【2】"} {
		b.model.Say(s)
		if got := b.say("show me"); got != s {
			t.Errorf("%q became %q", s, got)
		}
	}
}

// TestPreviewsCiteAsTheAnswerDoes: no mark is seen growing that the answer does
// not have, and nothing that was shown is taken back.
func TestPreviewsCiteAsTheAnswerDoes(t *testing.T) {
	m := &letters{}
	b := newBench(t, Options{Notes: Notes{Cite: checkedBy}, Model: m}, library())
	said := "It ends on 3 May 2031 【1†L3】, I think [9]. The frame is B7 [Source 2] [1]. Code: `x[9]` and a[8] too."
	m.Call(call("c1", "find", `{}`)).Say(said)
	got, v := b.watched("when does it end?")
	want := "It ends on 3 May 2031 [1] (not in the source), I think. The frame is B7 [2] [1]. Code: `x[9]` and a[8] too."
	if !strings.HasPrefix(got, want+"\n\nSources:\n[1] Lease — a.md\n[2] Bike — b.md") {
		t.Errorf("answer %q", got)
	}
	if len(v.frames) < 3 {
		t.Errorf("frames %q", v.frames)
	}
	for _, f := range v.frames {
		if !strings.HasPrefix(want, f) {
			t.Errorf("seen: %q", f)
		}
	}
}

// TestCitationsThatAreNot: what the note has in brackets stays, what may be words stays and
// is told of, and a list of the model's own gives way to the real one.
func TestCitationsThatAreNot(t *testing.T) {
	shed := gives(tools.Meta{Name: "find", Description: "finds", Category: tools.Vault, ReadOnly: true, Core: true},
		tools.Result{Content: "[1] Keys — keys.md", Sources: []tools.Source{{Kind: "note", Title: "Keys", Path: "keys.md",
			Snippet: "Press", Text: "Press [5] for the shed and [7] for the porch."}}})
	b := newBench(t, Options{Notes: Notes{Cite: checkedBy}}, shed)
	for says, want := range map[string]string{
		"Press [5] for the shed [1].":                    "Press [5] for the shed [1].\n\nSources:\n[1] Keys — keys.md",
		"Press [6] for the hall [1].":                    "Press [6] for the hall [1].\n\nCould not be checked: [6]\n\nSources:\n[1] Keys — keys.md",
		"Press [7] [1].\n\nSources:\n[1] keys.md":        "Press [7] [1].\n\nSources:\n[1] Keys — keys.md",
		"It is [[keys]].\n\nSources:\n- https://a.b/c.d": "It is [[keys]].\n\nSources:\n- https://a.b/c.d (not checked)\n\nSources:\n[1] Keys — keys.md",
	} {
		b.model.Call(call("c1", "find", `{}`)).Say(says)
		if got := b.say("which key?"); got != want {
			t.Errorf("%q:\n got %q\nwant %q", says, got, want)
		}
	}
}

// TestLookedAt: an answer that cites nothing of what it looked up says where it
// looked.
func TestLookedAt(t *testing.T) {
	b := newBench(t, Options{Notes: Notes{Cite: checkedBy}}, library())
	b.model.Call(call("c1", "find", `{}`)).Say("It ends in spring.")
	if got := b.say("when does it end?"); got != "It ends in spring.\n\nLooked at:\n[1] Lease — a.md\n[2] Bike — b.md" {
		t.Errorf("answer %q", got)
	}
	b.model.Say("You are welcome.")
	if got := b.say("thanks"); got != "You are welcome." {
		t.Errorf("answer %q", got)
	}
}

// haltingModel says something and then waits until it is stopped.
type haltingModel struct {
	says string
	said chan struct{}
}

func (m haltingModel) Complete(ctx context.Context, _ llm.Request, onText func(string)) (llm.Response, error) {
	if onText != nil && m.says != "" {
		onText(m.says)
	}
	close(m.said)
	<-ctx.Done()
	return llm.Response{}, context.Cause(ctx)
}

// TestStoppedAnswerKeepsWhatWasRead: the part that was said stays, in the
// answer and in the transcript.
func TestStoppedAnswerKeepsWhatWasRead(t *testing.T) {
	for says, want := range map[string]string{
		"":                           "Stopped.",
		"Once upon a time, ":         "Once upon a time,\n\n(stopped)",
		"So:\n```go\nfmt.Println(":   "So:\n```go\nfmt.Println(\n```\n\n(stopped)",
		"So:\n~~~\nx\n~~~\nand then": "So:\n~~~\nx\n~~~\nand then\n\n(stopped)",
	} {
		m := haltingModel{says, make(chan struct{})}
		b := newBench(t, Options{Model: m})
		ctx, stop := context.WithCancelCause(context.Background())
		go func() { <-m.said; stop(chat.ErrStopped) }()
		a, err := b.Handle(ctx, chat.Message{ID: "1", Key: annAlone.Key, From: chat.User{ID: "telegram:7"},
			Text: "tell me", Direct: true, Addressed: true, At: b.clock}, &viewer{})
		must(t, err)
		entries := a.Record.(*memory.Turn).Entries
		if a.Text != want || entries[len(entries)-1].Content != want {
			t.Errorf("%q: said %q, kept %q", says, a.Text, entries[len(entries)-1].Content)
		}
	}
}

// TestFactsBelowAnAnswerInAnyLanguage: who asks without a question mark, or with
// another script's, is told what was remembered like who asks in English.
func TestFactsBelowAnAnswerInAnyLanguage(t *testing.T) {
	for _, c := range []struct{ fact, other, question, answer string }{
		{"Ann lives in Lisbon", "The car is red", "Where do I live?", "You live in Lisbon."},
		{"Ann wohnt in Lissabon", "Das Auto ist rot", "Wo wohne ich", "Du wohnst in Lissabon, das ist schön."},
		{"Ann habite à Lisbonne", "La voiture est rouge", "Dis-moi où j'habite", "La ville est Lisbonne."},
		{"Анна живёт в Лиссабоне", "Машина красная", "Где я живу", "Ты живёшь в Лиссабоне."},
		{"安住在里斯本", "汽车是红色的", "我住在哪里？", "您住在里斯本。"},
		{"安住在里斯本", "汽车是红色的", "我住在哪里", "您住在里斯本。"},
		{"アンはリスボンに住んでいる", "車が赤い", "私はどこに住んでいますか", "リスボンです。"},
	} {
		b := newBench(t, Options{Notes: Notes{Cite: checkedBy}})
		for _, text := range []string{c.fact, c.other} {
			_, err := b.store.Facts.SaveFact(context.Background(), annAlone, facts.NewFact{Content: text})
			must(t, err)
		}
		b.model.Say(c.answer)
		if got := b.say(c.question); !strings.Contains(got, wordsSources) || !strings.Contains(got, c.fact) || strings.Contains(got, c.other) {
			t.Errorf("%q: %q", c.question, got)
		}
		b.model.Say(c.answer)
		if got := b.say("Danke"); strings.Contains(got, wordsSources) {
			t.Errorf("no question: %q", got)
		}
	}
}

// TestNotesThatDisagree: code points out what notes say against each other and
// cites both, unless the answer does.
func TestNotesThatDisagree(t *testing.T) {
	find := gives(tools.Meta{Name: "find", Description: "finds", Category: tools.Vault, ReadOnly: true, Core: true},
		tools.Result{Content: "[1] Shops — a.md\nThe bakery opens at 8:00.\n\n[2] Pool — p.md\nBlue.\n\n[3] Errands " +
			"— b.md\nBakery opens 9:30.", Sources: []tools.Source{
			{Kind: "note", Title: "Shops", Path: "a.md", Text: "The bakery opens at 8:00."}, {Kind: "note", Title: "Pool",
				Path: "p.md", Text: "Blue."}, {Kind: "note", Title: "Errands", Path: "b.md", Text: "Bakery opens 9:30."}}})
	disputes := func(question, answer string, list []tools.Source) (all []Dispute) {
		passages := make([]citation.Passage, len(list))
		for i, s := range list {
			passages[i] = citation.Passage{Document: s.Path, Title: s.Title, Text: s.Text}
		}
		for _, d := range citation.Disputes(question, passages) {
			if !d.Told(answer) {
				all = append(all, Dispute{d.A, d.B, d.SaidA, d.SaidB})
			}
		}
		return all
	}
	b := newBench(t, Options{Notes: Notes{Cite: checkedBy, Disputes: disputes}}, find)
	for _, c := range []struct {
		answer string
		points bool
		cites  string
	}{
		{"It opens at 8:00 [1].", true, "[1] Shops — a.md\n[3] Errands — b.md"},
		{"It opens at 9:30 [3].", true, "[1] Shops — a.md\n[3] Errands — b.md"},
		{"Around eight, I think.", true, "Looked at:\n[1] Shops — a.md\n[3] Errands — b.md\n[2] Pool — p.md"},
		{"One note says 8:00 [1], another 9:30 [3].", false, "[1] Shops — a.md\n[3] Errands — b.md"},
		{"The pool is blue [2].", false, "[2] Pool — p.md"},
	} {
		b.model.Call(call("c", "find", `{}`))
		b.model.Say(c.answer)
		got := b.say("when does the bakery open?")
		points := strings.Contains(got, "These notes disagree:\n[1] “The bakery opens at 8:00.”\n[3] “Bakery opens 9:30.”")
		if points != c.points || !strings.HasSuffix(got, c.cites) {
			t.Errorf("%q: %q", c.answer, got)
		}
	}
}
