package search_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/memory/memorytest"
	"parley/internal/memory/search"
	"parley/internal/text/catalog"
)

var bg = context.Background()

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// shop is a store with conversations in it.
type shop struct {
	t     *testing.T
	store *memory.Store
	at    time.Time
	n     int
}

func newShop(t *testing.T) *shop {
	t.Helper()
	s := &shop{t: t, at: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	store, err := memorytest.Try(t, filepath.Join(t.TempDir(), "data"), memory.Options{Now: func() time.Time { return s.at }})
	must(t, err)
	t.Cleanup(func() { must(t, store.Close()) })
	s.store = store
	return s
}

// turn is a message with its account.
type turn struct {
	place, user, name, said, told string
	agent                         string // the memory of who answers
	d                             memory.Decision
	tool, rule                    string
}

func (s *shop) add(c turn) {
	s.t.Helper()
	s.n++
	s.at = s.at.Add(time.Minute)
	k, _ := chat.ParseKey(c.place)
	m := chat.Message{ID: fmt.Sprint(s.n), Key: k, From: chat.User{ID: c.user, Name: c.name}, Text: c.said, Addressed: true,
		At: s.at.Add(-10 * time.Second), Agent: chat.Agent{ID: c.agent}}
	in, err := s.store.Accept(bg, chat.Batch{Platform: k.Platform, Messages: []chat.Message{m}})
	must(s.t, err)
	in[0].Agent = m.Agent
	rec := &memory.Turn{Decision: c.d}
	if c.said != "" {
		se := memory.Session{ID: "s-" + strings.NewReplacer(":", "-", "/", "-").Replace(c.place+c.agent), Key: k, Agent: c.agent,
			Status: memory.Active, Created: s.at, LastActivity: s.at, Expires: s.at.Add(time.Hour)}
		rec.Session = &se
		rec.Decision.Session = se.ID
		rec.Entries = []memory.Entry{{Role: "user", User: c.user, Name: c.name, Content: c.said, MessageID: m.ID, At: m.At}}
		if c.told != "" {
			rec.Entries = append(rec.Entries, memory.Entry{Role: "assistant", User: c.user, Content: c.told, At: s.at})
		}
	}
	if rec.Decision.End.Outcome == "" {
		rec.Decision.End.Outcome = chat.Answered
	}
	if c.rule != "" {
		rec.Decision.Detail.Playbook = json.RawMessage(`{"top_matches":[{"guideline_id":"` + c.rule + `"}]}`)
	}
	if c.tool != "" {
		rec.Calls = []memory.CallRecord{{CallID: "c", Name: c.tool, Arguments: "{}", Status: "success"}}
	}
	must(s.t, s.store.Finish(bg, in[0], nil, rec))
}

// fill stores a few conversations, in the order of time.
func (s *shop) fill() {
	s.add(turn{place: "telegram:1", user: "telegram:1", name: "Alice", said: "where is my blue mug", told: "on its way",
		tool: "recall", rule: "refund_policy"})
	s.add(turn{place: "discord:9", user: "discord:7", name: "Bob", said: "hello", told: "a mug is a cup",
		d: memory.Decision{Took: 12 * time.Second}})
	s.add(turn{place: "discord:9", user: "discord:8", name: "Cyd", said: "me too",
		d: memory.Decision{End: chat.End{Outcome: chat.Failed, ErrorID: "ABCD1234"}, Detail: memory.Detail{ErrorID: "ABCD1234"}}})
	s.add(turn{place: "discord:9/5", user: "discord:7", name: "Bobby", said: "dear one", told: "yes",
		d: memory.Decision{Usage: llm.Usage{Prompt: 9000, Total: 9000, Cost: 0.25}}})
	s.add(turn{place: "telegram:66", user: "telegram:66", name: "Mallory", d: memory.Decision{End: chat.End{Outcome: chat.Refused}}})
}

func texts(list []search.Turn) string {
	var all []string
	for _, t := range list {
		all = append(all, strings.NewReplacer("\x02", "*", "\x03", "*").Replace(t.Text))
	}
	return strings.Join(all, "|")
}

func TestFilters(t *testing.T) {
	s := newShop(t)
	s.fill()
	for name, c := range map[string]struct {
		f    search.Filter
		want string
	}{
		"words":            {search.Filter{Words: "mug"}, "a *mug* is a cup|where is my blue *mug*"},
		"words there":      {search.Filter{Words: "mug", Platform: "telegram"}, "where is my blue *mug*"},
		"words of":         {search.Filter{Words: "mug", Person: "alice"}, "where is my blue *mug*"},
		"words and slow":   {search.Filter{Words: "mug", Took: 10 * time.Second}, "a *mug* is a cup"},
		"words and a tool": {search.Filter{Words: "mug", Tool: "recall"}, "where is my blue *mug*"},
		"errors":           {search.Filter{Errors: true}, "me too"},
		"slow":             {search.Filter{Took: 10 * time.Second}, "hello"},
		"dear":             {search.Filter{Cost: 0.2}, "dear one"},
		"tokens":           {search.Filter{Tokens: 9000}, "dear one"},
		"more tokens":      {search.Filter{Tokens: 9001}, ""},
		"tool":             {search.Filter{Tool: "recall"}, "where is my blue mug"},
		"rule":             {search.Filter{Rule: "refund_policy"}, "where is my blue mug"},
		"no such rule":     {search.Filter{Rule: "refund"}, ""},
		"errors elsewhere": {search.Filter{Errors: true, Platform: "telegram"}, ""},
		"an odd word":      {search.Filter{Words: `"AND (`}, ""},
	} {
		if !c.f.Single() {
			t.Errorf("%s: looks for conversations", name)
		}
		list, err := s.store.Browse.Turns(bg, c.f, 10, 0)
		if must(t, err); texts(list) != c.want {
			t.Errorf("%s: %q, want %q", name, texts(list), c.want)
		}
	}
	list, err := s.store.Browse.Turns(bg, search.Filter{Errors: true}, 10, 0)
	if must(t, err); list[0].Name != "Cyd" || list[0].Failure != "ABCD1234" || list[0].ID == "" || list[0].Row == 0 ||
		list[0].Key.String() != "discord:9" {
		t.Errorf("what is known of an error: %+v", list[0])
	}
	// Paging returns each message once.
	var all []string
	for offset := range 4 {
		list, err := s.store.Browse.Turns(bg, search.Filter{Took: 0, Tokens: 0, Words: "mug"}, 1, offset)
		must(t, err)
		all = append(all, texts(list))
	}
	if got := strings.Join(all, ","); got != "a *mug* is a cup,where is my blue *mug*,," {
		t.Errorf("page by page: %q", got)
	}
}

func TestPlaces(t *testing.T) {
	s := newShop(t)
	s.fill()
	for name, c := range map[string]struct {
		f    search.Filter
		want string
	}{
		"all":       {search.Filter{}, "discord:9/5 Bobby|discord:9 Cyd and Bob|telegram:1 Alice|telegram:66 "},
		"platform":  {search.Filter{Platform: "discord"}, "discord:9/5 Bobby|discord:9 Cyd and Bob"},
		"a name":    {search.Filter{Person: "cy"}, "discord:9 Cyd and Bob"},
		"an id":     {search.Filter{Person: "discord:7"}, "discord:9/5 Bobby|discord:9 Cyd and Bob"},
		"nobody":    {search.Filter{Person: "zoe"}, ""},
		"no letter": {search.Filter{Person: "%"}, ""},
	} {
		var got []string
		for offset := 0; ; offset += 2 {
			list, err := s.store.Browse.Places(bg, c.f, 2, offset)
			must(t, err)
			for _, p := range list {
				got = append(got, p.Key.String()+" "+search.Names(catalog.Printer{}, p.People, p.More))
			}
			if len(list) < 2 {
				break
			}
		}
		if strings.Join(got, "|") != c.want || c.f.Single() {
			t.Errorf("%s: %q, want %q", name, strings.Join(got, "|"), c.want)
		}
	}
	list, err := s.store.Browse.Places(bg, search.Filter{}, 10, 0)
	must(t, err)
	if p := list[0]; p.Text != "yes" || p.By != "" || p.Cost != 0.25 || p.Messages != 1 || p.Outcome != chat.Answered || p.At.IsZero() {
		t.Errorf("a place: %+v", p)
	}
	if p := list[1]; p.Text != "me too" || p.By != "Cyd" || p.Failed != 1 || p.Messages != 2 || p.Outcome != chat.Failed {
		t.Errorf("a group: %+v", p)
	}
	if p := list[3]; p.Outcome != chat.Refused || p.At.IsZero() {
		t.Errorf("one who was refused: %+v", p)
	}
}

func TestNamesAndChoices(t *testing.T) {
	s := newShop(t)
	s.fill()
	for id, want := range map[string]string{"discord:7": "Bobby", "telegram:1": "Alice", "telegram:404": "telegram:404"} {
		if got, err := s.store.Browse.Person(bg, id); err != nil || got != want {
			t.Errorf("%s is %q, %v", id, got, err)
		}
	}
	c, err := s.store.Browse.Choices(bg)
	if must(t, err); fmt.Sprint(c) != "{[discord telegram] [refund_policy] [recall]}" {
		t.Errorf("choices: %v", c)
	}
	if got := search.Names(catalog.Printer{}, []string{"A", "B", "C"}, 2); got != "A, B, C and 2 more" {
		t.Error(got)
	}
}

// Places are called by their titles and people by their names. An id is the last resort.
func TestTitles(t *testing.T) {
	s := newShop(t)
	s.fill()
	must(t, s.store.Access.SetTitle(bg, "discord:chat:9", "Old"))
	must(t, s.store.Access.SetTitle(bg, "discord:chat:9", "#plants"))
	must(t, s.store.Access.SetTitle(bg, "discord:guild:5", "Garden"))
	for place, want := range map[string]string{"discord:9": "#plants", "discord:9/5": "#plants", "telegram:1": "Alice", "telegram:99": ""} {
		k, _ := chat.ParseKey(place)
		if got, err := s.store.Browse.Called(bg, k); err != nil || got != want {
			t.Errorf("%s is called %q, %v", place, got, err)
		}
	}
	for id, want := range map[string]string{"discord:chat:9": "#plants", "discord:guild:5": "Garden", "telegram:1": "Alice",
		"telegram:99": "telegram:99"} {
		if got, err := s.store.Browse.Person(bg, id); err != nil || got != want {
			t.Errorf("%s is called %q, %v", id, got, err)
		}
	}
	list, err := s.store.Browse.Places(bg, search.Filter{}, 10, 0)
	must(t, err)
	if list[1].Title != "#plants" || list[2].Title != "" {
		t.Errorf("in the list: %q, %q", list[1].Title, list[2].Title)
	}
}

// The filter selects conversations and messages of one agent, even of the one without a name.
func TestFilterByAgent(t *testing.T) {
	s := newShop(t)
	s.add(turn{place: "telegram:1", user: "telegram:1", name: "Alice", said: "a mug for home", told: "yes"})
	s.add(turn{place: "telegram:1", user: "telegram:1", name: "Alice", said: "a mug for the desk", told: "no", agent: "desk",
		d: memory.Decision{Took: 20 * time.Second}})
	s.add(turn{place: "discord:9", user: "discord:7", name: "Bob", said: "a mug at the desk", told: "well", agent: "desk"})
	s.add(turn{place: "discord:5", user: "discord:7", name: "Bob", agent: "lab", d: memory.Decision{End: chat.End{Outcome: chat.Refused}}})
	for _, tt := range []struct {
		f             search.Filter
		places, turns string
	}{
		{search.Filter{}, "discord:9 telegram:1 discord:5", "a *mug* at the desk|a *mug* for the desk|a *mug* for home"},
		{search.Filter{ByAgent: true, Agent: "desk"}, "discord:9 telegram:1", "a *mug* at the desk|a *mug* for the desk"},
		{search.Filter{ByAgent: true}, "telegram:1", "a *mug* for home"},
		{search.Filter{ByAgent: true, Agent: "lab"}, "discord:5", ""},
		{search.Filter{ByAgent: true, Agent: "nobody"}, "", ""},
	} {
		var names []string
		places, err := s.store.Browse.Places(bg, tt.f, 10, 0)
		must(t, err)
		for _, p := range places {
			names = append(names, p.Key.String())
		}
		tt.f.Words = "mug"
		list, err := s.store.Browse.Turns(bg, tt.f, 10, 0)
		must(t, err)
		for _, one := range list {
			if tt.f.ByAgent && one.Agent != tt.f.Agent {
				t.Errorf("%+v: %q is of %q", tt.f, one.Text, one.Agent)
			}
		}
		if got, said := strings.Join(names, " "), texts(list); got != tt.places || said != tt.turns {
			t.Errorf("%+v: %q and %q", tt.f, got, said)
		}
	}
	list, err := s.store.Browse.Turns(bg, search.Filter{ByAgent: true, Agent: "desk", Took: 10 * time.Second}, 10, 0)
	if must(t, err); texts(list) != "a mug for the desk" {
		t.Errorf("slow answers of the desk: %q", texts(list))
	}
}
