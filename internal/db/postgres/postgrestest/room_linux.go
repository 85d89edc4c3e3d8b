package postgrestest

import (
	"fmt"
	"os"
	"syscall"
	"testing"
)

// OnSmallDisk returns the URL of a new, empty database with a disk of its own, of some size
// as mount knows it, and the folder where that is. It skips the test where none can be had.
func OnSmallDisk(t testing.TB, size string) (url, dir string) {
	t.Helper()
	base := Start(t)
	if os.Getenv(Given) != "" {
		t.Skip("the server is another machine's, or another user's")
	}
	dir, err := os.MkdirTemp("", "parley-room-")
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "mode=0700,size="+size); err != nil {
		t.Skipf("no small disk to be had here: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	_, err = Unprivileged(dir)
	must(t, err)
	name := fmt.Sprintf("small_%d_%d", os.Getpid(), made.Add(1))
	must(t, exec1(base, "CREATE TABLESPACE "+name+" LOCATION '"+dir+"'"))
	t.Cleanup(func() { must(t, exec1(base, "DROP TABLESPACE "+name)) })
	must(t, exec1(base, "CREATE DATABASE "+name+" TEMPLATE template0 TABLESPACE "+name))
	t.Cleanup(func() { must(t, exec1(base, "DROP DATABASE "+name+" WITH (FORCE)")) })
	return at(base, name), dir
}
