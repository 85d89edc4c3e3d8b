package app

import (
	"context"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"parley/internal/health"
)

// lookEvery is how often a bot that does not receive yet checks again.
const lookEvery = 100 * time.Millisecond

// supervisor reports the bot's state to the service manager with sd_notify(3).
// Without a manager it does nothing.
type supervisor struct {
	conn  net.Conn      // nil without a manager
	every time.Duration // half of the watchdog's patience; 0 without a watchdog
}

// newSupervisor reads the manager's variables from the environment and removes them:
// a tool server must not report in the bot's name.
func newSupervisor() (s supervisor, err error) {
	socket, usec, pid := os.Getenv("NOTIFY_SOCKET"), os.Getenv("WATCHDOG_USEC"), os.Getenv("WATCHDOG_PID")
	for _, name := range []string{"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"} {
		_ = os.Unsetenv(name)
	}
	if socket == "" {
		return s, nil
	}
	if s.conn, err = net.Dial("unixgram", socket); err != nil { // a leading @ is the abstract namespace
		return supervisor{}, fmt.Errorf("tell the service manager: %w", err)
	}
	if n, err := strconv.ParseInt(usec, 10, 64); err == nil && (pid == "" || pid == strconv.Itoa(os.Getpid())) {
		s.every = time.Duration(n) * time.Microsecond / 2
	}
	return s, nil
}

// tell sends a message and ignores a manager that does not listen.
func (s supervisor) tell(lines ...string) {
	if s.conn != nil {
		_, _ = s.conn.Write([]byte(strings.Join(lines, "\n")))
	}
}

func (s supervisor) close() {
	if s.conn != nil {
		_ = s.conn.Close()
	}
}

// supervised reports READY once a platform receives, and then, at half of the
// watchdog's interval, that the bot is alive, for as long as it is.
func (v *vitals) supervised(ctx context.Context) {
	if v.supervisor.conn == nil {
		return
	}
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for ready := false; ; {
		switch alive := v.alive(ctx); {
		case alive && !ready:
			ready = true
			v.supervisor.tell("READY=1", "STATUS=receiving")
			if v.supervisor.every == 0 {
				return
			}
			tick.Reset(v.supervisor.every)
		case alive:
			v.supervisor.tell("WATCHDOG=1")
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// alive reports whether a restart would be pointless: the database answers and a
// platform receives. One platform that is down is no reason to cut off the others;
// /healthz reports it.
func (v *vitals) alive(ctx context.Context) bool {
	if _, err := v.storage.store.SchemaVersion(ctx); err != nil {
		return false
	}
	deaf := 0
	for _, p := range v.platforms.adapters {
		if f, ok := health.Found(p.Platform(), p.Health()); ok && f.Is == health.Unavailable {
			deaf++
		}
	}
	return deaf < len(v.platforms.adapters)
}
