package sqlite

import (
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"
	"io"
	"os"

	"parley/internal/engine"
	"parley/internal/text"
)

// headerSize is the length of SQLite's file header, which holds the page size
// at byte 16, the page count at byte 28 and the application id at byte 68, all
// big-endian.
const headerSize = 100

// Whole refuses with ErrCorrupt a file that lost its end, an empty one included:
// SQLite would take that for a new database and hide the loss.
func Whole(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("database: %w", err)
	}
	defer func() { _ = f.Close() }()
	st, err := f.Stat()
	if err != nil {
		return fmt.Errorf("database: %w", err)
	}
	head := make([]byte, headerSize)
	if _, err := f.ReadAt(head, 0); err != nil {
		return fmt.Errorf("%w: %s has %d bytes", engine.ErrCorrupt, path, st.Size())
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
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer func() { _ = f.Close() }()
	head := make([]byte, headerSize)
	if _, err := io.ReadFull(f, head); err != nil {
		return 0, fmt.Errorf("%w: its header cannot be read: %v", engine.ErrCorrupt, err)
	}
	if string(head[:16]) != "SQLite format 3\x00" {
		return 0, fmt.Errorf("%w: it is no SQLite database", engine.ErrCorrupt)
	}
	return binary.BigEndian.Uint32(head[68:]), nil
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
