package memory

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/chat"
)

// published is a conversation of a public set, in the form that eval/recall writes.
type published struct {
	Conv string
	Msgs []struct{ ID, Role, User, Name, Text, At string }
	Qs   []struct {
		Q, Cat, A string
		Ev        []string
	}
}

// TestPublishedSets prints how much of the evidence in public sets is found within a
// budget: make recall.
func TestPublishedSets(t *testing.T) {
	folder := os.Getenv("PARLEY_RECALL_SETS")
	if folder == "" {
		t.Skip("make recall")
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	must(t, err)
	for _, file := range files {
		b, err := os.ReadFile(file)
		must(t, err)
		var set []published
		must(t, json.Unmarshal(b, &set))
		hit, given, took := map[int]map[string][]float64{1000: {}, 4000: {}}, map[int]int{}, time.Duration(0)
		asked := 0
		for n, c := range set {
			s := open(t, Options{})
			c.load(t, s, n)
			for _, q := range c.Qs {
				asked++
				for budget, all := range hit {
					began := time.Now()
					found, err := s.Recall(t.Context(), Query{User: "x:" + c.Msgs[0].User, Text: q.Q, Tokens: budget,
						Key: chat.Key{Platform: "x", Channel: fmt.Sprint("c", n)}})
					took += time.Since(began)
					must(t, err)
					var got []string
					for _, p := range found {
						got = append(got, p.Text)
						given[budget] += (len([]rune(p.Text)) + 3) / 4
					}
					all[q.Cat] = append(all[q.Cat], c.share(q.Ev, q.A, flat(strings.Join(got, "\n"))))
				}
			}
			must(t, s.Close())
		}
		for _, budget := range slices.Sorted(maps.Keys(hit)) {
			var list []float64
			kinds := ""
			for _, kind := range slices.Sorted(maps.Keys(hit[budget])) {
				list = append(list, hit[budget][kind]...)
				kinds += fmt.Sprintf(" %s %.3f", kind, mean(hit[budget][kind]))
			}
			t.Logf("%-10s %4d tokens: %.4f  given %d, %v a question;%s", strings.TrimSuffix(filepath.Base(file), ".json"), budget, mean(list),
				given[budget]/asked, (took / time.Duration(2*asked)).Round(10*time.Microsecond), kinds)
		}
	}
}

func mean(list []float64) (sum float64) {
	for _, x := range list {
		sum += x / float64(len(list))
	}
	return sum
}

func (c published) load(t *testing.T, s *Store, n int) {
	var lines bytes.Buffer
	for _, m := range c.Msgs {
		b, err := json.Marshal(map[string]string{"platform": "x", "channel": fmt.Sprint("c", n), "user": m.User, "name": m.Name,
			"text": m.Text, "at": m.At, "id": m.ID, "role": m.Role})
		must(t, err)
		lines.Write(append(b, '\n'))
	}
	importText(t, s, lines.String())
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
