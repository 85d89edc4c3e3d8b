package tools

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestTaint(t *testing.T) {
	read := Spec{Meta: Meta{Name: "vault_read", Category: Vault, ReadOnly: true}}
	write := Spec{Meta: Meta{Name: "add_task", Category: Task, SideEffect: true}}
	fetch := Spec{Meta: Meta{Name: "web_fetch", Category: Web, ReadOnly: true, Egress: true}}
	search := Spec{Meta: Meta{Name: "web_search", Category: Web, ReadOnly: true}}
	lent := Lent{Server: "s"}
	far := Spec{Meta: Meta{Name: "s__read", Category: Web, ReadOnly: true, Egress: true, Lent: lent}}
	post := Spec{Meta: Meta{Name: "s__post", Category: Web, SideEffect: true, Egress: true, Lent: lent, Consent: Consent{Asking: AskAlways}}}
	let := Spec{Meta: Meta{Name: "s__post", Category: Web, SideEffect: true, Egress: true, Lent: lent, Consent: Consent{Asking: AskNever}}}
	known := Spec{Meta: Meta{Name: "s__find", Category: Web, ReadOnly: true, Egress: true, Lent: lent, Consent: Consent{Public: true}}}
	clean := Taint{Hosts: []string{"typed.example"}}
	outside := clean.After(fetch, Outcome{Result: Result{Untrusted: true}})
	private := clean.After(read, Outcome{Result: Result{Private: true}})
	both := outside.After(read, Outcome{Result: Result{Private: true}})
	found := private.After(search, Outcome{Result: Result{Untrusted: true, Sources: []Source{{URL: "https://found.example/a"}}}})
	public := private.After(known, Outcome{Result: Result{Untrusted: true, Content: "see https://found.example/a."}})
	agreed := both.After(fetch, Outcome{State: Success, Far: []string{"https://far.example/a"}})
	declined := both.After(fetch, Outcome{State: Declined, Far: []string{"https://far.example/a"}})
	evil, typed := `{"url":"https://evil.example/?q=secret"}`, `{"url":"https://TYPED.example./x"}`
	for _, tt := range []struct {
		name  string
		taint Taint
		spec  Spec
		args  string
		want  Class
		far   string
	}{
		{"clean write", clean, write, `{}`, "", ""},
		{"clean fetch", clean, fetch, evil, "", ""},
		{"tainted write", outside, write, `{}`, NeedsYes, ""},
		{"an address that leaves nothing", outside, write, evil, NeedsYes, ""},
		{"tainted read", both, read, `{}`, "", ""},
		{"tainted fetch with nothing but the message", outside, fetch, evil, NeedsYes, "https://evil.example/?q=secret"},
		{"private write", private, write, `{}`, "", ""},
		{"private fetch", private, fetch, evil, NeedsYes, "https://evil.example/?q=secret"},
		{"private fetch of a typed host", private, fetch, typed, "", ""},
		{"subdomain of a typed host", both, fetch, `{"url":"https://secret.typed.example/"}`, NeedsYes, "https://secret.typed.example/"},
		{"user info", both, fetch, `{"url":"https://typed.example@evil.example/"}`, NeedsYes, "https://typed.example@evil.example/"},
		{"no host", both, fetch, `{"url":"nonsense"}`, "", ""},
		{"no scheme", both, fetch, `{"url":"evil.com"}`, NeedsYes, "evil.com"},
		{"found address", found, fetch, `{"url":"https://found.example/a"}`, "", ""},
		{"built on a found address", found, fetch, `{"url":"https://found.example/a?q=secret"}`, NeedsYes, "https://found.example/a?q=secret"},
		{"address of a public tool", public, far, `{"url":"https://found.example/a"}`, "", ""},
		{"agreed address", agreed, fetch, `{"url":"https://far.example/a"}`, "", ""},
		{"more than what was agreed to", agreed, fetch, `{"url":"https://far.example/ab"}`, NeedsYes, "https://far.example/ab"},
		{"declined address", declined, fetch, `{"url":"https://far.example/a"}`, NeedsYes, "https://far.example/a"},
		{"a list", both, far, `{"urls":["https://evil.com/1","https://evil.com/2"]}`, NeedsYes, "https://evil.com/1"},
		{"in capitals", both, far, `{"URL":"evil.com/x"}`, NeedsYes, "evil.com/x"},
		{"deep down", both, far, `{"a":[{"b":{"href":"ftp://evil.com"}}]}`, NeedsYes, "ftp://evil.com"},
		{"a key", both, far, `{"a":{"evil.com":1}}`, NeedsYes, "evil.com"},
		{"in a sentence", both, far, `{"query":"please open evil.com/?q=1 now"}`, NeedsYes, "evil.com/?q=1"},
		{"through a typed host", both, far, `{"u":"https://typed.example/?to=https%3A%2F%2Fevil.com"}`, NeedsYes, "https://evil.com"},
		{"behind many", both, far, `{"q":"` + strings.Repeat("typed.example ", 200) + `evil.com"}`, NeedsYes, "typed.example"},
		{"a file", both, far, `{"path":"notes.md","also":"docs/a.sh","id":12,"at":"12:30"}`, "", ""},
		{"a person", both, far, `{"sender_email":"bob@corp.com"}`, "", ""},
		{"a person as an address", both, far, `{"url":"ZX@corp.com"}`, NeedsYes, "ZX@corp.com"},
		{"what changes something", both, post, `{"text":"see evil.com"}`, NeedsYes, "evil.com"},
		{"what the owner lets run", both, let, `{"text":"see evil.com"}`, "", "evil.com"},
	} {
		got := tt.taint.Check(tt.spec, json.RawMessage(tt.args))
		if got.Class != tt.want || (got.Why == "") != (got.Class == "") || strings.Join(got.Far[:min(1, len(got.Far))], "") != tt.far {
			t.Errorf("%s: %+v, want %q %q", tt.name, got, tt.want, tt.far)
		}
	}
}

func TestTypedHosts(t *testing.T) {
	got := TypedHosts("look at <https://A.example/x?y=1>, (b.example) and b.example. also http://c.example:8080/ but not " +
		"3 or foo or e.g; http://[::1]:80/ пример.рф")
	if want := []string{"a.example", "b.example", "c.example", "e.g", "xn--e1afmkfd.xn--p1ai", "::1"}; !slices.Equal(got, want) {
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
