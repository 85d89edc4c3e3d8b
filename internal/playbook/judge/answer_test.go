package judge

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// verdictsOf shows what was read, a word each.
func verdictsOf(a answer) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(a.verdicts)) {
		v := a.verdicts[name]
		word := fmt.Sprintf("%s=%v", name[strings.Index(name, " ")+1:], v.Relevance)
		if v.Value != nil {
			word += ":" + plain(v.Value)
		}
		out = append(out, word)
	}
	return strings.Join(out, " ")
}

// Answers as models give them; each of them once cost all the others.
func TestParse(t *testing.T) {
	for name, test := range map[string]struct{ said, want string }{
		"as asked":           {`{"conditions":[{"id":"angry","relevance":0.9,"reason":"r"}],"variables":[{"name":"order","value":"12","confidence":1,"withdrawn":false}],"parameters":[{"tool":"look","arguments":"{\"n\":5}"}]}`, `angry=0.9 look=0:{"n":5} order=1:12`},
		"thoughts in braces": {`<think>{maybe "angry"} {x}</think>{"conditions":[{"id":"angry","relevance":1,"reason":""}]}`, "angry=1"},
		"a draft in thoughts": {`<think>{"conditions":[{"id":"sad","relevance":1}]}</think> {"conditions":[{"id":"angry","relevance":1}]}`,
			"angry=1"},
		"only thoughts closed": {`{"conditions":[{"id":"angry","relevance":1}]}</think>`, "angry=1"},
		"prose with a brace":   {`The set {angry} holds: {"conditions":[{"id":"angry","relevance":1}]} as {you} see`, "angry=1"},
		"a fence":              {"```json\n{\"conditions\":[{\"id\":\"angry\",\"relevance\":0.5,\"reason\":\"}\"}]}\n```", "angry=0.5"},
		"a number as text":     {`{"conditions":[{"id":"angry","relevance":"0.9"},{"id":"sad","relevance":0.4}]}`, "angry=0.9 sad=0.4"},
		"percent":              {`{"conditions":[{"id":"angry","relevance":"90%"}]}`, "angry=0.9"},
		"one item is wrong":    {`{"conditions":[{"id":"angry","relevance":"high"},{"id":"sad","relevance":0.4}],"variables":[7,{"name":"order","value":12,"confidence":"0.8"}]}`, "sad=0.4 order=0.8:12"},
		"a bare list":          {`[{"id":"angry","relevance":0.9},{"name":"order","value":"12","confidence":1}]`, "angry=0.9 order=1:12"},
		"ids alone":            {`{"conditions":["angry"]}`, "angry=1"},
		"an object of ids":     {`{"conditions":{"angry":0.8},"variables":{"order":"12"}}`, "angry=0.8 order=1:12"},
		"one item, no list":    {`{"conditions":{"id":"angry","relevance":0.8}}`, "angry=0.8"},
		"wrapped":              {`{"result":{"conditions":[{"id":"angry","relevance":0.8}]}}`, "angry=0.8"},
		"cut off":              {`{"conditions":[{"id":"angry","relevance":0.9,"reason":"loud"},{"id":"sad","rel`, "angry=0.9"},
		"nothing holds":        {`{}`, ""},
		"an empty list":        {`[]`, ""},
		"out of range":         {`{"conditions":[{"id":"angry","relevance":7}]}`, ""},
		"a number id":          {`{"conditions":[{"id":7,"relevance":1}]}`, "7=1"},
		"unsure":               {`{"variables":[{"name":"order","value":"12","confidence":0.1}]}`, ""},
	} {
		a, err := parse(test.said)
		if got := verdictsOf(a); got != test.want || err != nil {
			t.Errorf("%s: %q, %v; want %q", name, got, err, test.want)
		}
	}
	for _, said := range []string{"", "The person is angry.", "{angry}", `"angry"`, "{]", `{"answer":"none"}`} {
		if a, err := parse(said); err == nil {
			t.Errorf("%q was read as %q", said, verdictsOf(a))
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"conditions":[]}`, `{"a":[{"b":1},{"c`, `x {"conditions":[{"id":"a"}]} y`, `{"a":"\"}`,
		"{]", "", `[{"id":1}]`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a, _ := parse(s)
		for name, v := range a.verdicts {
			if v.Relevance < 0 || v.Relevance > 1 || name == "" {
				t.Errorf("%q: %q is %v", s, name, v)
			}
			_ = json.Valid(v.Value)
		}
	})
}
