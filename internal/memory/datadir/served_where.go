package datadir

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"parley/internal/db/postgres"
	"parley/internal/db/sqlite"
	"parley/internal/text"
)

// Where says where a bot's rows are: in its folder, or on a server, which is named without
// a password, and in the folder what may be lost.
func Where(dir, server string) string {
	u, err := url.Parse(server)
	if server == "" || err != nil {
		return dir
	}
	host := cmp.Or(u.Host, u.Query().Get("host"), "localhost")
	return fmt.Sprintf("PostgreSQL (%s, %s), %s", host, strings.TrimPrefix(u.Path, "/"), dir)
}

// Unmoved returns what an operator has to know of a folder where a server has the rows: it
// still holds a bot's file that was never moved there.
func Unmoved(dir, server string) []error {
	if server == "" {
		return nil
	}
	path := filepath.Join(dir, Name)
	id, err := sqlite.ApplicationID(path)
	if errors.Is(err, os.ErrNotExist) || err == nil && id == retiredID {
		return nil
	}
	return []error{text.Tell(
		"%s is not used, because database.url names a server; if its conversations are to go on there, run bot migrate --to "+
			"with the address of an empty database and without database.url; else move the file away", path)}
}

// Bytes is what the database takes: on a server with its indexes, else the file and its
// log.
func (f *File) Bytes(ctx context.Context) (n int64, err error) {
	if f.served {
		err = f.db.QueryRowContext(ctx, "SELECT pg_database_size(current_database())").Scan(&n)
		return n, err
	}
	for _, path := range []string{f.Path(), f.Path() + "-wal"} {
		info, err := os.Stat(path)
		if err == nil {
			n += info.Size()
		} else if !errors.Is(err, os.ErrNotExist) {
			return 0, err
		}
	}
	return n, nil
}

// Server is what an operator has to know of a server.
type Server struct {
	Clock time.Time
	// Off are the settings without which it may lose what it acknowledged.
	Off []string
	// Refuses is why it takes no new rows; nil while it does.
	Refuses error
}

// AskServer asks the one that a URL names. It changes nothing: what tries whether there is
// room is taken back.
func AskServer(ctx context.Context, url string) (s Server, err error) {
	db, err := postgres.Raw(url)
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(postgres.Explain(err), db.Close()) }()
	var off string
	err = db.QueryRowContext(ctx,
		`SELECT clock_timestamp(), coalesce((SELECT string_agg(name, ' ' ORDER BY name) FROM pg_settings WHERE name IN ('fsync', 'full_page_writes') AND setting = 'off'), '')`).Scan(&s.Clock, &off)
	if err != nil {
		return s, err
	}
	s.Off = strings.Fields(off)
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return s, err
	}
	defer func() { _ = tx.Rollback() }()
	_, err = tx.ExecContext(ctx,
		"INSERT INTO heartbeat (id, at, room) VALUES (1, '', $1) ON CONFLICT (id) DO UPDATE SET room = excluded.room", room())
	s.Refuses = postgres.Explain(err)
	return s, nil
}
