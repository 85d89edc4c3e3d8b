package terminal

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"parley/internal/adapters/terminal/lineedit/lineedittest"
	"parley/internal/chat"
	"parley/internal/text/waittest"
)

// seat is somebody at a pseudo terminal.
type seat struct {
	*lineedittest.Screen
	t    *testing.T
	keys *os.File
	tty  *os.File
	done chan error
	in   *intake
}

func takeSeat(t *testing.T, o Options, answer func(chat.Message) []chat.Part) *seat {
	t.Helper()
	ours, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK, 0)
	if err != nil {
		t.Skip("no pseudo terminals here:", err)
	}
	n, err := unix.IoctlGetInt(int(ours.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(ours.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Skip("no pseudo terminals here:", err)
	}
	tty, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(int(tty.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 20, Col: 40}); err != nil {
		t.Fatal(err)
	}
	s := &seat{Screen: lineedittest.New(40, 20), t: t, keys: ours, tty: tty, done: make(chan error, 1)}
	o.In, o.Out, o.TTY = tty, tty, true
	a := New(o)
	s.in = &intake{a: a, answer: answer}
	seen := make(chan struct{})
	go func() { _, _ = io.Copy(s, ours); close(seen) }()
	go func() { s.done <- a.Run(t.Context(), s.in) }()
	t.Cleanup(func() {
		s.in.wg.Wait()
		_ = tty.Close()
		_ = ours.Close()
		<-seen
	})
	return s
}

// sees presses keys and waits until the screen ends with rows.
func (s *seat) sees(keys, rows string) {
	s.t.Helper()
	if _, err := s.keys.WriteString(keys); err != nil {
		s.t.Fatal(err)
	}
	if !waittest.Within(20*time.Second, func() bool { return strings.HasSuffix("\n"+s.Seen(), "\n"+rows) }) {
		s.t.Fatalf("after %q:\n%s\nwant\n%s", keys, s.Seen(), rows)
	}
}

func (s *seat) leaves() {
	s.t.Helper()
	if err := <-s.done; err != nil {
		s.t.Error(err)
	}
	mode, err := unix.IoctlGetTermios(int(s.tty.Fd()), getTermios)
	if err != nil || mode.Lflag&unix.ECHO == 0 || mode.Lflag&unix.ICANON == 0 {
		s.t.Errorf("the terminal is left as %+v, %v", mode, err)
	}
}

func TestSomebodyAtATerminal(t *testing.T) {
	history := filepath.Join(t.TempDir(), "history")
	complete := func(prefix string) (list []string) {
		for _, c := range []string{"/help ", "/hello "} {
			if strings.HasPrefix(c, prefix) {
				list = append(list, c)
			}
		}
		return list
	}
	s := takeSeat(t, Options{HistoryFile: history, Complete: complete}, echo)
	s.sees("", ">")
	s.sees("hi 👩\u200d👩\u200d👧\x7fyou\r", "> hi you\nre: hi you\n>")
	s.sees("\x1b[200~one\ntwo\x1b[201~\r", "> one\n  two\nre: one\ntwo\n>")
	s.sees("/h\t", "> /hel\n/help   /hello")
	s.sees("\x03", "> /hel^C\n>")
	s.sees("\x12hi\r", "> hi you\nre: hi you\n>")
	s.sees("exit\r", "> exit")
	s.leaves()
	again := takeSeat(t, Options{HistoryFile: history}, echo)
	again.sees("", ">")
	again.sees("\x1b[A\x1b[A", "> hi you")
	again.sees("\x04\x15", ">")
	again.sees("\x04", ">")
	again.leaves()
}

func TestKeysDuringAnAnswer(t *testing.T) {
	stopped := make(chan struct{})
	s := takeSeat(t, Options{}, func(m chat.Message) []chat.Part {
		switch m.Text {
		case "long":
			<-stopped
			return []chat.Part{{Text: "so far"}}
		case "/stop":
			close(stopped)
			return nil
		}
		return echo(m)
	})
	s.sees("", ">") // before that, the terminal itself echoes
	s.sees("long\r", "> long")
	waittest.Until(t, "the answer to begin", s.in.a.busy.Load)
	s.sees("next\r", "> long") // typed ahead
	s.sees("\x03", "> long\nso far\n> next\nre: next\n>")
	s.sees("exit\r", "> exit")
	s.leaves()
}

func TestAReminderComesWhileSomebodyTypes(t *testing.T) {
	s := takeSeat(t, Options{}, echo)
	s.sees("", ">")
	s.sees("half a line that is longer than the window is", "> half a line that is longer than the wi\nndow is")
	if _, err := s.in.a.Send(t.Context(), chat.Part{Text: "**Tea** is ready"}); err != nil {
		t.Fatal(err)
	}
	s.sees("", "Tea is ready\n> half a line that is longer than the wi\nndow is")
	s.sees("!\x15exit\r", "Tea is ready\n> exit")
	s.leaves()
}
