package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/text/waittest"
	"parley/internal/tools"
)

// The public conformance suite is a program for Node: see eval/conformance.
const (
	suiteEnv    = "PARLEY_CONFORMANCE"       // the command that runs it
	scenarioEnv = "MCP_CONFORMANCE_SCENARIO" // what the suite calls the scenario that a client plays
	contextEnv  = "MCP_CONFORMANCE_CONTEXT"  // JSON: what the client has been told beforehand
	schemaName  = "json_schema_2020_12_tool"
	conforming  = "conform" // the mode of a child that is the client
	expected    = "../../../eval/conformance/expected-%s.yml"
)

// suite runs the public suite and fails with what it says.
func suite(t *testing.T, args ...string) {
	t.Helper()
	command := strings.Fields(os.Getenv(suiteEnv))
	if len(command) == 0 {
		t.Skipf("needs the public suite: make conformance, or %s", suiteEnv)
	}
	cmd := exec.CommandContext(t.Context(), command[0], slices.Concat(command[1:], args)...)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "PARLEY_MCP_CHILD="+conforming)
	out, err := cmd.CombinedOutput()
	if t.Logf("%s\n%s", strings.Join(args, " "), out); err != nil {
		t.Error(err)
	}
}

// TestConformanceServer: what the suite asks of a server, of the door with tools that the
// suite names.
func TestConformanceServer(t *testing.T) {
	set := tools.NewSet(
		conformTool("test_simple_text", "This is a simple text response for testing."),
		conformTool("test_error_handling", ""),
		schemaTool{},
	)
	runner := &tools.Runner{}
	door := NewDoor(DoorOptions{Log: slog.New(slog.DiscardHandler), Runner: func() *tools.Runner { return runner },
		Bearer: func(_ context.Context, token string) (string, bool, error) { return "ann", token == "ann", nil },
		Guest: func(context.Context, string) (Guest, error) {
			return Guest{As: tools.Call{Who: chat.User{ID: "ann"}}, Set: set}, nil
		}})
	web := httptest.NewServer(door)
	defer web.Close()
	for _, version := range []string{handshake, stateless} {
		t.Run(version, func(t *testing.T) {
			suite(t, "server", "--url", withBearer(t, web.URL, "ann"), "--suite", "all", "--spec-version", version,
				"--expected-failures", abs(t, fmt.Sprintf(expected, version)))
		})
	}
}

func abs(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	must(t, err)
	return path
}

// withBearer is an address at which a server is asked with a token: the suite sends none.
func withBearer(t *testing.T, to, token string) string {
	t.Helper()
	u, err := url.Parse(to)
	must(t, err)
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(u)
		r.Out.Host = r.In.Host
		r.Out.Header.Set("Authorization", "Bearer "+token)
	}}
	web := httptest.NewServer(proxy)
	t.Cleanup(web.Close)
	return web.URL
}

// conformTool says a text, or fails.
func conformTool(name, says string) tools.Tool {
	return tools.Func(tools.Meta{Name: name, Description: name, Category: tools.Web},
		func(context.Context, tools.Call, struct{}) (tools.Result, error) {
			if says == "" {
				return tools.Result{}, errors.New("this tool intentionally returns an error for testing")
			}
			return tools.Result{Content: says}, nil
		})
}

// schemaTool has what version 2020-12 of JSON Schema has.
type schemaTool struct{}

func (schemaTool) Spec() tools.Spec {
	return tools.Spec{Meta: tools.Meta{Name: schemaName, Description: "Tool with JSON Schema 2020-12 features", Category: tools.Web},
		Parameters: json.RawMessage(`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
			"$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},
			"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"contactMethod":{"type":"string","enum":["phone","email"]},
			"phone":{"type":"string"},"email":{"type":"string"}},
			"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],
			"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},"then":{"required":["phone"]},
			"else":{"required":["email"]},"additionalProperties":false}`)}
}

func (schemaTool) Call(_ context.Context, c tools.Call) (tools.Result, error) {
	return tools.Result{Content: string(c.Args)}, nil
}

// TestConformanceClient: what the suite asks of a client.
func TestConformanceClient(t *testing.T) {
	for _, version := range []string{handshake, stateless} {
		t.Run(version, func(t *testing.T) {
			suite(t, "client", "--command", os.Args[0], "--suite", "all", "--spec-version", version,
				"--expected-failures", abs(t, fmt.Sprintf(expected, version)))
		})
	}
}

// conform plays the client: whatever the scenario, it connects, logs in where that is asked
// for, and uses what there is.
func conform() error {
	ctx, cancel := context.WithTimeout(context.Background(), 25*time.Second)
	defer cancel()
	dir, err := os.MkdirTemp("", "parley-conform-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var told struct {
		ID     string `json:"client_id"`
		Secret string `json:"client_secret"`
		Calls  []struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"toolCalls"`
	}
	if raw := os.Getenv(contextEnv); raw != "" {
		if err := json.Unmarshal([]byte(raw), &told); err != nil {
			return err
		}
	}
	c, err := Open(Options{Dir: dir, Asks: true, Log: slog.New(slog.NewTextHandler(os.Stderr, nil)), Servers: []Server{{Name: "suite",
		URL: os.Args[len(os.Args)-1], Login: Login{ClientID: told.ID, ClientSecret: told.Secret}}}})
	if err != nil {
		return err
	}
	ran := make(chan struct{})
	running, stop := context.WithCancel(ctx)
	go func() { defer close(ran); c.Run(running) }()
	defer func() { stop(); <-ran }()
	p := &player{c: c}
	if err := p.connect(ctx); err != nil {
		return err
	}
	if len(told.Calls) > 0 {
		for _, call := range told.Calls {
			p.call(ctx, "suite__"+call.Name, call.Arguments)
		}
		return nil
	}
	for _, s := range c.Set().All() {
		p.call(ctx, s.Name, arguments(s))
	}
	// One scenario looks at what a client keeps of a tool, another sees it log in twice.
	if s, ok := c.Set().Lookup("suite__" + schemaName); ok {
		p.call(ctx, "suite__json_schema_echo", json.RawMessage(`{"schema":`+string(s.Parameters)+`}`))
	}
	if os.Getenv(scenarioEnv) == "auth/authorization-server-migration" {
		c.Look()
		waittest.Take(ctx, 2*time.Second)
		p.failed = p.connect(ctx)
	}
	return p.failed
}

// player is somebody who uses a client.
type player struct {
	c      *Client
	logins int
	failed error
}

// connect waits until the server is there, and logs in if it wants that.
func (p *player) connect(ctx context.Context) error {
	for ctx.Err() == nil {
		s := p.c.Status()[0]
		switch {
		case s.Login:
			if err := p.login(ctx); err != nil {
				return err
			}
		case s.Connected && len(s.Pending) > 0:
			for _, t := range s.Pending {
				if err := p.c.Approve("suite", t.Tool, t.Hash); err != nil {
					return err
				}
			}
		case s.Connected:
			return nil
		}
		waittest.Take(ctx, 50*time.Millisecond)
	}
	return fmt.Errorf("not connected: %s", p.c.Status()[0].Err)
}

// login agrees in place of a person: the suite's page leads back at once.
func (p *player) login(ctx context.Context) error {
	if p.logins++; p.logins > 3 {
		return errors.New("a person has enough of it")
	}
	address, err := p.c.Login(ctx, "suite")
	if errors.Is(err, ErrNoNeed) { // not any more: it connects
		p.logins--
		return nil
	}
	if err != nil {
		return err
	}
	browser := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := browser.Get(address)
	if err != nil {
		return err
	}
	resp.Body.Close()
	return p.c.FinishLogin(ctx, "suite", resp.Header.Get("Location"))
}

// call runs a tool as somebody who agrees to it, and to what its server asks; once more after
// a login.
func (p *player) call(ctx context.Context, name string, args json.RawMessage) {
	var r tools.Runner
	ctx = tools.WithPerson(ctx, tools.Person{Asks: true})
	for range 3 {
		set := deciding(p.c)
		o := r.Run(ctx, set, tools.Call{Name: name, Args: args, Confirmed: true, Who: chat.User{ID: "ann"}})
		for q, ok := o.Result.Data.(tools.Inquiry); ok; q, ok = o.Result.Data.(tools.Inquiry) {
			values := map[string]any{}
			for _, f := range q.Fields {
				if values[f.Name] = f.Default; f.Default == nil {
					values[f.Name] = true
				}
			}
			o = r.Run(ctx, tools.NewSet(q.Go(tools.Reply{Action: tools.Accept, Values: values})),
				tools.Call{Name: name, Args: args, Confirmed: true, Who: chat.User{ID: "ann"}})
		}
		fmt.Fprintf(os.Stderr, "%s %s: %q %s\n", name, args, o.Class, o.Result.Content)
		waittest.Take(ctx, 100*time.Millisecond)
		if !p.c.Status()[0].Login {
			return
		}
		if p.failed = p.connect(ctx); p.failed != nil {
			return
		}
	}
}

// arguments are some that a tool takes.
func arguments(s tools.Spec) json.RawMessage {
	var schema struct {
		Properties map[string]struct{ Type string }
	}
	_ = json.Unmarshal(s.Parameters, &schema)
	args := map[string]any{}
	for name, p := range schema.Properties {
		switch p.Type {
		case "number", "integer":
			args[name] = 5
		case "string":
			args[name] = "test"
		}
	}
	raw, _ := json.Marshal(args)
	return raw
}
