package memory

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/memory/agenda"
	"parley/internal/memory/facts"
	"parley/internal/memory/sessions"
)

// unlike are words that are all different: n of them.
func unlike(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%x%s ", uint64(i+1)*0x9e3779b97f4a7c15, "q")
	}
	return b.String()
}

// nasty are texts that one kind of database takes and another may refuse.
var nasty = map[string]string{
	"nothing":          "a\x00b \x00",
	"no characters":    "a\xff\xfe\xed\xa0\x80b",
	"no character":     "a\ufffe\uffff\ufdd0b",
	"escapes":          `a\u0000b \ud800 \\u0000 {"a":"\u0000\ud800"} \x41 E'\\'`,
	"quotes":           `'; DROP TABLE messages; -- "" ` + "`" + ` $1 ?1 :name @x %s`,
	"one word":         strings.Repeat("ä", 200_000),
	"one word in view": unlike(1)[:10] + strings.Repeat("x", 5000),
	"unlike words":     unlike(60_000),
	"words of a page":  unlike(900)[:9_900],
	"marks":            strings.Repeat("a\u0301\u202e\u200d", 3000) + "😀🏴\U000e0067\U000e007f",
	"spaces":           " \t\r\n\v\f\u00a0\u2028\u2029\u0085 ",
	"lines":            strings.Repeat("\n", 20_000),
	"deep":             strings.Repeat("[", 20_000),
	"numbers":          "NaN -Infinity 1e999999 -9223372036854775808 9223372036854775808 0x1p-1074",
}

// What people and models write is stored whatever it is, found, and forgotten: a text that
// could not be would keep its conversation from going on.
func TestNastyTexts(t *testing.T) {
	for name, text := range nasty {
		t.Run(name, func(t *testing.T) {
			s := open(t, Options{})
			who := "x:" + name
			k := chat.Key{Platform: "x", Channel: "c", Thread: name}
			v := Viewer{User: who, Key: k, Direct: true}
			short := string([]rune(strings.ToValidUTF8(text, "?"))[:min(len([]rune(text)), 9_000)])
			if strings.TrimSpace(short) != "" {
				f, err := s.Facts.SaveFact(bg, v, facts.NewFact{Content: "the code is " + short, Tags: []string{"tag"}, Quote: text})
				must(t, err)
				must(t, second(s.Facts.UpdateFact(bg, v, f.ID, facts.NewFact{Content: short + " it was", Quote: text})))
				line := string([]rune(short)[:min(len([]rune(short)), 900)])
				must(t, second(s.Agenda.AddTask(bg, v, line, "", Origin{})))
				must(t, second(s.Agenda.AddLog(bg, v, agenda.LogEntry{Content: line}, "")))
				must(t, second(s.Agenda.AddReminder(bg, agenda.Reminder{User: chat.User{ID: who, Name: text}, Key: k, Text: line,
					Due: time.Now().Add(time.Hour)}, "")))
			}
			m := chat.Message{ID: "1", Key: k, From: chat.User{ID: who, Name: text}, Text: text, Addressed: true, At: time.Now(), Quote: text}
			in, err := s.Accept(bg, chat.Batch{Platform: "x", Messages: []chat.Message{m, {ID: "2", Key: k, From: m.From,
				Text: text, Addressed: true, At: m.At}}, Dead: []chat.DeadLetter{{ID: "d" + name, Raw: []byte(text), Reason: text}}})
			must(t, err)
			must(t, s.SaveSteps(bg, in[0].Row, []Step{{N: 1, Kind: "model", Done: true, Result: text}})())
			said, err := json.Marshal(text)
			must(t, err)
			raw := json.RawMessage(`{"matches":[{"guideline_id":"g","why":"\ud800 \u0000"}],"top_matches":[{"guideline_id":"g"}],"said":` +
				string(said) + `}`)
			se := Session{ID: "s", Key: k, Status: Active, Direct: true, Created: m.At, LastActivity: m.At, Expires: m.At.Add(time.Hour),
				Summary: text, Title: short, Decisions: []sessions.Decision{{Text: short}}, Origin: Origin{People: []string{who}}}
			must(t, s.Finish(bg, in[0], []chat.Part{{Key: k, To: m.From, Text: text}}, &Turn{Session: &se, Entries: []Entry{
				{Role: "user", User: who, Name: text, Content: text, Attached: text, MessageID: "1", At: m.At},
				{Role: "assistant", User: who, Content: text, Insight: text, At: m.At}},
				Decision:   Decision{End: chat.End{Outcome: chat.Answered}, Detail: Detail{ErrorID: "E", Error: text, Reason: text, Playbook: raw}},
				Calls:      []CallRecord{{CallID: "1", Name: "t", Arguments: `{"x":"\ud800\u0000"` + text, Result: text, Status: "success"}},
				Precedents: []Precedent{{Tool: "t", Args: text, Result: text}}}))
			entries, err := s.Transcript(bg, "s", 0, 10)
			must(t, err)
			if len(entries) != 2 || plainly(entries[0].Content) != plainly(text) || plainly(entries[1].Insight) != plainly(text) {
				t.Errorf("of %d entries, %.200s", len(entries), fmt.Sprint(entries))
			}
			var n int
			must(t, s.db.QueryRow("SELECT count(*) FROM decisions WHERE json_extract(detail, '$.error_id') = 'E'").Scan(&n))
			if n != 1 {
				t.Errorf("%d decisions are found by their error", n)
			}
			must(t, second(s.Recall(bg, Query{User: who, Key: k, Text: text})))
			must(t, second(s.Facts.SearchFacts(bg, v, short, 5)))
			must(t, second(s.Search(bg, text, 5, 0)))
			must(t, s.Finish(bg, in[1], nil, nil))
			must(t, second(s.ExportPerson(bg, who)))
			must(t, s.ForgetPerson(bg, who, 0))
		})
	}
}

// plainly is a text without what may stand for something else.
func plainly(s string) string {
	return strings.NewReplacer("\x00", "", "\ufffd", "").Replace(strings.ToValidUTF8(s, ""))
}

// Numbers at the ends of their ranges, and those that are none, are stored or refused for good.
func TestNastyNumbers(t *testing.T) {
	s := open(t, Options{})
	for _, n := range []int64{math.MinInt64, math.MaxInt64, 0} {
		for _, f := range []float64{math.MaxFloat64, math.SmallestNonzeroFloat64, math.Inf(1), 0} {
			var back int64
			var real float64
			must(t, s.db.QueryRow("SELECT CAST(? AS BIGINT), CAST(? AS DOUBLE PRECISION)", n, f).Scan(&back, &real))
			if back != n || real != f {
				t.Errorf("%d and %g came back as %d and %g", n, f, back, real)
			}
		}
	}
}
