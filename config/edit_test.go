package config

import (
	"errors"
	"strings"
	"testing"
)

// TestEdit: one setting changes, everything else stays to the byte.
func TestEdit(t *testing.T) {
	const file = `# my bot
model:
  name: "qwen3"   # the small one
  # what it costs
  base_url: http://127.0.0.1:11434/v1

access:
  owners:
    - telegram:42   # me

http: {listen: ":9090"} # loopback
discord:
  # no token yet
log:
  level: warn
`
	for name, tt := range map[string]struct {
		file, path string
		values     []string
		from, to   string // what is replaced in the file
	}{
		"a value with a comment": {file, "model.name", []string{"beta"}, `name: "qwen3"   #`, `name: "beta"   #`},
		"a value without": {file, "model.base_url", []string{"https://x.example/v1?a=1&b=2"}, "http://127.0.0.1:11434/v1",
			`"https://x.example/v1?a=1&b=2"`},
		"a new key in a section": {file, "model.api_key", []string{"sk-1"}, "11434/v1\n", "11434/v1\n  api_key: \"sk-1\"\n"},
		"an item of a list":      {file, "access.owners", []string{"telegram:42", "discord:7"}, "# me\n", "# me\n    - \"discord:7\"\n"},
		"a value in brackets":    {file, "http.listen", []string{"127.0.0.1:8080"}, `":9090"`, `"127.0.0.1:8080"`},
		"a new section": {file, "page.url", []string{"https://home.example/"}, "level: warn\n",
			"level: warn\npage:\n  url: \"https://home.example/\"\n"},
		"a section of comments": {file, "discord.token", []string{"t"}, "discord:\n", "discord:\n  token: \"t\"\n"},
		"deep": {file, "telegram.webhook.url", []string{"https://x/"}, "level: warn\n",
			"level: warn\ntelegram:\n  webhook:\n    url: \"https://x/\"\n"},
		"a switch": {file, "telegram.reactions", []string{"true"}, "level: warn\n",
			"level: warn\ntelegram:\n  reactions: true\n"},
		"a list": {file, "page.proxies", []string{"127.0.0.1", "10.0.0.0/8"}, "level: warn\n",
			"level: warn\npage:\n  proxies: [\"127.0.0.1\", \"10.0.0.0/8\"]\n"},
		"an empty file":              {"", "log.level", []string{"warn"}, "", "log:\n  level: \"warn\"\n"},
		"nothing but comments":       {"# mine\n", "log.level", []string{"warn"}, "# mine\n", "# mine\nlog:\n  level: \"warn\"\n"},
		"more in brackets":           {"http: {}\n", "http.listen", []string{":1"}, "{}", `{listen: ":1"}`},
		"next to others in brackets": {"telegram: {token: a}\n", "telegram.reactions", []string{"true"}, "a}", "a, reactions: true}"},
		"a list in brackets": {"access: {owners: [a, b], mode: open}\n", "access.owners", []string{"a", "b", "c"}, "[a, b]",
			`["a", "b", "c"]`},
		"umlauts before it": {"log: {level: \"ä\", format: json} # ö\n", "log.format", []string{"text"}, "json", `"text"`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Edit(tt.file, tt.path, tt.values...)
			if want := strings.Replace(tt.file, tt.from, tt.to, 1); err != nil || got != want {
				t.Errorf("%v\n%s\nexpected\n%s", err, got, want)
			}
		})
	}
	for name, tt := range map[string]struct{ file, path string }{
		"a text over lines":  {"persona: |\n  a\n  b\n", "persona"},
		"no mapping":         {"- a\n", "log.level"},
		"another's section":  {"log: loud\n", "log.level"},
		"a list gets shorte": {"access:\n  owners:\n  - a\n  - b\n", "access.owners"},
	} {
		if got, err := Edit(tt.file, tt.path, "x"); !errors.Is(err, ErrByHand) && err == nil {
			t.Errorf("%s: %v\n%s", name, err, got)
		}
	}
	if _, err := Edit("", "no.such", "x"); err == nil {
		t.Error("an unknown setting is set")
	}
}
