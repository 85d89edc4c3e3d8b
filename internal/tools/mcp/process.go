package mcp

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/internal/text"
	"parley/internal/text/machine"
)

const (
	maxMessage = 4 << 20 // bytes of one message from a server
	goodbye    = 2 * time.Second
)

// handedOn are the variables every child may see.
var handedOn = []string{"PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR"}

// environment returns what the child sees: never the bot's own, which holds tokens.
func environment(s Server, home string) []string {
	env := []string{"HOME=" + home}
	for _, name := range handedOn {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	for _, e := range s.Env {
		if strings.Contains(e, "=") {
			env = append(env, e)
		} else if v, ok := os.LookupEnv(e); ok {
			env = append(env, e+"="+v)
		}
	}
	return env // of two values of a name, os/exec uses the later
}

// overPipes runs the server's program as a process group of its own and talks
// to it over its standard input and output.
func (r *remote) overPipes(dir string) dialer {
	s := r.server
	return func(context.Context) (sdk.Transport, func(), error) {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, nil, err
		}
		home, err := filepath.Abs(dir)
		if err != nil {
			return nil, nil, err
		}
		program := s.Command[0]
		if filepath.Base(program) != program { // relative to us, not to its folder
			if program, err = filepath.Abs(program); err != nil {
				return nil, nil, err
			}
		}
		cmd := exec.Command(program, s.Command[1:]...)
		cmd.Dir, cmd.Env = home, environment(s, home)
		cmd.Stderr = &complaints{log: r.log}
		cmd.WaitDelay = goodbye // for grandchildren that hold standard error
		t, hangUp, err := start(cmd, r.tasks.hear)
		return probing{t, &r.era, r.era.patience(s.startTime())}, hangUp, err
	}
}

// start runs cmd. The pipes are ours and not os/exec's, so that what a child
// wrote before it ended is still read.
func start(cmd *exec.Cmd, heard hearing) (sdk.Transport, func(), error) {
	family := machine.NewFamily(cmd)
	in, toChild, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	fromChild, out, err := os.Pipe()
	if err != nil {
		in.Close()
		toChild.Close()
		return nil, nil, err
	}
	cmd.Stdin, cmd.Stdout = in, out
	err = family.Start()
	in.Close()
	out.Close()
	if err != nil {
		toChild.Close()
		fromChild.Close()
		return nil, nil, err
	}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		cmd.Wait()   // how it ended does not matter: it is gone
		family.End() // and so is whatever it left behind
	}()
	hangUp := func() {
		toChild.Close() // a well-behaved server ends now
		select {
		case <-gone:
		case <-time.After(goodbye):
			family.End()
			<-gone
		}
		fromChild.Close()
	}
	return &sdk.IOTransport{Reader: onlyMessages(fromChild, heard, cmd.Stderr), Writer: toChild, MaxLineLength: maxMessage}, hangUp, nil
}

// complaints logs what a child says that is no message, line by line and not
// more than a little.
type complaints struct {
	log *slog.Logger

	mu    sync.Mutex // guards lines: standard output and standard error are read side by side
	lines int
}

const maxComplaints = 200 // of one run

func (c *complaints) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for line := range bytes.Lines(p) {
		if c.lines++; c.lines > maxComplaints {
			break
		}
		text, _ := text.Strip(limited(string(line), 500))
		c.log.Debug("tool server says", "text", strings.TrimSpace(text))
	}
	return len(p), nil
}
