package setup

import (
	"net/http"
	"path/filepath"
	"strings"

	"parley/config"
	"parley/internal/tools/mcp"
)

// ToolServers returns the tool servers of the settings. Log is the caller's.
func ToolServers(cfg config.Config) mcp.Options {
	o := mcp.Options{Dir: filepath.Join(cfg.DataDir, "mcp")}
	for _, s := range cfg.MCP.Servers {
		server := mcp.Server{Name: s.Name, Command: s.Command, URL: s.URL, ReadOnly: s.ReadOnly, Public: s.Public, Timeout: s.Timeout,
			Login: mcp.Login{ClientID: s.ClientID, ClientSecret: string(s.ClientSecret), Scopes: s.Scopes}}
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
