//go:build unix

package machine

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// Flags for os.OpenFile: a pipe with nobody at its other end does not block, and nothing but a
// folder is opened.
const (
	Nonblock  = syscall.O_NONBLOCK
	Directory = syscall.O_DIRECTORY
)

// Lock keeps other processes from locking a file until it is closed, or this process ends. It
// never blocks. An error other than ErrHeld is that the file system has no locks.
func Lock(f *os.File) error { return flock(f, syscall.LOCK_EX) }

// LockShared is Lock that bears others like it.
func LockShared(f *os.File) error { return flock(f, syscall.LOCK_SH) }

func flock(f *os.File, how int) error {
	err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrHeld
	}
	return err
}

// CreateTemp is os.CreateTemp whose file may be renamed and removed while it is open.
func CreateTemp(dir, pattern string) (*os.File, error) { return os.CreateTemp(dir, pattern) }

// Identify returns the numbers by which the system knows a file, ok where it says them.
func Identify(info os.FileInfo) (device, number uint64, ok bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, false
	}
	return uint64(st.Dev), st.Ino, true
}

// Linked reports whether a file has a second name, a hard link. f may be nil.
func Linked(info os.FileInfo, _ *os.File) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && st.Nlink > 1
}

// Private reports whether only its owner may look into a file or folder.
func Private(info os.FileInfo) bool { return info.Mode().Perm()&0o077 == 0 }

// Writable returns why this user cannot make files in a folder.
func Writable(dir string) error {
	const writeAndEnter = 3 // W_OK and X_OK of access(2)
	return syscall.Access(dir, writeAndEnter)
}

// FreeSpace returns what this user may still write to the disk of a folder, in bytes.
func FreeSpace(dir string) (uint64, error) {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(filepath.Clean(dir), &fs); err != nil {
		return 0, &os.PathError{Op: "statfs", Path: dir, Err: err}
	}
	return uint64(fs.Bavail) * uint64(fs.Bsize), nil
}

// OpenFiles returns how many files and connections this process may have open; ok where there
// is a limit.
func OpenFiles() (n uint64, ok bool) {
	var limit syscall.Rlimit
	err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit)
	return limit.Cur, err == nil
}

// Confine limits this process to so many bytes and seconds of the processor, for good.
func Confine(bytes, seconds uint64) error {
	return errors.Join(
		syscall.Setrlimit(syscall.RLIMIT_DATA, &syscall.Rlimit{Cur: bytes, Max: bytes}),
		syscall.Setrlimit(syscall.RLIMIT_CPU, &syscall.Rlimit{Cur: seconds, Max: seconds}),
	)
}

// Family starts a program so that End reaches its children as well.
type Family struct{ cmd *exec.Cmd }

// NewFamily prepares a program that was not started yet.
func NewFamily(cmd *exec.Cmd) *Family {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return &Family{cmd}
}

// Start starts it.
func (f *Family) Start() error { return f.cmd.Start() }

// End kills the program and its children. It may be called again.
func (f *Family) End() { _ = syscall.Kill(-f.cmd.Process.Pid, syscall.SIGKILL) } // an error means that none is left
