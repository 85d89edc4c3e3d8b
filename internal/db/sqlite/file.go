package sqlite

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"os"

	"parley/internal/db/engine"
	"parley/internal/text"
)

// headerSize is the length of SQLite's file header, which holds the page size
// at byte 16, the page count at byte 28 and the application id at byte 68, all
// big-endian.
const headerSize = 100

// Whole refuses with ErrCorrupt a file that lost its end, an empty one included:
// SQLite would take that for a new database and hide the loss.
func Whole(path string) error {
	st, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("database: %w", err)
	}
	if st.Size() < headerSize {
		return fmt.Errorf("%w: %s has %d bytes", engine.ErrCorrupt, path, st.Size())
	}
	head, err := header(path)
	if err != nil {
		return fmt.Errorf("database: %w", err)
	}
	page := int64(binary.BigEndian.Uint16(head[16:]))
	if page == 1 { // the format's way to say 65536
		page = 65536
	}
	if want := page * int64(binary.BigEndian.Uint32(head[28:])); st.Size() < want && !HasLog(path) {
		return fmt.Errorf("%w: %s is cut short (%d of %d bytes)", engine.ErrCorrupt, path, st.Size(), want)
	}
	return nil
}

// HasLog reports whether a write-ahead log with commits lies beside a file.
func HasLog(path string) bool {
	st, err := os.Stat(path + "-wal")
	return err == nil && st.Size() > 0
}

// ApplicationID reads the application id from a file's header; 0 when none was set.
// A file that is no database is ErrCorrupt.
func ApplicationID(path string) (uint32, error) {
	head, err := header(path)
	if err != nil {
		return 0, err
	}
	if string(head[:16]) != "SQLite format 3\x00" {
		return 0, fmt.Errorf("%w: it is no SQLite database", engine.ErrCorrupt)
	}
	return binary.BigEndian.Uint32(head[68:]), nil
}

// header reads the file's beginning.
func header(path string) (head []byte, err error) {
	head = make([]byte, headerSize)
	err = beside(path, os.O_RDONLY, func(f *os.File) error {
		if _, err := f.ReadAt(head, 0); err != nil {
			return fmt.Errorf("%w: its header cannot be read: %v", engine.ErrCorrupt, err)
		}
		return nil
	})
	return head, err
}

// Writable is nil where a database's file can be written, or is not there.
func Writable(path string) error {
	err := beside(path, os.O_RDWR, func(*os.File) error { return nil })
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// Reserve makes an empty file that only its owner can read, which SQLite would let others
// do, unless there is one.
func Reserve(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return rest(f)
}

// QuickCheck runs SQLite's quick_check over one table, or over the whole file
// for "". ErrCorrupt reports what it found.
func QuickCheck(ctx context.Context, conn *sql.Conn, table string) error {
	check := "PRAGMA quick_check(1)"
	if table != "" {
		check = "PRAGMA quick_check(" + Quoted(table) + ")"
	}
	var verdict string
	if err := conn.QueryRowContext(ctx, check).Scan(&verdict); err != nil {
		return err
	}
	if verdict != "ok" {
		return fmt.Errorf("%w: %s", engine.ErrCorrupt, text.Shorten(verdict, 200))
	}
	return nil
}
