package sqlite

import (
	"database/sql/driver"
	"errors"
	"os"
	"sync"

	"github.com/mattn/go-sqlite3"

	"parley/internal/text/machine"
)

// A process that closes any descriptor of a file loses all the locks it has on it (POSIX).
// SQLite minds that among its own connections and knows of no others: were a file that it
// has open opened beside it and closed, whichever program next closes that database would
// take itself for the last one, and delete the log that this process goes on writing to. So
// whatever reads a database's file as a file does it through beside, which closes nothing
// while this process has a connection to that file.

// inode is a file, whatever it is called.
type inode struct{ dev, ino uint64 }

// inodeOf is the zero inode for what no file system knows, and on Windows, whose locks are
// the descriptor's.
func inodeOf(st os.FileInfo) (id inode) {
	id.dev, id.ino, _ = machine.Identify(st)
	return id
}

// descriptors are those that rest until nothing is connected to their file any more.
var descriptors = struct {
	sync.Mutex
	opening int // connections of which it is not known yet where they lead
	conns   map[inode]int
	resting map[inode][]*os.File
}{conns: map[inode]int{}, resting: map[inode][]*os.File{}}

// beside opens the file of a database as a file and hands it to do.
func beside(path string, flag int, do func(*os.File) error) error {
	f, err := os.OpenFile(path, flag, 0)
	if err != nil {
		return err
	}
	return errors.Join(do(f), rest(f))
}

// rest closes a descriptor of a database's file, at once or once SQLite has closed its own.
func rest(f *os.File) error {
	st, err := f.Stat()
	if err != nil {
		return errors.Join(err, f.Close())
	}
	id := inodeOf(st)
	if id == (inode{}) {
		return f.Close()
	}
	descriptors.Lock()
	defer descriptors.Unlock()
	descriptors.resting[id] = append(descriptors.resting[id], f)
	return tidy(id)
}

// tidy closes what rests of a file that nothing is connected to. The caller has the lock.
func tidy(id inode) (err error) {
	if descriptors.opening > 0 || descriptors.conns[id] > 0 {
		return nil
	}
	delete(descriptors.conns, id)
	for _, f := range descriptors.resting[id] {
		err = errors.Join(err, f.Close())
	}
	delete(descriptors.resting, id)
	return err
}

// conn is a connection of the library that is known to lead to a file.
type conn struct {
	*sqlite3.SQLiteConn
	file inode // zero in memory
}

// connect makes one. path is ":memory:" for none.
func connect(path, dsn string) (conn, error) {
	descriptors.Lock()
	descriptors.opening++
	descriptors.Unlock()
	made, err := library.Open(dsn)
	if err != nil {
		_, e := connected(conn{}, path)
		return conn{}, errors.Join(err, e)
	}
	c, err := connected(conn{SQLiteConn: made.(*sqlite3.SQLiteConn)}, path)
	if err != nil {
		return conn{}, errors.Join(err, c.Close())
	}
	return c, nil
}

// connected notes to which file a connection leads, if it was made, and closes what rested
// while it was being made.
func connected(c conn, path string) (_ conn, err error) {
	descriptors.Lock()
	defer descriptors.Unlock()
	descriptors.opening--
	if c.SQLiteConn != nil {
		if st, err := os.Stat(path); err == nil {
			if c.file = inodeOf(st); c.file != (inode{}) {
				descriptors.conns[c.file]++
			}
		}
	}
	for id := range descriptors.resting {
		err = errors.Join(err, tidy(id))
	}
	return c, err
}

var _ driver.Conn = conn{}

// Close implements driver.Conn.
func (c conn) Close() error {
	err := c.SQLiteConn.Close()
	descriptors.Lock()
	defer descriptors.Unlock()
	if c.file != (inode{}) {
		descriptors.conns[c.file]--
		err = errors.Join(err, tidy(c.file))
	}
	return err
}
