package health

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// TestDeliveriesTellWhichAndHowLong: one conversation that cannot be reached
// while others can is degraded, and one that is no more is forgotten.
func TestDeliveriesTellWhichAndHowLong(t *testing.T) {
	var d Deliveries
	start := time.Unix(1000000, 0)
	at := func(s int) time.Time { return start.Add(time.Duration(s) * time.Second) }
	key := func(c string) chat.Key { return chat.Key{Platform: "discord", Channel: c} }
	fail := func(c string, s int) {
		d.Observe(chat.Event{Name: "waits", Key: key(c), Took: 30 * time.Second, Err: errors.New("status 403")}, at(s))
	}
	say := func(s int) (text string) {
		for _, f := range d.Findings(at(s)) {
			text += fmt.Sprintf("%s %s: %s", f.Part, f.Is, f.Why)
		}
		return text
	}
	fail("a", 0)
	if got := say(119); got != "" {
		t.Errorf("a hiccup: %s", got)
	}
	fail("a", 110)
	if got := say(130); !strings.Contains(got, "discord delivery unavailable: 1 conversation got no answers through for 2m10s: status 403") {
		t.Errorf("got %s", got)
	}
	d.Observe(chat.Event{Name: "sent", Key: key("b")}, at(131))
	if got := say(132); !strings.Contains(got, "discord delivery degraded") {
		t.Errorf("while others arrive: %s", got)
	}
	if got := say(300); got != "" {
		t.Errorf("a conversation that nobody tries any more: %s", got)
	}
	fail("a", 400)
	fail("a", 600)
	d.Observe(chat.Event{Name: "dead", Key: key("a")}, at(601))
	if got := say(602); got != "" {
		t.Errorf("after its end: %s", got)
	}
	d.Observe(chat.Event{Name: "dead", Key: key("c")}, at(610))
	if got := say(900); got != "" {
		t.Errorf("two that blocked the bot: %s", got)
	}
	d.Observe(chat.Event{Name: "unknown", Key: key("c")}, at(910))
	if got := say(911); !strings.Contains(got, "discord delivery degraded: 3 parts of answers") {
		t.Errorf("got %s", got)
	}
	d.Observe(chat.Event{Name: "sent", Key: key("b")}, at(912))
	if got := say(913); got != "" {
		t.Errorf("after something arrived: %s", got)
	}
}

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
