package parley_test

import (
	"go/ast"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// opening is a function that opens files, and why none of them can be the file of a database
// that SQLite has open in the same process: whoever closes one drops the locks on it.
type opening struct{ dir, function, why string }

var opened = []opening{
	{"config", "readFile", "the settings"},
	{"internal/adapters/terminal", "create", "makes a new file in a folder of its own"},
	{"internal/agent", "promptFile.read", "a prompt"},
	{"internal/app", "toolset.configured", "prompts of subagents"},
	{"internal/app/cli", "factsImportCmd.Run", "what its command was given, before the database is opened"},
	{"internal/app/cli", "playbookReplayCmd.read", "what its command was given"},
	{"internal/app/cli", "wizard.open", "answers to the questions of init"},
	{"internal/app/cli", "wizard.add", "the settings"},
	{"internal/app/cli", "wizard.morePage", "the settings"},
	{"internal/app/cli", "wizard.put", "the settings, as a draft"},
	{"internal/app/cli", "wizard.rewrite", "the settings"},
	{"internal/app/cli", "wizard.service", "a new unit for systemd"},
	{"internal/memory/datadir", "Held.lock", "bot.lock"},
	{"internal/memory/datadir", "Lock", "the data folder, and bot.lock"},
	{"internal/memory/datadir", "displaced", "bot.lock"},
	{"internal/memory/datadir", "mark", "a note for people"},
	{"internal/memory/factsfile", "at", "the owner's facts"},
	{"internal/adapters/terminal/lineedit", "History.Add", "lines that were typed"},
	{"internal/adapters/terminal/lineedit", "History.rewrite", "lines that were typed"},
	{"internal/adapters/terminal/lineedit", "OpenHistory", "lines that were typed"},
	{"internal/memory/importer", "Export.folder", "what its command was given: texts, by their names"},
	{"internal/memory/importer", "Export.file", "what its command was given, from before the database is opened until after it is closed"},
	{"internal/memory", "Store.forgottenBooks", "forgotten.json"},
	{"internal/memory/previews", "Open", "which previews stand"},
	{"internal/memory/previews", "Book.ready", "which previews stand"},
	{"internal/notes/edit", "Open", "a folder of notes, of which it opens notes"},
	{"internal/playbook", "load", "a rule"},
	{"internal/app", "port.persona", "a prompt"},
	{"internal/app/trial", "Desk.Open", "what a killed process was trying"},
	{"internal/app/trial", "Desk.options", "an edited persona, in a new folder"},
	{"internal/app/trial", "run.book", "a folder of playbook files, copied into a new one"},
	{"internal/app/whatif", "hold", "what models answered for a change"},
	{"internal/app/whatif", "Options.Copies", "a copy of the database that nothing has open yet"},
	{"internal/app/whatif", "Change.file", "a folder of playbook files, copied into a new one"},
	{"internal/app/whatif", "isSettings", "settings or a file of a playbook"},
	{"internal/app/whatif", "replace", "a file of a playbook, in a new folder"},
	{"internal/memory/modellog", "Copy", "a new file, which it closes before anybody else opens it"},
	{"internal/app/rehearse", "Capture.save", "a new script"},
	{"internal/app/rehearse", "Script.rewrite", "a script"},
	{"internal/app/rehearse", "Script.unpack", "the files of a script, in a folder of its own"},
	{"internal/app/rehearse", "openScript", "a script"},
	{"internal/app/rehearse", "WriteJUnit", "a report"},
	{"internal/playbook/files", "Folder.Read", "a rule"},
	{"internal/text/machine", "CreateTemp", "a new file, which nobody else opens before it is closed"},
	{"internal/text", "sweep", "what killed processes left of their drafts"},
	{"internal/text", "syncFolder", "a folder"},
	{"internal/playbook/files", "Folder.Try", "rules, copied into a folder of their own"},
	{"internal/app/setup", "ServiceCalls", "the description of a service"},
	{"internal/db/sqlite", "Reserve", "a new file"},
	{"internal/db/sqlite", "beside", "a database: closes it when SQLite has"},
	{"internal/db/sqlite", "file.opened", "a database: closes it when SQLite has"},
	{"internal/db/sqlite", "openDisk", "the log, on which SQLite has no locks"},
	{"internal/tools/mcp", "openPins", "the tools of a server"},
	{"internal/tools/mcp", "tokens.load", "the logins to servers"},
	{"internal/notes/index", "SourceStatus.back", "a folder of notes"},
	{"internal/notes/index", "Vault.check", "a folder of notes, of which it opens notes that have one name"},
	{"internal/notes/index", "Vault.content", "likewise"},
	{"internal/notes/index", "Vault.everything", "likewise"},
	{"internal/notes/index", "Vault.Target", "a folder of notes, to list folders in it"},
	{"internal/notes/index", "Vault.replaced", "likewise"},
}

// opens are the functions that open a file, by the package they are in; "*" stands for all.
var opens = map[string][]string{
	"os": {"Open", "OpenFile", "Create", "CreateTemp", "ReadFile", "WriteFile", "OpenRoot",
		"OpenInRoot", "DirFS", "CopyFS", "NewFile", "Truncate"},
	"syscall":                  {"Open", "Openat", "Creat", "Truncate"},
	"golang.org/x/sys/unix":    {"Open", "Openat", "Openat2", "Creat", "Truncate"},
	"io/ioutil":                {"*"},
	"archive/zip":              {"OpenReader"},
	"crypto/tls":               {"LoadX509KeyPair"},
	"html/template":            {"ParseFiles", "ParseGlob"},
	"text/template":            {"ParseFiles", "ParseGlob"},
	"net/http":                 {"Dir", "ServeFile"},
	"golang.org/x/tools/txtar": {"ParseFile"},
}

// TestNothingOpensADatabaseBesideSQLite: SQLite's locks are dropped by whoever closes any
// descriptor of the same file in its process. Every place that opens files is known, and why
// it opens none of those; internal/db/sqlite alone may, and closes nothing too early.
func TestNothingOpensADatabaseBesideSQLite(t *testing.T) {
	met := map[opening]bool{}
	for _, s := range sources(t) {
		if s.isTest() || strings.HasSuffix(s.dir(), "test") {
			continue
		}
		for _, decl := range s.file.Decls {
			name := "a variable"
			if f, ok := decl.(*ast.FuncDecl); ok {
				name = method(f)
			}
			ast.Inspect(decl, func(n ast.Node) bool {
				used, ok := n.(*ast.SelectorExpr)
				if !ok || !s.isOpening(used) {
					return true
				}
				at := slices.IndexFunc(opened, func(o opening) bool { return o.dir == s.dir() && o.function == name })
				if at < 0 {
					t.Errorf("%s:%d: %s opens a file: say in opens_test.go why it is no database that SQLite has open, or ask "+
						"internal/db/sqlite\n{%q, %q, \"\"},", s.path, s.line(used.Pos()), name, s.dir(), name)
					return true
				}
				met[opened[at]] = true
				return true
			})
		}
	}
	for _, o := range opened {
		if !met[o] || o.why == "" {
			t.Errorf("%s of %s opens nothing any more, or nothing says why it may", o.function, o.dir)
		}
	}
}

// method returns the name of a function, with its receiver's type.
func method(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	kind := f.Recv.List[0].Type
	if star, ok := kind.(*ast.StarExpr); ok {
		kind = star.X
	}
	if of, ok := kind.(*ast.Ident); ok {
		return of.Name + "." + f.Name.Name
	}
	return f.Name.Name
}

// isOpening reports whether a function that opens files is named, called or not.
func (s source) isOpening(used *ast.SelectorExpr) bool {
	from, ok := used.X.(*ast.Ident)
	if !ok {
		return false
	}
	for _, spec := range s.file.Imports {
		lib, _ := strconv.Unquote(spec.Path.Value) // it was parsed
		called := path.Base(lib)
		if spec.Name != nil {
			called = spec.Name.Name
		}
		if called == from.Name && (slices.Contains(opens[lib], used.Sel.Name) || slices.Contains(opens[lib], "*")) {
			return true
		}
	}
	return false
}
