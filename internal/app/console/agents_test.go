package console_test

import (
	"context"
	"net/url"
	"strings"
	"testing"

	"parley/internal/app/console"
)

// TestSeveralAgentsOnThePage: with several agents, conversations and facts can be filtered by
// agent, and each playbook is shown and its rules switched.
func TestSeveralAgentsOnThePage(t *testing.T) {
	v := wholeViews()
	v.Agents = func() []console.Agent {
		return []console.Agent{{Name: "home"}, {Name: "desk", Memory: "desk"}, {Memory: "*"}}
	}
	var asked []string
	name := func(of *console.Agent) string {
		if of == nil {
			return "all"
		}
		return of.Name + "/" + of.Memory
	}
	v.Book = func(_ context.Context, of *console.Agent) (*console.Playbook, error) {
		if of == nil || of.Name != "desk" {
			return nil, nil
		}
		return &console.Playbook{Rules: []console.Rule{{ID: "late_checkout", When: "always", Reply: "At eleven."}}}, nil
	}
	v.Switch = func(_ context.Context, of *console.Agent, id string, on bool) (bool, error) {
		asked = append(asked, "switch "+id+" of "+name(of))
		return id == "late_checkout", nil
	}
	facts := v.Facts
	v.Facts = func(ctx context.Context, q console.FactQuery) ([]console.Fact, bool, error) {
		asked = append(asked, "facts of "+name(q.Of))
		list, more, err := facts(ctx, q)
		list[0].Agent = "desk"
		return list, more, err
	}
	s := newSite(t, v, echo)
	s.fill()
	s.logIn()
	for path, shows := range map[string]string{
		"/facts": "agent desk", "/facts?agent=desk": `<option value="desk" selected>`,
		"/facts?agent=*": `<option value="*" selected>the bot itself`,
		"/playbook":      "There is no playbook", "/playbook?agent=desk": "say: At eleven.",
		"/conversations":            `<option value="home">home</option>`,
		"/conversations?agent=desk": "There are none like this.", "/conversations?agent=home": "Alice",
		"/conversation?place=telegram:42": "agent home",
	} {
		s.shows(path, shows)
	}
	if got := strings.Join(asked, ", "); !strings.Contains(got, "facts of all") || !strings.Contains(got, "facts of desk/desk") ||
		!strings.Contains(got, "facts of /*") {
		t.Errorf("asked for %s", got)
	}
	asked = nil
	for id, told := range map[string]string{"late_checkout": "Done.", "unknown": "This is not there"} {
		if _, body := s.send("/playbook?agent=desk", url.Values{"do": {"rule-off"}, "id": {id}, "agent": {"desk"},
			"back": {"agent=desk"}}); !strings.Contains(body, told) || !strings.Contains(body, "late_checkout") {
			t.Errorf("switching %s is told\n%s", id, body)
		}
	}
	if len(asked) != 2 || !strings.HasSuffix(asked[0], "of desk/desk") {
		t.Errorf("switched %q", asked)
	}
	s.missing("/rules/none.yaml?agent=desk")
}

// TestSingleAgentIsNotMentioned: with one agent, the page mentions no agents.
func TestSingleAgentIsNotMentioned(t *testing.T) {
	s := newSite(t, wholeViews(), echo)
	s.fill()
	s.logIn()
	for _, path := range []string{"/facts", "/playbook", "/conversations", "/conversation?place=telegram:42"} {
		if body := s.get(path); strings.Contains(body, "gent") {
			t.Errorf("%s speaks of agents:\n%s", path, body[strings.Index(body, "gent")-100:])
		}
	}
}
