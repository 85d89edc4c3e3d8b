package mcp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/internal/text"
	"parley/internal/tools"
)

const (
	maxMessage = 4 << 20 // bytes of one message from a server
	goodbye    = 2 * time.Second
)

// handedOn are the variables every child may see.
var handedOn = []string{"PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR"}

// environment is what the child sees: never the bot's own, which holds tokens.
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
func overPipes(s Server, dir string, log *slog.Logger) dialer {
	return func(context.Context) (sdk.Transport, func(), error) {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, nil, err
		}
		home, err := filepath.Abs(dir)
		if err != nil {
			return nil, nil, err
		}
		program := s.Command[0]
		if strings.Contains(program, "/") { // relative to us, not to its folder
			if program, err = filepath.Abs(program); err != nil {
				return nil, nil, err
			}
		}
		cmd := exec.Command(program, s.Command[1:]...)
		cmd.Dir, cmd.Env = home, environment(s, home)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		cmd.Stderr = &complaints{log: log}
		cmd.WaitDelay = goodbye // for grandchildren that hold standard error
		return start(cmd)
	}
}

// start runs cmd. The pipes are ours and not os/exec's, so that what a child
// wrote before it ended is still read.
func start(cmd *exec.Cmd) (sdk.Transport, func(), error) {
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
	err = cmd.Start()
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
		cmd.Wait() // how it ended does not matter: it is gone
		kill(cmd)  // and so is whatever it left behind
	}()
	hangUp := func() {
		toChild.Close() // a well-behaved server ends now
		select {
		case <-gone:
		case <-time.After(goodbye):
			kill(cmd)
			<-gone
		}
		fromChild.Close()
	}
	return &sdk.IOTransport{Reader: onlyJSON(fromChild), Writer: toChild, MaxLineLength: maxMessage}, hangUp, nil
}

// kill ends the process group. An error means that there is none left.
func kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// onlyJSON drops the lines that are no JSON-RPC message: banners and log lines
// that a careless server prints to its standard output.
func onlyJSON(from io.ReadCloser) io.ReadCloser {
	return struct {
		io.Reader
		io.Closer
	}{&jsonLines{from: bufio.NewReaderSize(from, 64<<10)}, from}
}

type jsonLines struct {
	from   *bufio.Reader
	rest   []byte // of the piece that was read last
	inside bool   // the next piece continues a line
	keep   bool   // that line is kept
	junk   int    // bytes dropped
}

func (j *jsonLines) Read(p []byte) (int, error) {
	for len(j.rest) == 0 {
		piece, err := j.from.ReadSlice('\n')
		if len(piece) == 0 {
			return 0, err
		}
		if !j.inside {
			start := bytes.TrimLeft(piece, " \t\r")
			j.keep = len(start) > 0 && (start[0] == '{' || start[0] == '[')
		}
		j.inside = piece[len(piece)-1] != '\n'
		if j.keep {
			j.rest = piece
		} else if j.junk += len(piece); j.junk > maxMessage {
			return 0, errors.New("the server prints junk")
		}
	}
	n := copy(p, j.rest)
	j.rest = j.rest[n:]
	return n, nil
}

// complaints logs what a child says on its standard error, line by line and
// not more than a little. os/exec calls Write from one goroutine.
type complaints struct {
	log   *slog.Logger
	lines int
}

const maxComplaints = 200 // of one run

func (c *complaints) Write(p []byte) (int, error) {
	for line := range bytes.Lines(p) {
		if c.lines++; c.lines > maxComplaints {
			break
		}
		text, _ := text.Strip(limited(string(line), 500))
		c.log.Debug("tool server says", "text", strings.TrimSpace(text))
	}
	return len(p), nil
}

// overHTTP talks to a streamable HTTP server through the guard.
func overHTTP(address string, guard tools.Guard) dialer {
	guard.Wait = callTimeout
	return func(context.Context) (sdk.Transport, func(), error) {
		client := guard.Client()
		inner := client.Transport
		client.Transport = capped{inner}
		t := &sdk.StreamableClientTransport{Endpoint: address, HTTPClient: client, MaxEventSize: maxMessage}
		return t, func() { (&http.Client{Transport: inner}).CloseIdleConnections() }, nil
	}
}

// capped bounds bodies that are one message; streams of events are bounded
// event by event.
type capped struct{ next http.RoundTripper }

func (c capped) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := c.next.RoundTrip(r)
	if err != nil || strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		return resp, err
	}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{&limit{resp.Body, maxMessage}, resp.Body}
	return resp, nil
}

type limit struct {
	from io.Reader
	left int
}

func (l *limit) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, fmt.Errorf("the answer is longer than %d bytes", maxMessage)
	}
	n, err := l.from.Read(p[:min(len(p), l.left)])
	l.left -= n
	return n, err
}
