package mcp

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/internal/text"
	"parley/internal/tools"
)

const (
	maxSchema   = 16 << 10 // bytes of one tool's parameters
	maxTools    = 100      // of one server
	maxName     = 64       // of ours
	callTimeout = time.Minute
)

// definition is a server's tool in our words.
type definition struct {
	tools.Spec
	name   string // the server's
	hash   string // of what the server says, before anything is cut
	claims bool   // only it says that it only reads
	// titles are those that the server gives it, before anything is cut; nil is none.
	titles []string
}

// pin returns the record of an approval; reads is true if whoever approved knew that
// the tool is said to only read.
func (d definition) pin(reads bool) pin {
	return pin{Hash: d.hash, Description: d.Description, Said: d.said(), Reads: reads && d.claims}
}

// said returns the title and what the hints say, as it is pinned; never "".
func (d definition) said() string {
	if len(d.titles) == 0 {
		return d.hinted()
	}
	return fmt.Sprintf("title %q, %s", d.titles, d.hinted())
}

// hinted returns what the hints say; older pins hold nothing else.
func (d definition) hinted() string {
	if d.Hints == nil {
		return "nothing"
	}
	h := d.Hints
	return fmt.Sprintf("read-only %t, destructive %t, idempotent %t, open world %t", h.ReadOnly, h.Destructive, h.Idempotent, h.OpenWorld)
}

// id identifies everything that an approval covers.
func (d definition) id() string { return d.hash + " " + d.said() }

var (
	remoteName = text.Pattern(`^[A-Za-z0-9_./-]{1,128}$`)
	unfit      = text.Pattern(`[^A-Za-z0-9_-]+`)
)

// define turns a server's tool into ours. One that the operator says is read-only
// changes nothing and never asks by itself; where only its hints say so, that is a claim
// for the owner to take.
func define(s Server, t *sdk.Tool) (definition, error) {
	if !remoteName().MatchString(t.Name) {
		return definition{}, fmt.Errorf("name %.60q is not valid", t.Name)
	}
	schema, err := json.Marshal(t.InputSchema)
	if err != nil {
		return definition{}, fmt.Errorf("%s: parameters: %w", t.Name, err)
	}
	if len(schema) > maxSchema {
		return definition{}, fmt.Errorf("%s: parameters are %d bytes long", t.Name, len(schema))
	}
	said, err := json.Marshal([]string{t.Name, t.Description, string(schema)})
	if err != nil {
		return definition{}, fmt.Errorf("%s: %w", t.Name, err)
	}
	sum := sha256.Sum256(said)
	clean, _ := text.Strip(string(schema))
	d := definition{name: t.Name, hash: hex.EncodeToString(sum[:]), titles: titles(t)}
	d.Parameters = json.RawMessage(clean)
	d.Meta = tools.Meta{Name: ourName(s.Name, t.Name), Description: describe(t), Category: tools.Web,
		Trying: tools.Trying{Timeout: s.timeout()}, SideEffect: true, Egress: true,
		Lent: tools.Lent{Server: s.Name, Hints: hints(t)}, Consent: tools.Consent{Public: s.Public}}
	if d.claims = d.Hints != nil && d.Hints.ReadOnly && !s.ReadOnly; s.ReadOnly {
		d.SideEffect, d.ReadOnly = false, true
	}
	d.Ask = func(ctx context.Context, c tools.Call) (string, error) {
		return tools.AskServer(ctx, d.Meta, c.Args), nil
	}
	if err := d.Check(); err != nil {
		return definition{}, err
	}
	if err := tools.CheckSchema(d.Parameters); err != nil {
		return definition{}, fmt.Errorf("%s: %w", t.Name, err)
	}
	return d, nil
}

// ourName is server__tool in the characters that every model vendor takes. What had to be bent
// or cut ends with a piece of its hash, so that different tools stay different.
func ourName(server, tool string) string {
	name := server + "__" + unfit().ReplaceAllString(tool, "_")
	if name == server+"__"+tool && len(name) <= maxName {
		return name
	}
	sum := sha256.Sum256([]byte(tool))
	return name[:min(len(name), maxName-7)] + "_" + hex.EncodeToString(sum[:3])
}

func (s Server) timeout() time.Duration { return cmp.Or(s.Timeout, callTimeout) }

// hints returns a tool's annotations with the protocol's defaults; nil for none.
func hints(t *sdk.Tool) *tools.Hints {
	a := t.Annotations
	if a == nil {
		if t.Title == "" {
			return nil
		}
		a = &sdk.ToolAnnotations{}
	}
	title, _ := text.Strip(cmp.Or(t.Title, a.Title))
	said := func(b *bool) bool { return b == nil || *b }
	return &tools.Hints{Title: text.Shorten(strings.Join(strings.Fields(title), " "), 100),
		ReadOnly: a.ReadOnlyHint, Destructive: said(a.DestructiveHint), Idempotent: a.IdempotentHint, OpenWorld: said(a.OpenWorldHint),
		Detailed: a.DestructiveHint != nil || a.OpenWorldHint != nil}
}

// titles returns what a server calls a tool to people, in both places; nil for nothing.
func titles(t *sdk.Tool) []string {
	hint := ""
	if t.Annotations != nil {
		hint = t.Annotations.Title
	}
	if t.Title+hint == "" {
		return nil
	}
	return []string{t.Title, hint}
}

func describe(t *sdk.Tool) string {
	clean, _ := text.Strip(t.Description)
	return text.Shorten(cmp.Or(strings.Join(strings.Fields(clean), " "), t.Name), 500)
}

// taskOnly are the tools of a server that run only as a task: they start and
// are asked about later, which is not supported, so a plain call fails. The
// library does not read that part of a list. The zero taskOnly is ready.
type taskOnly struct {
	mu    sync.Mutex // guards names
	names map[string]bool
}

// hear reads it from a message; it is a hearing.
func (t *taskOnly) hear(message []byte) {
	if !bytes.Contains(message, []byte(`"taskSupport"`)) {
		return
	}
	var list struct {
		Result struct {
			Tools []struct {
				Name      string
				Execution struct{ TaskSupport string }
			}
		}
	}
	if json.Unmarshal(message, &list) != nil {
		return // the library complains
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, tool := range list.Result.Tools {
		if t.names == nil {
			t.names = map[string]bool{}
		}
		t.names[tool.Name] = tool.Execution.TaskSupport == "required"
	}
}

func (t *taskOnly) has(name string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.names[name]
}
