package platform

import (
	"strings"
	"testing"

	"parley/internal/adapters/discord"
	"parley/internal/adapters/matrix"
	"parley/internal/adapters/telegram"
	"parley/internal/adapters/terminal"
	"parley/internal/chat"
)

var known = chat.Identities{telegram.Identity, discord.Identity, matrix.Identity, terminal.Identity}

// TestIdentities: what access lists accept on all platforms, and what they say about the
// rest.
func TestIdentities(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"telegram:42", "discord:1234", "matrix:@anna:example.org",
		"matrix:@a/b:h.org:8448", "terminal:anna", "terminal:a.b-c_9"} {
		for _, check := range []func(string) (error, error){known.Person, known.Entry} {
			if problem, hint := check(id); problem != nil || hint != nil {
				t.Errorf("%s: %s; %s", id, problem, hint)
			}
		}
	}
	for _, id := range []string{"telegram:chat:-1001", "discord:guild:99", "discord:chat:50", "matrix:chat:!abc:example.org"} {
		if problem, _ := known.Entry(id); problem != nil {
			t.Errorf("%s: %v", id, problem)
		}
		if problem, hint := known.Person(id); !strings.Contains(problem.Error(), "owner is a person") ||
			hint.Error() != "for example telegram:42, discord:1234" {
			t.Errorf("%s as a person: %s; %s", id, problem, hint)
		}
	}
	for id, want := range map[string]string{
		"@alice": "not a numeric id", "telegram:@alice": "telegram:42, discord:1234, telegram:chat:-100…, discord:guild:99…",
		"42": "telegram:42, discord:42", "telegram:1087968824": "anonymous", "telegram:777000": "channel", "telegram:136817688": "channel",
		"*": "access.mode open", "discord:*": "let everybody in", "": "not a numeric id", "telegram:": "not a numeric id",
		"telegram:042": "not a numeric id",
		"telegram:1 ":  "not a numeric id", "telegram:٤٢": "not a numeric id", "telegram:-5": "not a numeric id",
		"matrix:anna": "not a numeric id", "matrix:@Anna:example.org": "not a numeric id", "matrix:@anna": "not a numeric id",
		"telegram:chat:5":  "not a numeric id",
		"telegram:guild:5": "not a numeric id", "terminal:chat:1": "not a numeric id", "terminal:a b": "not a numeric id",
		"page:owner": "not a numeric id", "telegram:99999999999999999999": "not a numeric id",
	} {
		for _, check := range []func(string) (error, error){known.Person, known.Entry} {
			if problem, hint := check(id); problem == nil || !strings.Contains(problem.Error()+"; "+hint.Error(), want) {
				t.Errorf("%q: %s; %s", id, problem, hint)
			}
		}
	}
}

// TestAuthorityNeedsOnePerson: only the id of a single, certain person carries authority.
func TestAuthorityNeedsOnePerson(t *testing.T) {
	t.Parallel()
	for from, want := range map[string]bool{"telegram:42": true, "telegram:1087968824": false, "telegram:chat:-100": false,
		"telegram:": false, "": false, "discord:42": false,
		"telegram:@a:b.c": false} {
		if got := known.Oneself(chat.Message{Key: chat.Key{Platform: "telegram"}, From: chat.User{ID: from}}); got != want {
			t.Errorf("%q: %t", from, got)
		}
	}
	if !known.Oneself(chat.Message{Key: chat.Key{Platform: "page"}, From: chat.User{ID: "page:owner"}}) {
		t.Error("the page's owner is nobody")
	}
}
