package health

import (
	"errors"
	"strings"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// TestReasonsAreSaidInALanguage: machines read a reason in English and people in their
// language, without what nobody may read.
func TestReasonsAreSaidInALanguage(t *testing.T) {
	de, _ := catalog.For("de")
	var d Deliveries
	start := time.Unix(1000000, 0)
	d.Observe(chat.Event{Name: "waits", Key: chat.Key{Platform: "discord", Channel: "a"}, Took: time.Hour,
		Err: errors.New("status 403")}, start)
	weak, _ := Found("telegram", &chat.DegradedError{Err: text.Tell("the database is still being checked for damage")})
	secret := func(s string) string { return strings.ReplaceAll(s, "403", "•") }
	for _, tt := range []struct {
		f           Finding
		english, in string
	}{
		{d.Findings(start.Add(3 * time.Minute))[0].Hiding(secret), "1 conversation got no answers through for 3m0s: status •",
			"1 Gespräch seit 3m0s ohne Antwort: status •"},
		{weak, "the database is still being checked for damage", "die Datenbank wird noch auf Schäden geprüft"},
		{Concern("dead letters", DeadLetters(2)), "2 events could not be understood or stored, and nobody was answered: bot deadletters list",
			"2 Ereignisse nicht verstanden oder gespeichert, und niemand bekam Antwort: bot deadletters list"},
		{Concern("disk", Full(1<<29)), "0.5 GB free: messages cannot be stored without free space: free some or move data_dir",
			"0,5 GB frei: ohne freien Platz lassen sich keine Nachrichten speichern: schaff Platz oder verschieb data_dir"},
	} {
		if got, in := tt.f.Why.String(), tt.f.Why.In(de); got != tt.english || in != tt.in {
			t.Errorf("%s: %q, and in German %q", tt.f.Part, got, in)
		}
	}
	if weak.Is != Degraded {
		t.Errorf("%+v", weak)
	}
}
