package app

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/internal/chat"
)

// TestDailyNoteOfSessions: the end of an owner's direct chat is in their daily note once;
// other people's chats and groups are not.
func TestDailyNoteOfSessions(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	st := staged(t, fmt.Sprintf(
		"-- settings.yaml --\nsession: {ttl: 4h}\naccess: {allow: [\"telegram:7\"]}\nvault: {dir: %q, readers: owner, "+
			"daily_note: both}\n-- talk --\n", dir), nil)
	must(t, st.app.notes.index.Refresh(t.Context()))
	owner, ann := chat.User{ID: "terminal:local"}, chat.User{ID: "telegram:7", Name: "Ann"}
	alone, hers, room := chat.Key{Platform: "terminal", Channel: "local"}, chat.Key{Platform: "telegram", Channel: "7"},
		chat.Key{Platform: "telegram", Channel: "-100"}
	for i, m := range []chat.Message{
		{Key: alone, From: owner, Direct: true, Text: "the boiler is from 1998"},
		{Key: hers, From: ann, Direct: true, Text: "my cat is called Tom"},
		{Key: room, From: ann, Text: "we meet on Friday"},
	} {
		m.ID, m.Addressed = fmt.Sprint(i), true
		must(t, st.Say(t.Context(), m))
	}
	for range 10 {
		st.Advance(25 * time.Hour)
		must(t, st.app.chores.sweep(t.Context()))
		must(t, st.Settle(t.Context(), alone, hers, room))
		must(t, st.app.chores.readEnds(t.Context()))
	}
	files, err := filepath.Glob(filepath.Join(dir, "agent-notes", "daily", "*.md"))
	must(t, err)
	all := ""
	for _, f := range files {
		b, err := os.ReadFile(f)
		must(t, err)
		all += string(b)
	}
	if strings.Count(all, "Conversation “") != 1 || !strings.Contains(all, "boiler") || strings.Contains(all, "Tom") ||
		strings.Contains(all, "Friday") {
		t.Errorf("%q says %q", files, all)
	}
}
