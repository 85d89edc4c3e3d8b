package datadir

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"
	"sync/atomic"

	"parley/internal/chat"
	"parley/internal/db/engine"
	"parley/internal/db/postgres"
	"parley/internal/db/sqlite"
	"parley/internal/text"
	"parley/internal/text/machine"
)

// ErrUnwritable marks a database that takes nothing just now: the disk is full
// or fails. It is over by itself once Beat succeeds.
var ErrUnwritable = text.Tell("the database cannot be written")

var errUnchecked = text.Tell("the database is still being checked for damage")

// condition is the state of the database as statements and checks found it. It is atomic
// because it is read while a disk hangs.
type condition struct {
	damaged    atomic.Pointer[error] // permanent: only another file fixes it
	unwritable atomic.Pointer[error]
	checked    atomic.Bool // a Check came to its end
}

// see takes in what a statement ended with.
func (c *condition) see(err error) {
	if err != nil { // apart, since what is kept of err is allocated whatever it is
		c.take(err)
	}
}

func (c *condition) take(err error) {
	if errors.Is(err, engine.ErrLost) || errors.Is(err, postgres.ErrFull) {
		if err = fmt.Errorf("%w: %w", ErrUnwritable, err); errors.Is(err, postgres.ErrFull) {
			err = text.Tell("%w: the disk of the database server is full, or its memory: make room there", ErrUnwritable)
		}
		if ill := c.unwritable.Load(); ill == nil || away(*ill) { // what it says tells more than that it is gone
			c.unwritable.CompareAndSwap(ill, &err)
		}
		return
	}
	if errors.Is(err, engine.ErrGone) {
		err = text.Tell("%w: %v: put it back, or stop the bot and put a backup in its place with bot restore FILE", ErrUnwritable, err)
		c.unwritable.CompareAndSwap(nil, &err)
		return
	}
	switch damaged := sqlite.Explain(err); {
	case errors.Is(damaged, ErrCorrupt):
		err = advise(damaged)
		c.damaged.CompareAndSwap(nil, &err)
	case sqlite.IsUnwritable(err):
		err = unwritable(err)
		c.unwritable.CompareAndSwap(nil, &err)
	}
}

// away reports whether an illness is that a server cannot be reached.
func away(ill error) bool {
	return errors.Is(ill, engine.ErrLost) && !errors.Is(ill, postgres.ErrRefuses)
}

// served takes in how a connection to a server could not be made, and how a write ended: one
// that was stored is the end of the server being away or taking none. That it has no room is
// over once Beat found some.
func (c *condition) served(err error) {
	c.see(err)
	if ill := c.unwritable.Load(); err == nil && ill != nil && errors.Is(*ill, engine.ErrLost) {
		c.unwritable.CompareAndSwap(ill, nil)
	}
}

// unwritable says what is in the way of a write, and what to do.
func unwritable(err error) error {
	if sqlite.IsFull(err) {
		return text.Tell("%w: the disk of the data folder is full: make room there", ErrUnwritable)
	}
	return text.Tell("%w: %v: look after the disk of the data folder", ErrUnwritable, err)
}

// Health is nil while messages can be stored and read. It is a DegradedError
// until a file that was there was checked for the first time, and any other error when it
// is damaged or cannot be written. It asks nothing of the disk.
func (f *File) Health() error {
	if err := f.cond.damaged.Load(); err != nil {
		return *err
	}
	if err := f.cond.unwritable.Load(); err != nil {
		return *err
	}
	if !f.cond.checked.Load() {
		return &chat.DegradedError{Err: errUnchecked}
	}
	return nil
}

// Among combines a database's Health, ill, with the reason why this process may not act on
// it, such as a lease that it cannot renew; lost is nil while it may.
func Among(ill, lost error) error {
	if lost == nil || errors.Is(ill, ErrUnwritable) {
		return ill
	}
	return fmt.Errorf("%w: %w", ErrUnwritable, lost)
}

// roomTried is how many bytes must fit before a full disk counts as having room again.
const roomTried = 32 << 10

// room returns that many random bytes, which a server cannot compress.
func room() []byte {
	b := make([]byte, roomTried)
	_, _ = rand.Read(b) // never fails
	return b
}

// Narrow reports whether Look found less room on the disk than Beat wants.
func (f *File) Narrow() bool { return f.narrow.Load() }

// Look checks for Health that the file is still the one that was opened, and how much room
// there is. It waits no longer than ctx: a disk may hang.
func (f *File) Look(ctx context.Context) {
	if f.served || !f.looking.TryLock() { // one that hangs is enough
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer f.looking.Unlock()
		f.cond.see(f.place.Still())
		free, err := machine.FreeSpace(filepath.Dir(f.Path()))
		f.narrow.Store(err == nil && free < roomTried)
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// Beat writes and reads one row, so that a disk that takes nothing is known
// before somebody's message meets it. After a failure, and where there is hardly any, it also
// wants room: what overwrites a row fits on a disk where nothing new does.
func (f *File) Beat(ctx context.Context) error {
	ill := f.cond.unwritable.Load()
	if err := f.place.Still(); err != nil { // also where no log is synced
		return f.told(err)
	}
	if ill != nil || f.Narrow() {
		if err := f.beat(ctx, room()); err != nil {
			return err
		}
	}
	if err := f.beat(ctx, []byte{}); err != nil {
		return err
	}
	if ill != nil {
		f.cond.unwritable.CompareAndSwap(ill, nil)
	}
	return f.Health()
}

func (f *File) beat(ctx context.Context, room []byte) error {
	at := engine.Stamp(f.now())
	done := make(chan error, 1)
	wait := f.db.Queue(ctx, func(tx *engine.Tx) error {
		_, err := tx.Exec("INSERT INTO heartbeat (id, at, room) VALUES (1, ?, ?) ON CONFLICT (id) DO UPDATE SET at = "+
			"excluded.at, room = excluded.room", at, room)
		return err
	})
	go func() { done <- wait() }()
	select {
	case err := <-done:
		if err != nil {
			return engine.During("write to the database", f.told(err))
		}
	case <-ctx.Done(): // a disk that hangs
		if f.served {
			return fmt.Errorf("%w: it does not answer; look after the database server", ErrUnwritable)
		}
		return fmt.Errorf("%w: it hangs; look after the disk of the data folder", ErrUnwritable)
	}
	var read string
	err := f.db.QueryRow("SELECT at FROM heartbeat WHERE id = 1").Scan(&read)
	return engine.During("read the database", f.told(err))
}

// told returns the sentence for the error of a statement.
func (f *File) told(err error) error {
	if err == nil {
		return nil
	}
	f.cond.see(err)
	var degraded *chat.DegradedError
	if ill := f.Health(); ill != nil && !errors.As(ill, &degraded) {
		return ill
	}
	return err
}
