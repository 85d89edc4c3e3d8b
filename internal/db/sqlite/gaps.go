package sqlite

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"

	"parley/internal/db/engine"
)

// SQLite overwrites what it deletes (secure_delete). But when it moves rows from
// one page to another to balance a tree, the old copies stay in the unused middle
// of the first page, and once such a row is deleted only its new place is
// overwritten. VACUUM would rid the file of them, and hold up every write for
// seconds where the file is large. So the unused middles are filled with zeros
// here, in the file itself, where no SQL can reach them: with the writer's lock
// held and the log empty, so that the file is all there is and nobody changes it.
// Nobody reads these bytes either, so a reader beside it, or a crash in the
// middle of it, meets a file as sound as before.

// Where a page of a tree says what it is: its kind, how many cells it has, and
// where they begin.
const (
	atCells   = 3
	atContent = 5
	leafHead  = 8
	innerHead = 12
)

// maxPages is up to where the first byte of a page that belongs to no tree, the
// high byte of another's number, cannot look like a kind of tree.
const maxPages = 1 << 25

// ClearGaps implements engine.File: its step empties the log and then clears unused
// bytes of some pages.
func (f *file) ClearGaps() func(tx *engine.Tx) (left bool, err error) {
	next := int64(2) // the first page holds the schema, and nobody's words
	return func(tx *engine.Tx) (left bool, err error) {
		if err := f.EmptyLog(tx); err != nil {
			return false, err
		}
		err = tx.Atomic(func() error {
			next, left, err = f.clear(tx, next)
			return err
		})
		return left, err
	}
}

// EmptyLog implements engine.File. It does not wait for readers.
func (f *file) EmptyLog(tx *engine.Tx) error {
	if !HasLog(f.path) {
		return nil
	}
	var was, busy, frames, moved int
	if err := tx.QueryRow("PRAGMA busy_timeout").Scan(&was); err != nil {
		return err
	}
	if err := tx.QueryRow("PRAGMA busy_timeout = 0").Scan(&busy); err != nil {
		return err
	}
	err := tx.QueryRow("PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &frames, &moved)
	if e := tx.QueryRow(fmt.Sprintf("PRAGMA busy_timeout = %d", was)).Scan(&was); e != nil {
		return errors.Join(err, e)
	}
	if err != nil || busy != 0 {
		return errors.Join(err, engine.ErrLogInUse)
	}
	return nil
}

// pagesAtOnce is how many pages one step reads.
const pagesAtOnce = 256

// clear looks through some pages of the file from next on. It has the lock of
// the writer.
func (f *file) clear(tx *engine.Tx, next int64) (then int64, left bool, err error) {
	if HasLog(f.path) { // another process was faster
		return next, true, nil
	}
	if _, err := tx.Exec(shrink); err != nil { // no old page is written back later
		return next, false, err
	}
	pagesOf, err := f.opened()
	if err != nil {
		return next, false, err
	}
	var size, pages, maps int64
	if err := tx.QueryRow("SELECT (SELECT page_size FROM pragma_page_size), (SELECT page_count FROM pragma_page_count), "+
		"(SELECT auto_vacuum FROM pragma_auto_vacuum)").Scan(&size, &pages, &maps); err != nil {
		return next, false, err
	}
	if pages >= maxPages {
		return next, false, errors.New("the file is too large to be wiped")
	}
	n := min(pagesAtOnce, pages-next+1)
	if n <= 0 {
		return next, false, nil
	}
	buf := make([]byte, n*size)
	if _, err := pagesOf.ReadAt(buf, (next-1)*size); err != nil {
		return next, false, err
	}
	wrote := false
	for i := range n {
		if maps != 0 && isMap(next+i, size) {
			continue
		}
		page := buf[i*size : (i+1)*size]
		from, to := gap(page)
		if len(bytes.Trim(page[from:to], "\x00")) == 0 {
			continue
		}
		wrote = true
		if _, err := pagesOf.WriteAt(make([]byte, to-from), (next+i-1)*size+int64(from)); err != nil {
			return next, false, err
		}
	}
	if wrote {
		err = pagesOf.Sync()
	}
	return next + n, next+n <= pages, err
}

// opened is the file itself, open until the database is closed: a file that is closed
// while SQLite has it open takes SQLite's locks along.
func (f *file) opened() (*os.File, error) {
	if f.raw == nil {
		raw, err := os.OpenFile(f.path, os.O_RDWR, 0)
		if err != nil {
			return nil, err
		}
		f.raw = raw
	}
	return f.raw, nil
}

// isMap reports whether a page says where other pages belong, which a file that
// can shrink has at regular distances.
func isMap(page, size int64) bool {
	every := size/5 + 1
	first := (page-2)/every*every + 2
	return page == first || page == first+1 && first == 1<<30/size+1
}

// gap returns the unused middle of a page of a tree: from the end of the list of
// its cells to the first of them. It is empty for any other page, and where the
// page says something that cannot be.
func gap(page []byte) (from, to int) {
	switch page[0] {
	case 2, 5:
		from = innerHead
	case 10, 13:
		from = leafHead
	default:
		return 0, 0
	}
	cells := int(binary.BigEndian.Uint16(page[atCells:]))
	to = int(binary.BigEndian.Uint16(page[atContent:]))
	if to == 0 {
		to = 1 << 16
	}
	list := from
	from += 2 * cells
	if from > to || to > len(page) {
		return 0, 0
	}
	for at := list; at < from; at += 2 {
		if int(binary.BigEndian.Uint16(page[at:])) < to {
			return 0, 0
		}
	}
	return from, to
}
