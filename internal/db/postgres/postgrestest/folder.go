package postgrestest

import (
	"os"
	"sync"
	"testing"
)

// Engine names the variable that says on which engine stores are opened: on PostgreSQL with
// "postgres", on files otherwise. OfParent names the one with the URL that a child process of
// a test takes over.
const (
	Engine   = "PARLEY_TEST_ENGINE"
	OfParent = "PARLEY_TEST_DATABASE"
)

// Served reports whether stores are opened on a server. (It is asked while tests run: only
// then does go test know that their results depend on it.)
func Served() bool { return os.Getenv(Engine) == "postgres" }

// AboutFiles skips a test of what SQLite does with its file.
func AboutFiles(t testing.TB) {
	t.Helper()
	if Served() {
		t.Skip("about SQLite's file")
	}
}

// folders are the databases that stand for folders.
var folders sync.Map // folder -> URL

// InFolder returns the URL of the database that stands for a folder where stores are opened
// on a server, with what fill made in it; "" where they are files.
func InFolder(t testing.TB, dir string, fill func(url string) error) string {
	t.Helper()
	if given := os.Getenv(OfParent); given != "" || !Served() {
		return given
	}
	url, known := folders.Load(dir)
	if !known {
		url, _ = folders.LoadOrStore(dir, Copy(t, "parley_schema", fill))
	}
	return url.(string)
}
