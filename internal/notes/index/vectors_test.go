package index

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley/internal/llm/llmtest"
	"parley/internal/text/waittest"
)

// embeddings is a model for which some words are synonyms. It records its texts.
type embeddings struct {
	synonyms map[string]string
	down     atomic.Bool
	asked    []string
	refuses  string // texts with this word get no vector
}

func (e *embeddings) embed(_ context.Context, texts []string) (list [][]float32, err error) {
	e.asked = append(e.asked, texts...)
	if e.down.Load() {
		return nil, errors.New("down")
	}
	for _, text := range texts {
		if e.refuses != "" && strings.Contains(text, e.refuses) {
			list = append(list, nil)
			continue
		}
		list = append(list, llmtest.Vector(text, e.synonyms))
	}
	return list, nil
}

// withVectors returns a folder whose index has vectors.
func withVectors(t testing.TB, e *embeddings) *folder {
	t.Helper()
	f := newFolder(t)
	f.opts.Embed, f.opts.EmbedModel = e.embed, "m"
	f.reopen()
	return f
}

// embedAll makes all vectors and returns how many texts it embedded.
func (f *folder) embedAll(e *embeddings) int {
	f.t.Helper()
	before := len(e.asked)
	for more := true; more; {
		var err error
		if more, err = f.Embed(f.t.Context()); err != nil {
			f.t.Fatal(err)
		}
	}
	return len(e.asked) - before
}

func TestNotesAreFoundByMeaning(t *testing.T) {
	e := &embeddings{synonyms: map[string]string{"feline": "kitty", "automobile": "vehicle"}}
	f := withVectors(t, e)
	for i := range 40 {
		f.put(fmt.Sprintf("trips/town%d.md", i), fmt.Sprintf("# Town%d\n\nVisited place%d in year%d, stayed nights%d.\n", i, i, i, i))
	}
	f.put("pets.md", "# Animals\n\n## Misha\n\nFeline, grey.\n\n## Rex\n\nBarks loudly.\n")
	putFile(t, filepath.Join(f.code, "kitty.go"), "package kitty\n\n// Feline purrs.\nfunc Feline() {}\n")
	if made := f.embedAll(e); made != 0 || f.Status().State != StateNone {
		t.Errorf("%d vectors before there is an index", made)
	}
	f.refresh()
	if got := f.paths("kitty"); got != "" || len(e.asked) > 0 {
		t.Fatalf("before there are vectors: %q, asked %q", got, e.asked)
	}
	made := f.embedAll(e)
	if st := f.Status(); st.Vectors != made || made < 43 {
		t.Errorf("%d made, status %+v", made, st)
	}
	before := len(e.asked)
	if got := f.paths("kitty"); got != "pets.md" {
		t.Errorf("by meaning: %q", got)
	}
	if got := f.ask(Query{Text: "kitty", Folder: "trips"}); got != "" {
		t.Errorf("elsewhere: %q", got)
	}
	if got := f.ask(Query{Text: "town7 kitty"}); !strings.Contains(got, "pets.md") || !strings.Contains(got, "trips/town7.md") {
		t.Errorf("by words and meaning: %q", got)
	}
	if n := len(e.asked) - before; n != 3 {
		t.Errorf("%d vectors for 3 questions", n)
	}
	// A restart makes no vector again, and a change only those of new sections.
	f.reopen()
	f.refresh()
	if made := f.embedAll(e); made != 0 || f.paths("kitty") != "pets.md" {
		t.Errorf("%d vectors were made again; %q", made, f.paths("kitty"))
	}
	f.put("pets.md", "# Animals\n\nMoved down.\n\n## Misha\n\nFeline, grey.\n\n## Rex\n\nAn automobile.\n")
	f.refresh()
	if got := f.paths("kitty"); got != "pets.md" {
		t.Errorf("a section that moved lost its vector: %q", got)
	}
	if made := f.embedAll(e); made != 2 || f.paths("vehicle") != "pets.md" {
		t.Errorf("%d vectors for two new sections; %q", made, f.paths("vehicle"))
	}
	e.down.Store(true)
	if got := f.paths("grey kitty"); got != "pets.md" {
		t.Errorf("with the model down: %q", got)
	}
	if got := f.paths("kitty"); got != "" {
		t.Errorf("with the model down, by meaning: %q", got)
	}
	e.down.Store(false)
	must(t, os.Remove(filepath.Join(f.dir, "pets.md")))
	f.refresh()
	if got := f.paths("kitty"); got != "" {
		t.Errorf("of a note that is gone: %q", got)
	}
}

func TestAnotherModelMakesVectorsAnew(t *testing.T) {
	e := &embeddings{synonyms: map[string]string{"feline": "kitty"}}
	f := withVectors(t, e)
	f.put("a.md", "# A\n\nFeline.\n")
	f.put("b.md", "# B\n\nFeline.\n")
	f.put("copy/a.md", "# A\n\nFeline.\n")
	f.refresh()
	if made := f.embedAll(e); made != 3 {
		t.Errorf("%d texts", made)
	}
	f.opts.EmbedModel = "other"
	f.reopen()
	f.refresh()
	if made := f.embedAll(e); made != 3 || f.Status().Vectors != 2 || len(strings.Fields(f.paths("kitty"))) != 3 {
		t.Errorf("%d texts, %+v, %q", made, f.Status(), f.paths("kitty"))
	}
	// After a failure of the model, the next pass continues where it failed.
	f.put("c.md", "# C\n\nFeline.\n")
	f.refresh()
	e.down.Store(true)
	if more, err := f.Embed(t.Context()); err == nil || more {
		t.Errorf("a failure: %v, %v", more, err)
	}
	e.down.Store(false)
	if made := f.embedAll(e); made != 1 || !strings.Contains(f.paths("kitty"), "c.md") {
		t.Errorf("%d texts after the failure", made)
	}
}

// Vectors without a section are deleted, and no others.
func TestOrphansAreClearedAway(t *testing.T) {
	e := &embeddings{}
	f := withVectors(t, e)
	f.put("a.md", "# A\n\nSomething lasting.\n")
	f.put("b.md", "# B\n\nSomething passing.\n")
	f.refresh()
	f.embedAll(e)
	must(t, os.Remove(filepath.Join(f.dir, "b.md")))
	f.refresh()
	f.reopen()
	f.refresh()
	if made := f.embedAll(e); made != 0 || f.Status().Vectors != 1 {
		t.Errorf("%d made, %d left", made, f.Status().Vectors)
	}
}

// Searches work while vectors are made, even if the index is rebuilt meanwhile.
func TestSearchWhileVectorsAreMade(t *testing.T) {
	f := newFolder(t)
	f.opts.EmbedModel = "m"
	f.opts.Embed = func(_ context.Context, texts []string) (list [][]float32, err error) {
		for _, text := range texts {
			list = append(list, llmtest.Vector(text, nil))
		}
		return list, nil
	}
	f.reopen()
	for i := range 300 {
		f.put(fmt.Sprintf("n%d.md", i), fmt.Sprintf("# Note%d\n\nAbout subject%d and matter%d.\n", i, i, i))
	}
	f.refresh()
	done := make(chan error)
	go func() {
		for n := 0; ; n++ {
			more, err := f.Embed(t.Context())
			if n == 4 {
				f.set(func(s *Status) { s.State = StateBroken })
				err = errors.Join(err, f.Refresh(t.Context()))
			}
			if err != nil || !more && n > 4 {
				done <- err
				return
			}
		}
	}()
	for i := 0; ; i++ {
		select {
		case err := <-done:
			if err != nil || f.Status().Vectors != 300 || !strings.HasPrefix(f.paths("subject7"), "n7.md ") {
				t.Errorf("%v, %+v, %q", err, f.Status(), f.paths("subject7"))
			}
			return
		default:
			if _, err := f.Search(t.Context(), Query{Text: fmt.Sprintf("subject%d", i%300)}); err != nil && !errors.Is(err, ErrNotReady) {
				t.Fatal(err)
			}
		}
	}
}

// timed times searches. It returns the durations by the clock and of the processor, both sorted,
// and the number of searches with
// hits.
func (f *folder) timed(b *testing.B, next func() bool) (took, used []time.Duration, found int) {
	b.Helper()
	l := newLexicon()
	l.r = rand.New(rand.NewPCG(3, 4))
	l.zipf = rand.NewZipf(l.r, 1.07, 4, 39_999)
	for next() {
		text := strings.Join(strings.Fields(l.say(1+l.r.IntN(6))), " ")
		begin, cpu := time.Now(), waittest.CPU()
		hits, err := f.Search(b.Context(), Query{Text: text})
		must(b, err)
		took, used = append(took, time.Since(begin)), append(used, waittest.CPU()-cpu)
		found += min(1, len(hits))
	}
	slices.Sort(took)
	slices.Sort(used)
	return took, used, found
}

// report reports percentiles of sorted durations.
func report(b *testing.B, took []time.Duration, prefix string) {
	b.ReportMetric(milliseconds(took[len(took)/2]), prefix+"p50-ms")
	b.ReportMetric(milliseconds(took[len(took)*95/100]), prefix+"p95-ms")
}

// BenchmarkNear measures searches by words and meaning among 60,000 sections, with vectors
// of 1536 dimensions: under 25 ms in 95 of 100. words- is without vectors.
func BenchmarkNear(b *testing.B) {
	f := library(b)
	f.opts.EmbedModel = "m"
	f.opts.Embed = func(_ context.Context, texts []string) ([][]float32, error) {
		list := make([][]float32, len(texts))
		for i, text := range texts {
			h := fnv.New64a()
			_, _ = h.Write([]byte(text))
			r := rand.New(rand.NewPCG(h.Sum64(), 1))
			topic := rand.New(rand.NewPCG(h.Sum64()%500, 2))
			list[i] = make([]float32, 1536)
			for j := range list[i] {
				list[i][j] = r.Float32() - 0.5 + topic.Float32() - 0.5
			}
		}
		return list, nil
	}
	f.reopen()
	f.refresh()
	for more := true; more; {
		var err error
		if more, err = f.Embed(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	f.reopen()
	f.refresh()
	left := 200
	words, _, _ := f.timed(b, func() bool { left--; return left >= 0 })
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	began := time.Now()
	_, err := f.Embed(b.Context())
	load := time.Since(began)
	must(b, err)
	runtime.GC()
	runtime.ReadMemStats(&after)
	took, _, _ := f.timed(b, b.Loop)
	b.ReportMetric(float64(f.Status().Vectors), "vectors")
	b.ReportMetric(milliseconds(load), "load-ms")
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/(1<<20), "memory-MB")
	report(b, words, "words-")
	report(b, took, "")
	b.ReportMetric(milliseconds(took[len(took)-1]), "max-ms")
}

// A section that the model refuses is marked, counted and not sent again.
func TestARefusedSectionIsMarked(t *testing.T) {
	e := &embeddings{synonyms: map[string]string{"feline": "kitty"}, refuses: "Poison"}
	f := withVectors(t, e)
	f.put("a.md", "# A\n\nFeline.\n")
	f.put("b.md", "# B\n\nPoison.\n")
	f.refresh()
	if made := f.embedAll(e); made != 2 || f.Status().Vectors != 1 || f.Status().Wordless != 1 || f.paths("kitty") != "a.md" {
		t.Errorf("%d texts, %+v, %q", made, f.Status(), f.paths("kitty"))
	}
	f.reopen()
	f.refresh()
	if made := f.embedAll(e); made != 0 || f.Status().Wordless != 1 {
		t.Errorf("asked about it again: %d, %+v", made, f.Status())
	}
}
