package tools

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/vault"
)

// notebook are the tools on a folder of notes and one of code with these files.
type notebook struct {
	t     *testing.T
	vault *vault.Vault
	notes string // the folder
	tools map[string]Tool
}

func newNotebook(t *testing.T, files map[string]string) *notebook {
	t.Helper()
	base := t.TempDir()
	b := &notebook{t: t, notes: filepath.Join(base, "notes"), tools: map[string]Tool{}}
	sources := []vault.Source{{Name: "notes", Dir: b.notes, Kind: vault.KindNotes}, {Name: "lib", Dir: filepath.Join(base, "code"), Kind: vault.KindCode}}
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
	v, err := vault.Open(t.Context(), vault.Options{Index: filepath.Join(base, "index.db"), Sources: sources})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = v.Close() })
	if err := v.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.vault = v
	for _, tool := range VaultTools(Notes{Vault: v, Code: true}) {
		b.tools[tool.Spec().Name] = tool
	}
	return b
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
