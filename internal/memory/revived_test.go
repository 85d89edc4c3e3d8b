package memory

import (
	"testing"
	"time"

	"parley/internal/chat"
)

// TestNobodyForgottenComesBack: after a restore, what platforms tell once more of somebody
// who had been forgotten is not heard again; what they say since is.
func TestNobodyForgottenComesBack(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 4, 14, 20, 0, 500e6, time.UTC)
	s := open(t, Options{Now: func() time.Time { return now }})
	s.dir = t.TempDir()
	accept := func(id, user string, at time.Time) bool {
		t.Helper()
		fresh, err := s.Accept(t.Context(), chat.Batch{Messages: []chat.Message{{Key: chat.Key{Platform: "x", Channel: "c" + user}, ID: id,
			From: chat.User{ID: "x:" + user}, Text: "hi", At: at}}})
		must(t, err)
		return len(fresh) == 1
	}
	must(t, s.ForgetPerson(t.Context(), "x:1", 0))
	must(t, s.KeepForgotten(t.Context()))
	if !accept("m0", "1", now.Add(-time.Minute)) {
		t.Error("without a restore, a late message is left out")
	}
	now = now.Add(time.Hour)
	must(t, s.db.Exec(t.Context(), "INSERT INTO secrets (name, value) VALUES ('restored', ?)", []byte("yes")))
	_, ok, err := s.AfterRestore(t.Context(), "")
	must(t, err)
	if !ok {
		t.Fatal("there was no restore")
	}
	forgot := now.Add(-time.Hour)
	for _, tt := range []struct {
		id, user string
		at       time.Time
		heard    bool
	}{
		{"m1", "1", forgot.Add(-time.Second), false},
		{"m2", "1", forgot.Add(time.Second), true},
		{"m3", "1", forgot.Truncate(time.Second), true}, // in whole seconds
		{"m4", "1", now.Add(time.Second), true},
		{"m5", "2", forgot.Add(-time.Second), true},
	} {
		if got := accept(tt.id, tt.user, tt.at); got != tt.heard {
			t.Errorf("%s of %s at %v: heard %v", tt.id, tt.user, tt.at, got)
		}
	}
}
