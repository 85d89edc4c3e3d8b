package tools

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/internal/notes/index"
)

// word makes up a word of a small language, in which many words are alike.
func word(r *rand.Rand) string {
	syllables := strings.Fields("ma mar zi zip pan lo re ti tin gar den del ka to wal ten")
	var b strings.Builder
	for range 2 + r.IntN(3) {
		b.WriteString(syllables[r.IntN(len(syllables))])
	}
	return b.String()
}

// prose makes up a note. own is a word of it that others may be without.
func prose(r *rand.Rand, own string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s %s\n\n", word(r), word(r))
	for i := range 20 + r.IntN(60) {
		switch r.IntN(12) {
		case 0:
			fmt.Fprintf(&b, "\n\n## %s\n\n", word(r))
		case 1:
			fmt.Fprintf(&b, "[[n%d]] #%s ", r.IntN(12), word(r))
		default:
			b.WriteString(word(r) + " ")
		}
		if i == 7 {
			b.WriteString(own + " ")
		}
	}
	return b.String()
}

// misspelled changes a letter of a word.
func misspelled(r *rand.Rand, w string) string {
	at := r.IntN(len(w))
	return w[:at] + string(rune('a'+r.IntN(26))) + w[at+1:]
}

// world is a notebook in which bob looks. With secrets, Anna has notes of her own there.
func world(t *testing.T, seed uint64, secrets bool) Notes {
	t.Helper()
	then := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	b, n := office(t, nil)
	r := rand.New(rand.NewPCG(seed, 1))
	own := rand.New(rand.NewPCG(seed, 2))
	for i := range 12 {
		if secrets {
			for j := range 3 {
				write(t, n, "anna", fmt.Sprintf("s%d-%d.md", i, j), prose(own, "marzipanig"))
			}
			write(t, n, "anna", fmt.Sprintf("deep/n%d.md", i), "# n0\n\n[[n1]] [[n2]] "+word(own))
		}
		name := filepath.Join(b.notes, fmt.Sprintf("n%d.md", i))
		for _, err := range []error{os.WriteFile(name, []byte(prose(r, "marzipanlo")), 0o600), os.Chtimes(name, then, then),
			n.Vault.Refresh(t.Context())} {
			if err != nil {
				t.Fatal(err)
			}
		}
		then = then.Add(time.Hour)
	}
	if secrets { // by hand: known by what is in it
		from := filepath.Join(b.notes, "agent-notes/s3-1.md")
		if err := os.Rename(from, filepath.Join(b.notes, "renamed.md")); err != nil {
			t.Fatal(err)
		}
		if err := n.Vault.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return n
}

// sees returns all that bob is told about the notes of a world, byte by byte.
func sees(t *testing.T, n Notes, seed uint64) (list []string) {
	t.Helper()
	s, err := n.Shelf(t.Context(), direct("bob"))
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(seed, 3))
	var questions []index.Query
	for range 40 {
		q := index.Query{Text: word(r)}
		for range r.IntN(4) {
			q.Text += " " + misspelled(r, word(r))
		}
		questions = append(questions, q)
	}
	for _, text := range []string{"marzipanig", "marzip", "arzipan", "marzipanik", "zipanig", "n1", "renamed", "anna"} {
		questions = append(questions, index.Query{Text: text}, index.Query{Text: text, Limit: 50, Tags: []string{word(r)}})
	}
	questions = append(questions, index.Query{During: &index.Period{From: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC),
		To: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)}})
	note := func(about string, what any, err error) {
		data, merr := json.Marshal(what)
		list = append(list, fmt.Sprintf("%s: %s %v %v", about, data, err, merr))
	}
	for _, q := range questions {
		hits, err := s.Search(t.Context(), q)
		note("search "+q.Text, hits, err)
	}
	for i := range 12 {
		e, related, err := s.Related(t.Context(), fmt.Sprintf("n%d", i))
		note("related", []any{e, related}, err)
	}
	return list
}

// TestNothingTellsOfOthersNotes: two worlds differ in the notes that Anna wrote alone. What
// Bob finds in them is the same, with its order, its scores and what a slip stands for.
func TestNothingTellsOfOthersNotes(t *testing.T) {
	for seed := range uint64(4) {
		with, without := sees(t, world(t, seed, true), seed), sees(t, world(t, seed, false), seed)
		for i := range without {
			if with[i] != without[i] {
				t.Fatalf("world %d, with Anna's notes:\n%.600s\nwithout:\n%.600s", seed, with[i], without[i])
			}
		}
	}
}

// TestOnesOwnNotesCount: what is kept from others is found by who wrote it, alone.
func TestOnesOwnNotesCount(t *testing.T) {
	n := world(t, 1, true)
	for _, tt := range []struct {
		call Call
		want bool
	}{
		{direct("anna"), true}, {direct("bob"), false}, {Call{Who: direct("anna").Who}, false},
	} {
		s, err := n.Shelf(t.Context(), tt.call)
		if err != nil {
			t.Fatal(err)
		}
		for _, words := range []string{"marzipanig", "marzipanigg"} {
			hits, err := s.Search(t.Context(), index.Query{Text: words})
			found := len(hits) > 0 && strings.Contains(hits[0].Text, "marzipanig")
			if err != nil || found != tt.want {
				t.Errorf("%s, direct %t: %q found %t, %v", tt.call.Who.ID, tt.call.Direct, words, found, err)
			}
		}
	}
}
