package setup

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"parley/config"
	"parley/internal/text"
	"parley/internal/tools"
	"parley/internal/tools/mcp"
	"parley/internal/tools/rest"
)

// Services makes tools of the HTTP services in the settings. It logs operations that cannot
// be tools; nil logs nothing.
func Services(cfg config.Config, log *slog.Logger) (list []tools.Tool, err error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	definitions, err := ServiceCalls(cfg, func(file, operation, why string) {
		log.Warn("operation left out", "file", file, "operation", operation, "err", why)
	})
	o := rest.Options{Hide: NewRedactor(cfg, ShortestLogged).Hide, Log: log}
	for i := 0; i < len(definitions) && err == nil; i++ {
		var t tools.Tool
		if t, err = rest.New(definitions[i], o); err == nil {
			list = append(list, t)
		}
	}
	if err != nil {
		return nil, text.Tell("%w", err)
	}
	return list, nil
}

// ServiceCalls returns the calls in the settings and in OpenAPI files. It calls left for
// each operation that cannot be a tool.
func ServiceCalls(cfg config.Config, left func(file, operation, why string)) (list []rest.Definition, err error) {
	for i, t := range cfg.Tools.HTTP {
		d := definition(t.HTTPCall, t.Method)
		d.Name, d.Description, d.Method, d.URL = t.Name, t.Description, t.Method, t.URL
		d.Parameters, d.Body, d.Form, d.Result = raw(t.Parameters), raw(t.Body), t.Encoding == "form", t.Result
		if _, err := rest.New(d, rest.Options{}); err != nil {
			return nil, fmt.Errorf("tools.http[%d]: %w", i, err)
		}
		list = append(list, d)
	}
	for _, o := range cfg.Tools.OpenAPI {
		file, err := os.ReadFile(o.File)
		if err != nil {
			return nil, fmt.Errorf("tools.openapi: %s: %w", o.Name, err)
		}
		found, skipped, err := rest.Read(file, rest.Service{Name: o.Name, URL: o.URL, Operations: o.Operations,
			Make: func(method string) rest.Definition { return definition(o.HTTPCall, method) }})
		if err != nil {
			return nil, fmt.Errorf("tools.openapi: %s: %s: %w", o.Name, o.File, err)
		}
		for _, s := range skipped {
			left(o.File, s.ID, s.Why)
		}
		list = append(list, found...)
	}
	return list, nil
}

// definition returns what the settings say about a call with this method. Deleting
// cannot be undone, so it always asks.
func definition(c config.HTTPCall, method string) rest.Definition {
	reads := c.Reads(method)
	d := rest.Definition{Method: method, Headers: config.Header(c.Headers), Query: config.Query(c.Query), KeyHeader: c.Idempotency,
		Private: c.Private}
	d.Meta = tools.Meta{Metadata: c.Metadata,
		Category: tools.Web, ReadOnly: reads, SideEffect: !reads, Idempotent: c.Repeatable(method), Needed: !c.AllowFailure}
	d.Confirm = method == http.MethodDelete && !reads
	d.Timeout = c.Timeout
	if c.Retry.Attempts > 1 && c.Repeatable(method) {
		d.Retry = &tools.Retry{Attempts: c.Retry.Attempts, Delay: c.Retry.Delay, Multiplier: c.Retry.Multiplier}
	}
	return d
}

func raw(j config.JSON) json.RawMessage {
	if j == "" {
		return nil
	}
	return json.RawMessage(j)
}

// ToolServers returns the tool servers of the settings. Log is the caller's.
func ToolServers(cfg config.Config) mcp.Options {
	o := mcp.Options{Dir: filepath.Join(cfg.DataDir, "mcp")}
	for _, s := range cfg.MCP.Servers {
		server := mcp.Server{Name: s.Name, Command: s.Command, URL: s.URL, ReadOnly: s.ReadOnly, Public: s.Public, Timeout: s.Timeout,
			Start: s.Start, Login: mcp.Login{ClientID: s.ClientID, ClientSecret: string(s.ClientSecret), Scopes: s.Scopes}}
		for _, e := range s.Env {
			server.Env = append(server.Env, string(e))
		}
		server.Headers = headers(s)
		o.Servers = append(o.Servers, server)
	}
	return o
}

// headers returns those of the settings; bearer is one of them.
func headers(s config.MCPServer) map[string]string {
	all := map[string]string{}
	if s.Bearer != "" {
		all["Authorization"] = "Bearer " + string(s.Bearer)
	}
	for _, h := range s.Headers {
		name, value, _ := strings.Cut(string(h), ":")
		all[http.CanonicalHeaderKey(name)] = strings.TrimSpace(value)
	}
	return all
}
