package factsfile

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/chat"
	"parley/internal/memory"
	"parley/internal/memory/facts"
	"parley/internal/memory/memorytest"
	"parley/internal/memory/provenance"
)

// The owner's facts file and what the bot remembers follow each other; a file
// that is broken changes nothing, and says so once.
func TestFactsFileFollows(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "facts.md")
	ctx := context.Background()
	store, err := memorytest.Try(t, filepath.Join(dir, "data"), memory.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	f := New(file, "telegram:1", store)
	owner := provenance.Viewer{User: "telegram:1", Key: chat.Key{Platform: "telegram", Channel: "1"}, Direct: true}
	sync := func() string {
		t.Helper()
		for range 3 { // two looks, and one at what was written
			if err := f.Sync(ctx); err != nil {
				t.Fatal(err)
			}
		}
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	if _, err := store.Facts.SaveFact(ctx, owner, facts.NewFact{Content: "Ann plays the cello"}); err != nil {
		t.Fatal(err)
	}
	text := sync()
	if !strings.Contains(text, "Ann plays the cello") {
		t.Fatalf("the file says\n%s", text)
	}
	if st, err := os.Stat(file); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", st.Mode(), err)
	}
	edited := strings.Replace(text, "plays the cello", "plays the harp", 1) + "- Ann rides a bike\n"
	if err := os.WriteFile(file, []byte(edited), 0o600); err != nil {
		t.Fatal(err)
	}
	sync()
	list, err := store.Facts.Facts(ctx, owner, 10, 0)
	if err != nil || len(list) != 2 || !strings.Contains(list[0].Content+list[1].Content, "plays the harp") {
		t.Errorf("rows: %+v, %v", list, err)
	}
	if err := os.WriteFile(file, []byte("# Key Facts\n\noops\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := f.Sync(ctx); err != nil {
		t.Errorf("obeyed or refused with the first look: %v", err)
	}
	if err := f.Sync(ctx); err == nil || !strings.Contains(err.Error(), "line 3") {
		t.Errorf("a broken file: %v", err)
	}
	if err := f.Sync(ctx); err != nil {
		t.Errorf("said twice: %v", err)
	}
	if list, err := store.Facts.Facts(ctx, owner, 10, 0); err != nil || len(list) != 2 {
		t.Errorf("a broken file changed the rows: %+v, %v", list, err)
	}
}
