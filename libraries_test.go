package parley_test

// libraries is which library may be used where. What is not here is used
// nowhere; ARCHITECTURE.md tells what each is for.
var libraries = []allowed{
	{"cmd/bot", "github.com/alecthomas/kong", "command line"},
	{"internal/app/shell", "github.com/alecthomas/kong", "the model of the command line"},
	{"internal/playbook/guard", "github.com/expr-lang/expr", "the expressions of guards"},
	{"internal/llm/offline", "github.com/expr-lang/expr", "sums that people ask for"},
	{"internal/playbook/guard", "github.com/google/jsonschema-go", "the arguments of the tools they are about"},
	{"internal/app", "github.com/prometheus/client_golang", "serves metrics"},
	{"internal/app/metrics", "github.com/prometheus/client_golang", "counts and their format"},
	{"internal/app/jobs", "github.com/robfig/cron/v3", "decides when, nothing else"},
	{"internal/text/times", "github.com/robfig/cron/v3", "when schedules are due"},
	{"internal/notes/document/pdf", "github.com/ledongthuc/pdf", "the text of PDFs"},
	{"internal/app/rehearse", "golang.org/x/tools", "the file format of rehearsals"},
	{"cmd/bot", "golang.org/x/tools", "the files of rehearsals, in tests"},
	{"cmd/bot", "github.com/goccy/go-yaml", "the keys in playbooks of rehearsals, in tests"},
	{"config", "github.com/goccy/go-yaml", "the nodes of what yamldoc read"},

	{"internal/memory/cluster", "github.com/jackc/pgx/v5", "leases on a connection of their own, which no queue delays"},
	{"internal/memory/cluster/nodetest", "github.com/jackc/pgx/v5", "where a server listens"},

	{"internal/adapters/discord", "github.com/bwmarrin/discordgo", "the types and numbers of the platform"},
	{"internal/adapters/discord", "github.com/gorilla/websocket", "the connection to the gateway"},
	{"internal/adapters/discord/discordtest", "github.com/gorilla/websocket", "fakes the gateway"},
	{"internal/adapters/matrix", "maunium.net/go/mautrix", "the types and names of the platform"},
	{"internal/adapters/matrix", "github.com/yuin/goldmark", "Markdown to the HTML that Matrix knows"},
	{"internal/adapters/telegram", "github.com/go-telegram/bot", "the platform's library"},
	{"internal/adapters/telegram", "github.com/yuin/goldmark", "Markdown to entities"},
	{"internal/adapters/terminal", "github.com/yuin/goldmark", "Markdown to styles and columns"},
	{"internal/adapters/terminal", "github.com/google/uuid", "ids of lines typed"},
	{"internal/adapters/terminal", "golang.org/x/sys", "terminal modes"},

	{"internal/llm/openai", "github.com/sashabaranov/go-openai", "the wire format of model endpoints"},

	{"internal/text/markdown", "github.com/yuin/goldmark", "the parser, set to what models write"},
	{"internal/app/console", "github.com/yuin/goldmark", "Markdown to HTML"},

	{"internal/adapters/discord/tables", "github.com/mattn/go-runewidth", "columns of tables"},
	{"internal/adapters/discord/tables", "github.com/yuin/goldmark", "tables, which Discord does not know"},
	{"internal/adapters/terminal/lineedit", "github.com/clipperhouse/uax29", "what people see as one character"},
	{"internal/adapters/terminal/lineedit", "github.com/mattn/go-runewidth", "how many columns a character takes"},
	{"internal/adapters/terminal/lineedit/lineedittest", "github.com/clipperhouse/uax29", "what a terminal shows as one character"},
	{"internal/adapters/terminal/lineedit/lineedittest", "github.com/mattn/go-runewidth", "how many columns a character takes"},
	{"internal/memory", "github.com/google/uuid", "ids of rows"},
	{"internal/memory/facts/kinds", "golang.org/x/text", "letters without their accents"},
	{"internal/text/ranking", "github.com/blevesearch/snowballstem", "stems"},

	{"internal/text/catalog", "github.com/leonelquinteros/gotext", "the format of the catalogs, and plurals"},
	{"internal/text/catalog", "golang.org/x/text", "the languages that a browser asks for"},

	{"internal/text/machine", "golang.org/x/sys", "what Windows does in its own way"},
	{"internal/text", "golang.org/x/net", "hosts as they are looked up"},
	{"internal/text/urls", "golang.org/x/net", "which names are somebody's, and which endings exist"},
	{"internal/text", "golang.org/x/text", "names that are the same in other shapes"},
	{"internal/text/urls", "golang.org/x/text", "the same letter in other shapes"},
	{"internal/text", "github.com/clipperhouse/uax29", "what people see as one character"},

	{"internal/db/sqlite", "github.com/mattn/go-sqlite3", "the database engine"},
	{"internal/db/postgres", "github.com/jackc/pgx/v5", "the wire protocol of PostgreSQL"},

	{"internal/notes/index", "github.com/yuin/goldmark", "where the headings and the code of a note are"},
	{"internal/notes/citation", "github.com/yuin/goldmark", "which parts of an answer are prose"},
	{"internal/notes/frontmatter", "github.com/goccy/go-yaml", "the nodes of what yamldoc read"},
	{"internal/notes/index", "github.com/fsnotify/fsnotify", "hears of changed files"},

	{"internal/playbook", "github.com/goccy/go-yaml", "reads the example in tests"},
	{"internal/playbook/sheet", "github.com/goccy/go-yaml", "the nodes of what yamldoc read"},
	{"internal/text/yamldoc", "github.com/goccy/go-yaml", "the parser, which tells where a mistake is"},
	{"internal/playbook", "github.com/google/jsonschema-go", "parameters of tools, and the schema for editors"},
	{"internal/tools", "github.com/google/jsonschema-go", "schemas from Go types, and what a call breaks of one"},
	{"internal/tools/web", "golang.org/x/net", "fetched pages to readable text"},
	{"internal/app/webhooks", "github.com/expr-lang/expr", "the words that owners make of what webhooks bring"},
	{"internal/tools/rest", "github.com/expr-lang/expr", "what the owner wants of an answer"},
	{"internal/tools/rest", "github.com/getkin/kin-openapi", "reads OpenAPI files"},
	{"internal/tools/rest", "golang.org/x/net", "answers in other encodings"},
	{"internal/tools/mcp", "github.com/modelcontextprotocol/go-sdk", "the protocol of tool servers"},
	{"internal/tools/mcp", "golang.org/x/oauth2", "the tokens of logins that the protocol's library makes"},
}

// forTests are the libraries that tests may use besides.
var forTests = []allowed{
	{"*", "github.com/google/go-cmp", "differences that can be read"},
	{"*", "go.uber.org/goleak", "no goroutine is left behind"},
	{".", "golang.org/x/net", "reads the pages as browsers do"},
	{".", "github.com/leonelquinteros/gotext", "reads the catalogs"},
	{".", "golang.org/x/tools", "the file format of what additions cost"},
	{"internal/memory/importer", "golang.org/x/tools", "fixtures of many files"},
	{"cmd/bot", "github.com/modelcontextprotocol/go-sdk", "the other end of the protocol"},
	{"cmd/bot", "golang.org/x/sys", "a terminal of its own"},
	{"docs/img/filmtest", "golang.org/x/sys", "a terminal of its own"},
	{"internal/app/console", "github.com/gorilla/websocket", "drives a real browser"},
}
