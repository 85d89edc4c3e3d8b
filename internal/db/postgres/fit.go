package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// oldest is the first version whose transactions can be asked for.
const oldest = 130000

// host describes a server and a database.
type host struct {
	version                 int
	name, encoding          string
	user, database          string
	schema, ours            string // where tables are made, and where ours are; "" for nowhere
	makes, standby, refuses bool
	pid                     uint32 // of the process that answers
}

// said of themselves. Nothing is prepared: a pooler may give each statement another server.
const introduction = `SELECT current_setting('server_version_num')::int, current_setting('server_version'), current_setting('server_encoding'),
	current_user::text, current_database()::text, coalesce(current_schema(), '')::text,
	coalesce((SELECT n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = to_regclass('parley')), '')::text,
	coalesce(has_schema_privilege(current_schema(), 'CREATE'), false), pg_is_in_recovery(), current_setting('default_transaction_read_only')::bool, pg_backend_pid()`

// fit runs Fit on the writer's connection.
func (s *server) fit(ctx context.Context, cfg *pgx.ConnConfig) error {
	conn, err := s.pool.Conn(ctx)
	if err != nil {
		return err
	}
	err = conn.Raw(func(driver any) error {
		return Fit(ctx, cfg, driver.(*piped).Conn.Conn())
	})
	return errors.Join(err, conn.Close())
}

// Fit refuses a server that cannot hold what we store, or not keep it as we count on; conn
// was made with cfg.
func Fit(ctx context.Context, cfg *pgx.ConnConfig, conn *pgx.Conn) error {
	h, err := introduced(ctx, conn)
	if err == nil {
		err = h.fits()
	}
	if err == nil && h.pid != conn.PgConn().PID() {
		err = session(ctx, cfg, conn)
	}
	return explain(err)
}

func introduced(ctx context.Context, conn *pgx.Conn) (h host, err error) {
	err = conn.QueryRow(ctx, introduction, pgx.QueryExecModeSimpleProtocol).Scan(&h.version, &h.name, &h.encoding,
		&h.user, &h.database, &h.schema, &h.ours, &h.makes, &h.standby, &h.refuses, &h.pid)
	return h, err
}

func (h host) fits() error {
	switch {
	case h.version < oldest:
		return fmt.Errorf("the database server is PostgreSQL %s; Parley needs 13 or newer", h.name)
	case h.encoding != "UTF8":
		return fmt.Errorf("the database %s has the encoding %s; make one with UTF8: createdb --encoding=UTF8 --template=template0",
			h.database, h.encoding)
	case h.standby:
		return errors.New("the database server is a standby, which takes no writes: name the primary in database.url, or " +
			"both with target_session_attrs=read-write")
	case h.refuses:
		return fmt.Errorf("the database %[1]s takes no writes, because default_transaction_read_only is on: make room if "+
			"the provider set it, then ALTER DATABASE %[1]s RESET default_transaction_read_only, or the same for the user %[2]s", h.database, h.user)
	case h.schema == "":
		return fmt.Errorf("no schema of the search_path exists for the user %s in the database %s: make one with CREATE "+
			"SCHEMA, or correct search_path", h.user, h.database)
	case h.ours != "" && h.ours != h.schema:
		return fmt.Errorf("Parley's tables are in the schema %[1]s, and new ones would be made in %[2]s: add "+
			"search_path=%[1]s to database.url, or %[2]s to have a bot of its own there", h.ours, h.schema)
	case h.ours == "" && !h.makes:
		return fmt.Errorf("the user %[1]s may not make tables in the schema %[2]s of the database %[3]s: make the database "+
			"its own (createdb --owner=%[1]s, or ALTER DATABASE %[3]s OWNER TO %[1]s), or GRANT CREATE ON SCHEMA %[2]s TO %[1]s",
			h.user, h.schema, h.database)
	}
	return nil
}

// errPooled says that a connection is not one to one server process.
var errPooled = errors.New(
	"database.url names a pooler that gives each transaction another connection; Parley needs one for as long as it is " +
		"open: set pool_mode = session for this database, or name the server itself")

// session refuses a pooler that gives the connection's server process to others while it
// is open: locks, settings and prepared statements belong to a process.
func session(ctx context.Context, cfg *pgx.ConnConfig, one *pgx.Conn) error {
	other, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		return err
	}
	defer func() { _ = other.Close(context.WithoutCancel(ctx)) }()
	seen := map[uint32]bool{}
	for range 3 {
		h, err := introduced(ctx, one)
		if err != nil {
			return err
		}
		seen[h.pid] = true
		// Whoever begins next is given what was used last.
		if _, err = other.Exec(ctx, "BEGIN", pgx.QueryExecModeSimpleProtocol); said(err) {
			return errPooled // it pools statements
		} else if err != nil {
			return err
		}
		if h, err = introduced(ctx, other); err != nil {
			return err
		}
		if seen[h.pid] {
			return errPooled
		}
		if h, err = introduced(ctx, one); err != nil {
			return err
		}
		seen[h.pid] = true
		if _, err = other.Exec(ctx, "ROLLBACK", pgx.QueryExecModeSimpleProtocol); err != nil {
			return err
		}
	}
	if len(seen) > 1 {
		return errPooled
	}
	return nil
}
