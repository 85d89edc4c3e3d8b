package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"parley/config"
	"parley/internal/app"
	"parley/internal/app/shell"
)

var update = flag.Bool("update", false, "write the tables in docs/ again")

// TestDocs compares the tables in docs/ with the code they are made from.
func TestDocs(t *testing.T) {
	t.Parallel()
	for _, table := range []struct{ file, name, want string }{
		{"settings.md", "settings", config.Table()},
		{"commands.md", "commands", chatCommands(t)},
		{"commands.md", "commandline", commandLine(t)},
		{"playbook-keys.md", "keys", playbookKeys(t)},
	} {
		path := "../../docs/" + table.file
		b, err := os.ReadFile(path)
		must(t, err)
		begin, end := fmt.Sprintf("<!-- %s -->\n", table.name), fmt.Sprintf("<!-- /%s -->", table.name)
		before, rest, ok := strings.Cut(string(b), begin)
		got, after, closed := strings.Cut(rest, end)
		switch {
		case !ok || !closed:
			t.Errorf("%s: lacks the marks %s%s", path, begin, end)
		case got == table.want:
		case *update:
			must(t, os.WriteFile(path, []byte(before+begin+table.want+end+after), 0o644))
		default:
			t.Errorf("%s: the %s table is stale: go test -tags sqlite_fts5 ./cmd/bot -run TestDocs -update", path, table.name)
		}
	}
}

// chatCommands returns the table of what people type in a chat.
func chatCommands(t *testing.T) string {
	cfg := config.Default()
	dir := t.TempDir()
	cfg.DataDir, cfg.Vault.Dir = filepath.Join(dir, "data"), dir
	cfg.Memory.FactsFile, cfg.Access.Owners = filepath.Join(dir, "facts.md"), []string{"telegram:1"} // some commands need a setting
	commands, err := app.Commands(t.Context(), cfg)
	must(t, err)
	return commands.Markdown()
}

// commandLine returns the table of what operators type.
func commandLine(t *testing.T) string {
	parser, err := kong.New(&program{}, kong.Name("bot"), kong.Vars{"version": ""})
	must(t, err)
	var b strings.Builder
	b.WriteString("| command | does |\n|---|---|\n")
	for _, leaf := range parser.Model.Leaves(true) {
		fmt.Fprintf(&b, "| `%s` | %s |\n", strings.ReplaceAll(shell.Usage(leaf), "|", `\|`), leaf.Help)
	}
	return b.String()
}

var link = regexp.MustCompile(`\]\(([^)#:]+)(?:#[^)]*)?\)`)

// TestDocsLead follows every link between the papers.
func TestDocsLead(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{"../../", "../../docs/", "../../docs/decisions/"} {
		entries, err := os.ReadDir(dir)
		must(t, err)
		for _, e := range entries {
			if !strings.HasSuffix(e.Name(), ".md") {
				continue
			}
			b, err := os.ReadFile(dir + e.Name())
			must(t, err)
			for _, m := range link.FindAllStringSubmatch(string(b), -1) {
				if _, err := os.Stat(dir + m[1]); err != nil {
					t.Errorf("%s%s: leads to %s, which is not there", dir, e.Name(), m[1])
				}
			}
		}
	}
}

// TestReadmeIsShort: the front door has at most 1,500 words.
func TestReadmeIsShort(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("../../README.md")
	must(t, err)
	if n := len(strings.Fields(string(b))); n > 1500 {
		t.Errorf("README.md has %d words", n)
	}
}
