package chunked

import (
	"context"
	"errors"
	"time"

	"parley/internal/db/engine"
)

// maxRest bounds the pause after a chunk, which is as long as the chunk took:
// half of the disk and of a processor stay free, and a second process has a
// chance to write.
const maxRest = 50 * time.Millisecond

// tries is how often a chunk may meet others on a server.
const tries = 10

// Each does something to every item, in order, and returns how many are done for
// good: those of chunks that were committed. do is one step of a few
// milliseconds; it only touches tx, and may meet an item that an earlier, failed
// chunk began. An error of do undoes its chunk and ends the work. ctx ends it
// between two chunks.
func Each[T any](ctx context.Context, db *engine.DB, items []T, do func(*engine.Tx, T) error) (done int, err error) {
	return each(ctx, beside(ctx, db), items, do)
}

func each[T any](ctx context.Context, on run, items []T, do func(*engine.Tx, T) error) (done int, err error) {
	for done < len(items) {
		var n int
		var err error
		for range tries { // nothing is left of a chunk that met another transaction
			n = 0
			err = chunk(ctx, on, func(tx *engine.Tx) (bool, error) {
				err := do(tx, items[done+n])
				n++
				return done+n < len(items), err
			})
			if !errors.Is(err, engine.ErrConflict) {
				break
			}
		}
		if err != nil {
			return done, err
		}
		done += n
	}
	return done, nil
}

// Until repeats a step until it says that nothing is left.
func Until(ctx context.Context, db *engine.DB, step func(*engine.Tx) (left bool, err error)) error {
	return until(ctx, beside(ctx, db), step)
}

// UntilBare is like Until, for steps that SQLite does not allow in a transaction.
func UntilBare(ctx context.Context, db *engine.DB, step func(*engine.Tx) (left bool, err error)) error {
	return until(ctx, func(fn func(*engine.Tx, func() bool) error) error { return db.BareBeside(ctx, fn) }, step)
}

// run runs one chunk.
type run func(fn func(*engine.Tx, func() bool) error) error

func beside(ctx context.Context, db *engine.DB) run {
	return func(fn func(*engine.Tx, func() bool) error) error { return db.Beside(ctx, fn) }
}

// between runs statements before and after the steps of each chunk.
func (r run) between(before, after []string) run {
	if len(before)+len(after) == 0 {
		return r
	}
	return func(fn func(*engine.Tx, func() bool) error) error {
		return r(func(tx *engine.Tx, more func() bool) error {
			if err := tx.ExecAll(nil, before...); err != nil {
				return err
			}
			if err := fn(tx, more); err != nil {
				return err
			}
			return tx.ExecAll(nil, after...)
		})
	}
}

func until(ctx context.Context, on run, step func(*engine.Tx) (bool, error)) error {
	for left := true; left; {
		err := chunk(ctx, on, func(tx *engine.Tx) (_ bool, err error) {
			left, err = step(tx)
			return left, err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// chunk takes steps until none is left or it has had its share, and rests.
func chunk(ctx context.Context, on run, step func(*engine.Tx) (left bool, err error)) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	var began time.Time
	var again bool
	err := on(func(tx *engine.Tx, more func() bool) error {
		began = time.Now()
		for {
			left, err := step(tx)
			if again = left; err != nil || !left || !more() {
				return err
			}
		}
	})
	if err != nil || !again {
		return err
	}
	select {
	case <-time.After(min(time.Since(began), maxRest)):
	case <-ctx.Done():
	}
	return nil
}
