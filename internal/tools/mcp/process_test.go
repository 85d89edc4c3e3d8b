package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/internal/text/waittest"
	"parley/internal/tools"
)

type noArgs struct{}

func childTool(name string, f func() string) tools.Tool {
	return tools.Func(tools.Meta{Name: name, Description: "of the child", Category: tools.About},
		func(context.Context, tools.Call, noArgs) (tools.Result, error) {
			return tools.Result{Content: f()}, nil
		})
}

// child is what the test binary does when it plays a server.
func child(mode string) {
	if mode == conforming {
		if err := conform(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if name, ok := strings.CutPrefix(mode, "replay:"); ok {
		replay(name)
		return
	}
	_ = os.WriteFile("here", nil, 0o600) // for tests that wait for it
	in := io.ReadCloser(os.Stdin)
	switch mode {
	case "older": // and dies of the question
		in = olderInput()
	case "mute":
		io.Copy(io.Discard, os.Stdin)
		return
	case "deaf": // and stubborn
		waittest.Take(context.Background(), time.Hour)
	case "junk":
		fmt.Println("Welcome to the server!\n\n  listening…\n[INFO] ready\n[\"a list\"]\n{\"level\":\"info\",\"msg\":\"listening\"}\n[]\n{}")
		fmt.Fprintln(os.Stderr, "a complaint")
	case "chatter":
		for {
			fmt.Println(strings.Repeat("junk ", 1000))
		}
	case "fork":
		grand := exec.Command("sleep", "3600")
		grand.Stdout, grand.Stderr = os.Stdout, os.Stderr
		if err := grand.Start(); err != nil {
			panic(err)
		}
		os.WriteFile("grandchild", []byte(strconv.Itoa(grand.Process.Pid)), 0o600)
	}
	set := tools.NewSet(
		childTool("env", func() string { dir, _ := os.Getwd(); return strings.Join(os.Environ(), "\n") + "\ndir=" + dir }),
		childTool("pid", func() string { return strconv.Itoa(os.Getpid()) }),
		childTool("die", func() string { os.Exit(3); return "" }),
		childTool("flood", func() string {
			line := strings.Repeat("x", 1<<20)
			os.Stdout.WriteString(`{"jsonrpc":"2.0","method":"`)
			for range 100 {
				os.Stdout.WriteString(line)
			}
			return ""
		}),
	)
	Serve(context.Background(), set, tools.Call{}, in, os.Stdout)
	if mode == "fork" {
		waittest.Take(context.Background(), time.Hour) // ignores the end of its input
	}
}

// olderInput is the standard input of a server that, asked for the newest version, notes that
// it was, answers with an error and ends.
func olderInput() io.ReadCloser {
	from := bufio.NewReader(os.Stdin)
	line, _ := from.ReadString('\n')
	if strings.Contains(line, discover) {
		f, err := os.OpenFile("asked", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			panic(err)
		}
		fmt.Fprintln(f, "asked")
		fmt.Println(`{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"not initialized"}}`)
		os.Exit(1)
	}
	return io.NopCloser(io.MultiReader(strings.NewReader(line), from))
}

// live runs a client until the test ends: over dialers or, where none are given, over
// real connections.
func live(t *testing.T, o Options, dialers ...dialer) (c *Client, stop func()) {
	t.Helper()
	c, err := Open(o)
	must(t, err)
	for i, d := range dialers {
		c.remotes[i].dial = d
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); c.Run(ctx) }()
	stop = func() { cancel(); <-done }
	t.Cleanup(stop)
	return c, stop
}

func childServer(name, mode string, env ...string) Server {
	return Server{Name: name, Command: []string{os.Args[0], "-test.run=^$"}, Env: append(env, "PARLEY_MCP_CHILD="+mode)}
}

func TestChildEnvironment(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "canary")
	t.Setenv("TELEGRAM_BOT_TOKEN", "canary")
	t.Setenv("HANDED", "yes")
	dir := t.TempDir()
	c, _ := live(t, Options{Dir: dir, Servers: []Server{childServer("kid", "ok", "HANDED", "SET=a=b")}})
	waittest.Until(t, "connected", func() bool { return c.Set().Len() == 4 })
	got := run(t, c, "kid__env", `{}`).Result.Content
	if strings.Contains(got, "canary") {
		t.Error("the child sees the bot's secrets")
	}
	for _, want := range []string{"\nHANDED=yes\n", "\nSET=a=b\n", "HOME=" + filepath.Join(dir, "kid"), "dir=" + filepath.Join(dir, "kid")} {
		if !strings.Contains(got, want) {
			t.Errorf("the child lacks %q", want)
		}
	}
}

func TestChildrenThatFail(t *testing.T) {
	t.Parallel()
	c, _ := live(t, Options{Dir: t.TempDir(), Servers: []Server{childServer("good", "junk"), childServer("chatter", "chatter"),
		{Name: "absent", Command: []string{"/no/such/program"}}, {Name: "shell", Command: []string{"echo $HOME; true"}}}})
	waittest.Until(t, "connected past the junk", func() bool { return offered(c) == "good__die good__env good__flood good__pid" })
	waittest.Until(t, "the others are reported", func() bool {
		s := c.Status()
		return s[1].Err != "" && s[2].Err != "" && s[3].Err != ""
	})
	for _, how := range []string{"good__die", "good__flood"} {
		pid := run(t, c, "good__pid", `{}`).Result.Content
		if o := run(t, c, how, `{}`); o.Class != tools.Unsure {
			t.Errorf("%s: %s %.200q", how, o.Class, o.Result.Content)
		}
		waittest.Until(t, "a new child after "+how, func() bool {
			o := run(t, c, "good__pid", `{}`)
			return o.Class == "" && o.Result.Content != pid
		})
	}
}

func TestProcessGroupIsKilled(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(c *Client, stop func()){
		"by us":     func(_ *Client, stop func()) { stop() },
		"by itself": func(c *Client, _ func()) { run(t, c, "kid__die", `{}`) },
	} {
		t.Run(name, func(t *testing.T) { testGroup(t, end) })
	}
}

func testGroup(t *testing.T, end func(c *Client, stop func())) {
	t.Parallel()
	dir := t.TempDir()
	c, stop := live(t, Options{Dir: dir, Servers: []Server{childServer("kid", "fork")}})
	waittest.Until(t, "connected", func() bool { return c.Set().Len() == 4 })
	data, err := os.ReadFile(filepath.Join(dir, "kid", "grandchild"))
	must(t, err)
	pid, _ := strconv.Atoi(string(data))
	if syscall.Kill(pid, 0) != nil {
		t.Fatal("no grandchild")
	}
	end(c, stop)
	waittest.Until(t, "the grandchild is gone", func() bool {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return err != nil && syscall.Kill(pid, 0) != nil || strings.Contains(string(stat), ") Z ")
	})
}

// TestSilentChildren stops while the greeting is still unanswered.
func TestSilentChildren(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c, stop := live(t, Options{Dir: dir, Servers: []Server{childServer("mute", "mute"), childServer("deaf", "deaf")}})
	for _, name := range []string{"mute", "deaf"} {
		waittest.Until(t, name+" runs", func() bool {
			_, err := os.Stat(filepath.Join(dir, name, "here"))
			return err == nil
		})
	}
	if c.Set().Len() != 0 {
		t.Error("tools of a server that never spoke")
	}
	stop()
}

func TestHTTP(t *testing.T) {
	f := newFake()
	f.add("echo", "says", says("over http"))
	var breakIt atomic.Bool
	var sessions atomic.Int32
	handler := f.handler()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		said, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(said))
		if r.Header.Get("Mcp-Session-Id") == "" && r.Method == http.MethodPost {
			sessions.Add(1)
		} else if bytes.Contains(said, []byte(`"tools/call"`)) && breakIt.CompareAndSwap(true, false) {
			http.Error(w, "gone", http.StatusNotFound)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	defer s.Close()
	c, stop := live(t, Options{Dir: t.TempDir(), Servers: []Server{{Name: "web", URL: s.URL}}})
	defer f.hangUp()
	defer stop()
	waittest.Until(t, "connected", func() bool { return offered(c) == "web__echo" })
	if o := run(t, c, "web__echo", `{}`); o.Class != "" || !strings.Contains(o.Result.Content, "over http") {
		t.Errorf("%+v", o)
	}
	before := sessions.Load()
	breakIt.Store(true)
	if o := run(t, c, "web__echo", `{}`); o.Class != tools.Broken {
		t.Errorf("a call in a session that is gone: %+v", o)
	}
	waittest.Until(t, "a new session", func() bool { return sessions.Load() > before && offered(c) == "web__echo" })
}

func TestHTTPStaysOutOfTheNetwork(t *testing.T) {
	var asked atomic.Int32
	inner := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer inner.Close()
	outer := httptest.NewServer(http.RedirectHandler(inner.URL, http.StatusTemporaryRedirect))
	defer outer.Close()
	huge := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":"`)
		for range 100 {
			if _, err := io.WriteString(w, strings.Repeat("x", 1<<20)); err != nil {
				return
			}
		}
	}))
	defer huge.Close()
	c, stop := live(t, Options{Dir: t.TempDir(), Servers: []Server{{Name: "moved", URL: outer.URL}, {Name: "huge", URL: huge.URL}}})
	defer stop()
	waittest.Until(t, "both refused", func() bool { s := c.Status(); return s[0].Err != "" && s[1].Err != "" })
	if asked.Load() != 0 {
		t.Error("the inner server was asked")
	}
}

func TestServe(t *testing.T) {
	type args struct {
		Text string `json:"text"`
	}
	meta := tools.Meta{Name: "say", Description: "says", Category: tools.About}
	set := tools.NewSet(
		tools.Func(meta, func(_ context.Context, c tools.Call, a args) (tools.Result, error) {
			return tools.Result{Content: a.Text + " for " + c.Who.ID + " in " + c.Session}, nil
		}),
		childTool("boom", func() string { panic("boom") }))
	as := tools.Call{Session: "s1"}
	as.Who.ID = "terminal:owner"
	inRead, inWrite := io.Pipe()
	outRead, outWrite := io.Pipe()
	served := make(chan error, 1)
	go func() { served <- Serve(t.Context(), set, as, inRead, outWrite) }()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &sdk.IOTransport{Reader: outRead, Writer: inWrite}, nil)
	must(t, err)
	list, err := session.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != 2 || list.Tools[1].Name != "say" {
		t.Fatalf("%+v, %v", list, err)
	}
	for _, tt := range []struct {
		name, args, want string
		failed           bool
	}{
		{"say", `{"text":"hi","user_id":"telegram:666","session":"other"}`, "hi for terminal:owner in s1", false},
		{"say", `{"text":5}`, "arguments/text", true},
		{"boom", `{}`, "The tool failed", true},
	} {
		got, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: tt.name, Arguments: json.RawMessage(tt.args)})
		if err != nil || got.IsError != tt.failed || !strings.Contains(content(got), tt.want) {
			t.Errorf("%s %s: %+v, %v", tt.name, tt.args, got, err)
		}
	}
	if _, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "rm_rf"}); err == nil {
		t.Error("an unknown tool was called")
	}
	session.Close()
	if err := <-served; err != nil {
		t.Errorf("serve: %v", err)
	}
}
