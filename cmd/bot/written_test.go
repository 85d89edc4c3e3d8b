package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/memory/datadir"
)

// TestWhatAMessageWrites: a message takes four commits (it came, its answer, that this
// is about to be sent, and was), and about thirty pages. Each commit more is a wait
// more, and each page is written twice.
func TestWhatAMessageWrites(t *testing.T) {
	w := newWorld(t)
	if w.url != "" {
		t.Skip("it counts what SQLite's log holds")
	}
	w.llm.Quiet()
	w.run(t)
	const before, n = 12, 12 // what is learned of the model is stored with the first
	for i := range before {
		w.tg.Push(telegramtest.Text(7, 7, fmt.Sprintf("message %d", i)))
		w.sent(t, i+1)
	}
	commits, pages := walHolds(t, w.dir)
	for i := range n {
		w.tg.Push(telegramtest.Text(7, 7, fmt.Sprintf("message %d", i)))
		w.sent(t, before+i+1)
	}
	commits2, pages2 := walHolds(t, w.dir)
	commits, pages = commits2-commits, pages2-pages
	// The last "was sent" may still be on its way; something else may be stored meanwhile.
	if commits < 4*n-1 || commits > 4*n+3 || pages > 33*n {
		t.Errorf("%d messages took %d commits and %d pages", n, commits, pages)
	}
}

// walHolds counts what SQLite's log beside the database holds: its frames have a header
// each, with the log's salt, and the last of a commit has the size of the database.
func walHolds(t *testing.T, dir string) (commits, pages int) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, datadir.Name+"-wal"))
	must(t, err)
	const head, frameHead = 32, 24
	if len(b) < head {
		return 0, 0
	}
	page := int(binary.BigEndian.Uint32(b[8:]))
	for at := head; at+frameHead+page <= len(b) && bytes.Equal(b[at+8:at+16], b[16:24]); at += frameHead + page {
		pages++
		if binary.BigEndian.Uint32(b[at+4:]) > 0 {
			commits++
		}
	}
	return commits, pages
}
