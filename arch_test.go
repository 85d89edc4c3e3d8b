// Package parley_test holds the shape of the project: who may import whom and
// why, which library lives where, how large things may get, and that the
// papers at the root say what is true. It is not a test of what Parley does.
package parley_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "parley/"

// allowed is one import that is right, and why. from is a pattern of folders
// as path.Match knows it; to is one too, or the path of a library, with
// everything below it where it is a library.
type allowed struct{ from, to, why string }

// rooms is who may import whom. What is not here is wrong.
var rooms = []allowed{
	{"internal/app", "*", "wires everything"},
	{"cmd/bot", "config", "settings come from flags, too"},
	{"cmd/bot", "internal/app", "runs it"},
	{"cmd/bot", "internal/cli", "the operator's commands"},
	{"cmd/bot", "internal/resident", "how much memory may be in use"},
	{"cmd/bot", "internal/shell", "completion and the manual page"},
	{"cmd/bot", "internal/text", "hides secrets on stderr"},

	{"internal/*", "internal/text", "cuts and cleans what people read"},
	{"internal/*/*", "internal/text", "cuts and cleans what people read"},
	{"config", "internal/text", "the setting that was meant"},

	{"internal/*", "internal/tongue", "speaks to people in their language"},
	{"internal/*/*", "internal/tongue", "speaks to people in their language"},
	{"internal/spoken", "internal/[ac]*", "hears the language of messages; /language"},
	{"internal/command", "internal/spoken", "/language"},
	{"internal/metrics", "internal/chat", "counts what became of messages"},
	{"internal/metrics", "internal/llm/wrap", "counts calls of models"},
	{"internal/tools/policy", "config", "the owner's policies"},
	{"internal/tools/policy", "internal/tools", "which it narrows"},
	{"internal/adapters/*", "internal/markdown", "shows what models write"},
	{"internal/adapters/*", "internal/chat", "translates between a platform and these words"},
	{"internal/adapters/terminal", "internal/lineedit", "how people type"},
	{"internal/adapters/terminal", "internal/highlight", "code in colors"},
	{"internal/lineedit", "internal/llm/provider", "keys are not kept"},
	{"internal/lineedit", "internal/lineedit/lineedittest", "its tests look at a screen"},
	{"internal/adapters/terminal", "internal/lineedit/lineedittest", "its tests look at a screen"},
	{"internal/adapters/*/*test", "internal/chat", "a fake may speak its room's words"},
	{"internal/chat/*test", "internal/chat", "a fake may speak its room's words"},
	{"internal/chat/chattest", "internal/waittest", "how tests wait"},
	{"internal/chat/chattest", "internal/memory", "the contract of adapters holds with the real store"},
	{"internal/memory/memorytest", "internal/memory", "opens it for tests of other rooms"},
	{"internal/llm/llmtest", "internal/waittest", "a slow model takes its time"},
	{"internal/llm/*", "internal/llm", "an engine, or a fake of one, behind llm.Model"},
	{"internal/llm/offline", "internal/when", "where the time of a reminder ends"},
	{"internal/llm/openai", "internal/llm/dialect", "what a model wrote as text may be a call"},
	{"internal/*", "internal/provenance", "whose words these are, and how they came"},
	{"internal/tools/*", "internal/provenance", "whose words these are, and how they came"},
	{"internal/provenance", "internal/chat", "somebody looks from a place"},
	{"internal/cli", "internal/spoken", "the language of the machine"},
	{"internal/cli", "internal/roster", "doctor and recall look who answers where"},
	{"internal/setup", "internal/chat", "who answers depends on the place of a message"},
	{"internal/setup", "internal/roster", "makes it of the settings"},
	{"internal/command", "internal/roster", "/agent shows and changes it"},
	{"internal/roster", "internal/chat", "who answers a message depends on its place"},
	{"internal/lanes", "internal/*", "rows of conversations; its tests start nodes"},
	{"internal/memory", "internal/lanes", "each write asks whose a conversation is"},
	{"internal/fleet", "internal/*", "joins nodes, their rows and the Hub"},
	{"internal/node", "internal/postgres", "the lock that says who shares a database"},
	{"internal/standby", "internal/*", "waits for a lock, and tells the service manager"},
	{"internal/beside", "internal/chat", "a lane takes what came of it"},
	{"internal/opening", "internal/chat", "its lane sends them"},
	{"internal/titles", "internal/chat", "messages have them"},
	{"internal/attest", "internal/chat", "adapters know who reads where"},
	{"internal/rulebook", "internal/rulefiles", "the page changes its files"},
	{"internal/rulebook", "internal/playbook", "keeps what is in force"},
	{"internal/spans", "internal/chat", "a span of each message"},
	{"internal/spans", "internal/llm/wrap", "which sends them"},
	{"internal/spans", "internal/tools", "a span of each call"},
	{"internal/minds", "internal/*", "an agent each: its messages, sessions, rules and tools"},
	{"internal/provenance", "internal/engine", "a viewer is the parameters of a statement"},
	{"internal/memory", "internal/chat", "stores messages and parts of answers"},
	{"internal/memory", "internal/llm", "stores transcripts and usage"},
	{"internal/memory", "internal/meaning", "ranks messages by what they mean, too"},
	{"internal/meaning", "internal/bulk", "stores vectors beside other writes"},
	{"internal/meaning", "internal/engine", "their rows"},
	{"internal/meaning", "internal/vector", "what vectors are"},
	{"internal/memory", "internal/recall", "ranks what its statements found"},
	{"internal/sqlite", "internal/engine", "what it opens"},
	{"internal/sqlite", "internal/recall", "a function that schemas name"},
	{"internal/memory/memorytest", "internal/postgres/postgrestest", "a database of its own on a server"},
	{"internal/memory", "internal/engine", "their rows"},
	{"internal/memory", "internal/sqlite", "the database"},
	{"internal/memory", "internal/served", "the same rows on a server"},
	{"internal/served", "internal/*", "says how the schema is made on a server, and which words its indexes hold"},
	{"internal/postgres", "internal/engine", "what it opens"},
	{"internal/postgres/postgrestest", "internal/postgres", "looks whether the server answers"},
	{"internal/database", "internal/postgres", "the engine on a server"},
	{"internal/transfer", "internal/*", "both kinds of databases"},
	{"internal/memory", "internal/vector", "finds facts by what they mean"},
	{"internal/memory", "internal/bulk", "prunes, forgets and imports in chunks"},
	{"internal/facts", "internal/bulk", "prunes in chunks"},
	{"internal/sqlite/plantest", "internal/*", "asks a database for its plans"},
	{"internal/engine/enginetest", "internal/engine", "what it puts to the test"},
	{"internal/bulk", "internal/sqlite", "opens a database in its tests"},
	{"internal/bulk", "internal/engine", "works in chunks beside other writes"},
	{"internal/vault", "internal/sqlite", "the index"},
	{"internal/vault", "internal/engine", "the rows of the index"},
	{"internal/llm/wrap", "internal/vector", "questions rest apart from what is stored"},
	{"internal/vault", "internal/links", "where the links of notes lead"},
	{"internal/vault", "internal/pen", "writes notes"},
	{"internal/vault", "internal/daily", "where the daily note is"},
	{"internal/transcript", "internal/facts", "what may be learned"},
	{"internal/transcript", "internal/llm", "the roles of entries"},
	{"internal/transcript", "internal/memory", "the entries"},
	{"internal/transcript", "internal/past", "points and pages"},
	{"internal/agent", "internal/transcript", "what a conversation said, for summaries and prompts"},
	{"internal/diary", "internal/agenda", "lines of journals"},
	{"internal/diary", "internal/chat", "whose they are"},
	{"internal/diary", "internal/llm", "who spoke in a transcript"},
	{"internal/diary", "internal/memory", "how a session ended"},
	{"internal/vault", "internal/symbols", "what code defines, and where it is used"},
	{"internal/setup", "internal/symbols", "the program that reads code"},
	{"internal/pen", "internal/links", "keeps links when a note moves"},
	{"internal/vault", "internal/vector", "finds passages by what they mean"},

	{"internal/tools", "internal/chat", "a call knows who asked and where"},
	{"internal/tools", "internal/llm", "a tool is described to a model"},
	{"internal/tools", "internal/memory", "recall is a tool"},
	{"internal/tools", "internal/vault", "notes and code are tools"},
	{"internal/tools", "internal/pen", "who may take a move back"},
	{"internal/command", "internal/pen", "lists versions of notes"},
	{"internal/tools/mcp", "internal/tools", "a tool server is a tools.Set"},
	{"internal/tools/mcp", "internal/egress", "servers elsewhere are public, or named by the operator"},
	{"internal/tools/web", "internal/tools", "pages and searches are tools"},
	{"internal/tools/web", "internal/egress", "only the public internet is read"},
	{"internal/tools/mcp", "internal/chat", "its files are for people"},
	{"internal/tools/rest", "internal/tools", "a service's call is a tool"},
	{"internal/tools/rest", "internal/chat", "a service may be told who asks"},
	{"internal/tools/rest", "internal/egress", "services are where the owner wrote they are"},
	{"internal/setup", "internal/tools", "a call is a tool"},
	{"internal/setup", "internal/tools/rest", "the HTTP services of the settings"},
	{"internal/cli", "internal/tools/rest", "looks whether their hosts answer"},
	{"internal/tools/mcp", "internal/llm", "its tools are described to a model"},

	{"config", "internal/yamldoc", "mistakes are shown with their line"},
	{"internal/playbook", "internal/playbook/*", "puts its parts together"},
	{"internal/playbook/condition", "internal/playbook/value", "compares variables"},
	{"internal/playbook/judge", "internal/llm", "asks a model"},
	{"internal/playbook/sheet", "internal/yamldoc", "mistakes are shown with their line"},
	{"internal/playbook/value", "internal/playbook/sheet", "numbers as a file gives them"},
	{"internal/playbook", "internal/yamldoc", "mistakes are shown with their line"},
	{"internal/vault", "internal/paper", "documents beside the notes"},
	{"internal/paper", "internal/pdf", "why a PDF was not read"},
	{"internal/cite", "internal/recall", "what a statement is about"},
	{"internal/cite", "internal/when", "the names of months"},
	{"internal/seek", "internal/cite", "days that a text names"},
	{"internal/seek", "internal/when", "times in people's own words"},
	{"internal/tools", "internal/cite", "notes that contradict each other"},
	{"internal/tools", "internal/paper", "how a page is cited"},
	{"internal/command", "internal/paper", "how a page is cited"},
	{"internal/app", "internal/front", "notes that are of a day"},
	{"internal/tools", "internal/seek", "what somebody looks for in notes"},
	{"internal/tools", "internal/front", "the properties of notes"},
	{"internal/vault", "internal/snippet", "what of a passage is shown"},
	{"internal/vault", "internal/front", "titles, tags and properties of notes"},
	{"internal/front", "internal/yamldoc", "titles and tags at the head of a note"},
	{"internal/playbook", "internal/llm", "conditions in plain words are judged by a model"},
	{"internal/playbook", "internal/vector", "shortlists them by what they mean"},

	{"internal/agent", "internal/chat", "handles messages"},
	{"internal/agent", "internal/llm", "asks the model"},
	{"internal/agent", "internal/memory", "reads before the turn, writes after it"},
	{"internal/agent", "internal/tools", "runs what the model asks for"},
	{"internal/agent", "internal/playbook", "is guided by it"},
	{"internal/agent", "internal/draft", "looks at answers before they are sent"},
	{"internal/draft", "internal/llm", "asks a model whether an answer keeps a rule"},
	{"internal/draft", "internal/llm/llmtest", "its tests play the judge"},
	{"internal/draft", "internal/playbook/condition", "whole words"},
	{"internal/playbook", "internal/draft", "what enforced rules ask of an answer"},
	{"internal/agent", "internal/guarding", "asks the playbook's guards about calls"},
	{"internal/guarding", "internal/guard", "asks it about a call"},
	{"internal/guarding", "internal/memory", "the earlier calls of a conversation"},
	{"internal/guarding", "internal/tools", "the calls they are about"},
	{"internal/playbook", "internal/guard", "guards stand in its files"},
	{"internal/rehearse", "internal/guard", "looks at what guards decided"},
	{"internal/replay", "internal/chat", "its tests say something"},
	{"internal/replay", "internal/guard", "asks it about calls that were made"},
	{"internal/replay", "internal/llm", "who said what in a transcript"},
	{"internal/replay", "internal/memory", "the bot's own conversations"},
	{"internal/replay", "internal/tools", "the states of calls, and what the model saw of a result"},
	{"internal/cli", "internal/guard", "what guards decided"},
	{"internal/cli", "internal/replay", "plays recorded conversations against guards"},

	{"internal/browse", "internal/chat", "conversations have a place"},
	{"internal/browse", "internal/recall", "which words are looked for"},
	{"internal/browse", "internal/engine", "their rows"},
	{"internal/browse", "internal/llm", "its tests count tokens"},
	{"internal/browse", "internal/memory", "its tests store some"},
	{"internal/memory", "internal/browse", "hands it out beside the rest"},
	{"internal/page", "internal/browse", "finds what it shows"},
	{"internal/tape", "internal/memory", "its tests forget somebody"},
	{"internal/tape", "internal/bulk", "forgets in chunks"},
	{"internal/tape", "internal/chat", "who pays for a call"},
	{"internal/tape", "internal/llm", "hears what models are asked"},
	{"internal/tape", "internal/sqlite", "its file, and what the bot's says of messages"},
	{"internal/tape", "internal/engine", "its rows"},
	{"internal/memory", "internal/tape", "hands it what answers were made of"},
	{"internal/page", "internal/tape", "shows model calls"},
	{"internal/page", "internal/rulefiles", "edits rules"},
	{"internal/page", "internal/markdown", "shows what models write"},
	{"internal/page", "internal/chat", "its chat is a chat.Adapter"},
	{"internal/page", "internal/memory", "shows what is stored"},

	{"internal/facts", "internal/chat", "facts were said somewhere, and move with the place"},
	{"internal/facts", "internal/recall", "ranks them by words"},
	{"internal/facts", "internal/sqlite", "empties a file in its tests"},
	{"internal/facts", "internal/engine", "their rows"},
	{"internal/facts", "internal/vector", "finds them by what they mean"},
	{"internal/sniff", "internal/chat", "the file it looks at"},
	{"internal/agent", "internal/sniff", "what an attached file is"},
	{"internal/inquiry", "internal/chat", "what a person said"},
	{"internal/inquiry", "internal/form", "the fields it asks"},
	{"internal/inquiry", "internal/tools", "a tool server's question, and the reply to it"},
	{"internal/agent", "internal/inquiry", "a call waits for a person's answers"},
	{"internal/agent", "internal/form", "its tests ask the fields of a form"},
	{"internal/tools", "internal/form", "a tool server's question is a form"},
	{"internal/tools/mcp", "internal/form", "makes one of a server's schema"},
	{"internal/agenda", "internal/chat", "reminders are said somewhere"},
	{"internal/agenda", "internal/facts", "who writes into a journal, and how much, is as with facts"},
	{"internal/agenda", "internal/recall", "finds entries by their words"},
	{"internal/agenda", "internal/engine", "their rows"},
	{"internal/access", "internal/chat", "people, and policies of channels"},
	{"internal/access", "internal/engine", "their rows"},
	{"internal/memory", "internal/access", "hands it out beside the rest, and moves and prunes its rows"},
	{"internal/memory", "internal/merge", "two changes of one note"},
	{"internal/memory", "internal/agenda", "hands them out beside the rest, and forgets them in one transaction"},
	{"internal/tools", "internal/agenda", "tasks, reminders and the journal are tools"},
	{"internal/command", "internal/agenda", "/tasks, /remind and /log"},
	{"internal/standing", "internal/agenda", "reminders that ask"},
	{"internal/standing", "internal/chat", "a question is a message"},
	{"internal/standing", "internal/memory", "what the last answer rested on"},
	{"internal/standing", "internal/tools", "fetches it anew"},
	{"internal/export", "internal/agenda", "what people want to do"},
	{"internal/export", "internal/facts", "what is remembered of them"},
	{"internal/export", "internal/handoff", "who took them over"},
	{"internal/memory", "internal/export", "gathers it"},
	{"internal/handoff", "internal/chat", "a conversation is somebody's in a place"},
	{"internal/handoff", "internal/engine", "their rows"},
	{"internal/memory", "internal/handoff", "hands handoffs out beside the rest"},
	{"internal/desk", "internal/chat", "passes messages on"},
	{"internal/desk", "internal/handoff", "whose conversations they are"},
	{"internal/desk", "internal/llm", "how long a line is for a model"},
	{"internal/desk", "internal/memory", "keeps what was said"},
	{"internal/desk", "internal/engine", "in the transaction that ends a message"},
	{"internal/desk", "internal/tools", "what wants a handoff"},
	{"internal/past", "internal/chat", "sessions stand in a place"},
	{"internal/past", "internal/recall", "compares words as recall does"},
	{"internal/past", "internal/engine", "their rows"},
	{"internal/memory", "internal/past", "hands ended sessions out beside the rest"},
	{"internal/past", "internal/llm", "reads what a summarizer writes"},
	{"internal/past", "internal/text", "texts within bounds"},
	{"internal/attach", "internal/chat", "files come with messages"},
	{"internal/attach", "internal/llm", "pictures for a model"},
	{"internal/attach", "internal/provenance", "how the words of a file came"},
	{"internal/attach", "internal/sniff", "what a file is"},
	{"internal/attach", "internal/text", "texts within bounds"},
	{"internal/agent", "internal/attach", "the files of a message"},
	{"internal/agent", "internal/address", "which addresses an answer has"},
	{"internal/agent", "internal/past", "sums up without a model, and carries a page on"},
	{"internal/command", "internal/past", "/session"},
	{"internal/tools", "internal/past", "ended sessions are recalled whole"},
	{"internal/database", "internal/sqlite", "the engine"},
	{"internal/database", "internal/engine", "what it opens"},
	{"internal/database", "internal/chat", "says in the hub's words that it is not well"},
	{"internal/chatlog", "internal/chat", "who said it, and where"},
	{"internal/memory", "internal/chatlog", "older conversations are imported"},
	{"internal/memory", "internal/database", "the file that its rows are in"},
	{"internal/cli", "internal/database", "backs up and puts back"},
	{"internal/cli", "internal/transfer", "moves rows to a server and back"},
	{"internal/memory", "internal/facts", "hands facts out beside the rest, and forgets both in one transaction"},
	{"internal/tools", "internal/when", "reminders are for a time in words"},
	{"internal/tools", "internal/recall", "which task is meant by words of it"},
	{"internal/command", "internal/when", "/remind"},
	{"internal/export", "internal/when", "rhythms in words"},
	{"internal/tools", "internal/facts", "facts are tools"},
	{"internal/agent", "internal/facts", "learns facts by the same rule"},

	{"internal/command", "internal/admin", "commands are admin's data"},
	{"internal/command", "internal/chat", "answers messages"},
	{"internal/command", "internal/facts", "/facts"},
	{"internal/command", "internal/llm", "/guideline test asks a judge"},
	{"internal/command", "internal/memory", "shows and changes what is stored"},
	{"internal/command", "internal/playbook", "/guideline and /journey"},
	{"internal/command", "internal/tools", "lists tools, and shares what they do with people's times"},
	{"internal/command", "internal/tools/mcp", "how tool servers stand"},
	{"internal/command", "internal/vault", "/notes"},

	{"internal/admin", "internal/chat", "stands in front of the agent as a chat.Handler"},

	{"internal/health", "internal/chat", "counts what became of answers"},
	{"internal/factsfile", "internal/chat", "facts belong to a person in a place"},
	{"internal/factsfile", "internal/facts", "the merge of a file and the rows"},
	{"internal/factsfile", "internal/memory", "the rows that the file follows"},

	{"internal/cli", "config", "reads the settings, and writes the first ones"},
	{"internal/cli", "internal/adapters/terminal", "hides a key as it is typed"},
	{"internal/cli", "internal/admin", "lets people in who ask"},
	{"internal/cli", "internal/agent", "doctor reads the persona as a start does"},
	{"internal/cli", "internal/chat", "names people and places"},
	{"internal/cli", "internal/facts", "changes facts by the rules of all"},
	{"internal/cli", "internal/factsfile", "decides about the facts file"},
	{"internal/cli", "internal/health", "doctor says what health says"},
	{"internal/cli", "internal/llm", "shows who spoke in a transcript"},
	{"internal/cli", "internal/llm/wrap", "recall asks for the vector of a question"},
	{"internal/cli", "internal/llm/offline", "init offers the built-in responder"},
	{"internal/cli", "internal/llm/openai", "init looks for Ollama"},
	{"internal/manners", "internal/chat", "greets groups, and tells owners"},
	{"internal/setup", "internal/llm/probe", "tries the models of the settings"},
	{"internal/cli", "internal/llm/probe", "tries what people answer to init, and for doctor"},
	{"internal/llm/probe", "internal/llm/openai", "its tests hold a conversation as the bot does"},
	{"internal/cli", "internal/llm/provider", "init sends a key only where it belongs"},
	{"internal/cli", "internal/memory", "shows and changes what is stored"},
	{"internal/cli", "internal/page", "makes a link to it"},
	{"internal/cli", "internal/pdf", "is the process that reads one"},
	{"internal/cli", "internal/playbook", "checks it"},
	{"internal/cli", "internal/rehearse", "plays scripts"},
	{"internal/cli", "internal/setup", "checks what a start makes of the settings"},
	{"internal/cli", "internal/vault", "recall looks into the notes"},

	{"internal/setup", "internal/pdf", "reads the PDFs among the notes"},
	{"internal/setup", "internal/vault", "opens the folders of the settings"},
	{"internal/setup", "config", "makes parts of the settings"},
	{"internal/setup", "internal/tools/mcp", "the tool servers of the settings"},
	{"internal/cli", "internal/tools/mcp", "logs in to tool servers, and checks them"},
	{"internal/setup", "internal/llm", "describes the model's endpoint"},
	{"internal/setup", "internal/llm/offline", "the endpoint where none is set"},
	{"internal/setup", "internal/llm/openai", "the endpoint of the settings"},
	{"internal/setup", "internal/llm/wrap", "models are asked in order, and rest when they failed"},
	{"internal/setup", "internal/llm/provider", "a key goes only where it belongs"},

	{"internal/rehearse", "config", "a script brings settings of its own, over the defaults"},
	{"internal/rehearse", "internal/chat", "its scripts are written on platforms of its own"},
	{"internal/rehearse", "internal/llm", "its scripts answer as the model"},
	{"internal/rehearse", "internal/llm/offline", "a script may ask for the built-in responder"},
	{"internal/rehearse", "internal/memory", "looks at what the bot stored"},
	{"internal/rehearse", "internal/playbook/condition", "tells conditions that a model judged"},
	{"internal/rehearse", "internal/playbook", "looks at the rules that applied"},
}

// source is one parsed Go file.
type source struct {
	path string // from the root, with slashes
	file *ast.File
	fset *token.FileSet
}

func (s source) dir() string          { return path.Dir(s.path) }
func (s source) isTest() bool         { return strings.HasSuffix(s.path, "_test.go") }
func (s source) line(p token.Pos) int { return s.fset.Position(p).Line }

// sources parses every Go file of the project.
func sources(t *testing.T) (all []source) {
	t.Helper()
	fset := token.NewFileSet()
	for _, name := range files(t) {
		if path.Ext(name) != ".go" {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, source{name, f, fset})
	}
	return all
}

// files lists the project, without what git keeps or ignores.
func files(t *testing.T) (all []string) {
	t.Helper()
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{".git", "data"}, name):
			return fs.SkipDir
		case d.Type().IsRegular() && name != ".git": // a file in a second work tree
			all = append(all, filepath.ToSlash(name))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func (a allowed) admits(from, to string) bool {
	match, _ := path.Match(a.from, from) // the patterns are ours
	into, _ := path.Match(a.to, to)
	return (a.from == "*" || match) && (a.to == "*" || into || isLibrary(a.to) && strings.HasPrefix(to, a.to+"/"))
}

// isLibrary tells a path with a host from a folder and the standard library.
func isLibrary(p string) bool {
	host, _, _ := strings.Cut(p, "/")
	return strings.Contains(host, ".")
}

func TestImports(t *testing.T) {
	for _, s := range sources(t) {
		for _, spec := range s.file.Imports {
			to, _ := strconv.Unquote(spec.Path.Value) // it was parsed
			to, ours := strings.CutPrefix(to, module)
			if (ours || isLibrary(to)) && !mayImport(s, to) {
				t.Errorf("%s:%d imports %s, which arch_test.go does not allow there", s.path, s.line(spec.Pos()), to)
			}
		}
	}
}

func mayImport(s source, to string) bool {
	table := rooms
	if isLibrary(to) {
		table = libraries
	}
	if s.isTest() {
		fake := !isLibrary(to) && strings.HasSuffix(to, "test")
		if to == s.dir() || fake {
			return true
		}
		table = slices.Concat(table, forTests)
	}
	return slices.ContainsFunc(table, func(a allowed) bool { return a.admits(s.dir(), to) })
}

// boundary is a word that says what a package is not.
var boundary = regexp.MustCompile(`(?i)\b(not|no|never|nothing|nobody|none|neither|nor|only)\b`)

func TestPackageComments(t *testing.T) {
	comments, packages := map[string]string{}, map[string]string{}
	for _, s := range sources(t) {
		if s.isTest() {
			continue
		}
		packages[s.dir()] = s.file.Name.Name
		if s.file.Doc != nil {
			if comments[s.dir()] != "" {
				t.Errorf("%s: the package has a second package comment", s.path)
			}
			comments[s.dir()] = s.file.Doc.Text()
		}
	}
	for dir, name := range packages {
		begins := "Package " + name + " "
		if name == "main" {
			begins = "Command " + path.Base(dir) + " "
		}
		if !strings.HasPrefix(comments[dir], begins) {
			t.Errorf("%s: the package comment does not begin with %q", dir, begins)
		} else if !boundary.MatchString(comments[dir]) {
			t.Errorf("%s: the package comment does not say what the package is not", dir)
		}
	}
}

// foreign is a path that exists on one person's machine only.
var foreign = regexp.MustCompile(`(^|[^\w./~-])/(work|root|home/\w+|Users/\w+)/\w`)

func TestNoPathsOfOneMachine(t *testing.T) {
	for _, name := range files(t) {
		for i, line := range bytes.Split(read(t, name), []byte("\n")) {
			if foreign.Match(line) {
				t.Errorf("%s:%d names a path of one machine: %s", name, i+1, bytes.TrimSpace(line))
			}
		}
	}
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.FromSlash(name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}
