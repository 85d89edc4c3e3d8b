package mcp

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/internal/tools"
)

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
			tools.Meta{SideEffect: true, Lent: tools.Lent{Hints: &tools.Hints{ReadOnly: true, Destructive: true}}}},
		"adds": {server("s"), sdk.Tool{Annotations: &sdk.ToolAnnotations{DestructiveHint: &no, IdempotentHint: true,
			Title: "Add"}}, tools.Meta{SideEffect: true, Lent: tools.Lent{Hints: &tools.Hints{Title: "Add", Idempotent: true, OpenWorld: true}}}},
		"the operator knows": {Server{Name: "s", ReadOnly: true}, sdk.Tool{}, tools.Meta{ReadOnly: true}},
	} {
		tt.tool.Name = "tool"
		if tt.tool.InputSchema == nil {
			tt.tool.InputSchema = json.RawMessage(plain)
		}
		d, err := define(tt.server, &tt.tool)
		if err != nil {
			t.Fatal(err)
		}
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
		if err != nil {
			t.Fatal(err)
		}
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
