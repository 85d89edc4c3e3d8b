package webhooks

import (
	"strings"
	"testing"
)

func render(t *testing.T, template, body string, plain bool) (string, error) {
	t.Helper()
	parsed, err := Parse(template)
	must(t, err)
	value, err := decoded([]byte(body))
	must(t, err)
	return parsed.Render(known{Body: value, Hook: "ci", Event: "push", Headers: map[string]string{}}, plain)
}

// TestWords: nothing that came acts as Markdown, links, calls anybody or leaves the code it
// stands in; what came is whole for a model.
func TestWords(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ template, body, want string }{
		{"plain words", `{}`, "plain words"},
		{"{{body.a}}", `{}`, ""},
		{"only {{body.a}}", `{"a":null}`, ""},
		{"{{body.n}} and {{body.f}}, {{body.b}}", `{"n":9007199254740993,"f":1.5,"b":true}`, "9007199254740993 and 1.5, true"},
		{"{{body.a}}", `{"a":"@everyone <@&12> *x* [y](http://z) @bob"}`, "＠everyone \\<＠\\&12\\> \\*x\\* \\[y\\](http://z) ＠bob"},
		{"{{body.a}}", `{"a":"# big\n- list"}`, "\\# big ⏎ - list"},
		{"{{body.a}}", `{"a":"1. first"}`, "1\\. first"},
		{"`{{body.a}}`", `{"a":"a` + "`" + ` **b** \n c"}`, "`a' **b** c`"},
		{"```\n{{body.a}}\n```", `{"a":"x\n` + "```" + `\n@everyone"}`, "```\nx\n'''\n@everyone\n```"},
		{"{{body.a}}", `{"a":"https://x.example/a_b?c=1&d"}`, "<https://x.example/a_b?c=1&d>"},
		{"{{body.a}}", `{"a":"https://x.example/> **b**"}`, "https://x.example/\\> \\*\\*b\\*\\*"},
		{"{{body.a}}", `{"a":"a\u202eb\u0000c"}`, "abc"},
		{"{{map(body.l, .x)}}", `{"l":[{"x":"<b>"}]}`, "\\[\"\\<b\\>\"\\]"},
		{"", `{"a":1}`, "**ci** · push\n```\n{\"a\":1}\n```"},
	} {
		if got, err := render(t, tt.template, tt.body, false); got != tt.want || err != nil {
			t.Errorf("%s of %s: %q, %v; want %q", tt.template, tt.body, got, err, tt.want)
		}
	}
	if got, err := render(t, "Why? {{body.a}}", `{"a":"*x* @y"}`, true); got != "Why? *x* @y" || err != nil {
		t.Errorf("for a model: %q, %v", got, err)
	}
	if got, err := render(t, "{{body.a}}", `{"a":"`+strings.Repeat("x", 9000)+`"}`, false); len(got) > maxValue+3 || err != nil {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

// TestBadTemplates: what loops for long is refused when it is written, what grows or panics
// breaks off.
func TestBadTemplates(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{
		"{{body.", "{{body.}}", "{{nobody}}", "{{map(body, map(body, 1))}}", "{{count(1..1000, count(1..1000, count(1..1000, true)) > 0)}}",
		strings.Repeat("x", maxTemplate+1),
	} {
		if _, err := Parse(bad); err == nil {
			t.Errorf("%.60s is taken", bad)
		}
	}
	for _, breaks := range []string{
		"{{1..100000000}}", "{{repeat(\"x\", 100000000)}}", "{{body.a.b.c.d}}", "{{body.a[7]}}", "{{1 % (body.zero)}}", "{{fromJSON(\"{\")}}",
		"{{let a = 1..40000; let b = 1..40000; len(a) + len(b)}}", "{{body.a + 1}}", "{{duration(\"x\")}}",
	} {
		if got, err := render(t, breaks, `{"a":"text","zero":0}`, false); err == nil {
			t.Errorf("%s says %q", breaks, got)
		}
	}
}
