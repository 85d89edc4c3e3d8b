package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"path"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/internal/chat"
	"parley/internal/text"
	"parley/internal/tools"
)

// Said in more than one place.
const (
	wordsGone     = "its server is not running at the moment"
	wordsReported = "its server reported an error"
	wordsAttached = "[%s of %d bytes: the person gets it with your answer]"
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
		return tools.Result{}, errors.New(wordsGone)
	}
	return t.remote.start(ctx, session, t, c).wait(ctx)
}

// ended returns the result of a call.
func (t tool) ended(ctx context.Context, a answered) (tools.Result, error) {
	switch {
	case a.err != nil:
		return t.failed(ctx, a.err)
	case a.result.NeedsInput():
		return tools.Result{}, errors.New("its server asks for more input, which is not supported")
	}
	result := t.remote.result(a.result)
	if a.result.IsError {
		return result, errors.New(wordsReported)
	}
	if result.Content == "" {
		result.Content = "Done; the server said nothing."
	}
	return result, nil
}

// failed returns a call that its server refused, or did not answer: then what it was to
// change may be changed.
func (t tool) failed(ctx context.Context, err error) (tools.Result, error) {
	result, failed := t.remote.failed(ctx, err)
	if !t.ReadOnly && ctx.Err() == nil && !undone(err) {
		return tools.Result{}, fmt.Errorf("%w: %w", tools.ErrUnknown, failed)
	}
	return result, failed
}

// undelivered is the library's code for a request that was not taken, or whose answer
// got lost.
const undelivered = -32005

// undone reports whether a server said that it failed, or never heard of a call.
func undone(err error) bool {
	for _, never := range []error{syscall.ECONNREFUSED, sdk.ErrSessionMissing, ErrLogin} {
		if errors.Is(err, never) {
			return true
		}
	}
	said, ok := errors.AsType[*jsonrpc.Error](err)
	return ok && said.Code != undelivered
}

// result returns an answer as the model and the person get it. What a server has is
// somebody's, unless the operator says otherwise.
func (r *remote) result(answer *sdk.CallToolResult) tools.Result {
	result := tools.Result{Content: content(answer), Files: r.files(answer.Content), Untrusted: true, Private: true}
	if answer.StructuredContent != nil {
		result.JSON, _ = json.Marshal(answer.StructuredContent) // it came as JSON
	}
	if result.Content == "" {
		result.Content = limited(string(result.JSON), maxAnswer)
	}
	return result
}

// failed returns a call that the server refused or did not answer.
func (r *remote) failed(ctx context.Context, err error) (tools.Result, error) {
	if ctx.Err() != nil {
		return tools.Result{}, ctx.Err()
	}
	r.wake()
	r.log.WarnContext(ctx, "tool server failed a call", "err", err)
	return tools.Result{Content: limited(err.Error(), 1000), Untrusted: true, Private: true}, errors.New(wordsReported)
}

// content returns what of an answer can be read.
func content(answer *sdk.CallToolResult) string {
	var b strings.Builder
	for i, item := range answer.Content {
		if i == maxItems || b.Len() >= maxAnswer {
			fmt.Fprintf(&b, "[%d more items left out]", len(answer.Content)-i)
			break
		}
		b.WriteString(limited(itemText(item), maxAnswer-b.Len()))
		b.WriteByte('\n')
	}
	return strings.TrimSpace(b.String())
}

func itemText(item sdk.Content) string {
	switch v := item.(type) {
	case *sdk.TextContent:
		return v.Text
	case *sdk.ImageContent:
		return fmt.Sprintf(wordsAttached, "picture", len(v.Data))
	case *sdk.AudioContent:
		return fmt.Sprintf(wordsAttached, "recording", len(v.Data))
	case *sdk.ResourceLink:
		return limited(v.Name, 200) + " " + limited(v.URI, 1000) + " " + limited(v.Description, 500)
	case *sdk.EmbeddedResource:
		return resourceText(v.Resource)
	}
	return ""
}

// resourceText returns what of a resource can be read.
func resourceText(r *sdk.ResourceContents) string {
	switch {
	case r == nil:
		return ""
	case readable(r):
		return string(r.Blob)
	case len(r.Blob) > 0:
		return fmt.Sprintf(wordsAttached, "file", len(r.Blob)) + " " + limited(r.URI, 1000)
	}
	return r.Text
}

// readable reports whether a resource which comes as bytes is text.
func readable(r *sdk.ResourceContents) bool {
	kind, _, _ := strings.Cut(r.MIMEType, ";")
	return len(r.Blob) > 0 && (strings.HasPrefix(kind, "text/") || kind == "application/json") && utf8.Valid(r.Blob)
}

func limited(s string, limit int) string { return text.ClipBytes(s, limit) }

// files returns the pictures, recordings and documents among the items of a
// result, with names that people can save them under.
func (r *remote) files(items []sdk.Content) (all []chat.File) {
	for _, item := range items {
		var name, kind string
		var data []byte
		switch v := item.(type) {
		case *sdk.ImageContent:
			kind, data = v.MIMEType, v.Data
		case *sdk.AudioContent:
			kind, data = v.MIMEType, v.Data
		case *sdk.EmbeddedResource:
			if v.Resource != nil && !readable(v.Resource) {
				name, kind, data = v.Resource.URI, v.Resource.MIMEType, v.Resource.Blob
			}
		}
		if len(data) > 0 {
			all = append(all, chat.File{Name: r.fileName(name, kind, len(all)+1), MIME: kind, Size: int64(len(data)), Data: data})
		}
	}
	return all
}

// fileName returns the end of an address, or the server's name and a number.
func (r *remote) fileName(uri, kind string, n int) string {
	name, _, _ := strings.Cut(path.Base(uri), "?")
	name = strings.Trim(text.Clip(text.Clean(name), 80), " ./\\")
	if name == "" {
		name = fmt.Sprintf("%s-%d", r.server.Name, n)
	}
	if path.Ext(name) != "" {
		return name
	}
	switch ext, _ := mime.ExtensionsByType(kind); {
	case kind == "image/jpeg":
		return name + ".jpg"
	case kind == "text/plain":
		return name + ".txt"
	case len(ext) > 0:
		return name + ext[0]
	}
	return name
}
