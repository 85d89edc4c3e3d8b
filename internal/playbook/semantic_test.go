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

// pets is a playbook whose vectors know that a kitty is a feline.
type pets struct {
	t     *testing.T
	dir   string
	src   *Source
	asked [][]string
	down  bool
}

func (p *pets) embed(_ context.Context, texts []string) (list [][]float32, err error) {
	p.asked = append(p.asked, texts)
	if p.down {
		return nil, errors.New("down")
	}
	for _, text := range texts {
		list = append(list, llmtest.Vector(text, map[string]string{"feline": "kitty"}))
	}
	return list, nil
}

func (p *pets) write(text string) {
	p.t.Helper()
	if err := os.WriteFile(filepath.Join(p.dir, "rules.yaml"), []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
	var err error
	if p.src == nil {
		p.src, err = Open(p.dir, Options{Embed: p.embed})
	} else {
		err = p.src.Reload()
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *pets) book() *Book {
	p.t.Helper()
	b, err := p.src.Book(time.Unix(1, 0))
	if err != nil {
		p.t.Fatal(err)
	}
	return b
}

// offered returns the conditions that the model is asked about.
func (p *pets) offered(text string) []string {
	p.t.Helper()
	m := &scripted{}
	if _, err := p.book().Guide(p.t.Context(), m, Situation{Text: text, Now: time.Unix(1, 0)}); err != nil {
		p.t.Fatal(err)
	}
	return conditionIDs(m.question(0))
}

// embedAll makes all vectors and tells of which conditions.
func (p *pets) embedAll() (made []string) {
	p.t.Helper()
	before := len(p.asked)
	for more := true; more; {
		var err error
		if more, err = p.book().Embed(p.t.Context()); err != nil {
			p.t.Fatal(err)
		}
	}
	return slices.Concat(p.asked[before:]...)
}

func TestShortlistByMeaning(t *testing.T) {
	p := &pets{t: t, dir: t.TempDir()}
	p.write(manySubjects(300))
	if got := p.offered("my kitty hurts"); slices.Contains(got, "pet") || len(p.asked) > 0 {
		t.Fatalf("before there are vectors: %q, asked %q", got, p.asked)
	}
	p.embedAll()
	made := len(p.asked)
	if got := p.offered("my kitty hurts"); len(got) == 0 || got[0] != "pet" || len(p.asked) != made+1 {
		t.Errorf("by meaning: %q, %d vectors", got, len(p.asked)-made)
	}
	if got := p.offered("my kitty and c77"); len(got) < 2 || !slices.Contains(got[:2], "pet") || !slices.Contains(got[:2], "r77") {
		t.Errorf("by words and meaning: %q", got)
	}
	p.down = true
	if got := p.offered("my kitty and c78"); got[0] != "r78" {
		t.Errorf("with the model down: %q", got)
	}
	// A changed file costs its changed conditions.
	p.down = false
	p.write(strings.Replace(manySubjects(300), " c5'", " c5000'", 1))
	if got := p.embedAll(); len(got) != 1 || !strings.Contains(got[0], "c5000") {
		t.Errorf("after a change: %q", got)
	}
	// Where all rules fit, nothing is asked.
	p.write(manySubjects(5))
	p.embedAll()
	made = len(p.asked)
	if got := p.offered("my kitty hurts"); !slices.Contains(got, "pet") || len(p.asked) != made {
		t.Errorf("with few rules: %q, %d vectors", got, len(p.asked)-made)
	}
}
