package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/internal/tools"
)

// titled adds a tool with a title.
func (f *fake) titled(name, title string, a *sdk.ToolAnnotations) {
	f.server.AddTool(&sdk.Tool{Name: name, Title: title, Description: "titled", InputSchema: json.RawMessage(`{"type":"object"}`),
		Annotations: a},
		func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return says("ok")() })
}

// TestReadsIsAClaim: what a server says only reads waits for the owner, who is asked
// once, also across a restart, and again when the tool changes.
func TestReadsIsAClaim(t *testing.T) {
	dir := t.TempDir()
	reads := &sdk.ToolAnnotations{ReadOnlyHint: true}
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.hinted("look", `{"type":"object"}`, reads)
		c := begin(t, dir, []Server{server("fake")}, f)
		call := tools.Call{Name: "fake__look", Args: json.RawMessage(`{}`)}
		outcome := func(set tools.Set, yes bool) tools.Class {
			call.Confirmed = yes
			return new(tools.Runner).Run(t.Context(), set, call).Class
		}
		if got := outcome(c.Set(), true); got != tools.NotAllowed {
			t.Errorf("somebody who does not decide: %q", got)
		}
		if got := outcome(deciding(c), false); got != tools.NeedsYes || len(c.Status()[0].Claims) != 1 {
			t.Errorf("the first call: %q, %+v", got, c.Status()[0])
		}
		before := deciding(c) // of a turn that goes on
		if got := outcome(before, true); got != "" {
			t.Errorf("after the yes: %q", got)
		}
		for _, set := range []tools.Set{before, c.Set()} {
			if got := outcome(set, false); got != "" {
				t.Errorf("the next call: %q", got)
			}
		}
		again := begin(t, dir, []Server{server("fake")}, f)
		if got := outcome(again.Set(), false); got != "" || len(again.Status()[0].Claims) != 0 {
			t.Errorf("after a restart: %q", got)
		}
		settle()
		if s, _ := again.Set().Lookup("fake__look"); !s.ReadOnly || s.SideEffect {
			t.Errorf("it still counts as changing something: %+v", s.Meta)
		}
		f.hinted("look", `{"type":"object","properties":{"a":{}}}`, reads)
		settle()
		approve(t, again)
		if got := outcome(again.Set(), false); got != "" {
			t.Errorf("an approval that showed the claim is the decision: %q", got)
		}
	})
}

// TestTitlesArePinned: a title is what people are asked by, so a new one needs a look.
func TestTitlesArePinned(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.titled("pay", "Pay somebody", nil)
		c := begin(t, dir, []Server{server("fake")}, f)
		for _, change := range []func(){
			func() { f.titled("pay", "Show the weather", nil) },
			func() { f.titled("pay", "Show the weather", &sdk.ToolAnnotations{Title: "Weather"}) },
			func() {
				f.titled("pay", "Show the weather"+strings.Repeat(" x", 100)+"y", &sdk.ToolAnnotations{Title: "Weather"})
			},
			func() { f.titled("pay", "", &sdk.ToolAnnotations{Title: "Weather"}) },
			func() { f.titled("pay", "", nil) },
		} {
			change()
			settle()
			if offered(c) != "" {
				t.Fatalf("offered %q", offered(c))
			}
			approve(t, c)
			if offered(c) != "fake__pay" {
				t.Errorf("after approval: %q", offered(c))
			}
		}
	})
}

// TestPinsWithoutTitles: what an older version pinned says nothing of titles. A tool
// without one stays approved; one with a title is looked at once more.
func TestPinsWithoutTitles(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.titled("pay", "Pay somebody", nil)
		f.hinted("plain", `{"type":"object"}`, &sdk.ToolAnnotations{ReadOnlyHint: true})
		begin(t, dir, []Server{server("fake")}, f)
		path := filepath.Join(dir, "pins.json")
		data, err := os.ReadFile(path)
		must(t, err)
		old := strings.Replace(string(data), `title [\"Pay somebody\" \"\"], `, "", 1)
		if old == string(data) {
			t.Fatalf("no title is pinned: %s", data)
		}
		must(t, os.WriteFile(path, []byte(old), 0o600))
		c := begin(t, dir, []Server{server("fake")}, f)
		p := c.Status()[0].Pending
		if offered(c) != "fake__plain" || len(p) != 1 || !p[0].Titled || p[0].New {
			t.Fatalf("offered %q, pending %+v", offered(c), p)
		}
		approve(t, c)
		again := begin(t, dir, []Server{server("fake")}, f)
		if offered(again) != "fake__pay fake__plain" {
			t.Errorf("after approval: %q", offered(again))
		}
	})
}

// TestResultsArePrivate: what a server has is somebody's, unless the operator says
// otherwise for all of its tools, or for one.
func TestResultsArePrivate(t *testing.T) {
	for _, public := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			f := newFake()
			f.add("find", "finds", says("found"))
			f.add("bad", "fails", func() (*sdk.CallToolResult, error) { return nil, errors.New("no") })
			s := server("fake")
			s.Public = public
			c := begin(t, t.TempDir(), []Server{s}, f)
			for _, name := range []string{"fake__find", "fake__bad"} {
				if o := run(t, c, name, `{}`); o.Result.Private == public {
					t.Errorf("public %t, %s: private %t", public, name, o.Result.Private)
				}
			}
			said := c.Set().Under(func(s tools.Spec) tools.Spec { s.Public = true; return s })
			if o := new(tools.Runner).Run(t.Context(), said, tools.Call{Name: "fake__find", Confirmed: true}); o.Result.Private {
				t.Error("a policy says that it is public")
			}
		})
	}
}

// hinted adds a tool with hints.
func (f *fake) hinted(name, schema string, a *sdk.ToolAnnotations) {
	f.server.AddTool(&sdk.Tool{Name: name, Description: "hinted", InputSchema: json.RawMessage(schema), Annotations: a},
		func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return says("ok")() })
}

func TestHints(t *testing.T) {
	const plain = `{"type":"object"}`
	no := false
	for name, tt := range map[string]struct {
		server Server
		tool   sdk.Tool
		want   tools.Meta
	}{
		"says nothing": {server("s"), sdk.Tool{}, tools.Meta{SideEffect: true}},
		"says only a title": {server("s"), sdk.Tool{Title: "A\n\x1btool"}, tools.Meta{SideEffect: true,
			Lent: tools.Lent{Hints: &tools.Hints{Title: "A tool", Destructive: true, OpenWorld: true}}}},
		"empty annotations": {server("s"), sdk.Tool{Annotations: &sdk.ToolAnnotations{}}, tools.Meta{SideEffect: true,
			Lent: tools.Lent{Hints: &tools.Hints{Destructive: true, OpenWorld: true}}}},
		"reads": {server("s"), sdk.Tool{Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: &no}},
			tools.Meta{SideEffect: true, Lent: tools.Lent{Hints: &tools.Hints{ReadOnly: true, Destructive: true, Detailed: true}}}},
		"adds": {server("s"), sdk.Tool{Annotations: &sdk.ToolAnnotations{DestructiveHint: &no, IdempotentHint: true,
			Title: "Add"}}, tools.Meta{SideEffect: true, Lent: tools.Lent{Hints: &tools.Hints{Title: "Add", Idempotent: true, OpenWorld: true,
			Detailed: true}}}},
		"the operator knows": {Server{Name: "s", ReadOnly: true}, sdk.Tool{}, tools.Meta{ReadOnly: true}},
	} {
		tt.tool.Name = "tool"
		if tt.tool.InputSchema == nil {
			tt.tool.InputSchema = json.RawMessage(plain)
		}
		d, err := define(tt.server, &tt.tool)
		must(t, err)
		got := d.Meta
		if got.SideEffect != tt.want.SideEffect || got.ReadOnly != tt.want.ReadOnly || !got.Egress || got.Server != "s" ||
			(got.Hints == nil) != (tt.want.Hints == nil) || got.Hints != nil && *got.Hints != *tt.want.Hints {
			t.Errorf("%s: %+v %+v", name, got, got.Hints)
		}
	}
}

// A server that says later that a tool only reads gets rid of the question
// before it; that needs the owner's word like any other change.
func TestHintsArePinned(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.hinted("wipe", `{"type":"object"}`, nil)
		c := begin(t, dir, []Server{server("fake")}, f)
		f.hinted("wipe", `{"type":"object"}`, &sdk.ToolAnnotations{ReadOnlyHint: true})
		settle()
		p := c.Status()[0].Pending
		if offered(c) != "" || len(p) != 1 || p[0].New || !p[0].Hints.ReadOnly {
			t.Fatalf("offered %q, pending %+v", offered(c), p)
		}
		approve(t, c)
		if s, ok := c.Set().Lookup("fake__wipe"); !ok || !s.ReadOnly || !s.Claim.Taken() {
			t.Errorf("after approval: %+v", s)
		}
	})
}

// Pins that an older version wrote know no hints: its servers stay approved.
func TestPinsWithoutHints(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.hinted("read", `{"type":"object"}`, &sdk.ToolAnnotations{ReadOnlyHint: true})
		begin(t, dir, []Server{server("fake")}, f)
		path := filepath.Join(dir, "pins.json")
		data, err := os.ReadFile(path)
		must(t, err)
		before, rest, _ := strings.Cut(string(data), `,
      "said"`)
		_, after, _ := strings.Cut(rest, "\n")
		if err := os.WriteFile(path, []byte(before+"\n"+after), 0o600); err != nil || !strings.Contains(rest, "read-only true") {
			t.Fatalf("%v: %s", err, data)
		}
		if c := begin(t, dir, []Server{server("fake")}, f); offered(c) != "fake__read" {
			t.Errorf("offered %q, pending %+v", offered(c), c.Status()[0].Pending)
		}
		f.hinted("read", `{"type":"object"}`, nil)
		settle()
	})
}

// A server that starts with no tools and gets some later is one whose tools the
// operator has just configured.
func TestEmptyListIsNotPinned(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		f := &fake{server: sdk.NewServer(&sdk.Implementation{Name: "fake", Version: "1"},
			&sdk.ServerOptions{Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{ListChanged: true}}})}
		c := begin(t, dir, []Server{server("fake")}, f)
		if s := c.Status()[0]; !s.Connected || len(s.Tools) != 0 {
			t.Fatalf("%+v", s)
		}
		f.add("a", "first", says("1"))
		f.add("b", "second", says("1"))
		settle()
		if offered(c) != "fake__a fake__b" {
			t.Errorf("offered %q, pending %+v", offered(c), c.Status()[0].Pending)
		}
		f.add("c", "third", says("1"))
		settle()
		if offered(c) != "fake__a fake__b" {
			t.Errorf("a later one came unasked: %q", offered(c))
		}
	})
}

// Some servers have the rest of their tools a moment after the handshake.
func TestToolsThatComeAMomentLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.add("a", "first", says("1"))
		c, _ := live(t, Options{Servers: []Server{server("fake")}, Dir: t.TempDir()}, f.dial)
		synctest.Wait()
		if offered(c) != "fake__a" {
			t.Fatalf("offered %q", offered(c))
		}
		f.add("b", "second", says("1"))
		f.add("a", "first, and more", says("1"))
		settle()
		f.add("c", "third", says("1"))
		settle()
		if p := c.Status()[0].Pending; offered(c) != "fake__b" || len(p) != 2 || p[0].New {
			t.Errorf("offered %q, pending %+v", offered(c), p)
		}
	})
}
