package memory

import (
	"testing"
	"time"

	"parley/internal/chat"
)

// TestFateOfAPreview: a preview that nobody noted becomes that of its message as long as it
// has none, waits while anything of the answer is not sent, and is taken or left after that.
func TestFateOfAPreview(t *testing.T) {
	for _, tt := range []struct {
		name  string
		noted string // of another process
		sent  string // as what the answer was sent
		want  chat.Fate
	}{
		{"into it", "", "preview", chat.Taken},
		{"as another one", "other", "other", chat.Orphaned},
		{"as this one, known again by its nonce", "other", "preview", chat.Taken},
		{"not at all", "", "", chat.Orphaned},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := open(t, Options{})
			list, err := s.Accept(t.Context(), chat.Batch{Platform: "x", Messages: []chat.Message{
				{ID: "1", Key: chat.Key{Platform: "x", Channel: "c"}, From: chat.User{ID: "x:1"}, Text: "hi", Addressed: true}}})
			must(t, err)
			m := list[0]
			p := chat.Preview{Key: m.Key, ID: "preview", Row: m.Row, UID: m.UID, At: time.Now()}
			if tt.noted != "" {
				must(t, s.Previewed(t.Context(), m, tt.noted))
			}
			is := func(want chat.Fate) {
				t.Helper()
				if got, err := s.Fate(t.Context(), p); err != nil || got != want {
					t.Errorf("%v, %v; want %v", got, err, want)
				}
			}
			is(chat.Awaits)
			var parts []chat.Part
			if tt.sent != "" {
				parts = []chat.Part{{Key: m.Key, Text: "hi", To: m.From}}
			}
			must(t, s.Finish(t.Context(), m, parts, nil))
			for _, part := range parts {
				if want := tt.noted; want == "" && part.Preview != "preview" || want != "" && part.Preview != want {
					t.Errorf("it is sent into %q", part.Preview)
				}
				is(chat.Awaits)
				must(t, s.Mark(t.Context(), part, chat.PartSent, tt.sent, time.Time{}))
			}
			is(tt.want)
			p.UID = "of another database"
			is(chat.Orphaned)
		})
	}
}
