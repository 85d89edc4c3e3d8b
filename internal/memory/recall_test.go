package memory

import (
	"context"
	"strings"
	"testing"

	"parley/internal/chat"
	"parley/internal/sqlite"
)

func TestRecallKeepsToItsScope(t *testing.T) {
	s := open(t, Options{})
	must(t, s.db.Write(context.Background(), func(tx *sqlite.Tx) error {
		for _, r := range [][3]string{{"dm", "a", "the canary sings"}, {"room", "b", "a canary's \"cage\""}, {"room", "a", "canaries eat seeds"}} {
			if _, err := tx.Exec("INSERT OR IGNORE INTO sessions (id, platform, channel, created_at, last_activity, expires_at) VALUES (:place, 'x', :place, '', '', '')", sqlite.Named{"place": r[0]}); err != nil {
				return err
			}
			if _, err := tx.Exec("INSERT INTO messages (session_id, platform, channel, role, user_id, name, content, at) VALUES (:place, 'x', :place, 'user', :user, :user, :text, '2024-05-01T10:00:00.000Z')",
				sqlite.Named{"place": r[0], "user": r[1], "text": r[2]}); err != nil {
				return err
			}
		}
		return nil
	}))
	for _, tt := range []struct {
		user, channel, text string
		want                int
	}{
		{"a", "", "canary", 3}, {"b", "", "canary", 1} /* what a said after b is not known to have been heard */, {"c", "", "canary", 0}, {"", "", "canary", 0},
		{"b", "room", "canary", 2}, {"a", "dm", "canary", 1}, {"b", "none", "canary", 0},
		{"a", "", "NEAR( canary* \"'-\x00\xff AND " + strings.Repeat("(", 100000), 3}, {"a", "", "😀 \"", 0},
	} {
		got, err := s.Recall(context.Background(), Query{User: tt.user, Key: chat.Key{Platform: "x", Channel: tt.channel}, Text: tt.text})
		if err != nil || len(got) != tt.want {
			t.Errorf("%s in %q asks %.20q: %d passages, %v; want %d", tt.user, tt.channel, tt.text, len(got), err, tt.want)
		}
	}
	must(t, s.db.Write(context.Background(), func(tx *sqlite.Tx) error { _, err := tx.Exec("DELETE FROM messages"); return err }))
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
