package tools

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/chat"
	"parley/internal/memory"
	"parley/internal/memory/memorytest"
	"parley/internal/notes/edit"
	"parley/internal/notes/index"
	"parley/internal/text"
)

// office is a notebook in which several people write; owner is theirs.
func office(t *testing.T, files map[string]string) (*notebook, Notes) {
	t.Helper()
	b := newNotebook(t, files)
	return b, Notes{Vault: b.vault, Authors: memorytest.Open(t, memory.Options{}).Access, Owner: func(_ context.Context,
		id string) bool {
		return id == "owner"
	}}
}

func direct(who string) Call {
	return Call{Who: chat.User{ID: who, Name: strings.ToUpper(who)}, Direct: true}
}

func (b *notebook) says(name string) string {
	got, err := os.ReadFile(filepath.Join(b.notes, name))
	if err != nil {
		return "-"
	}
	return string(got)
}

// shelfOf returns the notes that somebody may change, as they are now.
func shelfOf(t *testing.T, n Notes, who string) *Shelf {
	t.Helper()
	d, err := n.Editable(t.Context(), direct(who))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func write(t *testing.T, n Notes, who, name, content string) {
	t.Helper()
	d := shelfOf(t, n, who)
	mode := index.ModeCreate
	if _, err := n.Vault.Fingerprint(t.Context(), "", "agent-notes/"+name); err == nil {
		mode = index.ModeAppend
	}
	if _, err := d.put(t.Context(), index.Note{Path: name, Mode: mode, Content: content}); err != nil {
		t.Fatal(err)
	}
}

func TestNamed(t *testing.T) {
	_, n := office(t, map[string]string{"notes/a/Plan.md": "# The plan\n\nhere", "notes/b/plan.md": "# Another\n\nthere"})
	write(t, n, "anna", "secret.md", "# The plan\n\nAnna's own")
	read := func(who, name string) (string, error) {
		d, err := shelfOf(t, n, who).Read(t.Context(), index.Part{Path: name})
		return d.Path, err
	}
	var several AmbiguousError
	if _, err := read("bob", "plan"); !errors.As(err, &several) || len(several.List) != 2 {
		t.Errorf("%v", err)
	} else if said, ok := text.ForPeople(err); !ok || !strings.Contains(said, "a/Plan.md") || !strings.Contains(said, "b/plan.md") {
		t.Errorf("%q", said)
	}
	if got, err := read("bob", "the plan"); err != nil || got != "a/Plan.md" {
		t.Errorf("what one may not read is not asked about: %q, %v", got, err)
	}
	if _, err := read("anna", "the plan"); !errors.As(err, &several) {
		t.Errorf("her own is: %v", err)
	}
	if got, err := read("bob", "another"); err != nil || got != "b/plan.md" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := read("bob", "secret"); !errors.Is(err, index.ErrNotFound) {
		t.Error(err)
	}
}

func TestMoveIsItsAuthors(t *testing.T) {
	b, n := office(t, map[string]string{"notes/Home.md": "see [[idea]]", "notes/Plan.md": "x"})
	ctx := t.Context()
	write(t, n, "anna", "idea.md", "Anna's idea")
	if _, err := shelfOf(t, n, "bob").Move(ctx, "idea", "stolen"); !errors.Is(err, index.ErrNotFound) {
		t.Error(err)
	}
	if _, err := shelfOf(t, n, "owner").Move(ctx, "plan", "plan b"); err == nil || errors.Is(err, index.ErrNotFound) {
		t.Error("outside of the write folder:", err)
	}
	m, err := shelfOf(t, n, "anna").Move(ctx, "Idea", "ideas/")
	if err != nil || m.To != "agent-notes/ideas/idea.md" || m.Links != 0 {
		t.Fatalf("%+v, %v", m, err)
	}
	if m, err = shelfOf(t, n, "anna").Move(ctx, "idea", "better one"); err != nil || m.To != "agent-notes/ideas/better one.md" ||
		b.says("Home.md") != "see [[better one]]" {
		t.Fatalf("%+v, %v, %s", m, err, b.says("Home.md"))
	}
	if _, err := shelfOf(t, n, "bob").Read(ctx, index.Part{Path: "better one"}); !errors.Is(err, index.ErrNotFound) {
		t.Error("bob reads it:", err)
	}
	if _, err := shelfOf(t, n, "bob").Undo(ctx); !errors.Is(err, edit.ErrNothing) {
		t.Error("bob takes it back:", err)
	}
	for _, want := range []string{"agent-notes/ideas/idea.md", "agent-notes/idea.md"} {
		if m, err = shelfOf(t, n, "anna").Undo(ctx); err != nil || m.To != want {
			t.Fatalf("%+v, %v", m, err)
		}
	}
	if _, err := shelfOf(t, n, "anna").Undo(ctx); !errors.Is(err, edit.ErrNothing) || b.says("Home.md") != "see [[idea]]" {
		t.Error(err)
	}
	if d, err := shelfOf(t, n, "anna").Read(ctx, index.Part{Path: "idea"}); err != nil || d.Text != "Anna's idea\n" {
		t.Error("it is not hers any more:", err)
	}
	write(t, n, "anna", "other.md", "x")
	if _, err := shelfOf(t, n, "anna").Move(ctx, "idea", "other"); !errors.Is(err, index.ErrExists) {
		t.Error(err)
	}
	if d, err := shelfOf(t, n, "anna").Read(ctx, index.Part{Path: "other"}); err != nil || d.Text != "x\n" {
		t.Error("a move that failed took the author of the other along:", err)
	}
}

func TestRestoreIsItsAuthors(t *testing.T) {
	b, n := office(t, nil)
	ctx := t.Context()
	write(t, n, "anna", "idea.md", "one")
	write(t, n, "anna", "idea.md", "two")
	if _, _, err := shelfOf(t, n, "bob").Versions(ctx, "idea"); !errors.Is(err, index.ErrNotFound) {
		t.Error(err)
	}
	at, all, err := shelfOf(t, n, "anna").Versions(ctx, "idea")
	if err != nil || at != "agent-notes/idea.md" || len(all) != 1 || all[0].By.ID != "anna" || all[0].By.Name != "ANNA" ||
		all[0].Text != "one\n" {
		t.Fatalf("%s %+v %v", at, all, err)
	}
	if _, err := shelfOf(t, n, "anna").Restore(ctx, "idea", edit.Nth(2)); !errors.Is(err, index.ErrNotFound) {
		t.Error(err)
	}
	w, err := shelfOf(t, n, "anna").Restore(ctx, "idea", edit.Nth(1))
	if err != nil || b.says("agent-notes/idea.md") != "one\n" {
		t.Fatal(err)
	}
	if got := Wrote(t.Context(), w).Note; !strings.Contains(got, "+0 −2") || !strings.Contains(got, "- two") {
		t.Error(got)
	}
}

func TestWroteShowsWhatChanged(t *testing.T) {
	long := strings.Repeat("line\n", 40)
	for _, c := range []struct{ before, after, want string }{
		{"", "a\nb\n", "Wrote n.md (+2 −0 lines):\n```diff\n+ a\n+ b\n```"},
		{"a\nb\nc\n", "a\nx\nc\n", "Wrote n.md (+1 −1 lines):\n```diff\n- b\n+ x\n```"},
		{"a\r\n", "a\n", "Wrote n.md; nothing in it changed."},
		{"```\n", "", "Wrote n.md (+0 −1 lines):\n```diff\n- '''\n```"},
		{"", long, "Wrote n.md (+40 −0 lines):\n```diff\n" + strings.Repeat("+ line\n", 6) + "+ … and 34 more\n```"},
	} {
		if got := Wrote(t.Context(), index.Written{Path: "n.md", Before: c.before, After: c.after, Action: index.Updated}).Note; got != c.want {
			t.Errorf("%q", got)
		}
	}
}

// A note that shows a block of somebody else's has their words, and nobody sees a block that they
// may not read.
func TestABlockShownElsewhereIsItsAuthors(t *testing.T) {
	const id = "60a77d63-7340-4c1d-8bbc-68bd4e49fc6c"
	_, n := office(t, map[string]string{"notes/plan.md": "- The oven, see ((" + id + "))\n"})
	group := direct("anna")
	group.Direct = false
	shared, err := n.Editable(t.Context(), group)
	if err != nil {
		t.Fatal(err)
	}
	hers := index.Note{Path: "anna.md", Mode: index.ModeCreate, Content: "- It is broken\n  id:: " + id}
	if _, err := shared.put(t.Context(), hers); err != nil {
		t.Fatal(err)
	}
	for who, outside := range map[string]bool{"owner": true, "anna": false} {
		c := direct(who)
		shelf, err := n.Shelf(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		hits, err := shelf.Search(t.Context(), index.Query{Text: "plan"})
		if err != nil || len(hits) != 1 || hits[0].Text != "- The oven, see It is broken" {
			t.Fatalf("%s: %+v, %v", who, hits, err)
		}
		r, err := shelf.Found(t.Context(), index.KindNotes, hits)
		if err != nil || r.Untrusted != outside {
			t.Errorf("%s: %+v, %v", who, r, err)
		}
	}
}
