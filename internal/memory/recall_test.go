package memory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/chat"
	"parley/internal/db/engine"
	"parley/internal/text/waittest"
)

func TestRecallKeepsToItsScope(t *testing.T) {
	s := open(t, Options{})
	must(t, s.db.Write(context.Background(), func(tx *engine.Tx) error {
		for _, r := range [][3]string{{"dm", "a", "the canary sings"}, {"room", "b", "a canary's \"cage\""},
			{"room", "a", "canaries eat seeds"}} {
			if _, err := tx.Exec(
				"INSERT INTO sessions (id, platform, channel, created_at, last_activity, expires_at) VALUES (:place, 'x', :place, "+
					"'', '', '') ON CONFLICT DO NOTHING", engine.Named{"place": r[0]}); err != nil {
				return err
			}
			if _, err := tx.Exec(
				"INSERT INTO messages (session_id, platform, channel, role, user_id, name, content, at) VALUES (:place, 'x', "+
					":place, 'user', :user, :user, :text, '2024-05-01T10:00:00.000Z')",
				engine.Named{"place": r[0], "user": r[1], "text": r[2]}); err != nil {
				return err
			}
		}
		return nil
	}))
	for _, tt := range []struct {
		user, channel, text string
		want                int
	}{
		{"a", "", "canary", 3}, {"b", "", "canary", 1}, /* what a said after b is not known to have been heard */
		{"c", "", "canary", 0}, {"", "", "canary", 0},
		{"b", "room", "canary", 2}, {"a", "dm", "canary", 1}, {"b", "none", "canary", 0},
		{"a", "", "NEAR( canary* \"'-\x00\xff AND " + strings.Repeat("(", 100000), 3}, {"a", "", "😀 \"", 0},
	} {
		got, err := s.Recall(context.Background(), Query{User: tt.user, Key: chat.Key{Platform: "x", Channel: tt.channel}, Text: tt.text})
		if err != nil || len(got) != tt.want {
			t.Errorf("%s in %q asks %.20q: %d passages, %v; want %d", tt.user, tt.channel, tt.text, len(got), err, tt.want)
		}
	}
	must(t, s.db.Write(context.Background(), func(tx *engine.Tx) error { _, err := tx.Exec("DELETE FROM messages"); return err }))
	if got, err := s.Recall(context.Background(), Query{User: "a", Text: "canary"}); err != nil || len(got) > 0 {
		t.Errorf("after deleting: %v, %v", got, err)
	}
}

func TestRecallByNameAndDate(t *testing.T) {
	s, _ := oldChats(t)
	for _, tt := range []struct{ text, name, month string }{
		{"What did Cal wear?", "Callum", ""},
		{"What did Callum do in January 2023?", "Callum", "2023-01"},
		{"What did Callum do on 8 January?", "Callum", "2023-01-08"},
		{"Where was Ines in the summer of 2022?", "Ines", "2022-08"},
	} {
		found, err := s.Recall(t.Context(), Query{User: "archive:ines", Text: tt.text, Limit: 1})
		must(t, err)
		if len(found) == 0 || found[0].name != tt.name || !strings.HasPrefix(found[0].At.Format("2006-01-02"), tt.month) {
			t.Errorf("%s finds %+v", tt.text, found)
		}
	}
}

// What others say elsewhere changes nothing: neither what is found nor in which
// order, however much it is and however often it has the words of the question.
func TestRecallAmongOthers(t *testing.T) {
	waittest.Alone(t)
	s, list := oldChats(t, strings.ReplaceAll(babble(t, 3_000, 1), `"c0"`, `"maren-dele"`))
	questions := func() (found [][]Passage) {
		for i := 0; i < len(list); i += len(list) / 12 {
			for _, q := range []Query{{User: anyone, Key: chat.Key{Platform: "archive", Channel: "maren-dele"}}, {User: anyone}} {
				q.Text, q.Tokens = list[i].Question, 2000
				p, err := s.Recall(t.Context(), q)
				must(t, err)
				found = append(found, p)
			}
		}
		return found
	}
	before := questions()
	importText(t, s, strings.ReplaceAll(babble(t, 8_000, 8), `"channel":"c`, `"channel":"elsewhere`))
	if diff := cmp.Diff(before, questions(), cmp.AllowUnexported(Passage{})); diff != "" {
		t.Error(diff)
	}
}

// Whoever is in more places than are looked up one by one is told what was said
// in each, and not what was said elsewhere.
func TestRecallInManyPlaces(t *testing.T) {
	s := open(t, Options{})
	importText(t, s, babble(t, 4_000, 40))
	must(t, s.db.Write(t.Context(), func(tx *engine.Tx) error {
		for i := range 40 {
			user := "archive:many"
			if i%2 == 1 {
				user = "archive:else"
			}
			m := spoken{key: chat.Key{Platform: "archive", Channel: fmt.Sprint("c", i)}, role: "user", user: user,
				session: fmt.Sprint("s", i), text: "the walrus of this place is number " + fmt.Sprint(i)}
			if err := m.insert(tx, i); err != nil {
				return err
			}
		}
		return nil
	}))
	found, err := s.Recall(t.Context(), Query{User: "archive:many", Text: "what number is the walrus?", Limit: 20})
	must(t, err)
	for _, p := range found {
		if n, _ := strconv.Atoi(p.Key.Channel[1:]); n%2 == 1 || !strings.Contains(p.content, "walrus") {
			t.Errorf("brings %+v", p)
		}
	}
	if len(found) != 20 {
		t.Errorf("%d of 20 are found", len(found))
	}
}

// BenchmarkRecallMillion asks real questions among 1,000,000 messages in 500
// places: somebody who is in seven of them, in one of them, and somebody who is in
// a hundred. Then it stores messages there, and in an empty store: times-empty is
// how much longer that takes.
func BenchmarkRecallMillion(b *testing.B) {
	_, list := oldChats(b)
	s := open(b, Options{})
	for i := range 10 {
		importText(b, s, strings.ReplaceAll(babble(b, 100_000, 50), `"channel":"c`, fmt.Sprintf(`"channel":"%dc`, i)))
	}
	join := "INSERT INTO participants SELECT DISTINCT ?, platform, channel, thread, 1 << 62 FROM participants WHERE channel "
	must(b, s.db.Write(b.Context(), func(tx *engine.Tx) error {
		_, err := tx.Exec(join+"IN ('0c1', '1c2', '2c3', '3c4', '4c5', '5c6', '6c7')", "archive:me")
		_, err2 := tx.Exec(join+"LIKE '%c_'", "archive:many")
		return errors.Join(err, err2)
	}))
	for _, q := range []Query{{User: "archive:me"}, {User: "archive:me", Key: chat.Key{Platform: "archive", Channel: "3c4"}},
		{User: "archive:many"}} {
		b.Run(q.User+",in="+q.Key.Channel, func(b *testing.B) {
			var took []time.Duration
			for i := range b.N {
				q.Text = list[i*7%len(list)].Question
				began := time.Now()
				_, err := s.Recall(b.Context(), q)
				must(b, err)
				took = append(took, time.Since(began))
			}
			b.ReportMetric(waittest.Percentile(took, 50), "p50-ms")
			b.ReportMetric(waittest.Percentile(took, 95), "p95-ms")
		})
	}
	b.Run("store", func(b *testing.B) {
		empty, took, said := open(b, Options{}), [2][]time.Duration{}, strings.Split(babble(b, 2000, 1), "\n")
		for i := range b.N {
			for k, at := range []*Store{empty, s} { // by turns, as the machine is now faster and now slower
				m := spoken{key: chat.Key{Platform: "archive", Channel: fmt.Sprint("0c", i%50)}, role: "user", user: "archive:me",
					session: fmt.Sprint("s", i%50), text: said[i%len(said)] + "."}
				began := time.Now()
				must(b, at.db.Write(b.Context(), func(tx *engine.Tx) error { return m.insert(tx, i) }))
				took[k] = append(took[k], time.Since(began))
			}
		}
		b.ReportMetric(waittest.Percentile(took[1], 50)/waittest.Percentile(took[0], 50), "times-empty")
	})
}

// TestLongMessageIsFound: of an answer as long as an essay the passage comes that was asked
// for, however small the budget.
func TestLongMessageIsFound(t *testing.T) {
	s := open(t, Options{})
	filler := strings.Repeat("A mortgage takes patience, papers and a bank that answers its mail. ", 60)
	long, err := json.Marshal(filler + "The broker's code word is heron. " + filler)
	must(t, err)
	importText(t, s, `{"platform":"x","channel":"c","user":"ann","name":"Ann","text":"What about a mortgage?","at":"2024-05-01T10:00:00Z","id":"1","role":"user"}
{"platform":"x","channel":"c","user":"helper","name":"Helper","text":`+string(long)+`,"at":"2024-05-01T10:01:00Z","id":"2","role":"assistant"}`)
	found, err := s.Recall(context.Background(), Query{User: "x:ann", Text: "What was the code word you told me for the broker?", Tokens: 400})
	must(t, err)
	if len(found) == 0 || !found[0].Bot || found[0].User != "x:ann" || !strings.Contains(found[0].Text, "heron") ||
		!strings.HasPrefix(found[0].Text, "[2024-05-01 10:01] assistant: … ") || !strings.HasSuffix(found[0].Text, " …") {
		t.Fatalf("found %d: %.900s", len(found), fmt.Sprint(found))
	}
}

// TestRecallKeepsToTheSizeItIsTold: a letter of Chinese is about a token, so a model's budget is
// counted otherwise than the one that recall is measured with. Line ends leave no sign.
func TestRecallKeepsToTheSizeItIsTold(t *testing.T) {
	s := open(t, Options{})
	var lines strings.Builder
	for i := range 60 {
		fmt.Fprintf(&lines, `{"platform":"x","channel":"c","user":"ann","name":"Ann","text":"会议的时间改到星期%d下午三点，\n地点还是老地方。","at":"2024-05-01T10:%02d:00Z","id":"%d"}`+"\n", i, i, i)
	}
	importText(t, s, lines.String())
	runes := func(text string) int { return len([]rune(text)) }
	for _, size := range []func(string) int{nil, runes} {
		found, err := s.Recall(context.Background(), Query{User: "x:ann", Text: "会议是什么时间？", Tokens: 500, Size: size})
		must(t, err)
		sum := 0
		for _, p := range found {
			sum += runes(p.Text)
			if strings.Contains(p.Text, "⏎") || !strings.Contains(p.Text, "下午三点，   地点") {
				t.Errorf("found %q", p.Text)
			}
		}
		least, most := 1800, 2000
		if size != nil {
			least, most = 450, 500
		}
		if sum < least || sum > most {
			t.Errorf("%d letters, want %d to %d", sum, least, most)
		}
	}
}
