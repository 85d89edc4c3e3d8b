//go:build unix

package terminal

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"

	"github.com/peterh/liner"
	"golang.org/x/sys/unix"
)

// open chooses the source: the line editor on a capable terminal, else lines.
func (a *Adapter) open() (source, error) {
	if !a.o.TTY || !liner.TerminalSupported() {
		return newPipe(a.o.In), nil
	}
	c, err := openConsole(a)
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	a.redraw = c.above
	a.mu.Unlock()
	return c, nil
}

// console adds two things to liner: it reads the keys itself and passes them on
// through a pipe, so that Ctrl-C also works while liner is not prompting; and it
// keeps the keyboard's signals off the whole time.
type console struct {
	a      *Adapter
	editor *liner.State
	before unix.Termios   // the terminal as it was found
	keys   *os.File       // liner reads here
	wake   *os.File       // closed to end the pump
	pump   sync.WaitGroup // the goroutine that reads the terminal
}

// maxRemembered keeps long pastes out of the history, in bytes; liner cannot
// read back lines over 4096.
const maxRemembered = 1000

func openConsole(a *Adapter) (*console, error) {
	before, err := unix.IoctlGetTermios(unix.Stdin, getTermios)
	if err != nil {
		return nil, fmt.Errorf("terminal mode: %w", err)
	}
	quiet := *before
	quiet.Lflag &^= unix.ISIG
	keysOut, keysIn, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	woken, wake, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, keysOut.Close(), keysIn.Close())
	}
	if err := unix.IoctlSetTermios(unix.Stdin, setTermios, &quiet); err != nil {
		return nil, fmt.Errorf("terminal mode: %w", err)
	}
	c := &console{a: a, before: *before, keys: keysOut, wake: wake}
	stdin := os.Stdin
	os.Stdin = keysOut // liner looks at it once, in NewLiner
	c.editor = liner.NewLiner()
	os.Stdin = stdin
	a.editor.Store(c.editor)
	c.editor.SetCtrlCAborts(true)
	if a.o.Complete != nil {
		c.editor.SetCompleter(a.o.Complete)
	}
	if f, err := os.Open(a.o.HistoryFile); err == nil {
		_, _ = c.editor.ReadHistory(f) // what cannot be read is not offered
		_ = f.Close()
	}
	_, _ = io.WriteString(a.o.Out, pasteOn)
	c.pump.Go(func() { c.read(woken, keysIn) })
	return c, nil
}

// read moves keys from the terminal to liner until woken is closed.
func (c *console) read(woken, to *os.File) {
	defer func() { _ = errors.Join(to.Close(), woken.Close()) }()
	var k keys
	buf := make([]byte, 4096)
	for {
		wait := -1
		if len(k.held) > 0 {
			wait = 20 // ms; terminals send a mark in one go
		}
		fds := []unix.PollFd{{Fd: int32(unix.Stdin), Events: unix.POLLIN}, {Fd: int32(woken.Fd()), Events: unix.POLLIN}}
		n, err := unix.Poll(fds, wait)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil || fds[1].Revents != 0:
			return
		case n == 0:
			_, _ = to.Write(k.rest())
			continue
		}
		if n, err = unix.Read(unix.Stdin, buf); n <= 0 {
			if errors.Is(err, unix.EINTR) || errors.Is(err, unix.EAGAIN) {
				continue
			}
			return
		}
		out, interrupted := k.feed(buf[:n], c.a.busy.Load())
		if interrupted {
			select {
			case c.a.interrupt <- struct{}{}:
			default:
			}
		}
		if _, err := to.Write(out); err != nil {
			return
		}
	}
}

func (c *console) line() (string, error) {
	text, err := c.editor.Prompt(prompt)
	if errors.Is(err, liner.ErrPromptAborted) {
		return "", errAborted
	}
	if err != nil {
		_, _ = io.WriteString(c.a.o.Out, "\n")
		return "", err
	}
	if strings.TrimSpace(text) != "" && len(text) <= maxRemembered {
		c.editor.AppendHistory(text)
	}
	return unfold(text), nil
}

// above prints something while the prompt is open and makes liner redraw its line,
// as it does when the window changes.
func (c *console) above(write func()) {
	_, _ = io.WriteString(c.a.o.Out, eraseLine)
	write()
	_ = syscall.Kill(os.Getpid(), syscall.SIGWINCH)
}

// stop ends the pump and a line that liner waits for.
func (c *console) stop() {
	c.a.mu.Lock()
	c.a.redraw = nil
	c.a.mu.Unlock()
	_ = errors.Join(c.wake.Close(), c.keys.Close())
	c.pump.Wait()
}

// close restores the terminal.
func (c *console) close() {
	_ = c.editor.Close()
	_, _ = io.WriteString(c.a.o.Out, pasteOff)
	_ = unix.IoctlSetTermios(unix.Stdin, setTermios, &c.before)
	if err := c.remember(); err != nil {
		c.a.o.Log.Warn("history not written", "err", err)
	}
}

func (c *console) remember() error {
	if c.a.o.HistoryFile == "" {
		return nil
	}
	f, err := os.OpenFile(c.a.o.HistoryFile, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = c.editor.WriteHistory(f)
	return errors.Join(err, f.Chmod(0o600), f.Close())
}
