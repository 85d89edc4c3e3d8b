package engine

import (
	"errors"
	"regexp"
	"sync"
	"sync/atomic"
	"time"
)

// Kept keeps what was read of tables that hardly ever change, until one of them does:
// through the writer of this DB, which counts the changes to each table, or in another
// process, which the database tells. It is safe for many goroutines.
type Kept[K comparable, V any] struct {
	db      *DB
	changes []*counter // of its tables
	none    bool       // nothing is kept

	mu      sync.Mutex // guards the rest
	all     map[K]kept[V]
	reading map[K]*reading[V]
}

// reading is a value that is being read, by the first of those who ask for it.
type reading[V any] struct {
	version uint64
	done    chan struct{} // closed once the rest is there
	value   V
	err     error
}

type kept[V any] struct {
	value   V
	version uint64
	at      time.Time // when it was read
}

// Bounds of what is kept. What another process changed is seen with the next write of
// this one that waits for the disk, such as a message that comes in, or once the database was
// asked for its version otherwise (Told). What was found unchanged is good for stale more.
const (
	maxKept = 1024 // of each Kept; then it begins anew
	stale   = 5 * time.Second
)

// Keep returns a Kept that reads from these tables of db only.
func Keep[K comparable, V any](db *DB, tables ...string) *Kept[K, V] {
	k := &Kept[K, V]{db: db}
	for _, t := range tables {
		c := db.changes.of(t)
		c.kept.Store(true)
		k.changes = append(k.changes, c)
	}
	return k
}

// KeepInFile is Keep for people's words, of which nothing is kept of a server: what another
// process has forgotten there must not be read once more.
func KeepInFile[K comparable, V any](db *DB, tables ...string) *Kept[K, V] {
	if db.p.Server != nil {
		return &Kept[K, V]{none: true}
	}
	return Keep[K, V](db, tables...)
}

// Get returns what read returned for key, or reads it. Callers share the value and must
// not change it. Those who ask at the same time read once; an error is not kept.
func (k *Kept[K, V]) Get(key K, read func() (V, error)) (V, error) {
	if k.none {
		return read()
	}
	version, now := k.version(), time.Now()
	k.mu.Lock()
	one, ok := k.all[key]
	if ok && one.version == version && (now.Before(one.at.Add(stale)) || now.Before(k.db.changes.asked().Add(stale))) {
		k.mu.Unlock()
		return one.value, nil
	}
	if r := k.reading[key]; r != nil && r.version == version {
		k.mu.Unlock()
		<-r.done
		return r.value, r.err
	}
	r := &reading[V]{version: version, done: make(chan struct{}), err: errUnread}
	if k.reading == nil {
		k.reading = map[K]*reading[V]{}
	}
	k.reading[key] = r
	k.mu.Unlock()
	defer k.read(key, r, now)
	r.value, r.err = read()
	return r.value, r.err
}

// errUnread is what those get who wait for a value whose read has panicked.
var errUnread = errors.New("what somebody else was about to read was not read")

// read ends a reading that began at a time.
func (k *Kept[K, V]) read(key K, r *reading[V], began time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	close(r.done)
	if k.reading[key] == r {
		delete(k.reading, key)
	}
	if r.err != nil {
		return
	}
	if k.all == nil || len(k.all) >= maxKept {
		k.all = map[K]kept[V]{}
	}
	k.all[key] = kept[V]{r.value, r.version, began}
}

// version differs once a table has changed.
func (k *Kept[K, V]) version() uint64 {
	n := k.db.changes.elsewhere.Load()
	for _, c := range k.changes {
		n += c.Load()
	}
	return n
}

// changes counts what was changed, by table.
type changes struct {
	elsewhere atomic.Uint64 // by other processes, in any table

	mu    sync.Mutex // guards what follows
	seen  int64      // the database's version, as it said last
	when  time.Time  // when it was asked for that
	table map[string]*counter
}

// asked returns when the database was asked last whether other processes have changed
// anything.
func (c *changes) asked() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.when
}

// counter counts the changes to a table.
type counter struct {
	atomic.Uint64
	kept atomic.Bool // somebody keeps what is read of it
}

func (c *changes) of(table string) *counter {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.table == nil {
		c.table = map[string]*counter{}
	}
	if c.table[table] == nil {
		c.table[table] = &counter{}
	}
	return c.table[table]
}

// changing are the tables that a statement changes. More than there are do no harm;
// those that only triggers and foreign keys change are not among them.
var changing = regexp.MustCompile(`(?i)\b(?:INTO|UPDATE(?:\s+OR\s+\w+)?|DELETE\s+FROM)\s+"?(\w+)`)

// adding is a statement that changes no row that was there.
var adding = regexp.MustCompile(`(?i)^\s*INSERT\s+INTO\b`)

var upserting = regexp.MustCompile(`(?i)\bON\s+CONFLICT\b`)

// rewritten names what counts the changes to rows of a table that were there already.
func rewritten(table string) string { return table + " rewritten" }

// deleting is a statement that deletes rows.
var deleting = regexp.MustCompile(`(?i)\bDELETE\s+FROM\b`)

// Deleted names what counts the rows of a table that were deleted, to a Keep: for what is
// deleted with them, by a trigger or a foreign key.
func Deleted(table string) string { return table + " deleted" }

// in returns the counters of the tables that a statement changes.
func (c *changes) in(query string) (list []*counter) {
	adds := adding.MatchString(query) && !upserting.MatchString(query)
	for _, m := range changing.FindAllStringSubmatch(query, -1) {
		list = append(list, c.of(m[1]))
		if !adds {
			list = append(list, c.of(rewritten(m[1])))
		}
		if deleting.MatchString(query) {
			list = append(list, c.of(Deleted(m[1])))
		}
	}
	return list
}

// Changed notes that the transaction changes what a Kept has under this name as if it
// were a table: a few rows of one that changes all the time.
func (tx *Tx) Changed(name string) { tx.touch(tx.changes.of(name)) }

func (tx *Tx) touch(list ...*counter) { tx.touched = append(tx.touched, list...) }

// announce counts what was changed, before it is committed: whoever sees anything of the
// commit must not take what was read before for what is there.
func (tx *Tx) announce() {
	for _, c := range tx.touched {
		c.Add(1)
	}
}

// count counts what was changed since the last time. It is called when that is
// committed, before anybody is told; or may be, whatever the database said. What was
// read meanwhile may be from before.
func (tx *Tx) count() {
	tx.announce()
	tx.touched = tx.touched[:0]
}

// look finds out whether another process has changed anything.
func (tx *Tx) look() error {
	if tx.dialect.Version == "" {
		return nil
	}
	var now int64
	asked := time.Now()
	if err := tx.QueryRow(tx.dialect.Version).Scan(&now); err != nil {
		return err
	}
	tx.changes.saw(now, asked)
	return nil
}

// Told takes over the version of the database, which somebody asked for at a time: another
// one than before says that other processes have changed something.
func (d *DB) Told(version int64, asked time.Time) { d.changes.saw(version, asked) }

// said takes over that this process has told the others of a change, after which the version
// is another one; 0 is that it did not.
func (c *changes) said(before, told int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen == before && told == before+1 { // else somebody has told of one in between
		c.seen = told
	}
}

// saw takes over what another process may have changed. Answers may come in another order
// than they were asked for: one too many is of no harm.
func (c *changes) saw(version int64, asked time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if version != c.seen {
		c.seen = version
		c.elsewhere.Add(1)
	}
	if asked.After(c.when) {
		c.when = asked
	}
}
