package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"parley/internal/chat"
	"parley/internal/llm"
)

func TestRegistrationPanics(t *testing.T) {
	change := func(f func(*Meta)) Meta {
		m := plain("good")
		f(&m)
		return m
	}
	for name, meta := range map[string]Meta{
		"Bad-Name":     plain("Bad-Name"),
		"":             plain(""),
		"too long":     plain("a" + strings.Repeat("b", 64)),
		"description":  change(func(m *Meta) { m.Description = "" }),
		"501":          change(func(m *Meta) { m.Description = strings.Repeat("é", 501) }),
		"category":     change(func(m *Meta) { m.Category = "x" }),
		"timeout":      change(func(m *Meta) { m.Timeout = 301 * time.Second }),
		"not idem":     change(func(m *Meta) { m.Retry = &Retry{3, time.Second, 2} }),
		"attempts":     change(func(m *Meta) { m.ReadOnly, m.Retry = true, &Retry{11, time.Second, 2} }),
		"delay":        change(func(m *Meta) { m.ReadOnly, m.Retry = true, &Retry{3, time.Millisecond, 2} }),
		"multiplier":   change(func(m *Meta) { m.ReadOnly, m.Retry = true, &Retry{3, time.Second, 0.5} }),
		"contradicted": change(func(m *Meta) { m.ReadOnly, m.SideEffect = true, true }),
	} {
		got := panicOf(func() { noteTool(meta, echo) })
		if got == "" || !strings.Contains(got, meta.Name) {
			t.Errorf("%s: panic %q", name, got)
		}
	}
	if got := panicOf(func() { NewSet(Func(plain("twice"), echo), Func(plain("twice"), echo)) }); !strings.Contains(got,
		"the name twice is taken by another tool") {
		t.Errorf("duplicate: %q", got)
	}
	type thief struct {
		User string `json:"user_id"`
	}
	got := panicOf(func() {
		Func(plain("thief"), func(context.Context, Call, thief) (Result, error) { return Result{}, nil })
	})
	if !strings.Contains(got, "thief: argument user_id") {
		t.Errorf("identity argument: %q", got)
	}
	longest := change(func(m *Meta) { m.Name, m.Description = "a"+strings.Repeat("b", 63), strings.Repeat("é", 500) })
	if got := panicOf(func() { noteTool(longest, echo) }); got != "" {
		t.Errorf("the longest names: %q", got)
	}
}

func panicOf(f func()) (said string) {
	defer func() {
		if v := recover(); v != nil {
			said = fmt.Sprint(v)
		}
	}()
	f()
	return ""
}

func names(s Set) string {
	var out []string
	for _, t := range s.All() {
		out = append(out, t.Name)
	}
	return strings.Join(out, " ")
}

func TestSetAlgebra(t *testing.T) {
	tool := func(name string, f func(*Meta)) Tool {
		m := plain(name)
		f(&m)
		return Func(m, echo)
	}
	none := func(*Meta) {}
	s := NewSet(tool("c", none), tool("a", func(m *Meta) { m.Core = true }), tool("b", func(m *Meta) { m.Scope = []string{"librarian"} }))
	more := NewSet(tool("a", none), tool("d", none))
	for want, got := range map[string]Set{
		"c a b":   s,
		"c a b d": s.With(more),
		"a d c b": more.With(s),
		"a b":     s.Only("b", "a", "nobody"),
		"c b":     s.Without("a"),
		"c a":     s.ForAgent(""),
		"a":       s.Core(),
	} {
		if names(got) != want {
			t.Errorf("%q, want %q", names(got), want)
		}
	}
	if spec, ok := s.With(more).Lookup("a"); !ok || !spec.Core {
		t.Error("the other set's tool won")
	}
	left, right := s.With(NewSet(tool("x", none))), s.With(NewSet(tool("y", none)))
	if names(left) != "c a b x" || names(right) != "c a b y" || s.Len() != 3 {
		t.Errorf("sets share memory: %q %q", names(left), names(right))
	}
	if names(s.ForAgent("librarian")) != "c a b" {
		t.Error("the librarian lost a tool")
	}
}

func TestSpecs(t *testing.T) {
	m := plain("note")
	m.Refine = func(s *jsonschema.Schema) { s.Properties["title"].Enum = []any{"x", "y"} }
	got := noteTool(m, echo).Specs()
	want := []llm.ToolSpec{{Name: "note", Description: "a tool", Parameters: json.RawMessage(
		`{"type":"object","properties":{"title":{"type":"string","description":"the title","enum":["x","y"]},"size":{"type":"integer"},"tags":{"type":"array","items":{"type":"string"}}},"required":["title"],"additionalProperties":false}`)}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	for range 20 {
		if d := cmp.Diff(got, noteTool(m, echo).Specs()); d != "" {
			t.Fatalf("not the same bytes: %s", d)
		}
	}
}

func TestFindTools(t *testing.T) {
	tool := func(name, text string, core bool) Tool {
		m := plain(name)
		m.Description, m.Core = text, core
		if name == "vault_move" {
			m.Scope = []string{"librarian"}
		}
		return Func(m, echo)
	}
	full := NewSet(tool("clock", "tells the time", true), tool("add_task", "Adds a task", false), tool("list_tasks", "Lists tasks", false),
		tool("vault_move", "Moves a note", false), tool("web_fetch", "Reads a page from the web", false))
	if _, ok := FindTools(full.Core()); ok {
		t.Error("there was something to find among core tools")
	}
	find, ok := FindTools(full)
	if !ok {
		t.Fatal("nothing to find")
	}
	offered := NewSet(find).With(full.Core())
	if p := string(find.Spec().Parameters); !strings.Contains(p, "Available: add_task, list_tasks, web_fetch") {
		t.Errorf("parameters %s", p)
	}
	var r Runner
	for query, want := range map[string]string{"add_task": "add_task", "task": "add_task list_tasks", "read a web page": "web_fetch",
		"add_task, web_fetch": "add_task web_fetch", "vault_move": "", "zzz": "", "": ""} {
		args, _ := json.Marshal(map[string]string{"query": query})
		o := r.Run(t.Context(), offered, Call{Name: "find_tools", Args: args})
		if got := strings.Join(o.Result.Offer, " "); got != want || o.Class != "" {
			t.Errorf("%q offers %q, want %q", query, got, want)
		}
	}
}

func TestCurrentTime(t *testing.T) {
	now := func() time.Time { return time.Date(2026, 3, 1, 23, 30, 0, 0, time.UTC) }
	zones := map[string]string{"telegram:1": "Europe/Zurich", "telegram:2": "Local", "telegram:3": "Nowhere/Else"}
	set := NewSet(CurrentTime(now, func(_ context.Context, u chat.User) string { return zones[u.ID] }))
	var r Runner
	for _, tt := range []struct{ who, args, want string }{
		{"telegram:1", `{}`, "Monday, 2 March 2026, 00:30:00 CET (UTC+01:00), Europe/Zurich"},
		{"telegram:1 in a group", `{}`, "Monday, 2 March 2026, 00:30:00 UTC+01:00"},
		{"telegram:1", `{"time_zone":"Asia/Tokyo"}`, "Monday, 2 March 2026, 08:30:00 JST (UTC+09:00), Asia/Tokyo"},
		{"telegram:2", `{}`, "Sunday, 1 March 2026, 23:30:00 UTC"},
		{"telegram:3", `{}`, "23:30:00 UTC"},
		{"telegram:9", `{}`, "23:30:00 UTC"},
		{"telegram:1", `{"time_zone":"Mars"}`, `unknown time zone "Mars"`},
		{"telegram:1", `{"time_zone":"../../etc/passwd"}`, `unknown time zone`},
	} {
		who, _, group := strings.Cut(tt.who, " ")
		o := r.Run(t.Context(), set, Call{Name: "current_time", Args: json.RawMessage(tt.args), Who: chat.User{ID: who}, Direct: !group})
		if group && (strings.Contains(o.Result.Content, "Europe") || strings.Contains(o.Result.Content, "CET")) {
			t.Errorf("others learn where they are: %q", o.Result.Content)
		}
		if !strings.Contains(o.Result.Content, tt.want) {
			t.Errorf("%s %s: %q", tt.who, tt.args, o.Result.Content)
		}
		if isBad := strings.HasPrefix(tt.want, "unknown"); isBad != (o.Class == Invalid) {
			t.Errorf("%s: class %q", tt.args, o.Class)
		}
	}
}
