package mcp

import (
	"fmt"
	"mime"
	"path"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/internal/chat"
	"parley/internal/text"
	"parley/internal/tools"
)

// files returns the pictures, recordings and documents among the items of a
// result, with names that people can save them under.
func (r *remote) files(items []sdk.Content) tools.Attached {
	var all tools.Attached
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
