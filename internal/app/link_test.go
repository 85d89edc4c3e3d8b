package app

import (
	"testing"

	"parley/config"
	"parley/internal/memory"
)

// TestLinksLeadToTheirSource: each folder has its own base address, and every character of
// a path is escaped.
func TestLinksLeadToTheirSource(t *testing.T) {
	t.Parallel()
	n := &notes{base: &base{store: &memory.Store{}}}
	n.cfg.Vault.BaseURL = "obsidian://open?vault=my&file={path}"
	n.cfg.Sources = []config.Source{
		{Name: "parley", Kind: "code", BaseURL: "https://git.example.org/parley/blob/main/{path}#L{line}"},
		{Name: "wiki", BaseURL: "https://wiki.example.org/"}, {Name: "bare", Kind: "code"},
	}
	link := n.view().Link
	for _, c := range []struct {
		source, path string
		line         int
		want         string
	}{
		{"notes", "My notes/a+b & c=d (é)#1.md", 1, "obsidian://open?vault=my&file=My%20notes%2Fa%2Bb%20%26%20c%3Dd%20%28%C3%A9%29%231.md"},
		{"parley", "cmd/bot/main.go", 12, "https://git.example.org/parley/blob/main/cmd/bot/main.go#L12"},
		{"wiki", "a b/c?d.md", 3, "https://wiki.example.org/a%20b/c%3Fd.md"},
		{"bare", "main.go", 7, ""},
		{"unknown", "x.md", 1, ""},
	} {
		if got := link(c.source, c.path, c.line); got != c.want {
			t.Errorf("%s %s leads to %q, want %q", c.source, c.path, got, c.want)
		}
	}
}
