package memory

import (
	"strings"
	"testing"
	"time"

	"parley/internal/chat"
)

// What a person typed as a command and was told, or was told of a failure, stands in the
// account of it; codes that let somebody in do not. Forgetting anybody clears what a
// command has shown, since it may be their words.
func TestAccountsQuoteWhatNoTranscriptHas(t *testing.T) {
	s := open(t, Options{})
	k := chat.Key{Platform: "x", Channel: "room"}
	n := 0
	put := func(user string, kind chat.Kind, said, told string, record any) Decision {
		n++
		m := chat.Message{ID: strings.Repeat("m", n), Key: k, From: chat.User{ID: user}, Kind: kind, Text: said, Addressed: true, At: time.Now()}
		in, err := s.Accept(bg, chat.Batch{Platform: "x", Messages: []chat.Message{m}})
		must(t, err)
		must(t, s.Finish(bg, in[0], []chat.Part{{Key: k, Text: told}}, record))
		list, err := s.Decisions.Audits(bg, k, time.Time{}, time.Now().Add(time.Hour), 1)
		must(t, err)
		return list[0].Decision
	}
	if d := put("x:a", chat.KindCommand, "/facts search tea", "zxtea is liked", chat.End{Outcome: chat.Answered,
		Command: "facts"}); d.Detail.Spoken.Said != "/facts search tea" || d.Detail.Spoken.Told != "zxtea is liked" {
		t.Errorf("a command: %+v", d.Detail)
	}
	for _, name := range []string{"claim", "pair", "pair approve", "page", "web", "tools login", "hook add"} {
		if d := put("x:a", chat.KindCommand, "/"+name+" CODE", "http://x/login?code=1", chat.End{Outcome: chat.Answered,
			Command: name}); d.Detail.Spoken.Said+d.Detail.Spoken.Told != "" {
			t.Errorf("/%s: %+v", name, d.Detail)
		}
	}
	if d := put("x:a", "", "hello", "Something went wrong.",
		&Turn{Decision: Decision{End: chat.End{Outcome: chat.Failed}}}); d.Detail.Spoken.Told != "Something went wrong." ||
		d.Detail.Spoken.Said != "" {
		t.Errorf("a failure: %+v", d.Detail)
	}
	if d := put("x:a", "", "hello", "Hi.", &Turn{Decision: Decision{End: chat.End{Outcome: chat.Answered}}}); d.Detail.Spoken.Told != "" {
		t.Errorf("an answer: %+v", d.Detail)
	}
	must(t, s.ForgetPerson(bg, "x:b", 0))
	if hits(t, s, "zxtea") != 0 {
		t.Error("what a command showed is left")
	}
}
