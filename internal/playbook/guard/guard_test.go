package guard

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"parley/internal/text/waittest"
)

var now = time.Date(2024, 5, 15, 15, 0, 0, 0, time.FixedZone("EST", -5*3600))

const lookup = `{"id": "Q1", "insurance": "no", "cabin": "economy", "created_at": "2024-05-15T08:00:00", "paid": 120.5, "note": null,
	"flights": [{"number": "H1", "date": "2024-05-20"}, {"number": "H2", "date": "2024-05-21"}], "used": false}`

func situation(args string) Situation {
	return Situation{
		Tool: "cancel", Args: json.RawMessage(args), Now: now,
		Past: []Call{
			{Tool: "get_booking", Args: json.RawMessage(`{"id": "Q0"}`), Result: `{"insurance": "yes"}`, At: now.Add(-2 * time.Hour)},
			{Tool: "get_booking", Args: json.RawMessage(`{"id": "Q1"}`), Result: lookup, At: now.Add(-time.Minute), Confirmed: true},
			{Tool: "search", Args: json.RawMessage(`{}`), Result: "nothing found"},
		},
		Person: Person{ID: "telegram:42", Name: "Ann", Role: "member"}, Place: Place{Platform: "telegram", Channel: "7", Direct: true},
		Variables: map[string]any{"tier": "gold"},
	}
}

// TestJudge: what is true lets a call through, what is false stops it, and what is
// missing or of another type stops it with the reason.
func TestJudge(t *testing.T) {
	const booking = `last("get_booking", {id: args.id}).result`
	for _, c := range []struct{ require, want string }{
		{`true`, "allowed"},
		{`false`, "refused"},
		{`args.id == "Q1"`, "allowed"},
		{`args.id != "Q1"`, "refused"},
		{`last("get_booking").args.id == args.id`, "allowed"},
		{booking + `.cabin == "economy"`, "allowed"},
		{booking + `.insurance == "yes" || now() - date(` + booking + `.created_at) < duration("24h")`, "allowed"},
		{`now() - date(` + booking + `.created_at) < duration("1h")`, "refused"},
		{`(now() - date(` + booking + `.created_at)).Hours() > 6.9`, "allowed"},
		{`all(` + booking + `.flights, date(.date) > now())`, "allowed"},
		{`any(` + booking + `.flights, .number == "H2")`, "allowed"},
		{`"H1" in map(` + booking + `.flights, .number)`, "allowed"},
		{`"H3" not in map(` + booking + `.flights, .number)`, "allowed"},
		{`len(calls("get_booking")) == 2 && count(calls("get_*"), .args.id == "Q1") == 1`, "allowed"},
		{`calls("get_booking", {id: "Q9"}) == []`, "allowed"},
		{`last("get_booking", {id: "Q0"}).result.insurance == "yes"`, "allowed"},
		{`let b = ` + booking + `; b.paid > 120 && b.paid < 121`, "allowed"},
		{`last(` + booking + `.flights).number == "H2"`, "allowed"},
		{booking + `.flights[0].number == "H1" && ` + booking + `.flights[-1].number == "H2"`, "allowed"},
		{`confirmed("get_booking") && !confirmed() && !confirmed("search")`, "allowed"},
		{`role in ["admin", "owner"]`, "refused"},
		{`person.id == "telegram:42" && person.role == role && place.direct && place.platform != "discord"`, "allowed"},
		{`variables.tier == "gold" && tool == "cancel"`, "allowed"},
		{`last("search").result contains "nothing"`, "allowed"},
		{`(args.count ?? 1) == 1`, "allowed"},
		{`last("refund") == nil && last("refund")?.result.sum == nil`, "allowed"},
		{`(last("refund").result.sum ?? 0) == 0`, "allowed"},
		{booking + `.note == nil`, "allowed"},
		{`"insurance" in ` + booking + ` && "fee" not in ` + booking, "allowed"},

		{`args.count == 1`, "args.count is missing"},
		{`args.count != 1`, "args.count is missing"},
		{`!(args.count == 1)`, "args.count is missing"},
		{`args.id == 1`, "args.id is text, not a number"},
		{`args.id != 1`, "args.id is text, not a number"},
		{`1 != args.id`, "args.id is text, not a number"},
		{booking + `.insurance`, "cannot be computed"},
		{booking + `.note != "no"`, `last("get_booking").result.note is nothing, not text`},
		{booking + `?.leg?.gate == "A"`, `last("get_booking").result.leg.gate is nothing, not text`},
		{`find(` + booking + `.flights, .gate?.number == "A") == nil`, `.gate.number is nothing, not text`},
		{booking + `.fee < 5`, `last("get_booking").result.fee is missing`},
		{booking + `.paid < "5"`, "invalid operation"},
		{`last("refund").result.sum < 5`, "there is no earlier call of refund"},
		{`last("get_booking", {id: "Q7"}).result.insurance == "yes"`, `there is no earlier call of get_booking with {"id":"Q7"}`},
		{`last("search").result.flights == []`, "part of text"},
		{booking + `.flights[5].number == "H1"`, "is missing"},
		{`any(` + booking + `.legs, .number == "H1")`, "legs is missing"},
		{`"H1" in ` + booking + `.legs`, "legs is missing"},
		{`variables.color == "red"`, "variables.color is missing"},
		{`date(args.id) < now()`, "not a time"},
		{`all(` + booking + `.flights, .gate == "A")`, ".gate is missing"},
	} {
		g, err := New(Rule{ID: "g", Tool: "cancel", Require: c.require, Say: "No."}, nil)
		if err != nil {
			t.Errorf("%s: %v", c.require, err)
			continue
		}
		v := Guards{g}.Judge(situation(`{"id": "Q1"}`))[0]
		got := string(v.Ruling)
		if v.Lacks != "" {
			got = v.Lacks
			if v.Ruling != Refused {
				t.Errorf("%s: lacks %q and is %s", c.require, v.Lacks, v.Ruling)
			}
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%s: %s, want %s", c.require, got, c.want)
		}
	}
}

// TestOtherwise: what the owner wants instead, except when something is missing.
func TestOtherwise(t *testing.T) {
	yes := situation(`{"id": "Q1"}`)
	yes.Confirmed = true
	for _, c := range []struct {
		otherwise, require string
		s                  Situation
		want               Ruling
	}{
		{"", "false", yes, Refused},
		{"refuse", "false", yes, Refused},
		{"handoff", "false", yes, HandOver},
		{"confirm", "false", situation(`{}`), Asked},
		{"confirm", "false", yes, Allowed},
		{"confirm", "confirmed()", situation(`{}`), Asked},
		{"confirm", "args.sum < 5", yes, Refused},
		{"handoff", "args.sum < 5", yes, Refused},
		{"", "true", situation(`[]`), Refused}, // no arguments to be read
	} {
		g, err := New(Rule{ID: "g", Tool: "can*", Require: c.require, Otherwise: c.otherwise}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := Worst(Guards{g}.Judge(c.s)).Ruling; got != c.want {
			t.Errorf("otherwise %q, require %s: %s, want %s", c.otherwise, c.require, got, c.want)
		}
	}
	off := false
	g, err := New(Rule{ID: "g", Tool: "cancel", Require: "false", Enabled: &off}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := (Guards{g}).Judge(yes); got != nil {
		t.Errorf("a guard that is off says %v", got)
	}
}

// TestMistakes: mistakes are found when a guard is loaded, with the name that was meant.
func TestMistakes(t *testing.T) {
	schemas := map[string][]byte{
		"cancel": []byte(
			`{"type": "object", "properties": {"reservation_id": {"type": "string"}, "cabin": {"type": "string", "enum": ["economy", "business"]}, "count": {"type": "integer"}}}`),
		"get_booking": []byte(`{"type": "object", "properties": {"id": {"type": "string"}}}`),
	}
	for _, c := range []struct{ require, want string }{
		{`args.reservation_id ==`, "line 1, column"},
		{`arg.reservation_id == "a"`, `unknown name "arg"; did you mean "args"?`},
		{`lst("get_booking").result.x == 1`, `did you mean "last"?`},
		{`len(callz("get_booking")) > 0`, `did you mean "calls"?`},
		{`args.reservation_idd == "a"`, `the tool has no argument "reservation_idd"; did you mean "reservation_id"?`},
		{`last("get_booking").args.idd == "a"`, `get_booking has no argument "idd"; did you mean "id"?`},
		{`last("get_booking", {idd: "a"}).result.x == 1`, `get_booking has no argument "idd"`},
		{`last("get_booking").resultt.x == 1`, `did you mean "result"?`},
		{`last("get_booking")?.args.idd == "a"`, `did you mean "id"?`},
		{`variables.tear == "gold"`, `unknown variable "tear"; did you mean "tier"?`},
		{`person.nam == "x"`, `did you mean "name"?`},
		{`args.cabin == "busines"`, `cabin is never "busines"; did you mean "business"?`},
		{`args.count == "3"`, "mismatched types number and string"},
		{`args.reservation_id > 3`, "mismatched types string and int"},
		{`last("get_booking").args.id > 3`, "mismatched types string and int"},
		{`args.count`, "expected bool"},
		{`now() > 3`, "mismatched types"},
		{`all(calls("get_booking"), .args.id > 3)`, "mismatched types string and int"},
		{`args.reservation_id == "x" && last("get_booking", {id: args.reservation_id}).result.ok == true && args.count < 5 && place.direct`, ""},
	} {
		g, err := New(Rule{ID: "g", Tool: "cancel", Require: c.require}, []string{"tier"})
		if err == nil {
			err = g.Check(schemas)
		}
		switch {
		case c.want == "" && err != nil, c.want != "" && err == nil:
			t.Errorf("%s: %v, want %q", c.require, err, c.want)
		case err != nil && (!strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n")):
			t.Errorf("%s: %v, want %q", c.require, err, c.want)
		}
	}
	if _, err := New(Rule{ID: "g", Tool: "a[", Require: "true"}, nil); err == nil {
		t.Error("a broken pattern passes")
	}
	g, err := New(Rule{ID: "g", Tool: "mcp_later", Require: `args.whatever == "x" && last("other").result.y == 2`}, nil)
	if err != nil || g.Check(schemas) != nil {
		t.Errorf("a tool that is not known yet: %v, %v", err, g.Check(schemas))
	}
}

// TestBounded: no expression takes long or much, whatever it is and whatever it reads.
func TestBounded(t *testing.T) {
	s := situation(`{"id": "Q1"}`)
	list := make([]int, 3000)
	big, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	s.Past = append(s.Past, Call{Tool: "big", Args: json.RawMessage(`{}`), Result: string(big)})
	const l = `last("big").result`
	for _, require := range []string{
		`all(` + l + `, all(` + l + `, all(` + l + `, true)))`,
		`any(1..40000, last("search", {a: #}) == 1)`,
		`count(1..100000000, true) > 0`,
		`len(repeat("aaaaaaaaaa", 100000000)) > 0`,
		`len(map(1..1000, 1..1000)) > 0`,
		`len(reduce(1..1000000, concat(#acc, [#]), [])) > 0`,
		`sum(` + l + `, sum(` + l + `)) == 1`,
		strings.Repeat("(", 5000) + "true" + strings.Repeat(")", 5000),
		strings.Repeat("true && ", 3000) + "true",
	} {
		began := waittest.CPU()
		g, err := New(Rule{ID: "g", Tool: "cancel", Require: require}, nil)
		if err == nil {
			if v := (Guards{g}).Judge(s)[0]; v.Ruling != Refused && len(require) < 4000 {
				t.Errorf("%.60s: %s", require, v.Ruling)
			}
		}
		if took := waittest.CPU() - began; took > 5*time.Second { // of milliseconds
			t.Errorf("%.60s took %v", require, took)
		}
	}
}
