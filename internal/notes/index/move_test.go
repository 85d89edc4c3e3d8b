package index

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/notes/edit"
)

// linkedFolder returns a vault whose notes link each other in every way.
func linkedFolder(t *testing.T) (*folder, map[string]string) {
	t.Helper()
	f := newFolder(t)
	all := map[string]string{
		"Home.md": "---\nup: \"[[Old plan]]\"\n---\r\n[[Old plan#Why|why]], ![[agent-notes/Old plan#^b1]], " +
			"[m](agent-notes/Old%20plan.md#why) `[[Old plan]]`\r\n",
		"deep/er/Far.md":           "[a](<../../agent-notes/Old plan.md>) and [[Home]]",
		"agent-notes/Old plan.md":  "# Plan\n\n## Why\n\n[[Other]] [o](Other.md) [h](../Home.md) [[Old plan#Why]] ^b1\n",
		"agent-notes/Other.md":     "see [[Old plan]]",
		"agent-notes/Apart.md":     "nothing",
		"board.canvas":             `{"nodes":[{"type":"file","file":"agent-notes/Old plan.md"},{"type":"text","text":"[[Old plan]]"}]}`,
		"Old plan.txt":             "not a note",
		"deep/latin.md":            "caf\xe9 [[Old plan]]",
		".obsidian/workspace.json": "[[Old plan]]",
	}
	for name, text := range all {
		f.put(name, text)
	}
	f.refresh()
	return f, all
}

func TestMoveKeepsLinks(t *testing.T) {
	f, before := linkedFolder(t)
	got, err := f.Move(t.Context(), "Old plan.md", "projects/New (1).md", Who{ID: "terminal:me"})
	must(t, err)
	want := map[string]string{
		"Home.md": "---\nup: \"[[New (1)]]\"\n---\r\n[[New (1)#Why|why]], " +
			"![[agent-notes/projects/New (1)#^b1]], [m](agent-notes/projects/New%20%281%29.md#why) `[[Old plan]]`\r\n",
		"deep/er/Far.md":                  "[a](<../../agent-notes/projects/New (1).md>) and [[Home]]",
		"agent-notes/projects/New (1).md": "# Plan\n\n## Why\n\n[[Other]] [o](Other.md) [h](../../Home.md) [[New (1)#Why]] ^b1\n",
		"agent-notes/Other.md":            "see [[New (1)]]",
		"board.canvas":                    `{"nodes":[{"type":"file","file":"agent-notes/projects/New (1).md"},{"type":"text","text":"[[New (1)]]"}]}`,
		"deep/latin.md":                   before["deep/latin.md"],
		".obsidian/workspace.json":        "[[Old plan]]",
	}
	for name, text := range want {
		if diff := cmp.Diff(text, f.file(name)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if got.Links != 10 || len(got.Notes) != 5 || !slices.Equal(got.Left, []string{"deep/latin.md"}) ||
		got.From != "agent-notes/Old plan.md" || got.To != "agent-notes/projects/New (1).md" {
		t.Errorf("%+v", got)
	}
	if got := f.paths("plan why"); !strings.HasPrefix(got, "agent-notes/projects/New (1).md") {
		t.Errorf("found after the move: %s", got)
	}
	if _, err := f.Undo(t.Context(), func(edit.Change) bool { return false }); !errors.Is(err, edit.ErrNothing) {
		t.Error("another person undid it:", err)
	}
	f.put("deep/Later.md", "written later: [[New (1)]]")
	f.put("agent-notes/Other.md", "changed: see [[New (1)]]")
	before["deep/Later.md"], before["agent-notes/Other.md"] = "written later: [[Old plan]]", "changed: see [[Old plan]]"
	anybody := func(c edit.Change) bool { return c.By == "terminal:me" }
	if _, err := f.Undo(t.Context(), anybody); err != nil {
		t.Fatal(err)
	}
	for name, text := range before {
		if diff := cmp.Diff(text, f.file(name)); diff != "" {
			t.Errorf("taken back: %s: %s", name, diff)
		}
	}
	if _, err := f.Undo(t.Context(), anybody); !errors.Is(err, edit.ErrNothing) {
		t.Error("twice:", err)
	}
}

func TestRefusedMoves(t *testing.T) {
	f, _ := linkedFolder(t)
	for _, name := range []string{"a#b.md", "a^b.md", "[a].md"} {
		if _, err := f.Move(t.Context(), "Old plan.md", name, Who{}); !errors.Is(err, ErrPath) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := f.Move(t.Context(), "gone.md", "d.md", Who{}); !errors.Is(err, ErrNotFound) {
		t.Errorf("a note that does not exist: %v", err)
	}
	f.put("agent-notes/taken.md", "x")
	if _, err := f.Move(t.Context(), "Old plan.md", "taken.md", Who{}); !errors.Is(err, ErrExists) ||
		f.file("agent-notes/Other.md") != "see [[Old plan]]" {
		t.Error(err)
	}
}
