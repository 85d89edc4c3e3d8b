package postgres_test

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/db/engine"
	"parley/internal/db/postgres"
	"parley/internal/db/postgres/postgrestest"
	"parley/internal/text/waittest"
)

// database makes a new one as a statement says, and names it.
func database(t *testing.T, how string) (address, name string) {
	t.Helper()
	base := postgrestest.Start(t)
	admin := postgrestest.Raw(t, base)
	name = strings.ToLower(strings.NewReplacer("/", "_", " ", "_", ",", "").Replace(fmt.Sprintf("%s_%d", t.Name(), os.Getpid())))
	name = name[max(0, len(name)-60):]
	must(t, waittest.Second(admin.Exec("CREATE DATABASE "+name+" TEMPLATE template0 "+how)))
	t.Cleanup(func() { _, _ = admin.Exec("DROP DATABASE " + name + " WITH (FORCE)") })
	u, err := url.Parse(base)
	must(t, err)
	u.Path = "/" + name
	return u.String(), name
}

// with adds a parameter to an address.
func with(t *testing.T, address, name, value string) string {
	t.Helper()
	u, err := url.Parse(address)
	must(t, err)
	q := u.Query()
	q.Set(name, value)
	u.RawQuery = q.Encode()
	return u.String()
}

// opened opens and closes, and returns what it said.
func opened(t *testing.T, address string) string {
	t.Helper()
	db, err := postgres.Open(t.Context(), address, postgres.Options{})
	if err == nil {
		must(t, db.Close())
		return ""
	}
	return err.Error()
}

// What cannot be used is refused with a sentence that names it, and what to do about it.
func TestUnfitServersAreRefused(t *testing.T) {
	role := fmt.Sprintf("stranger_%d", os.Getpid())
	for name, c := range map[string]struct{ how, then, parameter, value, want string }{
		"encoding": {how: "ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C'", want: "has the encoding LATIN1; make one with UTF8: createdb"},
		"bytes":    {how: "ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C'", want: "has the encoding SQL_ASCII; make one with UTF8: createdb"},
		"read only": {then: "ALTER DATABASE %s SET default_transaction_read_only = on",
			want: "takes no writes, because default_transaction_read_only is on"},
		"no right": {then: "REVOKE ALL ON DATABASE %s FROM PUBLIC; CREATE ROLE " + role + " LOGIN; GRANT CONNECT ON DATABASE %[1]s TO " +
			role, parameter: "user", value: role, want: "the user " + role + " may not make tables in the schema public of the database "},
		"no schema":  {parameter: "search_path", value: "nowhere", want: "no schema of the search_path exists"},
		"no setting": {parameter: "nonsense", value: "1", want: "unrecognized configuration parameter"},
		"no user":    {parameter: "user", value: "nobody_" + role, want: "it does not let this user in"},
		"no file":    {parameter: "sslrootcert", value: "/nowhere.pem", want: "names a file that cannot be read: open /nowhere.pem"},
		"no port":    {parameter: "port", value: "1", want: "check database.url and whether the server runs"},
	} {
		t.Run(name, func(t *testing.T) {
			address, database := database(t, c.how)
			inside := postgrestest.Raw(t, address)
			// From version 15 on it is so without a word.
			must(t, waittest.Second(inside.Exec("REVOKE CREATE ON SCHEMA public FROM PUBLIC")))
			for _, st := range strings.Split(c.then, ";") {
				if c.then == "" {
					break
				}
				if strings.Contains(st, "%") {
					st = fmt.Sprintf(st, database)
				}
				must(t, waittest.Second(inside.Exec(st)))
			}
			t.Cleanup(func() {
				_, _ = inside.Exec("DROP OWNED BY " + role)
				_, _ = inside.Exec("DROP ROLE IF EXISTS " + role)
			})
			if c.parameter != "" {
				address = with(t, address, c.parameter, c.value)
			}
			if c.parameter == "sslrootcert" { // is not read for a socket
				address = with(t, with(t, address, "sslmode", "verify-ca"), "host", "127.0.0.1")
			}
			address = with(t, address, "password", "s3cret-word")
			got := opened(t, address)
			if !strings.Contains(got, c.want) || strings.Contains(got, "s3cret") || strings.Contains(got, "\n") ||
				strings.Count(got, "cannot be reached") > 1 {
				t.Errorf("it says: %s", got)
			}
		})
	}
}

// Tables that stand in another schema than new ones would be made in are refused: half of
// what looks into a database would not see them.
func TestTablesAreInOneSchema(t *testing.T) {
	address, _ := database(t, "")
	inside := postgrestest.Raw(t, address)
	for _, st := range []string{"CREATE TABLE parley (schema bigint)", "CREATE SCHEMA other"} {
		_, err := inside.Exec(st)
		must(t, err)
	}
	if got := opened(t, with(t, address, "search_path", "other,public")); !strings.Contains(got,
		"Parley's tables are in the schema public, and new ones would be made in other") {
		t.Errorf("it says: %s", got)
	}
	for _, path := range []string{"public", "other"} {
		if got := opened(t, with(t, address, "search_path", path)); got != "" {
			t.Errorf("%s: %s", path, got)
		}
	}
}

// Whatever settings a server, a database or a role has for others, ours work as everywhere.
func TestSettingsOfStrangers(t *testing.T) {
	address, name := database(t, "")
	admin := postgrestest.Raw(t, address)
	for setting, value := range map[string]string{"statement_timeout": "'30ms'", "lock_timeout": "'1ms'",
		"client_encoding": "'LATIN1'", "default_transaction_isolation": "'serializable'", "default_transaction_deferrable": "on",
		"bytea_output": "'escape'", "datestyle": "'German'", "intervalstyle": "'iso_8601'", "extra_float_digits": "-10",
		"timezone": "'Asia/Kathmandu'", "standard_conforming_strings": "off", "transform_null_equals": "on", "jit": "on",
		"idle_in_transaction_session_timeout": "'20ms'"} {
		_, err := admin.Exec("ALTER DATABASE " + name + " SET " + setting + " = " + value)
		must(t, err)
	}
	db := open(t, address, postgres.Options{})
	must(t, db.Write(t.Context(), exec("CREATE TABLE things (name TEXT, n DOUBLE PRECISION, data BYTEA)")))
	must(t, db.Write(t.Context(), exec(`INSERT INTO things SELECT ?, ?, ? FROM pg_sleep(0.1)`, `ä😀\x41`, 0.30000000000000004,
		[]byte{0, 255, '\\'})))
	var back, n, isolation string
	var data []byte
	must(t, db.QueryRow("SELECT name, CAST(n AS TEXT), data, current_setting('transaction_isolation') FROM things, pg_sleep(0.1)").Scan(
		&back, &n, &data, &isolation))
	if back != `ä😀\x41` || n != "0.30000000000000004" || string(data) != "\x00\xff\\" || isolation != "read committed" {
		t.Errorf("%q, %s, %q, %s", back, n, data, isolation)
	}
}

// What can never be stored is told from what may be stored later.
func TestUnfitIsHopeless(t *testing.T) {
	db := open(t, postgrestest.Database(t), postgres.Options{})
	must(t, db.Write(t.Context(), exec("CREATE TABLE things (name TEXT UNIQUE)")))
	var long strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&long, "%x", i*i*i)
	}
	for _, write := range []func(*engine.Tx) error{
		exec("INSERT INTO things VALUES (?)", long.String()),
		exec(`INSERT INTO things SELECT CAST(CAST(? AS jsonb) AS text)`, "{"),
		exec(`INSERT INTO things SELECT CAST(CAST(? AS tsvector) AS text)`, "'"+strings.Repeat("a", 3000)+"'"),
	} {
		if err := db.Write(t.Context(), write); !errors.Is(err, engine.ErrUnfit) || !engine.Hopeless(err) {
			t.Errorf("it says: %v", err)
		}
	}
}

// bouncer starts a pooler in front of the server of the tests, and returns its port.
func bouncer(t *testing.T, mode string) string {
	t.Helper()
	program, err := osexec.LookPath("pgbouncer")
	if err != nil {
		t.Skip("no pgbouncer is installed here")
	}
	u, err := url.Parse(postgrestest.Start(t))
	must(t, err)
	host, user := u.Query().Get("host"), u.Query().Get("user")
	if host == "" || user == "" || os.Getenv(postgrestest.Given) != "" {
		t.Skip("only in front of a server of our own")
	}
	_, port, _ := net.SplitHostPort(waittest.Address(t))
	dir, err := os.MkdirTemp("", "parley-pgbouncer-")
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	must(t, os.Chmod(dir, 0o755))
	must(t, os.WriteFile(filepath.Join(dir, "users"), []byte(`"`+user+`" ""`+"\n"), 0o644))
	must(t, os.WriteFile(filepath.Join(dir, "ini"), []byte("[databases]\n* = host="+host+
		"\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = "+port+"\nauth_type = trust\nauth_file = "+dir+
		"/users\nunix_socket_dir =\npool_mode = "+mode+"\n"), 0o644))
	cmd := osexec.Command(program, filepath.Join(dir, "ini"))
	cmd.SysProcAttr, err = postgrestest.Unprivileged(dir)
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	waittest.Until(t, "the pooler listens", func() bool {
		conn, err := net.Dial("tcp", "127.0.0.1:"+port)
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	})
	return port
}

// A pooler that gives the connection to others meanwhile is refused; one that pools
// sessions is as good as the server.
func TestPoolers(t *testing.T) {
	for mode, want := range map[string]string{"session": "", "transaction": "set pool_mode = session",
		"statement": "set pool_mode = session"} {
		t.Run(mode, func(t *testing.T) {
			port := bouncer(t, mode)
			_, name := database(t, "")
			u, err := url.Parse(postgrestest.Start(t))
			must(t, err)
			got := opened(t, fmt.Sprintf("postgres://%s@127.0.0.1:%s/%s", u.Query().Get("user"), port, name))
			if (got == "") != (want == "") || !strings.Contains(got, want) {
				t.Errorf("it says: %s", got)
			}
		})
	}
}

// TestCommittedIsOnTheDisk: a server, database or role that lets commits be lost does not do
// so with ours; how far they have to get is the operator's choice.
func TestCommittedIsOnTheDisk(t *testing.T) {
	t.Parallel()
	for set, want := range map[string]string{"off": "on", "local": "local"} {
		url := postgrestest.Database(t)
		db := postgrestest.Raw(t, url)
		_, err := db.Exec(fmt.Sprintf("DO $$BEGIN EXECUTE format('ALTER DATABASE %%I SET synchronous_commit = %s', current_database()); END$$",
			set))
		must(t, err)
		var is string
		must(t, postgrestest.Raw(t, url).QueryRow("SHOW synchronous_commit").Scan(&is))
		if is != want {
			t.Errorf("%s is %s", set, is)
		}
	}
}
