package memory

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"parley/internal/chat"
	"parley/internal/db/engine"
)

var sayingsKey = chat.Key{Platform: "x", Channel: "room"}

// sayings is a store with one place of a number of messages that say little,
// and after them others.
func sayings(t *testing.T, filler string, n int, texts ...string) *Store {
	t.Helper()
	s := open(t, Options{})
	must(t, s.db.Write(context.Background(), func(tx *engine.Tx) error {
		for i := range n + len(texts) {
			m := spoken{key: sayingsKey, role: "user", user: "x:u1", session: fmt.Sprint("s", i/20), text: fmt.Sprintf("%s %d", filler, i)}
			if i >= n {
				m.text = texts[i-n]
			}
			if err := m.insert(tx, i*1000); err != nil {
				return err
			}
		}
		return nil
	}))
	return s
}

// Scripts without spaces are found by parts of what was written, read as a whole
// or through the index.
func TestRecallWithoutSpaces(t *testing.T) {
	for _, n := range []int{30, maxWhole + 30} {
		s := sayings(t, "今天我在家里吃饭", n, "我妹妹在上海的医院工作。", "昨日は京都で紅葉を見ました。", "우리 강아지는 일곱 살이에요.", "แมวของฉันชื่อมะลิ")
		for _, tt := range []struct{ question, want string }{
			{"妹妹在哪里工作？", "我妹妹在上海的医院工作。"}, {"上海", "我妹妹在上海的医院工作。"},
			{"京都では何を見たの？", "昨日は京都で紅葉を見ました。"}, {"강아지가 몇 살이야?", "우리 강아지는 일곱 살이에요."}, {"แมวชื่ออะไร", "แมวของฉันชื่อมะลิ"},
		} {
			found, err := s.Recall(t.Context(), Query{User: "x:u1", Text: tt.question, Limit: 3})
			must(t, err)
			if len(found) == 0 || found[0].content != tt.want {
				t.Errorf("%d messages, %s: %+v", n, tt.question, found)
			}
		}
		must(t, s.ForgetPerson(t.Context(), "x:u1", 0))
		if found, err := s.Recall(t.Context(), Query{User: "x:u1", Text: "上海"}); err != nil || len(found) > 0 {
			t.Errorf("after forgetting: %+v, %v", found, err)
		}
	}
}

// A word is found in another form than was asked for, in the language of those who
// spoke, also where the index says where to look.
func TestRecallAcrossForms(t *testing.T) {
	for _, n := range []int{30, maxWhole + 30} {
		s := sayings(t, "und das ist gut so, meinte er", n, "Wir haben drei Häuser in Köln verkauft.",
			"Gleich an der Hauptstraße ist die Apotheke.", "Мы купили новые билеты в театр.",
			"Las canciones de mi abuela son tristes.",
			"De kinderen hebben gisteren twee katten gevonden.", "Nous avons vendu les vieux chevaux.", "She bought new skis.")
		for _, tt := range []struct{ question, want string }{
			{"Wo ist das Haus?", "Häuser"}, {"HAUPTSTRASSE", "Hauptstraße"}, {"Где мой билет?", "билеты"}, {"¿Cuál es la canción?", "canciones"},
			{"Waar is mijn kat?", "katten"}, {"Où est mon cheval ?", "chevaux"}, {"Who has a ski?", "skis"},
		} {
			found, err := s.Recall(t.Context(), Query{User: "x:u1", Text: tt.question, Limit: 1})
			must(t, err)
			if len(found) == 0 || !strings.Contains(found[0].content, tt.want) {
				t.Errorf("%d messages, %s: %+v", n, tt.question, found)
			}
		}
	}
}

// The page shows each message that has all the words, with these marked.
func TestSearchMarksWords(t *testing.T) {
	s := sayings(t, "and that was that", 3, strings.Repeat("one two three ", 20)+"the Cats, and a dog's house "+
		strings.Repeat("four five ", 20), "我妹妹在上海的医院工作。", "Meine Schuhgröße ist 43.")
	for text, want := range map[string]string{
		"cat dogs": "…three one two three one two three the \x02Cats\x03, and a \x02dog\x03's house four five four five " +
			"four five four five four five four five four five four five four five…",
		"上海":          "我妹妹在\x02上海\x03的医院工作。",
		"SCHUHGRÖSSE": "Meine \x02Schuhgröße\x03 ist 43.",
		"cat 上海":      "",
	} {
		hits, err := s.Search(t.Context(), text, 5, 0)
		must(t, err)
		if want == "" && len(hits) == 0 {
			continue
		}
		if len(hits) != 1 || hits[0].Text != want {
			t.Errorf("%s: %+v", text, hits)
		}
	}
}
