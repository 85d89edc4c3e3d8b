package mcp

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/internal/tools"
)

// Serve answers one MCP client over in and out, line by line, until in ends or
// ctx does. The client may call the tools of set and nothing else. as is the
// identity every call runs under (Who, Where, Session, Agent, Confirmed, Taint);
// its other fields are filled per call. Closing in and out is Serve's task.
func Serve(ctx context.Context, set tools.Set, as tools.Call, in io.ReadCloser, out io.WriteCloser) error {
	server := sdk.NewServer(&sdk.Implementation{Name: "parley", Version: "1"}, &sdk.ServerOptions{
		Instructions: "Tools of a Parley assistant: its owner's memory, notes and tasks.",
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}},
	})
	runner := &tools.Runner{}
	for _, spec := range set.All() {
		server.AddTool(&sdk.Tool{
			Name: spec.Name, Description: spec.Description, InputSchema: spec.Parameters,
			Annotations: annotations(spec),
		}, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			c := as
			c.ID = rand.Text()
			c.Key, c.Name, c.Args = "mcp:"+c.ID, r.Params.Name, r.Params.Arguments
			if len(c.Args) == 0 || string(c.Args) == "null" { // clients may leave them out
				c.Args = json.RawMessage("{}")
			}
			o := runner.Run(ctx, set, c)
			return &sdk.CallToolResult{
				Content: []sdk.Content{&sdk.TextContent{Text: o.Result.Content}},
				IsError: o.Class != "",
			}, nil
		})
	}
	d := newFramer(ctx, in, out)
	err := server.Run(ctx, &sdk.IOTransport{Reader: d, Writer: d, MaxLineLength: maxMessage})
	patience, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if waited := runner.Wait(patience); err == nil {
		err = waited
	}
	if err != nil && !errors.Is(err, io.EOF) && ctx.Err() == nil {
		return fmt.Errorf("serve mcp: %w", err)
	}
	return nil
}

// annotations returns a tool's hints. One that says nothing about itself may do
// anything, as the protocol assumes; every call has a key of its own, so what
// our tools do once for each key they do again here.
func annotations(s tools.Spec) *sdk.ToolAnnotations {
	h := tools.Hints{Destructive: !s.ReadOnly, Idempotent: s.ReadOnly}
	if s.Hints != nil {
		h = *s.Hints
	}
	return &sdk.ToolAnnotations{Title: h.Title, ReadOnlyHint: s.ReadOnly, DestructiveHint: &h.Destructive,
		IdempotentHint: h.Idempotent, OpenWorldHint: &h.OpenWorld}
}
