package playbook

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/llm/llmtest"
)

// manySubjects are more than fit into a call. Of all, only one means a pet.
func manySubjects(n int) string {
	var b strings.Builder
	b.WriteString("guidelines:\n")
	for i := range n {
		fmt.Fprintf(&b, "  - {id: r%d, condition: 'they wonder whether the number of their parcel goes together with c%d', action: act on %d}\n", i, i, i)
	}
	b.WriteString("  - {id: pet, condition: 'feline troubles', action: call the vet}\n")
	return b.String()
}

func TestShortlistByMeaning(t *testing.T) {
	asked, down := [][]string{}, false
	o := Options{Embed: func(_ context.Context, texts []string) (list [][]float32, err error) {
		asked = append(asked, texts)
		if down {
			return nil, errors.New("down")
		}
		for _, text := range texts {
			list = append(list, llmtest.Vector(text, map[string]string{"feline": "kitty"}))
		}
		return list, nil
	}}
	dir := t.TempDir()
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "rules.yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(manySubjects(300))
	src, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	book := func() *Book {
		t.Helper()
		b, err := src.Book(time.Unix(1, 0))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	offered := func(text string) []string {
		t.Helper()
		m := &scripted{}
		if _, err := book().Guide(t.Context(), m, Situation{Text: text, Now: time.Unix(1, 0)}); err != nil {
			t.Fatal(err)
		}
		return m.question(0).conditionIDs()
	}
	embed := func() {
		t.Helper()
		for more := true; more; {
			if more, err = book().Embed(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := offered("my kitty hurts"); slices.Contains(got, "pet") || len(asked) > 0 {
		t.Fatalf("before there are vectors: %q, asked %q", got, asked)
	}
	embed()
	made := len(asked)
	if got := offered("my kitty hurts"); len(got) == 0 || got[0] != "pet" || len(asked) != made+1 {
		t.Errorf("by meaning: %q, %d vectors", got, len(asked)-made)
	}
	if got := offered("my kitty and c77"); len(got) < 2 || !slices.Contains(got[:2], "pet") || !slices.Contains(got[:2], "r77") {
		t.Errorf("by words and meaning: %q", got)
	}
	down = true
	if got := offered("my kitty and c78"); got[0] != "r78" {
		t.Errorf("with the model down: %q", got)
	}
	// A changed file costs its changed conditions.
	down, made = false, len(asked)
	write(strings.Replace(manySubjects(300), "c5'", "c5000'", 1))
	if err := src.Reload(); err != nil {
		t.Fatal(err)
	}
	embed()
	if len(asked) != made+1 || len(asked[made]) != 1 || !strings.Contains(asked[made][0], "c5000") {
		t.Errorf("after a change: %q", asked[made:])
	}
	// Where all rules fit, nothing is asked.
	write(manySubjects(5))
	if err := src.Reload(); err != nil {
		t.Fatal(err)
	}
	embed()
	made = len(asked)
	if got := offered("my kitty hurts"); !slices.Contains(got, "pet") || len(asked) != made {
		t.Errorf("with few rules: %q, %d vectors", got, len(asked)-made)
	}
}
