package sqlite_test

import (
	"context"
	"database/sql"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"parley/internal/db/sqlite"
)

// scripted builds a file of a few statements, and calls between before each and at the end.
func scripted(between func(n int)) func(context.Context, *sql.DB) error {
	return func(ctx context.Context, db *sql.DB) error {
		for n, statement := range []string{"CREATE TABLE a (x)", "INSERT INTO a VALUES (1), (2)", "CREATE INDEX a_x ON a (x)"} {
			between(n)
			if _, err := db.ExecContext(ctx, statement); err != nil {
				return err
			}
		}
		between(3)
		return nil
	}
}

// TestMakeCommitsToALog: a new file need not be changed to that by whoever opens it, who
// would wait for the disk four times. Nothing lies beside it.
func TestMakeCommitsToALog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	made, err := sqlite.Make(t.Context(), path, nil, scripted(func(int) {}))
	if err != nil || !made {
		t.Fatal(made, err)
	}
	b, err := os.ReadFile(path)
	if err != nil || b[18] != 2 || b[19] != 2 { // the versions to write and to read it
		t.Errorf("%v: it is of version %d and %d", err, b[18], b[19])
	}
	if all, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*")); len(all) != 1 {
		t.Errorf("there are %v", all)
	}
	if made, err := sqlite.Make(t.Context(), path, nil, scripted(func(int) {})); made || err != nil {
		t.Errorf("beside another that was faster: %v, %v", made, err)
	}
}

// makeInChild is the other process of the test below: after how many statements it ends.
const makeInChild = "PARLEY_TEST_MAKE"

// TestFaultKilledWhileMaking: whenever a process is killed that makes a file, there is none
// of that name, and the next makes it whole and leaves nothing of the first.
func TestFaultKilledWhileMaking(t *testing.T) {
	if at, err := strconv.Atoi(os.Getenv(makeInChild)); err == nil {
		_, _ = sqlite.Make(context.Background(), os.Getenv(makeInChild+"_PATH"), nil, scripted(func(n int) {
			if n == at {
				self, _ := os.FindProcess(os.Getpid())
				_ = self.Kill()
				select {}
			}
		}))
		return
	}
	for at := range 4 {
		path := filepath.Join(t.TempDir(), "x.db")
		child := exec.Command(os.Args[0], "-test.run=^TestFaultKilledWhileMaking$")
		child.Env = append(os.Environ(), makeInChild+"="+strconv.Itoa(at), makeInChild+"_PATH="+path)
		if err := child.Run(); err == nil {
			t.Fatal("it was not killed")
		}
		if left, _ := filepath.Glob(path + ".new-*"); len(left) == 0 {
			t.Fatal("it had not begun")
		}
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("killed after %d statements it left a file: %v", at, err)
		}
		if made, err := sqlite.Make(t.Context(), path, nil, scripted(func(int) {})); err != nil || !made {
			t.Errorf("after %d: %v, %v", at, made, err)
		}
		if all, _ := filepath.Glob(path + "*"); len(all) != 1 {
			t.Errorf("after %d statements there are %v", at, all)
		}
		rows := 0
		db := sqlite.Raw(path, "mode=ro")
		if err := db.QueryRow("SELECT count(*) FROM a INDEXED BY a_x WHERE x > 0").Scan(&rows); err != nil || rows != 2 {
			t.Errorf("after %d: %d rows, %v", at, rows, err)
		}
		_ = db.Close()
	}
}

// TestCacheBesideALogOfAnother: what lies beside a missing cache is not taken for its own.
func TestCacheBesideALogOfAnother(t *testing.T) {
	cache := sqlite.Cache{Path: filepath.Join(t.TempDir(), "x.db"), Schema: "CREATE TABLE a (x);", Version: 1}
	rows := func() (n int) {
		db, damage, err := cache.Open(t.Context())
		if err != nil || damage != nil {
			t.Fatal(damage, err)
		}
		if err := db.QueryRow("SELECT count(*) FROM a").Scan(&n); err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		return n
	}
	rows()
	db := sqlite.Raw(cache.Path, "_journal_mode=WAL")
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("INSERT INTO a VALUES (1)"); err != nil {
		t.Fatal(err)
	}
	log, err := os.ReadFile(cache.Path + "-wal")
	if err != nil || len(log) == 0 {
		t.Fatal(len(log), err)
	}
	_ = db.Close()
	if err := cache.Remove(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(cache.Path+"-wal", log, 0o600); err != nil {
		t.Fatal(err)
	}
	if n := rows(); n != 0 {
		t.Errorf("%d rows of the one before", n)
	}
}
