package playbook

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/internal/playbook/guard"
	"parley/internal/playbook/judge"
	"parley/internal/playbook/sheet"
)

func write1(t testing.TB, text string) string {
	t.Helper()
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "p.yaml"), []byte(text), 0o644))
	return dir
}

func parseBook(t testing.TB, text string) *Book {
	t.Helper()
	return mustLoad(t, write1(t, text))
}

// Every file in testdata/mistakes has one mistake; expected.txt says how each
// is reported.
func TestMistakes(t *testing.T) {
	files, err := filepath.Glob("testdata/mistakes/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no test data", err)
	}
	var got strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		must(t, err)
		_, err = Load(write1(t, string(text)), Options{
			Tools: []string{"check_order", "get_refund_policy"},
			Schemas: map[string][]byte{"delete_task": []byte(
				`{"type": "object", "properties": {"id": {"type": "integer"}}, "additionalProperties": false}`)},
		})
		var ms sheet.Mistakes
		if !errors.As(err, &ms) {
			t.Errorf("%s: error %v, want Mistakes", file, err)
			continue
		}
		for _, m := range ms {
			fmt.Fprintf(&got, "%s:%d: %s: %s\n", strings.TrimSuffix(filepath.Base(file), ".yaml"), m.Line, m.Where, m.Text)
		}
	}
	const golden = "testdata/mistakes/expected.txt"
	if *update {
		must(t, os.WriteFile(golden, []byte(got.String()), 0o644))
	}
	want, err := os.ReadFile(golden)
	must(t, err)
	if got.String() != string(want) {
		t.Errorf("messages differ from %s:\n%s", golden, lineDiff(string(want), got.String()))
	}
}

func lineDiff(want, got string) string {
	have := map[string]bool{}
	for l := range strings.SplitSeq(want, "\n") {
		have[l] = true
	}
	var out strings.Builder
	for l := range strings.SplitSeq(got, "\n") {
		if !have[l] {
			out.WriteString("+ " + l + "\n")
		}
		delete(have, l)
	}
	for l := range have {
		out.WriteString("- " + l + "\n")
	}
	return out.String()
}

func TestMistakeShowsFileLineAndSource(t *testing.T) {
	dir := write1(t, "# a comment\nguidelines:\n  - id: refund\n    conditon: always\n    action: x\n")
	_, err := Load(dir, Options{})
	for _, want := range []string{
		filepath.Join(dir, "p.yaml") + `:4: guidelines[0].conditon: unknown key; did you mean "condition"?`,
		">    4 |     conditon: always", "     3 |   - id: refund",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error misses %q:\n%v", want, err)
		}
	}
}

// The examples of the first specification load as they were written, in JSON: YAML takes it.
func TestLoadsSourceModel(t *testing.T) {
	b := parseBook(t, `{"variables": [{"name": "order_id", "description": "Customer's order identifier", "data_type": "String",
 "extraction_prompt": "Extract the order ID", "required": false,
 "validation": {"pattern": "^[0-9]{5,10}$", "min": null, "max": null, "min_length": 5, "max_length": 10, "allowed_values": null},
 "default_value": null, "metadata": {"category": "order_management"}}],
"guidelines": [{"id": "guideline_refund_policy", "priority": 100, "condition": "user asks about refunds, returns, or mentions 'money back'",
 "action": "Explain the 30-day refund policy", "tools": ["check_order", "get_refund_policy"], "required_context": ["order_id"],
 "journey_id": null, "journey_step": null, "enabled": true, "metadata": {"tags": "refund,policy"}, "created_at": "2025-01-15T10:30:00Z"}]}`)
	g, err := b.Guideline("guideline_refund_policy")
	if err != nil || g.Priority != 100 || len(g.Tools) != 2 || g.CreatedAt.Year() != 2025 || g.Metadata["tags"] != "refund,policy" ||
		!g.IsEnabled() {
		t.Errorf("loaded as %+v, %v", g, err)
	}
	if _, err := b.Guideline("guideline_refnd_policy"); err == nil || !strings.Contains(err.Error(), "did you mean") {
		t.Errorf("unknown id: %v", err)
	}
}

func TestEmptyBook(t *testing.T) {
	b := mustLoad(t, "")
	c := newTalk(t, b)
	if g := c.say("hello"); g.Instructions != "" || g.Reply != "" || g.Calls != 0 {
		t.Errorf("an empty book guides: %+v", g)
	}
	if _, err := Load(filepath.Join(t.TempDir(), "none"), Options{}); err == nil {
		t.Error("a missing folder is no error")
	}
}

func TestSourceReloads(t *testing.T) {
	rule := func(id string) string { return "guidelines:\n  - {id: " + id + ", condition: always, action: x}\n" }
	dir := write1(t, rule("a"))
	file := filepath.Join(dir, "p.yaml")
	s, err := Open(dir, Options{})
	must(t, err)
	now := time.Unix(1000, 0)
	at := func(after time.Duration, want string, ok bool) {
		t.Helper()
		b, err := s.Book(now.Add(after))
		if (err == nil) != ok || b.Guidelines()[0].ID != want {
			t.Errorf("after %v: %s, %v; want %s, ok %v", after, b.Guidelines()[0].ID, err, want, ok)
		}
	}
	put := func(text string) {
		must(t, os.WriteFile(file, []byte(text), 0o644))
	}
	at(0, "a", true)
	put(rule("bb"))
	at(500*time.Millisecond, "a", true) // looked at within the last second
	at(time.Second, "a", true)          // somebody may be at it
	at(2*time.Second, "bb", true)
	put("guidelines: [")
	at(4*time.Second, "bb", true)
	at(5*time.Second, "bb", false) // the last good one stays, the error is told
	at(7*time.Second, "bb", false)
	put(rule("ccc"))
	at(8*time.Second, "bb", false)
	at(9*time.Second, "ccc", true)
	put(rule("dddd"))
	must(t, s.Reload())
	at(9*time.Second, "dddd", true)
}

// A playbook that loses much at once, or all, is taken for an accident, until
// somebody reloads it on purpose.
func TestSourceThatLosesRules(t *testing.T) {
	rules := func(from, to int) string {
		text := "guidelines:\n"
		for i := from; i < to; i++ {
			text += fmt.Sprintf("  - {id: r%d, condition: always, action: x}\n", i)
		}
		return text
	}
	second := func(text string) func(dir string) error {
		return func(dir string) error { return os.WriteFile(filepath.Join(dir, "b.yaml"), []byte(text), 0o600) }
	}
	for _, tt := range []struct {
		name    string
		change  func(dir string) error
		left    int
		refused bool
	}{
		{"one of twenty", second(rules(10, 19)), 19, false},
		{"four of twenty", second(rules(10, 16)), 16, false},
		{"five of twenty", second(rules(10, 15)), 15, true},
		{"cut inside a file", second(rules(10, 12)), 12, true},
		{"a file is empty", second(""), 10, true},
		{"a file is gone", func(dir string) error { return os.Remove(filepath.Join(dir, "b.yaml")) }, 10, true},
		{"a file has another name", func(dir string) error { return os.Rename(filepath.Join(dir, "b.yaml"), filepath.Join(dir, "c.yaml")) },
			20, false},
		{"the folder is away", func(dir string) error { return os.Rename(dir, dir+".away") }, 0, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "book")
			must(t, os.Mkdir(dir, 0o700))
			for name, text := range map[string]string{"a.yaml": rules(0, 10), "b.yaml": rules(10, 20)} {
				must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
			}
			s, err := Open(dir, Options{})
			must(t, err)
			must(t, tt.change(dir))
			var b *Book
			for i := range 4 {
				b, err = s.Book(time.Unix(int64(1000+2*i), 0))
			}
			want := tt.left
			if tt.refused {
				want = 20
			}
			if got := len(b.Guidelines()); got != want || (err != nil) != tt.refused {
				t.Errorf("%d rules, %v; want %d", got, err, want)
			}
			if err := s.Reload(); tt.left > 0 && (err != nil || len(s.book.Guidelines()) != tt.left) {
				t.Errorf("reloaded on purpose: %d rules, %v", len(s.book.Guidelines()), err)
			}
		})
	}
}

// A file that is written piece by piece is read once it is whole, although
// every piece of it could be read.
func TestSourceThatGrows(t *testing.T) {
	dir := write1(t, "guidelines:\n  - {id: a, condition: always, action: x}\n  - {id: b, condition: always, action: x}\n")
	s, err := Open(dir, Options{})
	must(t, err)
	text := "guidelines:\n"
	for i := range 10 {
		text += fmt.Sprintf("  - {id: r%d, condition: always, action: x}\n", i)
		must(t, os.WriteFile(filepath.Join(dir, "p.yaml"), []byte("guidelines:\n  - {id: a, condition: always, action: x}\n"+
			text[len("guidelines:\n"):]), 0o600))
		if b, err := s.Book(time.Unix(int64(1000+2*i), 0)); err != nil || len(b.Guidelines()) != 2 {
			t.Fatalf("piece %d: %d rules, %v", i, len(b.Guidelines()), err)
		}
	}
	if b, err := s.Book(time.Unix(2000, 0)); err != nil || len(b.Guidelines()) != 11 {
		t.Errorf("whole: %d rules, %v", len(b.Guidelines()), err)
	}
}

func TestHostileFiles(t *testing.T) {
	for name, text := range map[string]string{
		"brackets": strings.Repeat("[", 100_000),
		"dashes":   strings.Repeat("- ", 10_000) + "a",
		"braces":   strings.Repeat("{a: ", 10_000),
		"bomb":     "a: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]\n",
		"lines":    strings.Repeat("[\n", 10_000),
		"keys":     strings.Repeat("? ", 10_000) + "a",
		"indents":  indents(3000),
	} {
		if _, err := Load(write1(t, text), Options{}); err == nil {
			t.Errorf("%s: loaded", name)
		}
	}
}

// indents returns a mapping of n levels, one a line, by indentation alone.
func indents(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}

func FuzzLoad(f *testing.F) {
	for _, s := range []string{"", "guidelines:\n  - {id: a, condition: always, action: x}\n", "settings: {top: 2}\n",
		"a: [1, {b: c}]", "- - -", "\t", "? a\n: b", "a: !!x y", "a: |\n  x\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var found sheet.Mistakes
		b := &Book{kept: kept{judge.NewCache(), newVectors()}, guidelines: map[string]*Guideline{}, journeys: map[string]*Journey{},
			variables: map[string]*Variable{}, replies: map[string]*Reply{}, threshold: DefaultThreshold, top: DefaultTop}
		b.add("f.yaml", []byte(text), &found)
		b.compile()
		_ = found.Error()
	})
}

func TestCheck(t *testing.T) {
	b := parseBook(t, `
variables:
  - {name: plan, description: d, patterns: [x], default_value: free, validation: {allowed_values: [free, plus]}}
  - {name: orphan, description: d}
guidelines:
  - {id: empty_regex, condition: "regex:x*", action: a}
  - {id: default_set, condition: "var:plan is set", action: a}
  - {id: never_value, condition: "var:plan = gold", action: a}
  - {id: no_source, condition: "literal:no source", action: a, required_context: [orphan]}
  - {id: tool, condition: "literal:tool", action: a, tools: [chekc]}
  - {id: do, condition: "The person is Angry", action: Offer a discount.}
  - {id: dont, condition: "the person  is angry", action: Never offer a discount.}
  - {id: refund, priority: 9, condition: "literal:refund", reply: no}
  - {id: refund_late, condition: "literal:refund late", action: a}
  - {id: off, condition: "literal:off", action: a, enabled: false}
  - {id: on_off, condition: "literal:on off", action: a, depends_on: {all: [off]}}
  - {id: lost, condition: "literal:lost", action: a, journey_id: j, journey_step: island}
journeys:
  - id: j
    name: J
    description: d
    initial_step: one
    steps:
      - {id: one, name: One, transitions: [{to_step: two, priority: 5}, {to_step: end, condition: they agree}]}
      - {id: two, name: Two}
      - {id: island, name: Island, transitions: [{to_step: end}]}
      - {id: end, name: End, is_terminal: true}
`)
	var got []string
	for _, f := range Check(b, Known{Tools: []string{"check"}}, map[string]int{"do": 1}) {
		if f.Kind != "never matched" {
			got = append(got, fmt.Sprintf("%d %s: %s", f.Line, f.ID, f.Kind))
		} else if f.ID == "do" || f.ID == "off" {
			t.Errorf("finding %s", f)
		}
		if !strings.Contains(f.String(), "p.yaml:") {
			t.Errorf("finding without a file: %s", f)
		}
	}
	want := `6 empty_regex: always true
7 default_set: always true
8 never_value: unreachable
9 no_source: unreachable
10 tool: unknown tool
12 dont: contradiction
14 refund_late: shadowed
16 on_off: unreachable
17 lost: unreachable
24 j: shadowed
25 j: dead end
26 j: unreachable`
	if strings.Join(got, "\n") != want {
		t.Errorf("findings:\n%s\nwant:\n%s", strings.Join(got, "\n"), want)
	}
}

// Check names a guard's tool that is nearly a known one. Others may come from a server:
// naming one is no mistake.
func TestCheckKnowsToolsOfGuards(t *testing.T) {
	b := parseBook(t, `
guards:
  - {id: near, tool: delete_tsk, require: "true"}
  - {id: read, tool: delete_task, require: 'last("list_taskz").result.x == 1'}
  - {id: later, tool: shop__cancel_order, require: 'last("shop__get_order").result.open == true && args.id == "x"'}
  - {id: many, tool: "*_order|delete_task", require: "true"}
`)
	var got []string
	for _, f := range Check(b, Known{Tools: []string{"delete_task", "list_tasks"}}, nil) {
		got = append(got, f.String())
	}
	if len(got) != 2 || !strings.Contains(got[0], `:3: near: unknown tool: delete_tsk; did you mean "delete_task"?`) ||
		!strings.Contains(got[1], `:4: read: unknown tool: list_taskz; did you mean "list_tasks"?`) {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
}

// TestShippedGuards: the example guards load, and hold in a case each.
func TestShippedGuards(t *testing.T) {
	now := time.Date(2024, 5, 15, 15, 0, 0, 0, time.UTC)
	reservation := func(extra string) guard.Call {
		return guard.Call{Tool: "desk__get_reservation_details", Args: json.RawMessage(`{"reservation_id": "A"}`),
			Result: `{"reservation_id": "A", "user_id": "u", "cabin": "economy", "created_at": "2024-05-01T08:00:00", "flights": [{"flight_number": "H1", "date": "2024-05-20"}], ` + extra + `}`}
	}
	order := func(status string) []guard.Call {
		return []guard.Call{
			{Tool: "find_user_id_by_email", Args: json.RawMessage(`{"email": "a@b.example"}`), Result: "u"},
			{Tool: "get_order_details", Args: json.RawMessage(`{"order_id": "#1"}`), Result: `{"order_id": "#1", "user_id": "u", "status": "` +
				status + `"}`},
		}
	}
	for _, c := range []struct {
		desk, tool, args string
		past             []guard.Call
		want             guard.Ruling
	}{
		{"airline", "desk__cancel_reservation", `{"reservation_id": "A"}`, nil, guard.Refused},
		{"airline", "desk__cancel_reservation", `{"reservation_id": "A"}`, []guard.Call{reservation(`"insurance": "no"`)}, guard.Refused},
		{"airline", "desk__cancel_reservation", `{"reservation_id": "A"}`, []guard.Call{reservation(`"insurance": "yes"`)}, guard.Asked},
		{"retail", "cancel_pending_order", `{"order_id": "#1", "reason": "no longer needed"}`, order("pending"), guard.Asked},
		{"retail", "cancel_pending_order", `{"order_id": "#1", "reason": "too dear"}`, order("pending"), guard.Refused},
		{"retail", "cancel_pending_order", `{"order_id": "#1", "reason": "no longer needed"}`, order("delivered"), guard.Refused},
		{"retail", "cancel_pending_order", `{"order_id": "#1", "reason": "no longer needed"}`, order("pending")[1:], guard.Refused},
	} {
		b, err := Load("../../config/guards/"+c.desk, Options{})
		must(t, err)
		if found := Check(b, Known{Tools: []string{"delete_task"}}, nil); len(found) > 0 {
			t.Errorf("%s: %v", c.desk, found)
		}
		said := b.Guards().Judge(guard.Situation{Tool: c.tool, Args: json.RawMessage(c.args), Past: c.past, Now: now})
		if got := guard.Worst(said); got.Ruling != c.want {
			t.Errorf("%s %s %s: %+v, want %s", c.desk, c.tool, c.args, said, c.want)
		}
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
