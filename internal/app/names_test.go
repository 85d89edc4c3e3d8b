package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/config"
)

// TestNamesOfTools: a tool or a helper of the settings that has the name of another tool is
// refused in a sentence, and so is a helper with a tool that there is not.
func TestNamesOfTools(t *testing.T) {
	prompt := filepath.Join(t.TempDir(), "prompt.md")
	must(t, os.WriteFile(prompt, []byte("Help."), 0o600))
	long := filepath.Join(t.TempDir(), "long.md")
	must(t, os.WriteFile(long, []byte(strings.Repeat("ü", 10_001)), 0o600))
	helper := func(name string, tools ...string) config.Subagent {
		return config.Subagent{Name: name, Description: "helps", PromptFile: prompt, Tools: tools}
	}
	service := func(name string) config.HTTPTool {
		return config.HTTPTool{Name: name, Description: "asks", Method: "GET", URL: "https://example.org/"}
	}
	for what, tt := range map[string]struct {
		spoil func(*config.Config)
		want  string
	}{
		"a helper like ours": {func(c *config.Config) { c.Subagents = []config.Subagent{helper("add_task")} },
			"subagents[0]: the name add_task is taken by another tool: choose another name"},
		"a helper that finds": {func(c *config.Config) { c.Subagents = []config.Subagent{helper("find_tools")} },
			"subagents[0]: the name find_tools"},
		"a service like ours": {func(c *config.Config) { c.Tools.HTTP = []config.HTTPTool{service("fetch_page"), service("add_task")} },
			"the name add_task is taken"},
		"two services": {func(c *config.Config) { c.Tools.HTTP = []config.HTTPTool{service("x"), service("x")} }, "the name x is taken"},
		"a helper like a service": {func(c *config.Config) {
			c.Tools.HTTP, c.Subagents = []config.HTTPTool{service("x")}, []config.Subagent{helper("x")}
		}, "subagents[0]: the name x is taken"},
		"a long description": {func(c *config.Config) {
			c.Subagents = []config.Subagent{helper("h")}
			c.Subagents[0].Description = strings.Repeat("x", 501)
		}, "subagents[0]: tool h: description has 501 characters"},
		"a long prompt": {func(c *config.Config) {
			c.Subagents = []config.Subagent{helper("h")}
			c.Subagents[0].PromptFile = long
		}, "subagents: h: the prompt has 10001 characters; expected 1 to 10000"},
		"an unknown tool": {func(c *config.Config) { c.Subagents = []config.Subagent{helper("h", "add_task", "add_taks")} },
			`subagents[0].tools: there is no tool "add_taks"; did you mean add_task?`},
		"a pattern": {func(c *config.Config) { c.Subagents = []config.Subagent{helper("h", "list_*")} },
			`subagents[0].tools: "list_*" is a pattern, and each tool must be named here`},
		"a server's tool": {func(c *config.Config) {
			c.MCP.Servers = []config.MCPServer{{Name: "shop"}}
			c.Subagents = []config.Subagent{helper("h", "shop__buy", "find_tools", "x")}
			c.Tools.HTTP = []config.HTTPTool{service("x")}
		}, ""},
	} {
		var cfg config.Config
		tt.spoil(&cfg)
		got := ""
		if _, err := ToolSchemas(cfg); err != nil {
			got = err.Error()
		}
		if (tt.want == "") != (got == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q, want %q", what, got, tt.want)
		}
	}
}
