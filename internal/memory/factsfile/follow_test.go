package factsfile

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Facts file and database follow each other. A broken file changes nothing and is
// reported once.
func TestFactsFileFollows(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "other.md"), nil, 0o600)) // the folder is no empty mount point
	k := newKept(t, 0, filepath.Join(dir, "facts.md"))
	k.learn("Ann plays the cello")
	k.tick()
	if st, err := os.Stat(k.file); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", st.Mode(), err)
	}
	k.write(strings.Replace(k.read(), "plays the cello", "plays the harp", 1) + "- Ann rides a bike\n")
	k.tick()
	want := []string{"Ann plays the harp", "Ann rides a bike"}
	if got := k.contents(); !slices.Equal(got, want) {
		t.Errorf("after an edit: %q", got)
	}
	k.write("# Key Facts\n\noops\n")
	for look, want := range []string{"", "line 3", ""} { // the file counts from the second look on
		err := k.Sync(t.Context())
		if (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("look %d at a broken file: %v", look, err)
		}
	}
	if got := k.contents(); !slices.Equal(got, want) {
		t.Errorf("after a broken file: %q", got)
	}
}
