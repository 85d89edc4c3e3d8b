package memory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/db/engine"
	"parley/internal/text/ranking"
	"parley/internal/text/waittest"
)

// strangers are those who say what nobody asks for.
var strangers = []string{"Zoe", "Quentin", "Ivo", "Petra"}

// What was said in a place is found after 20,000 later messages there that say the same
// frequent words: of a chat's answers, at most a few in a hundred less than before.
func TestBigPlaceIsLikeASmallOne(t *testing.T) {
	waittest.Alone(t)
	for _, chatName := range longChats {
		s, list := open(t, Options{}), []question(nil)
		text := chatFiles(t, chatName)[0]
		importText(t, s, text)
		attend(t, s, anyone)
		questions, err := os.ReadFile("testdata/recall/questions.jsonl")
		must(t, err)
		for line := range strings.Lines(string(questions)) {
			var q question
			must(t, json.Unmarshal([]byte(line), &q))
			if q.Channel == chatName && !q.Loose {
				list = append(list, q)
			}
		}
		find := func(tokens int) float64 {
			sum := 0.0
			for _, q := range list {
				found, err := s.Recall(t.Context(), Query{User: anyone, Text: q.Question, Tokens: tokens,
					Key: chat.Key{Platform: "archive", Channel: chatName}})
				must(t, err)
				sum += 100 * q.share(found) / float64(len(list))
			}
			return sum
		}
		before := map[int]float64{1000: find(1000), 4000: find(4000)}
		var said []string
		for line := range strings.Lines(text) {
			var m struct{ Text string }
			must(t, json.Unmarshal([]byte(line), &m))
			said = append(said, m.Text)
		}
		importText(t, s, fillers(t, 20_000, [2]string{"archive", chatName}, frequent(said, 400), strangers))
		for tokens, was := range before {
			now := find(tokens)
			t.Logf("%s, %d tokens: %.1f before, %.1f among 20,000 more", chatName, tokens, was, now)
			if now < was-lossAmong20k {
				t.Errorf("%s, %d tokens: from %.1f to %.1f", chatName, tokens, was, now)
			}
		}
		must(t, s.Close())
	}
}

// In a big place, too, what one question of a text finds leaves room for the other.
func TestBigPlaceAnswersBothQuestions(t *testing.T) {
	s := open(t, Options{})
	var b strings.Builder
	say := func(i int, said string) {
		line, err := json.Marshal(map[string]any{"platform": "archive", "channel": "c0", "user": "zoe", "name": "Zoe", "text": said,
			"at": time.Date(2025, 1, 1, 9, i, 0, 0, time.UTC).Format(time.RFC3339), "id": i})
		must(t, err)
		b.Write(append(line, '\n'))
	}
	say(0, "The dentist sees us on tuesday.")
	for i := 1; i <= maxWhole+500; i++ {
		switch {
		case i%10 == 0:
			say(i, fmt.Sprint("The spare key for harbour office door hangs on hook ", i))
		case i%4 == 1:
			say(i, fmt.Sprint("A dentist in town is number ", i))
		case i%4 == 3:
			say(i, fmt.Sprint("It rained on tuesday, day ", i))
		default:
			say(i, fmt.Sprint("Nothing new, day ", i))
		}
	}
	importText(t, s, b.String())
	found, err := s.Recall(t.Context(), Query{User: "archive:zoe", Key: chat.Key{Platform: "archive", Channel: "c0"}, Limit: 10,
		Text: "Where is the spare key for the harbour office door? And does the dentist see us on tuesday?"})
	must(t, err)
	if !slices.ContainsFunc(found, func(p Passage) bool { return strings.Contains(p.Text, "sees us") }) ||
		!slices.ContainsFunc(found, func(p Passage) bool { return strings.Contains(p.Text, "spare key") }) {
		t.Errorf("found is %+v", found)
	}
}

// What somebody may not see takes no room among what is looked at, however much of it there is:
// after they had left, others said a thousand times what they ask about.
func TestBigPlaceFindsBehindWhatIsHidden(t *testing.T) {
	s := open(t, Options{})
	var b strings.Builder
	for i := range maxWhole + 2000 {
		user, said := "ivo", fmt.Sprint("Nothing new, day ", i)
		switch {
		case i == 0:
			said = "The red canoe leaks."
		case i == 1:
			user, said = "zoe", "I see."
		case i > 10 && i%3 == 0:
			said = fmt.Sprint("The red canoe is gone, day ", i)
		}
		line, err := json.Marshal(map[string]any{"platform": "archive", "channel": "c0", "user": user, "name": user, "text": said,
			"at": time.Date(2025, 1, 1, 9, i, 0, 0, time.UTC).Format(time.RFC3339), "id": i})
		must(t, err)
		b.Write(append(line, '\n'))
	}
	importText(t, s, b.String())
	for _, text := range []string{"What about the red canoe?", "What did Ivo say about the red canoe?"} {
		found, err := s.Recall(t.Context(), Query{User: "archive:zoe", Text: text})
		must(t, err)
		if len(found) == 0 || !strings.Contains(found[0].Text, "leaks") {
			t.Errorf("%s: found is %+v", text, found)
		}
	}
}

// The pages of the index, and a server, say what expressions find in it: in one place, in some,
// and in many.
func TestPagesSayWhatMatchFinds(t *testing.T) {
	s := open(t, Options{})
	for i := range fewPlaces + 2 {
		importText(t, s, fillers(t, 500, [2]string{"archive", fmt.Sprint("c", i)}, nil, strangers))
	}
	for _, n := range []int{1, fewPlaces, fewPlaces + 2} {
		places, err := engine.Select(s.db, engine.Value[int64], "SELECT n FROM places ORDER BY n LIMIT ?", n)
		must(t, err)
		for _, text := range []string{"When did you buy the guitar at the market?", "dog", "train station", "Wo ist der Schlüssel?"} {
			o, err := s.orders.of(s.db, places)
			must(t, err)
			f := finder{s: s, asked: ranking.Asking(text), places: places, order: o, left: maxRead}
			must(t, f.measure())
			var all []*posting
			for _, w := range ranking.Terms(text) {
				all = append(all, &posting{stems: f.asked.Stems(w)}, &posting{stems: f.asked.Stems(ranking.Synonyms(w)...)})
			}
			must(t, f.open(all))
			pages, scope := f.index.(*listed), places
			if f.inside != nil {
				scope = nil
			}
			match := &matched{db: s.db, places: scope}
			for _, p := range all {
				if len(p.stems) == 0 {
					continue
				}
				for _, limit := range []int{3, 40, maxRead} {
					a, err := pages.latest(p.stems, limit)
					b, err2 := match.latest(p.stems, limit)
					must(t, errors.Join(err, err2))
					c, err := pages.besides(p.stems, limit)
					d, err2 := match.besides(p.stems, limit)
					must(t, errors.Join(err, err2))
					if !slices.Equal(a, b) || !slices.Equal(c, d) {
						t.Fatalf("%d places, %q, %d: %d and %d entries, by MATCH %d and %d", n, p.stems, limit, len(a), len(c), len(b), len(d))
					}
				}
				pages.read(p.stems)
				match.read(p.stems)
			}
		}
	}
}

// lossAmong20k is how many answers of a hundred may be lost.
const lossAmong20k = 6

// BenchmarkBigPlace asks in a place of a million messages, or PARLEY_BULK, and in a
// direct chat about two hundred places of a thousand.
func BenchmarkBigPlace(b *testing.B) {
	_, list := oldChats(b)
	own := frequent(chatFiles(b, longChats...), 400)
	for _, op := range []struct {
		name          string
		places, each  int
		channel, user string
	}{
		{"one place", 1, benchMessages(), "c0", "archive:zoe"},
		{"200 places", 200, 1000, "", "archive:zoe"},
	} {
		s := open(b, Options{})
		for i := range op.places {
			importText(b, s, fillers(b, op.each, [2]string{"archive", fmt.Sprint("c", i)}, own, strangers))
		}
		must(b, s.Tidy(context.Background()))
		b.Run(op.name, func(b *testing.B) {
			var took, busy []time.Duration
			for i := range b.N {
				began, used := time.Now(), processor(b)
				key := chat.Key{}
				if op.channel != "" {
					key = chat.Key{Platform: "archive", Channel: op.channel}
				}
				_, err := s.Recall(context.Background(), Query{User: op.user, Key: key, Text: list[i*7%len(list)].Question})
				must(b, err)
				took, busy = append(took, time.Since(began)), append(busy, processor(b)-used)
			}
			b.ReportMetric(waittest.Percentile(busy, 50), "cpu-p50-ms")
			b.ReportMetric(waittest.Percentile(busy, 95), "cpu-p95-ms")
			b.ReportMetric(waittest.Percentile(took, 50), "p50-ms")
			b.ReportMetric(waittest.Percentile(took, 95), "p95-ms")
		})
	}
}

// processor is how much time of processors this process has used.
func processor(b testing.TB) time.Duration {
	var u syscall.Rusage
	must(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
