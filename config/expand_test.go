package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSecretsInLists(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "key")
	if err := os.WriteFile(file, []byte("CANARY-file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Load(Options{File: write(t, `mcp:
  servers:
    - {name: a, url: "https://h/mcp", bearer: "${KEY}", headers: ["X-Key: file:`+file+`", "Authorization: Basic ${KEY}"]}
    - {name: b, url: "https://h/mcp", bearer: "file:`+file+`", headers: {X-One: "${KEY}-${OTHER}", X-Plain: "a, b: c"}, client_id: me, client_secret: "${OTHER}"}
    - {name: c, command: [x], env: {DB: "file:test.db", KEY: "${KEY}"}}
`), Env: []string{"KEY=CANARY-env", "OTHER_FILE=" + file}})
	if err != nil {
		t.Fatal(err)
	}
	a, b, d := c.MCP.Servers[0], c.MCP.Servers[1], c.MCP.Servers[2]
	for got, want := range map[string]string{
		string(a.Bearer): "CANARY-env", string(a.Headers[0]): "X-Key: CANARY-file", string(a.Headers[1]): "Authorization: Basic CANARY-env",
		string(b.Bearer): "CANARY-file", string(b.Headers[0]): "X-One: CANARY-env-CANARY-file", string(b.Headers[1]): "X-Plain: a, b: c",
		string(b.ClientSecret): "CANARY-file", string(d.Env[0]): "DB=file:test.db", string(d.Env[1]): "KEY=CANARY-env",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if shown := fmt.Sprintf("%v %+v %s", c, c.MCP, c); strings.Contains(shown, "CANARY") {
		t.Errorf("shown: %s", shown)
	}
	secrets := strings.Join(c.Secrets(), "\n") + "\n"
	for _, want := range []string{"CANARY-env\n", "CANARY-file\n", "Basic CANARY-env\n", "CANARY-env-CANARY-file\n"} {
		if !strings.Contains(secrets, want) {
			t.Errorf("%q is not among the secrets", want)
		}
	}
}

func TestMissingSecretsInLists(t *testing.T) {
	for _, tt := range []struct{ yaml, want string }{
		{`{name: a, url: "https://h", bearer: "${NONE}"}`, "mcp.servers[0].bearer: names ${NONE}, which is not set"},
		{`{name: a, url: "https://h", bearer: "file:/no/such/file"}`, "/no/such/file"},
		{`{name: a, url: "https://h", headers: ["CANARY"]}`, "is no header"},
		{`{name: a, url: "https://h", headers: {X: [CANARY]}}`, "single values"},
		{`{name: a, command: [x], bearer: CANARY}`, "which are for a url"},
		{`{name: a, url: "https://h", client_secret: CANARY}`, "client_id"},
	} {
		_, err := Load(Options{File: write(t, "mcp: {servers: ["+tt.yaml+"]}\n")})
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "CANARY") {
			t.Errorf("%s: %v", tt.yaml, err)
		}
	}
}
