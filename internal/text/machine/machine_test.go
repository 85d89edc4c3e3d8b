package machine_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"parley/internal/text/machine"
)

// children is set in a copy of this program that starts another and waits to be killed.
const children = "PARLEY_MACHINE_TEST"

func TestMain(m *testing.M) {
	switch os.Getenv(children) {
	case "parent":
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), children+"=child")
		cmd.Stdout = os.Stdout
		if err := cmd.Start(); err != nil {
			panic(err)
		}
		fallthrough
	case "child":
		fmt.Println("here")
		select {}
	}
	os.Exit(m.Run())
}

func open(t *testing.T, path string) *os.File {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// TestLock: one holds a file, or several share it; who closes it gives it up, and anybody
// may read it meanwhile.
func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	a, b := open(t, path), open(t, path)
	if _, err := a.WriteString("mine"); err != nil {
		t.Fatal(err)
	}
	if err := machine.Lock(a); err != nil {
		t.Fatal(err)
	}
	for name, lock := range map[string]func(*os.File) error{"whole": machine.Lock, "shared": machine.LockShared} {
		if err := lock(b); !errors.Is(err, machine.ErrHeld) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if said, err := os.ReadFile(path); string(said) != "mine" {
		t.Errorf("read %q, %v", said, err)
	}
	_ = a.Close()
	c := open(t, path)
	if err := errors.Join(machine.LockShared(b), machine.LockShared(c)); err != nil {
		t.Errorf("after it was closed: %v", err)
	}
	if err := machine.Lock(open(t, path)); !errors.Is(err, machine.ErrHeld) {
		t.Errorf("what others share: %v", err)
	}
}

// TestCreateTemp: an open draft takes another file's place, and goes.
func TestCreateTemp(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "settings")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		f, err := machine.CreateTemp(dir, "settings.new-*")
		if err != nil {
			t.Fatal(err)
		}
		_, err = f.WriteString("new")
		if err := errors.Join(err, os.Rename(f.Name(), path), f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if said, _ := os.ReadFile(path); string(said) != "new" {
		t.Errorf("it holds %q", said)
	}
	f, err := machine.CreateTemp(dir, "*")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Remove(f.Name()), f.Close()); err != nil {
		t.Error(err)
	}
	if list, _ := os.ReadDir(dir); len(list) != 1 {
		t.Errorf("left behind: %v", list)
	}
}

// TestFiles: second names are seen in an open file, and folders say what there is room for.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	f := open(t, filepath.Join(dir, "one"))
	info, err := f.Stat()
	if err != nil || machine.Linked(info, f) {
		t.Errorf("a file of its own is linked, or %v", err)
	}
	if err := os.Link(f.Name(), filepath.Join(dir, "two")); err != nil {
		t.Skip(err)
	}
	if info, err = f.Stat(); err != nil || !machine.Linked(info, f) {
		t.Errorf("a second name is not seen, or %v", err)
	}
	if err := machine.Writable(dir); err != nil {
		t.Error(err)
	}
	if free, err := machine.FreeSpace(dir); err != nil || free == 0 {
		t.Errorf("%d bytes are free, %v", free, err)
	}
	gone := filepath.Join(dir, "none")
	if _, err := machine.FreeSpace(gone); !errors.Is(err, os.ErrNotExist) || machine.Writable(gone) == nil {
		t.Errorf("a folder that is not there: %v", err)
	}
}

// TestFamily: what a program started ends with it.
func TestFamily(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), children+"=parent")
	family := machine.NewFamily(cmd)
	said, child, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout = child
	if err := family.Start(); err != nil {
		t.Fatal(err)
	}
	_ = child.Close()
	lines := bufio.NewReader(said)
	for range 2 {
		if _, err := lines.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	family.End()
	family.End()
	if _, err := io.ReadAll(lines); err != nil { // ends when nobody can write to it
		t.Error(err)
	}
	_ = cmd.Wait()
}
