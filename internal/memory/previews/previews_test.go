package previews_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/chat"
	"parley/internal/memory/previews"
)

func open(t *testing.T, path string) *previews.Book {
	t.Helper()
	b, err := previews.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b
}

func preview(i int) chat.Preview {
	return chat.Preview{Key: chat.Key{Platform: "p", Channel: fmt.Sprint(i)}, ID: fmt.Sprint("id", i), Row: int64(i), UID: "u",
		At: time.Now().UTC().Round(0)}
}

// TestNotes: what one process noted and did not drop the next one finds, whatever else the
// file holds; what is dropped leaves nothing behind, and its room is used again.
func TestNotes(t *testing.T) {
	path := filepath.Join(t.TempDir(), previews.Name)
	b := open(t, path)
	made := size(t, path)
	var want []chat.Preview
	for i := range 300 {
		p := preview(i)
		for range 2 {
			if err := b.Note(p); err != nil {
				t.Fatal(err)
			}
		}
		if i%2 > 0 {
			want = append(want, p)
		}
	}
	for i := 0; i < 300; i += 2 {
		if err := b.Drop(preview(i)); err != nil {
			t.Fatal(err)
		}
	}
	before := size(t, path)
	if err := b.Note(preview(1000)); err != nil {
		t.Fatal(err)
	}
	if err := b.Drop(preview(1000)); err != nil || size(t, path) != before || made == 0 || made >= before {
		t.Errorf("%d bytes after %d, %d at first: %v", size(t, path), before, made, err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"id":"cut off`); err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
	if diff := cmp.Diff(want, open(t, path).Noted()); diff != "" {
		t.Error(diff)
	}
	text, _ := os.ReadFile(path)
	if strings.Contains(string(text), `"id2"`) {
		t.Error("what was dropped is still there")
	}
	if st, err := os.Stat(path); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", st, err)
	}
}

func size(t *testing.T, path string) int64 {
	t.Helper()
	st, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return st.Size()
}
