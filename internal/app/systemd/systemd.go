// Package systemd reports to the service manager with sd_notify(3). It does not know what
// it reports.
package systemd

import (
	"context"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"
)

// Supervisor reports the bot's state to the service manager. Without a manager it does
// nothing.
type Supervisor struct {
	conn  net.Conn      // nil without a manager
	Every time.Duration // half of the watchdog's interval; 0 without a watchdog
}

// New reads the manager's variables and removes them from the environment: a tool server
// must not report in the bot's name.
func New() (s Supervisor, err error) {
	socket, usec, pid := os.Getenv("NOTIFY_SOCKET"), os.Getenv("WATCHDOG_USEC"), os.Getenv("WATCHDOG_PID")
	for _, name := range []string{"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"} {
		_ = os.Unsetenv(name)
	}
	if socket == "" {
		return s, nil
	}
	if s.conn, err = net.Dial("unixgram", socket); err != nil { // a leading @ means the abstract namespace
		return Supervisor{}, fmt.Errorf("tell the service manager: %w", err)
	}
	if n, err := strconv.ParseInt(usec, 10, 64); err == nil && (pid == "" || pid == strconv.Itoa(os.Getpid())) {
		s.Every = time.Duration(n) * time.Microsecond / 2
	}
	return s, nil
}

// Tell sends a message. A manager that does not listen is ignored.
func (s Supervisor) Tell(lines ...string) {
	if s.conn != nil {
		_, _ = s.conn.Write([]byte(strings.Join(lines, "\n")))
	}
}

// lookEvery is how often a bot that is not ready checks again.
const lookEvery = 100 * time.Millisecond

// Watch reports READY once the bot is alive, and then feeds the watchdog every s.Every
// while it stays so. It ends with ctx.
func (s Supervisor) Watch(ctx context.Context, alive func(context.Context) bool) {
	if s.conn == nil {
		return
	}
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for ready := false; ; {
		switch alive := alive(ctx); {
		case alive && !ready:
			ready = true
			s.Tell("READY=1", "STATUS=receiving")
			if s.Every == 0 {
				return
			}
			tick.Reset(s.Every)
		case alive:
			s.Tell("WATCHDOG=1")
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// Close may be called twice.
func (s Supervisor) Close() {
	if s.conn != nil {
		_ = s.conn.Close()
	}
}
