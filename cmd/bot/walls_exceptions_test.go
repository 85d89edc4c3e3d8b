package main

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// exception is something of what one said in private, or did, that others may notice.
// docs/security.md names each with its reason.
type exception struct {
	name   string
	before turn   // said in both worlds
	ben    []turn // said in one world alone
	shows  turn   // said in both worlds, which then differ
}

// exceptions are all that there are. Their order is that in which they are played.
var exceptions = []exception{
	{"direct chat", turn{}, []turn{{text: "hello"}}, turn{who: ben, place: "-100", text: "/tasks list"}},
	{"own choices", turn{}, []turn{{text: "/language de"}}, turn{who: ben, place: "-100", text: "/help"}},
	{"the owner", turn{}, []turn{{text: "/tasks add find a lantern"}}, turn{who: eva, text: "/status"}},
	{"names of notes", turn{}, []turn{{text: `please call vault_write {"path":"plan.md","content":"a lantern"}`}},
		turn{who: anna, text: `please call vault_write {"path":"plan.md","content":"a ladder"}`}},
	{"company", turn{who: dan, place: "-100", text: "hello"}, []turn{{place: "-100", text: "The violin is in the harbour."}},
		turn{who: dan, place: "-100", text: "/session info"}},
	{"forgetting", turn{who: cleo, text: "/help"}, []turn{{text: "/forget-me"}, {text: "yes"}}, turn{who: cleo, text: "/export"}},
	{"load and money", turn{who: anna, text: "hello"}, slices.Repeat([]turn{{text: "hello"}}, 30), turn{who: anna, text: "hello"}},
}

// allOfDay is how many tokens a day has for everybody, where exceptions are played.
const allOfDay = 80_000

// TestWallsExceptions plays each exception: what is listed is noticed, and nothing else.
func TestWallsExceptions(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("TestWalls is the short form")
	}
	e := episode{tale: "exceptions", engine: "sqlite"}
	var script []turn
	may := map[int]string{} // turns that differ, and by which exception
	for _, x := range exceptions {
		if x.before.text != "" {
			script = append(script, x.before)
		}
		for _, said := range x.ben {
			said.who, said.private = ben, true
			script = append(script, said)
		}
		may[len(script)] = x.name
		script = append(script, x.shows)
	}
	for i := range script {
		script[i].front = "telegram"
	}
	worlds, ok := e.worlds(t, script)
	if !ok {
		return
	}
	for i, said := range script {
		without, with := worlds[0].shown(i), worlds[1].shown(i)
		switch name, may := may[i]; {
		case said.private:
		case may && without == with:
			t.Errorf("%q is no exception: nobody notices it when %s: %s", name, said, with)
		case !may && without != with:
			t.Errorf("when %s\nwithout: %s\nwith:    %s", said, without, with)
		}
	}
}

// counted is what Telegram counts in a chat: it goes on with each message, so with each exception.
var counted = regexp.MustCompile(`"reply":\d+,`)

// shown returns what people were shown at a turn.
func (h *house) shown(turn int) string {
	var b strings.Builder
	for _, s := range h.left {
		if s.turn == turn && s.to != "model" {
			fmt.Fprintln(&b, s.to, counted.ReplaceAllString(s.text, ""))
		}
	}
	return b.String()
}

// TestWallsAreDocumented: docs/security.md names exactly the exceptions that are played.
func TestWallsAreDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/security.md")
	must(t, err)
	_, section, _ := strings.Cut(string(page), "\n## What others can notice\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var has, want []string
	for _, found := range regexp.MustCompile(`(?m)^- \*\*(.+?)\*\*: .{40}`).FindAllStringSubmatch(section, -1) {
		has = append(has, found[1])
	}
	for _, x := range exceptions {
		want = append(want, x.name)
	}
	if slices.Sort(has); !slices.Equal(has, slices.Sorted(slices.Values(want))) {
		t.Errorf("docs/security.md has %q with a reason, the exceptions are %q", has, want)
	}
}
