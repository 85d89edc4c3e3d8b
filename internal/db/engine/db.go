package engine

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// DB is one database. It is safe for many goroutines. Reads run beside each other;
// writes are queued to the writer, which commits what has gathered in one transaction.
type DB struct {
	p       Parts
	queue   chan *write
	aside   chan *write   // what runs while nothing is queued
	done    chan struct{} // closed when the writer has stopped
	reads   statements
	changes changes
	put     put          // off until another write
	queued  atomic.Int64 // writes in queue, and those taken out of it that are not done
	waiting []*write     // those taken out of it that are not begun; the writer's

	turn   sync.Mutex // held by whoever writes; guards what follows
	tx     *Tx
	tail   time.Duration // how long the last chunk took to end
	unsure []*write      // committed on a server, and perhaps not on its disk
	lost   bool          // a connection was, since

	mu     sync.RWMutex // guards closed against a write that is being queued
	closed bool
}

// Parts make up an engine. Dialect, Readers and Writer are required.
type Parts struct {
	Dialect Dialect
	Readers *sql.DB
	Writer  *sql.Conn // the DB closes it
	// Server is how transactions of a server are ended and taken up again; nil where
	// none can be cut short.
	Server Server
	// Disk makes commits durable; nil where they are at once.
	Disk Disk
	// File is the file that holds the database; nil where a server does.
	File File
	// Cut ends all connections at once, also those on which something is under way; nil is
	// nothing.
	Cut func()
	// Close is called last; nil is nothing.
	Close func() error
}

// Dialect describes how a kind of database differs.
type Dialect struct {
	Mark  string // before the number of a parameter
	Begin string // of a transaction that writes
	// Held begins one that need not be serializable; "" is Begin. See DB.Held.
	Held string
	// Step begins one whose statements fail where they stand; after Begin some may wait
	// for a later one, and fail with that. "" is Begin.
	Step string
	// Said reports whether an error is one that a statement ended with; nil with Step "".
	Said      func(error) bool
	Explain   func(error) error   // adds the error of this package that fits; nil stays nil
	Text      func(string) string // a statement in its words; nil is as it stands
	Argument  func(any) any       // a parameter as it takes it; nil is as it stands
	Returning bool                // an inserted row's id has to be asked for
	// Anew is an argument ahead of the others that has a statement planned for what they
	// say, each time; nil where plans do not hang on that.
	Anew any
	// Version reads a number that is another one once another process has changed
	// anything; "" where a Server tells it.
	Version string
	// Shrink frees the pages that a connection keeps in memory; "" where a server has them.
	Shrink string
	// Require makes of a query one that fails where that has no row, Change of a statement
	// one that fails unless it changes one row; nil where each answer is waited for anyway.
	Require, Change func(query string) string
}

// Server is a database of which other processes may hold up or repeat what we do, and
// to which the connection may be lost.
type Server interface {
	// Commit ends a transaction. With an error the name is "" unless it may be committed
	// all the same.
	Commit(tx *Tx, end Ending) (Sealed, error)
	// Connect returns another connection for the writer, in the place of one that was
	// lost: the server does nothing more that was asked for on that one.
	Connect(ctx context.Context) (*sql.Conn, error)
	// Committed tells what became of a transaction whose end was lost with the
	// connection.
	Committed(ctx context.Context, conn *sql.Conn, name string) (bool, error)
}

// Ending is how a transaction is to end.
type Ending struct {
	Soon  bool // nobody waits for its being on the disk
	Again bool // done twice it comes to the same, so it needs no name
	Rest  bool // what the server put off (Sealed.Owes) is done now
	Tell  bool // others may have kept what it changes: they are told right after it
}

// Sealed is a transaction at its end.
type Sealed struct {
	Name    string // that Committed knows it by
	Version int64  // another one once another process has told of a change
	Told    int64  // the version after this one has told of its own (Ending.Tell); 0 if it did not
	Changed bool   // it has changed something, so its end waits for the disk unless it is soon
	Owes    bool   // the server put something off until a transaction that ends with Rest
}

// Disk brings commits to the disk beside the writer.
type Disk interface {
	// Committed takes over writes whose transaction is committed, and tells each how
	// it ended. It does not block.
	Committed(batch []*Pending)
	// Settle brings to the disk what is committed, unless somebody is about to. It may be
	// called at any time, by many.
	Settle()
}

// File is a database in a file of ours.
type File interface {
	Path() string
	// EmptyLog carries over what the log beside the file holds, and cuts it off. It
	// runs on the writer; ErrLogInUse says that somebody reads the log.
	EmptyLog(tx *Tx) error
	// ClearGaps returns a step for one pass over the file that clears what no row
	// holds any more; left is true until it has seen all.
	ClearGaps() func(tx *Tx) (left bool, err error)
	// Fold carries over what it can beside the writer.
	Fold()
}

// ErrLogInUse says that somebody reads from the log of a file, which cannot be
// emptied until they are done.
var ErrLogInUse = errors.New("the log is still read by somebody")

// New returns a DB of parts, which are its own from now on. The caller closes it.
func New(p Parts) *DB {
	d := &DB{p: p, queue: make(chan *write, 1024), aside: make(chan *write), done: make(chan struct{})}
	d.reads.prepare, d.reads.dialect = p.Readers.PrepareContext, p.Dialect
	d.tx = &Tx{dialect: p.Dialect, server: p.Server, changes: &d.changes}
	d.tx.use(p.Writer)
	go d.run()
	return d
}

// Cut has everything begin anew on other connections, as where one was lost: a server that
// hangs would be waited for without end. It does not block, and does nothing for a file.
func (d *DB) Cut() {
	if d.p.Cut != nil {
		d.p.Cut()
	}
}

// Rest gives back what only busy times need: in a file all idle readers but one, each of
// which has pages and the schema for itself, and the writer's pages. All come again as they
// are asked for. Where a server holds the database it does nothing.
func (d *DB) Rest(ctx context.Context) error {
	if d.p.File == nil {
		return nil
	}
	most := d.p.Readers.Stats().MaxOpenConnections
	d.p.Readers.SetMaxIdleConns(1)
	d.p.Readers.SetMaxIdleConns(most)
	return d.Bare(ctx, func(tx *Tx) error {
		_, err := tx.Exec(tx.dialect.Shrink)
		return err
	})
}

// Either returns what stands for a database in a file, or for one on a server.
func (d *DB) Either(file, server string) string {
	if d.p.Server != nil {
		return server
	}
	return file
}

// Path returns the file, "" where there is none.
func (d *DB) Path() string {
	if d.p.File == nil {
		return ""
	}
	return d.p.File.Path()
}

// ClearGaps returns a step that clears some of what no row holds any more; left is
// true until all is done. It runs outside a transaction. Where a server holds the
// database there is nothing to do.
func (d *DB) ClearGaps() func(tx *Tx) (left bool, err error) {
	if d.p.File == nil {
		return func(*Tx) (bool, error) { return false, nil }
	}
	return d.p.File.ClearGaps()
}

// Survey has a server count what its tables hold, which it plans with, for whoever has
// written many rows at once: by itself it may do so a minute later. A file needs none.
func (d *DB) Survey(ctx context.Context) error {
	if d.p.Server == nil {
		return nil
	}
	_, err := d.p.Readers.ExecContext(ctx, "ANALYZE")
	return d.p.Dialect.Explain(err)
}

// EmptyLog carries what the log holds over into the file and empties it, so that
// it has no byte of what was deleted. An error says that it is still read. Where a
// server holds the database it does nothing.
func (d *DB) EmptyLog(ctx context.Context) error {
	if d.p.File == nil {
		return nil
	}
	for range 100 { // a reader holds the log's end for moments only
		err := d.Bare(ctx, d.p.File.EmptyLog)
		if !errors.Is(err, ErrLogInUse) {
			return err
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return errors.New("the log is still read by somebody; it is emptied at the next stop")
}

// Close waits for queued writes and closes the database. It may be called twice.
func (d *DB) Close() error {
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		return nil
	}
	d.closed = true
	close(d.queue)
	d.mu.Unlock()
	<-d.done
	d.reads.close()
	err := d.p.Readers.Close()
	if d.p.Close != nil {
		err = errors.Join(err, d.p.Close())
	}
	return err
}
