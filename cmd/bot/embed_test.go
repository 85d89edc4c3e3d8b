package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/chat"
	"parley/internal/llm/llmtest"
	"parley/internal/memory"
	"parley/internal/memory/facts"
	"parley/internal/memory/provenance"
)

// meaningWorld returns a bot with facts, notes and rules of which each has one that
// fits a kitty in other words only.
func meaningWorld(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.llm.Synonyms(map[string]string{"feline": "kitty"})
	notes, book := t.TempDir(), t.TempDir()
	rules := "guidelines:\n"
	for i := range 300 {
		rules += fmt.Sprintf("  - {id: r%d, condition: 'they wonder about the number of their parcel with the letter c%d', action: act on %d}\n", i, i, i)
	}
	rules += "  - {id: pet, condition: 'feline troubles', action: call the vet}\n"
	for name, text := range map[string]string{
		filepath.Join(notes, "pets.md"): "# Feline\n\nIs fed; feed at noon.\n", filepath.Join(notes,
			"trips.md"): "# Trips\n\nRome, then Paris.\n",
		filepath.Join(book, "rules.yaml"): rules,
	} {
		must(t, os.WriteFile(name, []byte(text), 0o600))
	}
	store, err := memory.Open(t.Context(), w.dir, memory.Options{URL: w.url})
	must(t, err)
	v := provenance.Viewer{User: "telegram:1", Key: chat.Key{Platform: "telegram", Channel: "1"}, Direct: true}
	other := provenance.Viewer{User: "telegram:2", Key: chat.Key{Platform: "telegram", Channel: "2"}, Direct: true}
	_, err = store.Facts.SaveFact(t.Context(), v, facts.NewFact{Content: "Has a feline called Misha"})
	for i := range 8 {
		_, e := store.Facts.SaveFact(t.Context(), v, facts.NewFact{Content: fmt.Sprintf("Visited town%d in year%d", i, i)})
		err = errors.Join(err, e)
	}
	_, e := store.Facts.SaveFact(t.Context(), other, facts.NewFact{Content: "Hides a feline called Zorro"})
	must(t, errors.Join(err, e, store.Close()))
	w.env = append(w.env, "BOT_VAULT_DIR="+notes, "BOT_VAULT_PREFETCH=true", "BOT_PLAYBOOK_DIR="+book)
	return w
}

// questionsFor counts requests for the vector of one text.
func (w *world) questionsFor(text string) (n int) {
	for _, texts := range w.llm.Embedded() {
		if slices.Equal(texts, []string{text}) {
			n++
		}
	}
	return n
}

// heard says what of some words the model was told last, by kind of request:
// hundreds of rules are judged in two requests after each other.
func (w *world) heard(answering bool, words ...string) (got []string) {
	found := false
	for _, r := range slices.Backward(w.llm.Requests()) {
		if (len(r.ResponseFormat) == 0) != answering {
			if found {
				break
			}
			continue
		}
		found = true
		for _, word := range words {
			if strings.Contains(string(r.Raw), word) {
				got = append(got, word)
			}
		}
		if answering {
			break
		}
	}
	return got
}

func TestMeaningFindsFactsNotesAndRules(t *testing.T) {
	t.Parallel()
	w := meaningWorld(t)
	w.env = append(w.env, "BOT_MODEL_EMBEDDING="+llmtest.EmbeddingModel)
	w.run(t)
	eventually(t, "vectors of 10 facts, 301 rules and 2 notes", func() bool {
		n := 0
		for _, texts := range w.llm.Embedded() {
			n += len(texts)
		}
		return n >= 313
	})
	// That they were asked for does not mean that they are stored yet.
	asked, ask := 0, ""
	eventually(t, "the fact and the note are found by their meaning", func() bool {
		asked++
		ask = fmt.Sprintf("where might my kitty be %d", asked)
		w.llm.Queue(llmtest.Turn{Text: "Look under the sofa."})
		w.tg.Push(telegramtest.Text(1, 1, ask))
		w.sent(t, asked)
		return slices.Equal(w.heard(true, "called Misha", "feed at noon", "Zorro"), []string{"called Misha", "feed at noon"})
	})
	if got := w.heard(false, "feline troubles"); len(got) == 0 {
		t.Error("the rule was not judged")
	}
	if n := w.questionsFor(ask); n != 1 {
		t.Errorf("%d vectors for one message", n)
	}
	// The endpoint goes: answers come all the same, and the log says so once.
	w.llm.FailEmbeddings(slices.Repeat([]llmtest.Turn{{Status: 401, Body: `{"error":{"message":"no"}}`}}, 20)...)
	for i, ask := range []string{"kitty and town1", "kitty and town2"} {
		w.llm.Queue(llmtest.Turn{Text: "I see."})
		w.tg.Push(telegramtest.Text(1, 1, ask))
		w.sent(t, asked+i+1)
		if got := w.heard(true, fmt.Sprintf("Visited town%d", i+1), "feed at noon"); len(got) != 1 {
			t.Errorf("%q: the model was told %q", ask, got)
		}
	}
	if n := strings.Count(w.log.String(), "embedding model failed"); n != 1 {
		t.Errorf("the log says so %d times:\n%s", n, w.log.String())
	}
}

// One section that the embedding model refuses costs neither the others nor the
// questions their vectors.
func TestOneSectionIsRefused(t *testing.T) {
	t.Parallel()
	w := meaningWorld(t)
	w.env = append(w.env, "BOT_MODEL_EMBEDDING="+llmtest.EmbeddingModel)
	w.llm.RefuseEmbeddings("Rome, then Paris")
	w.run(t)
	asked := 0
	eventually(t, "the note is found by its meaning", func() bool {
		asked++
		w.llm.Queue(llmtest.Turn{Text: "Look under the sofa."})
		w.tg.Push(telegramtest.Text(1, 1, fmt.Sprintf("where might my kitty be %d", asked)))
		w.sent(t, asked)
		return slices.Equal(w.heard(true, "called Misha", "feed at noon"), []string{"called Misha", "feed at noon"})
	})
	if n := strings.Count(w.log.String(), "refuses a text"); n != 1 || strings.Contains(w.log.String(), "embedding model failed") {
		t.Errorf("the log says so %d times:\n%s", n, w.log.String())
	}
}

func TestNoVectorsWithoutTheSetting(t *testing.T) {
	t.Parallel()
	w := meaningWorld(t)
	w.run(t)
	w.llm.Queue(llmtest.Turn{Text: "Who knows."})
	w.saying(t, 1, 1, "where might my kitty be")
	if got := w.heard(true, "feed at noon"); len(got) > 0 || len(w.llm.Embedded()) > 0 { // of few facts all are told
		t.Errorf("the model was told %q; asked for vectors of %q", got, w.llm.Embedded())
	}
}

func TestNoVectorsWithoutAnythingToCompare(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "BOT_MODEL_EMBEDDING="+llmtest.EmbeddingModel)
	w.run(t)
	w.llm.Queue(llmtest.Turn{Text: "Hello."})
	w.saying(t, 1, 1, "where might my kitty be")
	if asked := w.llm.Embedded(); len(asked) > 0 {
		t.Errorf("asked for vectors of %q", asked)
	}
}
