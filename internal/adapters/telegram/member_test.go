package telegram

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"parley/internal/chat"
)

// TestWhoIsWhere: joins, leaves, removals, blocks and our own way out are told.
func TestWhoIsWhere(t *testing.T) {
	a := adapter(t, server(t), nil)
	const room, dm = `"chat":{"id":-100,"type":"supergroup"}`, `"chat":{"id":7,"type":"private"}`
	status := func(s string, who int64) string {
		return fmt.Sprintf(`{"status":%q,"user":{"id":%d,"first_name":"U"},"until_date":0,"is_member":false}`, s, who)
	}
	change := func(kind, place, was, is string, who int64) string {
		return fmt.Sprintf(`{"update_id":5,%q:{%s,"from":{"id":7,"first_name":"A"},"date":9,"old_chat_member":%s,"new_chat_member":%s}}`,
			kind, place, status(was, who), status(is, who))
	}
	for _, tt := range []struct{ raw, want string }{
		{change("chat_member", room, "left", "member", 8), "-100 telegram:8 in joined"},
		{change("chat_member", room, "member", "administrator", 8), "-100 telegram:8 in"},
		{change("chat_member", room, "member", "left", 8), "-100 telegram:8 out"},
		{change("chat_member", room, "administrator", "kicked", 8), "-100 telegram:8 out"},
		{change("chat_member", room, "member", "restricted", 8), "-100 telegram:8 out"},
		{change("my_chat_member", dm, "member", "kicked", 1), "7 telegram:7 blocked"},
		{change("my_chat_member", dm, "kicked", "member", 1), "7 telegram:7 in"},
		{change("my_chat_member", room, "member", "kicked", 1), "-100  out"},
		{change("my_chat_member", room, "left", "member", 1), ""},
		{`{"update_id":5,"message":{"message_id":1,` + room +
			`,"date":9,"from":{"id":7,"first_name":"A"},"left_chat_member":{"id":8,"first_name":"U"}}}`, "-100 telegram:8 out"},
		{`{"update_id":5,"message":{"message_id":1,` + room +
			`,"date":9,"from":{"id":7,"first_name":"A"},"new_chat_members":[{"id":8,"first_name":"U"}]}}`, "-100 telegram:8 in joined"},
		{`{"update_id":5,"message":{"message_id":1,` + room + `,"date":9,"from":{"id":7,"first_name":"A"},"text":"hi"}}`, ""},
	} {
		b, _, _ := a.batch([]json.RawMessage{json.RawMessage(tt.raw)})
		var got []string
		for _, p := range b.Present {
			line := p.Key.Channel + " " + p.User.ID + " " + string(p.State)
			if !p.Joined.IsZero() {
				line += " joined"
			}
			got = append(got, line)
		}
		if line := strings.Join(got, ", "); line != tt.want && !(tt.want == "-100  out" && len(b.Present) == 1 &&
			b.Present[0].User == (chat.User{})) {
			t.Errorf("%s: told %q, want %q", tt.raw, line, tt.want)
		}
	}
}

// TestReads: who is in a group reads there, and nobody whom Telegram says to be out.
func TestReads(t *testing.T) {
	s, a := fresh(t, group)
	for _, c := range []struct {
		status        string
		inside, reads bool
	}{
		{"creator", true, true}, {"administrator", true, true}, {"member", true, true}, {"restricted", true, true},
		{"restricted", false, false}, {"left", true, false}, {"kicked", true, false}, {"hologram", true, false},
	} {
		s.SetMember(group, 42, c.status, c.inside)
		reads, err := a.Reads(t.Context(), place(group, 0), "telegram:42")
		if reads != c.reads || err != nil {
			t.Errorf("%s, inside: %v: reads %v, %v", c.status, c.inside, reads, err)
		}
		is, err := a.IsAdmin(t.Context(), place(group, 0), "telegram:42")
		if want := c.status == "creator" || c.status == "administrator"; is != want || err != nil {
			t.Errorf("%s: administers %v, %v", c.status, is, err)
		}
	}
}
