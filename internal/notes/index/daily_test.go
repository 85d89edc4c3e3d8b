package index

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestDailyNote(t *testing.T) {
	day := time.Date(2026, 11, 22, 9, 5, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		files            map[string]string
		path, says, when string
	}{
		"no Obsidian": {nil, "agent-notes/daily/2026-11-22.md", "## Parley\n\n- one\n- two\n", ""},
		"its default": {map[string]string{".obsidian/app.json": "{}"}, "2026-11-22.md", "## Parley\n\n- one\n- two\n", ""},
		"where it is": {map[string]string{".obsidian/daily-notes.json": `{"folder":"Journal","format":"YYYY/DD.MM.","template":"T/Day"}`,
			"T/Day.md": "# {{title}}\n"}, "Journal/2026/22.11..md", "# 22.11.\n\n## Parley\n\n- one\n- two\n", ""},
		"with template": {map[string]string{".obsidian/daily-notes.json": `{"folder":"Journal","format":"YYYY/MM-DD","template":"T/Day"}`,
			"T/Day.md": "# {{title}}\r\n"}, "Journal/2026/11-22.md", "# 11-22\n\n## Parley\n\n- one\n- two\n", ""},
		"is there": {map[string]string{".obsidian/app.json": "{}",
			"2026-11-22.md": "Mine\r\n\r\n## Parley\r\n\r\n- zero\r\n\r\n## Mine too\r\n"}, "2026-11-22.md",
			"Mine\r\n\r\n## Parley\r\n\r\n- zero\r\n- one\r\n- two\r\n\r\n## Mine too\r\n", ""},
		"outside": {map[string]string{".obsidian/daily-notes.json": `{"folder":"../../etc"}`}, "", "", "leaves the folder"},
		"hidden":  {map[string]string{".obsidian/daily-notes.json": `{"folder":".obsidian"}`}, "", "", "is hidden"},
		"not UTF-8": {map[string]string{".obsidian/app.json": "{}", "2026-11-22.md": "caf\xe9\n"}, "2026-11-22.md",
			"caf\xe9\n", "is not UTF-8"},
	} {
		f := newFolder(t)
		for file, text := range c.files {
			f.put(file, text)
		}
		f.refresh()
		var err error
		for _, line := range []string{"- one", "- two", "- two"} {
			_, err = f.AddDaily(t.Context(), day, line)
		}
		if (err != nil) != (c.when != "") {
			t.Errorf("%s: %v", name, err)
		}
		if c.says != "" && f.file(c.path) != c.says {
			t.Errorf("%s: %q", name, f.file(c.path))
		}
		if c.when == "" && f.paths("one two") != c.path {
			t.Errorf("%s: found is %q", name, f.paths("one two"))
		}
	}
	f := newFolder(t)
	f.put(".obsidian/daily-notes.json", `{"folder":"Journal"}`)
	must(t, os.Symlink(t.TempDir(), filepath.Join(f.dir, "Journal")))
	if _, err := f.AddDaily(t.Context(), day, "- x"); !errors.Is(err, ErrPath) {
		t.Error("through a link:", err)
	}
}
