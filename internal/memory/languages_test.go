package memory

import (
	"context"
	"fmt"
	"testing"

	"parley/internal/chat"
	"parley/internal/sqlite"
)

// sayings is a store with one place of a number of messages that say little,
// and after them others.
func sayings(t *testing.T, filler string, n int, texts ...string) *Store {
	t.Helper()
	s := open(t, Options{})
	must(t, s.db.Write(context.Background(), func(tx *sqlite.Tx) error {
		for i := range n + len(texts) {
			m := spoken{key: chat.Key{Platform: "x", Channel: "room"}, role: "user", user: "x:u1", session: fmt.Sprint("s", i/20), text: fmt.Sprintf("%s %d", filler, i)}
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
