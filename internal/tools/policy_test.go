package tools

import (
	"encoding/json"
	"slices"
	"testing"
)

func TestTaint(t *testing.T) {
	read := Spec{Meta: Meta{Name: "vault_read", Category: Vault, ReadOnly: true}}
	write := Spec{Meta: Meta{Name: "add_task", Category: Task, SideEffect: true}}
	fetch := Spec{Meta: Meta{Name: "web_fetch", Category: Web, ReadOnly: true, Egress: true}}
	search := Spec{Meta: Meta{Name: "web_search", Category: Web, ReadOnly: true}}
	clean := Taint{Hosts: []string{"typed.example"}}
	outside := clean.After(fetch, Outcome{Result: Result{Untrusted: true}})
	private := clean.After(read, Outcome{Result: Result{Private: true}})
	both := outside.After(read, Outcome{Result: Result{Private: true}})
	found := private.After(search, Outcome{Result: Result{Untrusted: true, Sources: []Source{{URL: "https://found.example/a"}}}})
	evil, typed := `{"url":"https://evil.example/?q=secret"}`, `{"url":"https://TYPED.example./x"}`
	for _, tt := range []struct {
		name  string
		taint Taint
		spec  Spec
		args  string
		want  Class
	}{
		{"clean write", clean, write, `{}`, ""},
		{"clean fetch", clean, fetch, evil, ""},
		{"tainted write", outside, write, `{}`, NeedsYes},
		{"tainted read", both, read, `{}`, ""},
		{"tainted fetch without private data", outside, fetch, evil, ""},
		{"private write", private, write, `{}`, ""},
		{"private fetch", private, fetch, evil, NotAllowed},
		{"private fetch of a typed host", private, fetch, typed, ""},
		{"tainted and private", both, fetch, evil, NotAllowed},
		{"subdomain of a typed host", both, fetch, `{"url":"https://secret.typed.example/"}`, NotAllowed},
		{"user info", both, fetch, `{"url":"https://typed.example@evil.example/"}`, NotAllowed},
		{"no host", both, fetch, `{"url":"nonsense"}`, NotAllowed},
		{"found address", found, fetch, `{"url":"https://found.example/a"}`, ""},
		{"built on a found address", found, fetch, `{"url":"https://found.example/a?q=secret"}`, NotAllowed},
	} {
		if got, why := tt.taint.Check(tt.spec, json.RawMessage(tt.args)); got != tt.want || (why == "") != (got == "") {
			t.Errorf("%s: %q %q, want %q", tt.name, got, why, tt.want)
		}
	}
}

func TestTypedHosts(t *testing.T) {
	got := TypedHosts("look at <https://A.example/x?y=1>, (b.example) and b.example. also http://c.example:8080/ but not 3 or foo or e.g")
	if want := []string{"a.example", "b.example", "c.example", "e.g"}; !slices.Equal(got, want) {
		t.Errorf("hosts %q, want %q", got, want)
	}
}

func TestStuck(t *testing.T) {
	a, b, c := Step{"a", "1"}, Step{"b", "1"}, Step{"a", "2"}
	for _, tt := range []struct {
		steps []Step
		want  bool
	}{
		{nil, false},
		{[]Step{a, a}, false},
		{[]Step{a, a, a}, true},
		{[]Step{a, c, a}, false},
		{[]Step{a, b, c, a, a}, true},
		{[]Step{a, b, a, b}, true},
		{[]Step{b, a, c, b}, false},
	} {
		if got := Stuck(tt.steps); got != tt.want {
			t.Errorf("%v: %v", tt.steps, got)
		}
	}
}
