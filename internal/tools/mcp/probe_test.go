package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/internal/text/waittest"
	"parley/internal/tools"
)

// wanting answers once it was told all of what it wants to know, in answers of its own.
func wanting(rounds ...sdk.InputRequestMap) sdk.ToolHandler {
	return func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		done, said := 0, ""
		_, _ = fmt.Sscanf(r.Params.RequestState, "%d %s", &done, &said)
		if len(r.Params.InputResponses) > 0 {
			done++
			for _, name := range []string{"a", "b"} {
				if got, ok := r.Params.InputResponses[name].(*sdk.ElicitResult); ok {
					said += fmt.Sprintf("%s=%s:%v;", name, got.Action, got.Content["name"])
				}
			}
		}
		if done < len(rounds) {
			return &sdk.CallToolResult{InputRequests: rounds[done], RequestState: fmt.Sprintf("%d %s", done, said)}, nil
		}
		return says(said)()
	}
}

func (f *fake) want(name string, rounds ...sdk.InputRequestMap) {
	f.server.AddTool(&sdk.Tool{Name: name, Description: name, InputSchema: map[string]any{"type": "object"}}, wanting(rounds...))
}

// A server without a session asks in its answers: as often as it likes, several things at
// once, and each the person of that call, also beside others.
func TestServersAskInTheirAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.want("once", sdk.InputRequestMap{"a": whoAreYou})
		f.want("much", sdk.InputRequestMap{"a": whoAreYou, "b": whoAreYou}, sdk.InputRequestMap{"a": whoAreYou})
		c := asker(t, f)
		named := func(name string) tools.Reply {
			return tools.Reply{Action: tools.Accept, Values: map[string]any{"name": name}}
		}
		ann, bo := runAs(t.Context(), c.Set(), "ann", "fake__once"), runAs(t.Context(), c.Set(), "bo", "fake__once")
		for _, tt := range []struct {
			o     tools.Outcome
			reply tools.Reply
			want  string
		}{{bo, named("Bo"), "a=accept:Bo;"}, {ann, named("Ann"), "a=accept:Ann;"}} {
			q, ok := tt.o.Result.Data.(tools.Inquiry)
			if !ok || q.Message != "Who are you?" {
				t.Fatalf("%+v", tt.o)
			}
			o := runAs(t.Context(), tools.NewSet(q.Go(tt.reply)), "", "fake__once")
			if o.Class != "" || !strings.Contains(o.Result.Content, tt.want) {
				t.Errorf("%s: %s %s", tt.want, o.Class, o.Result.Content)
			}
		}
		o := runAs(t.Context(), c.Set(), "ann", "fake__much")
		for i := range 3 {
			q, ok := o.Result.Data.(tools.Inquiry)
			if !ok {
				t.Fatalf("%d: %+v", i, o)
			}
			o = runAs(t.Context(), tools.NewSet(q.Go(named("Ann"))), "ann", "fake__much")
		}
		if want := "a=accept:Ann;b=accept:Ann;a=accept:Ann;"; !strings.Contains(o.Result.Content, want) {
			t.Errorf("%s %s", o.Class, o.Result.Content)
		}
		if o := runAs(t.Context(), c.Set(), "", "fake__once"); !strings.Contains(o.Result.Content, "a=cancel:") {
			t.Errorf("nobody to ask: %s %s", o.Class, o.Result.Content)
		}
	})
}

// A server that never stops asking is given up, and one that asks while a resource is read
// asks nobody: not who happens to have a call under way.
func TestAskingWithoutEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		var many []sdk.InputRequestMap
		for range 50 {
			many = append(many, sdk.InputRequestMap{})
		}
		f.want("busy", many...)
		f.want("once", sdk.InputRequestMap{"a": whoAreYou})
		var told atomic.Value
		f.server.AddResource(&sdk.Resource{Name: "x", URI: "x://x"}, func(
			_ context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			if got, ok := r.Params.InputResponses["a"].(*sdk.ElicitResult); ok {
				told.Store(got.Action)
				return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: "x://x", Text: "read"}}}, nil
			}
			return &sdk.ReadResourceResult{InputRequests: sdk.InputRequestMap{"a": whoAreYou}}, nil
		})
		c := asker(t, f)
		if o := runAs(t.Context(), c.Set(), "ann", "fake__busy"); o.Class == "" || o.Class == tools.NeedsInput {
			t.Errorf("without end: %s %s", o.Class, o.Result.Content)
		}
		o := runAs(t.Context(), c.Set(), "ann", "fake__once") // under way from now on
		var r tools.Runner
		read := r.Run(t.Context(), c.Set(), tools.Call{Name: "fake__read_resource", Args: []byte(`{"uri":"x://x"}`), Confirmed: true})
		if told.Load() != "cancel" || !strings.Contains(read.Result.Content, "read") {
			t.Errorf("%v: %s %s", told.Load(), read.Class, read.Result.Content)
		}
		o.Result.Data.(tools.Inquiry).Go(tools.Reply{Action: tools.Cancel})
	})
}

// mute is a fake that says nothing to a probe, or ends.
func mute(f *fake, dies bool) *fake {
	f.server.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
			if method == discover && dies {
				f.die()
			} else if method == discover {
				waittest.Take(context.WithoutCancel(ctx), 2*probeTime)
			}
			if method == discover {
				return nil, errors.New("nothing to say")
			}
			return next(ctx, method, r)
		}
	})
	return f
}

// An older server that says nothing to the probe gets the handshake in the same connection,
// and at once the next time; one that ends of it gets it in the next connection.
func TestServersThatDoNotKnowTheProbe(t *testing.T) {
	for name, tt := range map[string]struct {
		dies  bool
		dials int
		in    time.Duration
	}{"silent": {false, 1, probeTime + time.Second}, "dies": {true, 2, 3 * time.Second}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFake()
				f.add("ok", "answers", says("fine"))
				c, _ := live(t, Options{Servers: []Server{server("fake")}, Dir: t.TempDir()}, mute(f, tt.dies).dial)
				waittest.Pass(tt.in)
				r := c.remotes[0]
				if f.count() != tt.dials {
					t.Errorf("dialled %d times", f.count())
				}
				if o := run(t, c, "fake__ok", `{}`); o.Class != "" || modern(r.current()) {
					t.Fatalf("%+v", o)
				}
				f.last()()
				waittest.Pass(tt.in + 4*time.Second)
				if o := run(t, c, "fake__ok", `{}`); o.Class != "" {
					t.Errorf("again: %+v", o)
				}
			})
		})
	}
}

// A server that has no sessions is restarted unseen, says when its tools changed, and is
// looked at however long it says that its list is good.
func TestAStatelessServerOverHTTP(t *testing.T) {
	f := &fake{server: sdk.NewServer(&sdk.Implementation{Name: "fake", Version: "1"}, &sdk.ServerOptions{
		SetCacheable: func(_ context.Context, _ sdk.Request, c *sdk.Cacheable) { c.TTLMs = 1 << 30 }})}
	f.add("ok", "answers", says("fine"))
	var mu sync.Mutex
	var methods []string
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return f.server }, &sdk.StreamableHTTPOptions{Stateless: true})
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		methods = append(methods,
			r.Method+" "+r.Header.Get("Mcp-Method")+" "+r.Header.Get("Mcp-Protocol-Version")+" "+r.Header.Get("Mcp-Session-Id"))
		mu.Unlock()
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { web.CloseClientConnections(); web.Close() })
	c, _ := live(t, Options{Servers: []Server{{Name: "fake", URL: web.URL}}, Dir: t.TempDir()})
	waittest.Until(t, "connected", func() bool { return c.Status()[0].Connected })
	if !modern(c.remotes[0].current()) {
		t.Error("it has a session")
	}
	web.CloseClientConnections() // as a restart does
	waittest.Until(t, "an answer again", func() bool { return run(t, c, "fake__ok", `{}`).Class == "" })
	f.add("new", "came later", says("new"))
	waittest.Until(t, "the new tool", func() bool { c.Look(); return len(c.Status()[0].Tools) == 2 })
	mu.Lock()
	defer mu.Unlock()
	for _, m := range methods {
		if !strings.HasPrefix(m, "POST ") || !strings.HasSuffix(m, " "+stateless+" ") && m != "POST   " {
			t.Errorf("%q", m)
		}
	}
}

// A server that dies of being asked for the newest version is asked that once, however often it
// has to be started again; one that was only away is asked for no other version at once.
func TestOlderServersAreRemembered(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c, _ := live(t, Options{Dir: dir, Servers: []Server{childServer("old", "older")}})
	waittest.Until(t, "connected", func() bool { return c.Set().Len() == 4 })
	for range 2 {
		pid := run(t, c, "old__pid", `{}`).Result.Content
		run(t, c, "old__die", `{}`)
		waittest.Until(t, "connected again", func() bool {
			return c.Set().Len() == 4 && run(t, c, "old__pid", `{}`).Result.Content != pid
		})
	}
	asked, err := os.ReadFile(filepath.Join(dir, "old", "asked"))
	if must(t, err); strings.Count(string(asked), "asked") != 1 {
		t.Errorf("asked %d times", strings.Count(string(asked), "asked"))
	}
	var e era
	e.met(true, true)
	for range trust {
		if e.met(false, false); e.protocol() != handshake {
			t.Error("one that was away is asked for the newest version")
		}
	}
	if e.met(false, false); e.protocol() != stateless { // it may be a new one
		t.Error("one that shook hands once is never asked for the newest version again")
	}
	if e.met(true, false); e.protocol() != stateless {
		t.Error("one that knows the newest version is asked for an older one")
	}
}
