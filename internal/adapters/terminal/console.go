//go:build unix

package terminal

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"parley/internal/adapters/terminal/lineedit"
)

// open chooses the source: the line editor on a terminal, else lines.
func (a *Adapter) open() (source, error) {
	if !a.o.TTY {
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

// console reads keys all the time, so that Ctrl-C also works while an answer is
// written. What is typed meanwhile waits for the next prompt.
type console struct {
	a       *Adapter
	in      *os.File
	before  unix.Termios   // the terminal as it was found
	wake    *os.File       // closed to end the pump
	pump    sync.WaitGroup // the goroutine that reads the terminal
	news    chan struct{}  // holds one token when there are keys, or none will come
	resized chan os.Signal

	mu    sync.Mutex // guards keys and ended
	keys  []lineedit.Key
	ended bool

	editor *lineedit.Editor // guarded, with the rest, by Adapter.mu
	open   bool             // the prompt is on the screen,
	row    int              // and the cursor so many rows below its first
}

// Sequences that turn marks around pasted blocks on and off.
const (
	pasteOn  = "\x1b[?2004h"
	pasteOff = "\x1b[?2004l"
)

func openConsole(a *Adapter) (*console, error) {
	in, ok := a.o.In.(*os.File)
	if !ok {
		return nil, errors.New("terminal mode: the input is no file")
	}
	before, err := unix.IoctlGetTermios(int(in.Fd()), getTermios)
	if err != nil {
		return nil, fmt.Errorf("terminal mode: %w", err)
	}
	keyed := *before
	keyed.Lflag &^= unix.ISIG | unix.ICANON | unix.ECHO | unix.IEXTEN
	keyed.Iflag &^= unix.ICRNL | unix.INLCR | unix.IXON
	keyed.Cc[unix.VMIN], keyed.Cc[unix.VTIME] = 1, 0
	woken, wake, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	if err := unix.IoctlSetTermios(int(in.Fd()), setTermios, &keyed); err != nil {
		return nil, errors.Join(fmt.Errorf("terminal mode: %w", err), woken.Close(), wake.Close())
	}
	history, err := lineedit.OpenHistory(a.historyFile(), a.o.Tokens)
	if err != nil {
		a.o.Log.Warn("earlier lines are not offered", "err", err)
	}
	a.history.Store(history)
	c := &console{
		a: a, in: in, before: *before, wake: wake, news: make(chan struct{}, 1), resized: make(chan os.Signal, 1),
		editor: &lineedit.Editor{Prompt: "> ", Complete: a.o.Complete, History: history, Styled: true},
	}
	signal.Notify(c.resized, syscall.SIGWINCH)
	a.print(pasteOn)
	c.pump.Go(func() { c.read(woken) })
	return c, nil
}

// escapeTime is how long to wait, in milliseconds, for the rest of a key that begins with
// Esc: terminals send a key in one go.
const escapeTime = 50

// read takes keys from the terminal until woken is closed.
func (c *console) read(woken *os.File) {
	defer c.end()
	defer func() { _ = woken.Close() }()
	var keys lineedit.Decoder
	buf := make([]byte, 4096)
	for {
		wait := -1
		if keys.Held() {
			wait = escapeTime
		}
		fds := []unix.PollFd{{Fd: int32(c.in.Fd()), Events: unix.POLLIN}, {Fd: int32(woken.Fd()), Events: unix.POLLIN}}
		n, err := unix.Poll(fds, wait)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil || fds[1].Revents != 0:
			return
		case n == 0:
			c.took(keys.Flush())
			continue
		}
		if n, err = unix.Read(int(c.in.Fd()), buf); n <= 0 {
			if errors.Is(err, unix.EINTR) || errors.Is(err, unix.EAGAIN) {
				continue
			}
			return
		}
		c.took(keys.Feed(buf[:n]))
	}
}

// took passes keys on: Ctrl-C during an answer to say, all others to the line.
func (c *console) took(keys []lineedit.Key) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, k := range keys {
		if k.Code != lineedit.Cancel || !c.a.busy.Load() {
			c.keys = append(c.keys, k)
			continue
		}
		select {
		case c.a.interrupt <- struct{}{}:
		default:
		}
	}
	c.tell()
}

// end says that no more keys will come.
func (c *console) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	c.tell()
}

func (c *console) tell() {
	select {
	case c.news <- struct{}{}:
	default:
	}
}

// next returns the next key; ok is false if there is none yet, or, if ended, ever.
func (c *console) next() (k lineedit.Key, ok, ended bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.keys) == 0 {
		return k, false, c.ended
	}
	k, c.keys = c.keys[0], c.keys[1:]
	return k, true, false
}

func (c *console) line() (string, error) {
	c.draw(0)
	for {
		k, ok, ended := c.next()
		switch {
		case ended:
			c.leave("")
			return "", io.EOF
		case !ok:
			select {
			case <-c.news:
			case <-c.resized:
				c.fit()
			}
			continue
		}
		switch c.press(k) {
		case lineedit.Editing:
		case lineedit.Done:
			line := c.leave("")
			if err := c.editor.History.Add(line); err != nil {
				c.a.o.Log.Warn("history not written", "err", err)
			}
			return line, nil
		case lineedit.Dropped:
			c.leave("^C")
			c.draw(0)
		case lineedit.Aborted:
			c.leave("")
			return "", errAborted
		case lineedit.Over:
			c.leave("")
			return "", io.EOF
		case lineedit.Wiped:
			c.a.print("\x1b[H\x1b[2J")
			c.draw(0)
		}
	}
}

// press applies a key and shows what came of it.
func (c *console) press(k lineedit.Key) lineedit.Result {
	c.a.mu.Lock()
	defer c.a.mu.Unlock()
	r := c.editor.Do(k)
	c.show(c.row)
	return r
}

// draw shows the line; the cursor is on this row of its frame.
func (c *console) draw(row int) {
	c.a.mu.Lock()
	defer c.a.mu.Unlock()
	c.show(row)
}

// fit shows the line again after the window changed its size, and with it the rows.
func (c *console) fit() {
	c.a.mu.Lock()
	defer c.a.mu.Unlock()
	if c.open {
		c.show(c.editor.View(c.a.screen.window()).Row())
	}
}

// show is draw for callers that hold Adapter.mu.
func (c *console) show(row int) {
	f := c.editor.View(c.a.screen.window())
	_, _ = io.WriteString(c.a.o.Out, f.Draw(row)) // nothing is lost with it
	c.open, c.row = true, f.Row()
}

// leave ends the line, prints mark behind it, and returns it.
func (c *console) leave(mark string) string {
	c.a.mu.Lock()
	defer c.a.mu.Unlock()
	c.editor.Close()
	c.show(c.row)
	_, _ = io.WriteString(c.a.o.Out, mark+"\r\n")
	c.open, c.row = false, 0
	return c.editor.Take()
}

// above prints something where the prompt is, and the prompt below it. The caller
// holds Adapter.mu.
func (c *console) above(write func()) {
	if !c.open {
		write()
		return
	}
	_, _ = io.WriteString(c.a.o.Out, lineedit.Erase(c.row))
	write()
	c.show(0)
}

// stop ends the pump and a line that waits for it.
func (c *console) stop() {
	c.a.mu.Lock()
	c.a.redraw = nil
	c.a.mu.Unlock()
	_ = c.wake.Close()
	c.pump.Wait()
}

// close restores the terminal.
func (c *console) close() {
	signal.Stop(c.resized)
	c.a.print(pasteOff)
	_ = unix.IoctlSetTermios(int(c.in.Fd()), setTermios, &c.before)
}
