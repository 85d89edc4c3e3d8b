package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"os"

	"github.com/mattn/go-sqlite3"
)

// The pace of a copy: pages per step, and steps between two flushes to disk.
// A small flush often keeps the bot's own commits short; one of a gigabyte at
// the end would stop them for seconds.
const (
	stepPages  = 256
	flushEvery = 8
)

// Connect opens one connection as Raw does, alone in its pool; done closes it.
func Connect(ctx context.Context, path, settings string) (conn *sql.Conn, done func(), err error) {
	db := Raw(path, settings)
	db.SetMaxOpenConns(1)
	conn, err = db.Conn(ctx)
	if err != nil {
		_ = db.Close()
		return nil, nil, err
	}
	return conn, func() { _ = conn.Close(); _ = db.Close() }, nil
}

// Copy fills an empty file with src's open snapshot, in which a writer's
// progress does not show, in small steps that ctx can end.
func Copy(ctx context.Context, src *sql.Conn, f *os.File) error {
	dst, done, err := Connect(ctx, f.Name(), "_journal_mode=OFF&_synchronous=OFF&_cache_size=-2000")
	if err != nil {
		return err
	}
	err = dst.Raw(func(to any) error {
		return src.Raw(func(from any) error {
			b, err := to.(conn).Backup("main", from.(conn).SQLiteConn, "main")
			if err != nil {
				return err
			}
			return errors.Join(steps(ctx, b, f), b.Finish())
		})
	})
	done()
	return errors.Join(err, f.Sync())
}

func steps(ctx context.Context, b *sqlite3.SQLiteBackup, f *os.File) error {
	for n := 1; ; n++ {
		over, err := b.Step(stepPages)
		if over || err != nil {
			return err
		}
		if n%flushEvery == 0 {
			if err := f.Sync(); err != nil {
				return err
			}
		}
		if err := context.Cause(ctx); err != nil {
			return err
		}
	}
}
