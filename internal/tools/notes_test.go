package tools

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/notes/index"
)

// notebook are the tools on a folder of notes and one of code with these files.
type notebook struct {
	t     *testing.T
	vault *index.Vault
	notes string // the folder
	tools map[string]Tool
}

func newNotebook(t *testing.T, files map[string]string) *notebook {
	t.Helper()
	base := t.TempDir()
	b := &notebook{t: t, notes: filepath.Join(base, "notes"), tools: map[string]Tool{}}
	sources := []index.Source{{Name: "notes", Dir: b.notes, Kind: index.KindNotes}, {Name: "lib", Dir: filepath.Join(base, "code"),
		Kind: index.KindCode}}
	for _, s := range sources {
		if err := os.MkdirAll(s.Dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range files {
		file := filepath.Join(base, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	v, err := index.Open(t.Context(), index.Options{Index: filepath.Join(base, "index.db"), Sources: sources})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = v.Close() })
	if err := v.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.vault = v
	b.offer(Notes{Vault: v, Code: true})
	return b
}

func (b *notebook) offer(n Notes) {
	for _, tool := range VaultTools(n) {
		b.tools[tool.Spec().Name] = tool
	}
}

func (b *notebook) call(name string, args map[string]any) Result {
	b.t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		b.t.Fatal(err)
	}
	r, err := b.tools[name].Call(b.t.Context(), Call{Direct: true, Args: raw})
	if err != nil {
		b.t.Fatalf("%s %s: %v", name, raw, err)
	}
	return r
}

// A search that finds nothing says where it looked.
func TestNothingFoundNamesWhatWasSearched(t *testing.T) {
	b := newNotebook(t, map[string]string{"notes/a.md": "# A\n\ntea", "code/a.go": "package a\n\nfunc Tea() {}\n"})
	for _, c := range []struct{ tool, arg, want string }{
		{"vault_search", "query", "the notes"},
		{"search_code", "query", "(lib)"},
		{"find_definition", "name", "(lib)"},
	} {
		got := b.call(c.tool, map[string]any{c.arg: "zzyzx"})
		if !strings.Contains(got.Content, c.want) || strings.Contains(got.Content, "in the notes") != (c.tool == "vault_search") {
			t.Errorf("%s: %q", c.tool, got.Content)
		}
	}
}

// A search by the model knows times, tags and properties in the words, and says what
// is of the time.
func TestSearchKnowsTimes(t *testing.T) {
	b := newNotebook(t, map[string]string{
		"notes/2026-11-10.md": "Watered the garden.", "notes/2026-05-12.md": "Planted the garden. #plants",
		"notes/fence.md": "---\ndate: 2026-03-01\nstatus: open\n---\nThe garden fence.",
	})
	wednesday := time.Date(2026, 11, 18, 1, 0, 0, 0, time.FixedZone("", 3600*5)) // still Tuesday in UTC
	b.offer(Notes{Vault: b.vault, Clock: func(context.Context, chat.User) time.Time { return wednesday }})
	for query, want := range map[string]string{
		"garden last week": "The first 1 are from the time asked for (2026-11-09 to 2026-11-15), the others are " +
			"not: 2026-11-10.md 2026-11-10, ",
		"was war im Mai":            "All are from the time asked for (2026-05-01 to 2026-05-31): 2026-05-12.md 2026-05-12\n",
		"garden yesterday":          "Nothing is from the time asked for (2026-11-17). Of other times, by date: ",
		"garden #plants":            "[1] 2026-05-12 — 2026-05-12.md\nPlanted",
		"garden [status:open]":      "[1] fence — fence.md\nThe garden fence.",
		"[status: Open] 上个月 garden": "Nothing is from the time asked for (2026-10-01 to 2026-10-31).",
	} {
		if got := b.call("vault_search", map[string]any{"query": query}); !strings.HasPrefix(got.Content, want) {
			t.Errorf("%s: %q", query, got.Content)
		}
	}
}

// Notes that contradict each other are pointed out to the model, code is not.
func TestSearchPointsOutContradictions(t *testing.T) {
	b := newNotebook(t, map[string]string{
		"notes/shops.md": "# Shops\n\nThe bakery opens at 8:00.", "notes/errands.md": "# Errands\n\nBakery opens 9:30 now.",
		"notes/pool.md": "# Pool\n\nThe pool opens at 7:00.",
		"code/a.md":     "The bakery opens at 8:00.", "code/b.md": "The bakery opens at 9:30.",
	})
	got := b.call("vault_search", map[string]any{"query": "when does the bakery open"})
	if n := strings.Count(got.Content, "contradict each other"); n != 1 || !strings.Contains(got.Content,
		"“The bakery opens at 8:00.” (shops.md)") || !strings.Contains(got.Content, "“Bakery opens 9:30 now.” (errands.md)") {
		t.Errorf("%s", got.Content)
	}
	for tool, query := range map[string]string{"vault_search": "when does the pool open", "search_code": "bakery"} {
		if got := b.call(tool, map[string]any{"query": query}); strings.Contains(got.Content, "contradict") {
			t.Errorf("%s %s: %s", tool, query, got.Content)
		}
	}
}
