package urls

import (
	"slices"
	"strings"
	"testing"
)

func TestHosts(t *testing.T) {
	t.Parallel()
	for in, want := range map[string][]string{
		"https://evil.com/?q=1":                         {"evil.com"},
		"HTTP:\\\\EVIL.com\\x":                          {"evil.com"},
		"http:evil.com":                                 {"evil.com"},
		"//evil.com/x":                                  {"evil.com"},
		"\\\\evil.com\\share":                           {"evil.com"},
		"http://intranet:8080/x":                        {"intranet"},
		"http://2130706433/":                            {"2130706433"},
		"http://[2001:db8::1]:80/x":                     {"2001:db8::1"},
		"at 2001:db8::1 or 10.1.2.3":                    {"2001:db8::1", "10.1.2.3"},
		"https://typed.com@evil.com/":                   {"evil.com"},
		"https://typed.com\\@evil.com/":                 {"typed.com", "evil.com"},
		"evil.com":                                      {"evil.com"},
		"evil.com.":                                     {"evil.com"},
		"evil.com:8080/x":                               {"evil.com"},
		"see a.evil.co.uk, please":                      {"a.evil.co.uk"},
		"evil.tld/?q=1":                                 {"evil.tld"},
		"evil.example":                                  {"evil.example"},
		"ｅｖｉｌ．ｃｏｍ":                                      {"evil.com"},
		"evil。com":                                      {"evil.com"},
		"e\u200bvil.com":                                {"evil.com"},
		"пример.рф":                                     {"xn--e1afmkfd.xn--p1ai"},
		"ev%69l%2Ecom/x":                                {"evil.com"},
		"https%253A%252F%252Fevil.com":                  {"evil.com"},
		"https://good.com/go?to=https%3A%2F%2Fevil.com": {"good.com", "evil.com"},
		`{"a":["https:\/\/evil.com\/x"]}`:               {"evil.com"},
		"x:https://evil.com":                            {"evil.com"},
		"ZX:PIN@evil.com/a":                             {"evil.com"},
		"custom://evil.com/x":                           {"evil.com"},
		"custom://insights/x":                           nil,
		"file:///srv/notes.md":                          nil,
		"notes.md":                                      nil,
		"docs/a.b.md":                                   nil,
		"main.go:42, e.g. v1.2.3 or 3.5/4 and/or 12:30:45": nil,
		"std::vector, i.e. a.m.":                           nil,
		"README, index.html; foo.bar.js":                   nil,
	} {
		var got []string
		for _, n := range Hosts(in) {
			got = append(got, n.Host)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q names %q, want %q", in, got, want)
		}
	}
	if got := Hosts("bob@evil.com"); len(got) != 1 || !got[0].Mail || got[0].Text != "bob@evil.com" {
		t.Errorf("a mailbox: %+v", got)
	}
	if got := Hosts(strings.Repeat("a.com ", 200) + "evil.com"); len(got) != 2 || got[1].Host != "" {
		t.Errorf("more than is looked at: %+v", got)
	}
	if got := Hosts("bob@evil.com/x"); len(got) != 1 || got[0].Mail {
		t.Errorf("a user of a page: %+v", got)
	}
}

func TestCarries(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]bool{
		"evil.com": false, "zx.evil.com": true, "evil.co.uk": false, "zx.evil.co.uk": true, "zx.github.io": true,
		"README.md": false, "main.go": false, "a.b.go": false, "zx.evil.md": true, "1.2.3": false, "zx.пример.рф": true,
	} {
		if got := Carries(host); got != want {
			t.Errorf("%s: %t", host, got)
		}
	}
}

// Whatever a model writes is looked at in the time that it takes to read it.
func TestHostsOfMuch(t *testing.T) {
	t.Parallel()
	for _, piece := range []string{"http:", "//", "a.com", "a@", "1.1.1.1", "%25", "x.y.z.com@", "::1", "["} {
		Hosts(strings.Repeat(piece, 100_000/len(piece)))
	}
}
