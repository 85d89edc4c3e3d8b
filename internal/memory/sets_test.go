package memory

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/llm/llmtest"
)

// setLine is a message of a public set, in the form that eval/recall writes.
type setLine struct{ ID, Role, User, Name, Text, At string }

// published is a conversation of a public set.
type published struct {
	Conv string
	Msgs []setLine
	Qs   []asked
}

type asked struct {
	Q, Cat, A string
	Ev        []string
}

// readSets returns the public sets by name; the test is skipped but for make recall.
func readSets(t *testing.T) map[string][]published {
	t.Helper()
	folder := os.Getenv("PARLEY_RECALL_SETS")
	if folder == "" {
		t.Skip("make recall")
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	must(t, err)
	sets := map[string][]published{}
	for _, file := range files {
		b, err := os.ReadFile(file)
		must(t, err)
		var set []published
		must(t, json.Unmarshal(b, &set))
		sets[strings.TrimSuffix(filepath.Base(file), ".json")] = set[:min(len(set), setting(t, "CHATS", len(set)))]
	}
	return sets
}

// setting is a number that make recall gives, or fallback.
func setting(t *testing.T, name string, fallback int) int {
	n, err := strconv.Atoi(cmp.Or(os.Getenv("PARLEY_RECALL_"+name), fmt.Sprint(fallback)))
	must(t, err)
	return max(n, 1)
}

// measured opens a store as make recall says: on its engine, with its encoder.
func measured(t *testing.T) (s *Store, how string) {
	t.Helper()
	o, how := Options{}, "words"
	if base := os.Getenv("PARLEY_RECALL_ENCODER"); base != "" {
		embed, model, err := llmtest.Encoder(t.Context(), base)
		must(t, err)
		o.Embed, o.EmbedModel, how = embed, model, model
	}
	return open(t, o), cmp.Or(os.Getenv("PARLEY_TEST_ENGINE"), "sqlite") + ", " + how
}

// tally is what one way of looking things up found for the questions of a set.
type tally struct {
	by   map[string][]float64 // shares of the evidence by kind of question
	used int                  // tokens
	took []time.Duration      // of this process's processor time
}

func (y *tally) add(c published, q asked, lines []string) {
	if y.by == nil {
		y.by = map[string][]float64{}
	}
	y.by[q.Cat] = append(y.by[q.Cat], c.share(q.Ev, q.A, flat(strings.Join(lines, "\n"))))
	for _, l := range lines {
		y.used += quarter(l)
	}
}

func (y *tally) all() []float64 { return slices.Concat(slices.Collect(maps.Values(y.by))...) }

// worst is the kind of question of which the least is found, of those asked five times.
func (y *tally) worst() string {
	kind, least := "", 2.0
	for _, k := range slices.Sorted(maps.Keys(y.by)) {
		if m := mean(y.by[k]); len(y.by[k]) >= 5 && m < least {
			kind, least = k, m
		}
	}
	return fmt.Sprintf("%s %.3f", kind, least)
}

// ways of asking: within 1,000 and 4,000 tokens, as bot recall answers, and the first page of
// the model's tool.
const (
	within1000 = iota
	within4000
	firstPage
	ways
)

// table is what make recall prints, in Markdown.
type table [ways]struct{ ours, plain tally }

// asks puts every nth question about a conversation to a store and to plain full text.
func (b *table) asks(t *testing.T, s *Store, c published, place chat.Key, plain plainText) {
	t.Helper()
	every := setting(t, "EVERY", 1)
	for i, q := range c.Qs {
		if i%every != 0 {
			continue
		}
		for way := range ways {
			ask := Query{User: "x:" + c.Msgs[0].User, Text: q.Q, Key: place, Tokens: 1000}
			switch way {
			case within4000:
				ask.Tokens = 4000
			case firstPage:
				ask.Page, ask.ByDay, ask.Size = 1, true, func(s string) int { return llm.EstimateTokens(llm.Message{Content: s}) }
			}
			began := processor(t)
			found, err := s.Recall(t.Context(), ask)
			must(t, err)
			b[way].ours.took = append(b[way].ours.took, processor(t)-began)
			var lines []string
			for _, p := range found {
				lines = append(lines, p.Text)
			}
			if way == firstPage {
				lines = Written(found)
			}
			b[way].ours.add(c, q, lines)
			if way != firstPage {
				b[way].plain.add(c, q, plain.find(t, q.Q, ask.Tokens))
			}
		}
	}
}

// print adds the rows of a set to the table in the file that make recall shows.
func (b *table) print(t *testing.T, set, how string) {
	t.Helper()
	var rows strings.Builder
	for way, name := range []string{"1,000", "4,000", "first page of the tool"} {
		y, plain := &b[way].ours, "-"
		list := y.all()
		if len(list) == 0 {
			t.Errorf("%s: nothing was asked", set)
			continue
		}
		if p := b[way].plain.all(); len(p) > 0 {
			plain = fmt.Sprintf("%.3f", mean(p))
		}
		slices.Sort(y.took)
		fmt.Fprintf(&rows, "| %s | %s | %d | %s | %.3f | %s | %d | %s | %.0f |\n", set, how, len(list), name, mean(list), plain,
			y.used/len(list), y.worst(), y.took[len(y.took)/2].Seconds()*1000)
		for _, kind := range slices.Sorted(maps.Keys(y.by)) {
			t.Logf("%s, %s: %s %.3f of %d", set, name, kind, mean(y.by[kind]), len(y.by[kind]))
		}
	}
	t.Log("\n" + rows.String())
	toTable(t, rows.String())
}

func toTable(t *testing.T, rows string) {
	t.Helper()
	file := os.Getenv("PARLEY_RECALL_TABLE")
	if file == "" {
		return
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	must(t, err)
	must(t, second(f.WriteString(rows)))
	must(t, f.Close())
}

// TestPublishedSets prints how much of the evidence in public sets is found within a
// budget, with plain full text beside it: make recall.
func TestPublishedSets(t *testing.T) {
	sets := readSets(t)
	for _, name := range slices.Sorted(maps.Keys(sets)) {
		var b table
		how := ""
		for n, c := range sets[name] {
			t.Run(c.Conv, func(t *testing.T) {
				var s *Store
				s, how = measured(t)
				place := c.load(t, s, n)
				b.asks(t, s, c, place, newPlainText(t, c.Msgs))
			})
		}
		b.print(t, name, how)
	}
}

// muchLater is how many messages come after a conversation in a big place.
const muchLater = 100_000

// TestPublishedAmongMany prints how much of the evidence in a conversation of a public set is
// found after 100,000 later messages in the same place: make recall. These are put together
// from halves of what was said in the other conversations of all sets in English, by the same
// two people and four others; or by others alone, from what people said to people.
func TestPublishedAmongMany(t *testing.T) {
	sets := readSets(t)
	if os.Getenv("PARLEY_RECALL_ENCODER") != "" {
		t.Skip("a small encoder takes hours for so many")
	}
	if len(sets["locomo"]) == 0 {
		t.Skip("without LoCoMo")
	}
	c := sets["locomo"][0]
	for _, among := range []struct {
		who  string
		sets []string
		same int // messages whose authors go on
	}{
		{"", []string{"locomo", "realtalk", "beam"}, 4},
		{" of others", []string{"locomo", "realtalk"}, 0},
	} {
		people := slices.Clone(strangers)
		for _, m := range c.Msgs[:among.same] {
			people = append(people, m.Name)
		}
		later := laterThan(c, sets, among.sets, people)
		s, how := measured(t)
		place := c.load(t, s, 0)
		var before, after table
		if among.same > 0 {
			before.asks(t, s, c, place, newPlainText(t, c.Msgs))
			before.print(t, c.Conv+" alone", how)
		}
		later.load(t, s, 0)
		must(t, s.Tidy(t.Context()))
		after.asks(t, s, c, place, newPlainText(t, append(slices.Clone(c.Msgs), later.Msgs...)))
		after.print(t, c.Conv+", then 100,000 messages"+among.who, how)
	}
}

// laterThan are muchLater messages by some people, put together from halves of what was said
// in the conversations of some sets besides one.
func laterThan(c published, sets map[string][]published, names, people []string) published {
	var texts [][]string
	for _, name := range names {
		for _, other := range sets[name] {
			for _, m := range other.Msgs {
				if w := strings.Fields(m.Text); other.Conv != c.Conv && m.Role != "assistant" {
					texts = append(texts, w[:min(len(w), 40)])
				}
			}
		}
	}
	r, at := rand.New(rand.NewPCG(1, 2)), time.Date(2025, 1, 1, 9, 0, 0, 0, time.UTC)
	later := published{Msgs: make([]setLine, muchLater)}
	for i := range later.Msgs {
		if at = at.Add(time.Minute); i%20 == 0 {
			at = at.Add(3 * time.Hour)
		}
		x, y, name := texts[r.IntN(len(texts))], texts[r.IntN(len(texts))], people[r.IntN(len(people))]
		later.Msgs[i] = setLine{ID: fmt.Sprint("later", i), User: strings.ToLower(name), Name: name, At: at.Format(time.RFC3339),
			Text: strings.Join(append(slices.Clone(x[:(len(x)+1)/2]), y[len(y)/2:]...), " ")}
	}
	return later
}

func mean(list []float64) (sum float64) {
	for _, x := range list {
		sum += x / float64(len(list))
	}
	return sum
}

// load imports a conversation into the nth place, and makes the vectors if there is an encoder.
func (c published) load(t *testing.T, s *Store, n int) chat.Key {
	t.Helper()
	place := chat.Key{Platform: "x", Channel: fmt.Sprint("c", n)}
	var lines bytes.Buffer
	for _, m := range c.Msgs {
		b, err := json.Marshal(map[string]string{"platform": place.Platform, "channel": place.Channel, "user": m.User, "name": m.Name,
			"text": m.Text, "at": m.At, "id": m.ID, "role": m.Role})
		must(t, err)
		lines.Write(append(b, '\n'))
	}
	importText(t, s, lines.String())
	embedAll(t, s)
	return place
}

var spaces = regexp.MustCompile(`\s+`)

func flat(s string) string { return spaces.ReplaceAllString(strings.ToLower(s), " ") }

// share returns how many of the messages with the evidence were found: whole, or of a long
// one 120 letters in a row and six in ten of the answer's words that it holds.
func (c published) share(evidence []string, answer, got string) float64 {
	n := 0.0
	for _, m := range c.Msgs {
		if slices.Contains(evidence, m.ID) && foundIn(flat(m.Text), flat(answer), got) {
			n++
		}
	}
	return n / float64(len(evidence))
}

var wordRuns = regexp.MustCompile(`[\p{L}\p{N}_]+`)

func foundIn(said, answer, got string) bool {
	if strings.Contains(got, said) {
		return true
	}
	r := []rune(said)
	if len(r) < 1000 {
		return false
	}
	piece := false
	for k := 0; k < len(r)-120 && !piece; k += 60 {
		piece = strings.Contains(got, string(r[k:k+120]))
	}
	in, out := map[string]bool{}, map[string]bool{}
	for _, w := range wordRuns.FindAllString(said, -1) {
		in[w] = true
	}
	for _, w := range wordRuns.FindAllString(got, -1) {
		out[w] = true
	}
	held, there := 0, 0
	for _, w := range wordRuns.FindAllString(answer, -1) {
		if in[w] && !strings.Contains(smallWords, " "+w+" ") {
			held++
			delete(in, w)
			if out[w] {
				there++
			}
		}
	}
	return piece && held > 0 && float64(there) >= 0.6*float64(held)
}

const smallWords = " a an the is are was were be been being do does did has have had of to in on at for with by from and or not as it its this that these those what when where who whom which why how i you he she they we his her their our my your me him them us would could should can will may might if about into than then so there any some "
