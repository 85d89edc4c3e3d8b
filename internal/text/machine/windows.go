//go:build windows

package machine

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Flags for os.OpenFile that Windows does not need.
const (
	Nonblock  = 0
	Directory = 0
)

// Lock keeps other processes from locking a file until it is closed, or this process ends. It
// never blocks. An error other than ErrHeld is that the file system has no locks.
func Lock(f *os.File) error { return lock(f, windows.LOCKFILE_EXCLUSIVE_LOCK) }

// LockShared is Lock that bears others like it.
func LockShared(f *os.File) error { return lock(f, 0) }

// lock locks a byte that no file has: Windows keeps others from reading what is locked.
func lock(f *os.File, how uint32) error {
	at := windows.Overlapped{OffsetHigh: 1 << 30}
	err := windows.LockFileEx(windows.Handle(f.Fd()), how|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return ErrHeld
	}
	return err
}

// CreateTemp is os.CreateTemp whose file may be renamed and removed while it is open.
func CreateTemp(dir, pattern string) (*os.File, error) {
	before, after, _ := strings.Cut(pattern, "*")
	for {
		name := filepath.Join(dir, fmt.Sprint(before, rand.Uint32(), after))
		at, err := windows.UTF16PtrFromString(name)
		if err != nil {
			return nil, err
		}
		h, err := windows.CreateFile(at, windows.GENERIC_READ|windows.GENERIC_WRITE,
			windows.FILE_SHARE_READ|windows.FILE_SHARE_WRITE|windows.FILE_SHARE_DELETE, nil, windows.CREATE_NEW, windows.FILE_ATTRIBUTE_NORMAL, 0)
		if errors.Is(err, windows.ERROR_FILE_EXISTS) {
			continue
		}
		if err != nil {
			return nil, &os.PathError{Op: "create", Path: name, Err: err}
		}
		return os.NewFile(uintptr(h), name), nil
	}
}

// Identify says nothing: Windows tells these numbers only of open files. Files that are open
// cannot be removed or replaced there.
func Identify(os.FileInfo) (device, number uint64, ok bool) { return 0, 0, false }

// Linked reports whether an open file has a second name, a hard link; of one that is not
// open, nil, nothing is known.
func Linked(_ os.FileInfo, f *os.File) bool {
	var d windows.ByHandleFileInformation
	return f != nil && windows.GetFileInformationByHandle(windows.Handle(f.Fd()), &d) == nil && d.NumberOfLinks > 1
}

// Private is true: the folders of a user are closed to others, and modes say nothing of it.
func Private(os.FileInfo) bool { return true }

// Writable returns why this user cannot make files in a folder, which only trying tells.
func Writable(dir string) error {
	f, err := CreateTemp(dir, ".writable-*")
	if err != nil {
		return err
	}
	return errors.Join(os.Remove(f.Name()), f.Close())
}

// FreeSpace returns what this user may still write to the disk of a folder, in bytes.
func FreeSpace(dir string) (uint64, error) {
	at, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, err
	}
	var free uint64
	if err := windows.GetDiskFreeSpaceEx(at, &free, nil, nil); err != nil {
		return 0, &os.PathError{Op: "free space", Path: dir, Err: err}
	}
	return free, nil
}

// OpenFiles returns how many files and connections this process may have open; ok where there
// is a limit.
func OpenFiles() (n uint64, ok bool) { return 0, false }

// Confine limits this process to so many bytes and seconds of the processor, for good.
func Confine(bytes, seconds uint64) error {
	job, err := newJob(windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{
			LimitFlags:              windows.JOB_OBJECT_LIMIT_PROCESS_MEMORY | windows.JOB_OBJECT_LIMIT_PROCESS_TIME,
			PerProcessUserTimeLimit: int64(seconds) * 1e7, // in steps of 100 ns
		},
		ProcessMemoryLimit: uintptr(bytes),
	})
	if err != nil {
		return err
	}
	return windows.AssignProcessToJobObject(job, windows.CurrentProcess())
}

func newJob(limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION) (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, err
	}
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	return job, err
}

// Family starts a program so that End reaches its children as well.
type Family struct {
	cmd *exec.Cmd
	job windows.Handle // ends with this process, and all in it, too; 0 where there is none
	end sync.Once
}

// NewFamily prepares a program that was not started yet.
func NewFamily(cmd *exec.Cmd) *Family {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_NO_WINDOW}
	return &Family{cmd: cmd}
}

// Start starts it.
func (f *Family) Start() error {
	if err := f.cmd.Start(); err != nil {
		return err
	}
	job, err := newJob(windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{
		LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE}})
	if err != nil {
		return nil // it runs, and its children are on their own
	}
	p, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(f.cmd.Process.Pid))
	if err == nil {
		err = errors.Join(windows.AssignProcessToJobObject(job, p), windows.CloseHandle(p))
	}
	if err != nil {
		_ = windows.CloseHandle(job)
		return nil
	}
	f.job = job
	return nil
}

// End kills the program and its children. It may be called again.
func (f *Family) End() {
	f.end.Do(func() {
		if f.job == 0 {
			_ = f.cmd.Process.Kill()
			return
		}
		_, _ = windows.TerminateJobObject(f.job, 1), windows.CloseHandle(f.job)
	})
}
