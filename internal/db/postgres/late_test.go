package postgres_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"parley/internal/db/engine"
	"parley/internal/db/postgres"
	"parley/internal/db/postgres/postgrestest"
)

// lateWrites are all ways to write.
var lateWrites = map[string]func(ctx context.Context, db *engine.DB, fn func(*engine.Tx) error) error{
	"write": func(ctx context.Context, db *engine.DB, fn func(*engine.Tx) error) error { return db.Write(ctx, fn) },
	"queue": func(ctx context.Context, db *engine.DB, fn func(*engine.Tx) error) error { return db.Queue(ctx, fn)() },
	"soon":  func(ctx context.Context, db *engine.DB, fn func(*engine.Tx) error) error { return db.Soon(ctx, fn) },
	"stage": func(ctx context.Context, db *engine.DB, fn func(*engine.Tx) error) error {
		return staged(db.Stage(ctx, fn))
	},
	"held": func(ctx context.Context, db *engine.DB, fn func(*engine.Tx) error) error {
		return db.Held().Write(ctx, fn)
	},
	"held soon": func(ctx context.Context, db *engine.DB, fn func(*engine.Tx) error) error {
		return db.Held().Soon(ctx, fn)
	},
	"held stage": func(ctx context.Context, db *engine.DB, fn func(*engine.Tx) error) error {
		return staged(db.Held().Stage(ctx, fn))
	},
	"later": func(ctx context.Context, db *engine.DB, fn func(*engine.Tx) error) error {
		failed := make(chan error, 1)
		db.Later(fn, func(err error) { failed <- err })
		err := db.Settle(ctx)
		select {
		case e := <-failed:
			err = errors.Join(err, e)
		default:
		}
		return err
	},
	"beside": func(ctx context.Context, db *engine.DB, fn func(*engine.Tx) error) error {
		for { // whose caller does it again
			err := db.Beside(ctx, func(tx *engine.Tx, _ func() bool) error { return fn(tx) })
			if !errors.Is(err, engine.ErrLost) {
				return err
			}
		}
	},
}

func staged(durable func() error, err error) error {
	if err == nil {
		err = durable()
	}
	return err
}

// TestLateCommitFault: what reaches the server only after its connection was lost, and
// after all was done again, does nothing more: whichever request of a transaction it is, the
// commit or one before, and however the transaction is asked for.
func TestLateCommitFault(t *testing.T) {
	to := func(n int) func(*engine.Tx) error {
		return exec("UPDATE counts SET n = ?, times = times + 1 WHERE id = 1", n)
	}
	take := func(n int) func(*engine.Tx) error { // as a takeover does: what another transaction holds is passed over
		return func(tx *engine.Tx) error {
			rows, err := tx.Query("SELECT CAST(id AS text) FROM counts WHERE id = 1 FOR UPDATE SKIP LOCKED")
			if err != nil {
				return err
			}
			free, err := engine.Collect(rows, engine.Value[string])
			if err != nil || len(free) == 0 {
				return errors.Join(err, errors.New("it is passed over"))
			}
			return to(n)(tx)
		}
	}
	for name, do := range lateWrites {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			database := postgrestest.Database(t)
			p, url := postgrestest.NewProxy(t, database)
			db := open(t, url, postgres.Options{})
			must(t, db.Write(t.Context(), exec("CREATE TABLE counts (id BIGINT PRIMARY KEY, n BIGINT NOT NULL, times BIGINT NOT NULL)")))
			must(t, db.Write(t.Context(), exec("INSERT INTO counts VALUES (1, 0, 0)")))
			n, more := 0, int32(1)
			for _, fn := range []func(int) func(*engine.Tx) error{to, take} {
				for trip := int32(1); more > 0; trip++ {
					p.Late.Store(trip)
					must(t, do(t.Context(), db, fn(n+1)))
					more = 1 - min(p.Late.Swap(0), 1) // else it has not so many requests
					must(t, db.Write(t.Context(), to(n+2)))
					p.Arrive()
					var is, times int
					must(t, postgrestest.Raw(t, database).QueryRow("SELECT n, times FROM counts").Scan(&is, &times))
					if n += 2; is != n || times != n && !strings.Contains(name, "soon") { // which may be done twice, and in order
						t.Fatalf("request %d is late: %d after %d times, instead of %d", trip, is, times, n)
					}
				}
				more = 1
			}
		})
	}
}
