// Package postgrestest starts a PostgreSQL for a test process, on a socket in a
// temporary folder, and makes a database for each test. It fakes nothing: where no
// PostgreSQL is installed, tests are skipped.
package postgrestest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"parley/internal/db/postgres"
)

// Given names the variable with the URL of a server to use instead of an own one. Its
// user must be allowed to make databases.
const Given = "PARLEY_POSTGRES"

// Start returns the URL of this process' server, with the database postgres. It skips
// the test where there is none. The server ends with the process.
func Start(t testing.TB) string {
	t.Helper()
	base, err := started()
	if errors.Is(err, errAbsent) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return base
}

var errAbsent = errors.New("no PostgreSQL is installed here, and " + Given + " names none")

var started = sync.OnceValues(func() (string, error) {
	if given := os.Getenv(Given); given != "" {
		return given, nil
	}
	bin := binaries()
	if bin == "" {
		return "", errAbsent
	}
	return start(bin)
})

// Here reports whether tests can have a server.
func Here() bool { return os.Getenv(Given) != "" || binaries() != "" }

// binaries is the folder of the newest installed version, "" for none.
func binaries() string {
	list, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb") // Debian's; the pattern is fine
	if len(list) > 0 {
		version := func(path string) int {
			n, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(path))))
			return n
		}
		return filepath.Dir(slices.MaxFunc(list, func(a, b string) int { return version(a) - version(b) }))
	}
	if path, err := exec.LookPath("initdb"); err == nil {
		return filepath.Dir(path)
	}
	return ""
}

// run keeps the server until its input ends, which it does with the process that
// started it, however that ends; then it takes everything away. What it shares among its
// processes is in its folder, too: killed like this it would leave that behind elsewhere.
const run = `"$0/postgres" -D "$1/data" -k "$1" -c listen_addresses= -c dynamic_shared_memory_type=mmap -c fsync=off -c full_page_writes=off -c max_connections=200 -c shared_buffers=32MB -c autovacuum_naptime=10min -c max_wal_size=256MB >"$1/log" 2>&1 &
read end
kill -QUIT $!
wait $!
rm -rf "$1"`

// held keeps the server's input open: what nobody refers to is closed.
var held []io.Closer

func start(bin string) (string, error) {
	dir, err := os.MkdirTemp("", "parley-pg-")
	if err != nil {
		return "", err
	}
	who, err := Unprivileged(dir)
	if err != nil {
		return "", err
	}
	initdb := exec.Command(filepath.Join(bin, "initdb"), "-D", dir+"/data", "-U", "parley", "-A", "trust", "--locale=C",
		"--encoding=UTF8", "--no-sync")
	initdb.SysProcAttr, initdb.Dir = who, dir
	if out, err := initdb.CombinedOutput(); err != nil {
		return "", fmt.Errorf("initdb: %w: %s", err, out)
	}
	server := exec.Command("sh", "-c", run, bin, dir)
	server.SysProcAttr, server.Dir = who, dir
	input, err := server.StdinPipe()
	if err != nil {
		return "", err
	}
	held = append(held, input)
	if err := server.Start(); err != nil {
		return "", err
	}
	base := "postgres:///postgres?" + url.Values{"host": {dir}, "user": {"parley"}}.Encode()
	return base, answering(base, dir)
}

// Unprivileged is the user that runs the server, which refuses root.
func Unprivileged(dir string) (*syscall.SysProcAttr, error) {
	attr := &syscall.SysProcAttr{Setpgid: true} // an interrupt at the terminal is not for it
	if os.Geteuid() != 0 {
		return attr, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, e1 := strconv.Atoi(u.Uid)
		gid, e2 := strconv.Atoi(u.Gid)
		attr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		return attr, errors.Join(e1, e2, os.Chown(dir, uid, gid))
	}
	return nil, errors.New("there is no user postgres or nobody to run the server as")
}

func answering(base, dir string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for {
		err := exec1(base, "SELECT 1")
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			log, _ := os.ReadFile(filepath.Join(dir, "log"))
			return fmt.Errorf("%w: %s", err, log)
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
		}
	}
}

func exec1(url, query string) error {
	db, err := postgres.Raw(url)
	if err != nil {
		return err
	}
	_, err = db.ExecContext(context.Background(), query)
	return errors.Join(err, db.Close())
}

var (
	made      atomic.Int64
	templates sync.Map // name -> func() error
)

// Database returns the URL of a new, empty database, which is dropped with the test.
func Database(t testing.TB) string { return copyOf(t, "template0") }

// Copy is like Database, with what fill put into the first one of that name.
func Copy(t testing.TB, name string, fill func(url string) error) string {
	t.Helper()
	base := Start(t)
	name = fmt.Sprintf("%s_%d", name, os.Getpid())
	once, _ := templates.LoadOrStore(name, sync.OnceValue(func() error {
		if err := exec1(base, "CREATE DATABASE "+name+" TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'"); err != nil {
			return err
		}
		return fill(at(base, name))
	}))
	if err := once.(func() error)(); err != nil {
		t.Fatal(err)
	}
	return copyOf(t, name)
}

func copyOf(t testing.TB, template string) string {
	t.Helper()
	base := Start(t)
	name := fmt.Sprintf("test_%d_%d", os.Getpid(), made.Add(1))
	if err := exec1(base, "CREATE DATABASE "+name+" TEMPLATE "+template); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := exec1(base, "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			t.Error(err)
		}
	})
	return at(base, name)
}

// at is the URL of another database of a server.
func at(base, name string) string {
	u, err := url.Parse(base)
	if err != nil {
		panic(err) // it was connected to
	}
	u.Path = "/" + name
	return u.String()
}

// Raw opens a database beside everything; it is closed with the test.
func Raw(t testing.TB, url string) *sql.DB {
	t.Helper()
	db, err := postgres.Raw(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}
