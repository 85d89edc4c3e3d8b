package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	whole "parley/internal/text"
	"parley/internal/tools"
)

const (
	maxItems  = 200       // content items of one result
	maxAnswer = 256 << 10 // bytes of text taken from one result
)

// tool is a server's tool.
type tool struct {
	definition
	remote *remote
}

func (t tool) Spec() tools.Spec { return t.definition.Spec }

// Call asks the server. Whatever comes back, error texts included, is text
// from outside; the error itself is in our words.
func (t tool) Call(ctx context.Context, c tools.Call) (tools.Result, error) {
	session := t.remote.current()
	if session == nil {
		return tools.Result{}, errors.New(wordGone)
	}
	end := t.remote.begin(ctx)
	answer, err := session.CallTool(ctx, &sdk.CallToolParams{Name: t.name, Arguments: c.Args})
	end()
	switch {
	case err != nil && ctx.Err() != nil:
		return tools.Result{}, ctx.Err()
	case err != nil:
		t.remote.wake()
		t.remote.log.WarnContext(ctx, "tool server failed a call", "tool", t.name, "err", err)
		return tools.Result{Content: limited(err.Error(), 1000), Untrusted: true}, errors.New(wordReported)
	case answer.NeedsInput():
		return tools.Result{}, errors.New(wordAsks)
	}
	result := tools.Result{Content: content(answer), Untrusted: true}
	if answer.IsError {
		return result, errors.New(wordReported)
	}
	if result.Content == "" {
		result.Content = wordNothing
	}
	return result, nil
}

// content is what of an answer can be read.
func content(answer *sdk.CallToolResult) string {
	var b strings.Builder
	for i, item := range answer.Content {
		if i == maxItems || b.Len() >= maxAnswer {
			fmt.Fprintf(&b, wordMore, len(answer.Content)-i)
			break
		}
		b.WriteString(limited(itemText(item), maxAnswer-b.Len()))
		b.WriteByte('\n')
	}
	if len(answer.Content) == 0 && answer.StructuredContent != nil {
		if data, err := json.Marshal(answer.StructuredContent); err == nil {
			return limited(string(data), maxAnswer)
		}
	}
	return strings.TrimSpace(b.String())
}

func itemText(item sdk.Content) string {
	switch v := item.(type) {
	case *sdk.TextContent:
		return v.Text
	case *sdk.ImageContent:
		return fmt.Sprintf(wordOmitted, "image", len(v.Data))
	case *sdk.AudioContent:
		return fmt.Sprintf(wordOmitted, "recording", len(v.Data))
	case *sdk.ResourceLink:
		return limited(v.Name, 200) + " " + limited(v.URI, 1000)
	case *sdk.EmbeddedResource:
		if v.Resource == nil {
			return ""
		}
		if v.Resource.Text != "" {
			return v.Resource.Text
		}
		return fmt.Sprintf(wordOmitted, "file", len(v.Resource.Blob))
	}
	return ""
}

func limited(text string, limit int) string {
	return whole.ClipBytes(text, limit)
}
