package parley_test

// libraries is which library may be used where. What is not here is used
// nowhere; ARCHITECTURE.md tells what each is for.
var libraries = []allowed{
	{"cmd/bot", "github.com/alecthomas/kong", "command line"},
	{"internal/shell", "github.com/alecthomas/kong", "the model of the command line"},
	{"internal/guard", "github.com/expr-lang/expr", "the expressions of guards"},
	{"internal/llm/offline", "github.com/expr-lang/expr", "sums that people ask for"},
	{"internal/guard", "github.com/google/jsonschema-go", "the arguments of the tools they are about"},
	{"internal/app", "github.com/prometheus/client_golang", "serves metrics"},
	{"internal/metrics", "github.com/prometheus/client_golang", "counts and their format"},
	{"internal/jobs", "github.com/robfig/cron/v3", "decides when, nothing else"},
	{"internal/when", "github.com/robfig/cron/v3", "when schedules are due"},
	{"internal/pdf", "github.com/ledongthuc/pdf", "the text of PDFs"},
	{"internal/rehearse", "golang.org/x/tools", "the file format of rehearsals"},
	{"config", "github.com/goccy/go-yaml", "the nodes of what yamldoc read"},

	{"internal/node", "github.com/jackc/pgx/v5", "leases on a connection of their own, which no queue delays"},
	{"internal/node/nodetest", "github.com/jackc/pgx/v5", "where a server listens"},

	{"internal/adapters/discord", "github.com/bwmarrin/discordgo", "the types and numbers of the platform"},
	{"internal/adapters/discord", "github.com/gorilla/websocket", "the connection to the gateway"},
	{"internal/adapters/discord/discordtest", "github.com/gorilla/websocket", "fakes the gateway"},
	{"internal/adapters/telegram", "github.com/go-telegram/bot", "the platform's library"},
	{"internal/adapters/telegram", "github.com/yuin/goldmark", "Markdown to entities"},
	{"internal/adapters/terminal", "github.com/yuin/goldmark", "Markdown to styles and columns"},
	{"internal/adapters/terminal", "github.com/google/uuid", "ids of lines typed"},
	{"internal/adapters/terminal", "golang.org/x/sys", "terminal modes"},

	{"internal/llm/openai", "github.com/sashabaranov/go-openai", "the wire format of model endpoints"},

	{"internal/markdown", "github.com/yuin/goldmark", "the parser, set to what models write"},
	{"internal/page", "github.com/yuin/goldmark", "Markdown to HTML"},

	{"internal/adapters/discord/tables", "github.com/mattn/go-runewidth", "columns of tables"},
	{"internal/adapters/discord/tables", "github.com/yuin/goldmark", "tables, which Discord does not know"},
	{"internal/lineedit", "github.com/clipperhouse/uax29", "what people see as one character"},
	{"internal/lineedit", "github.com/mattn/go-runewidth", "how many columns a character takes"},
	{"internal/lineedit/lineedittest", "github.com/clipperhouse/uax29", "what a terminal shows as one character"},
	{"internal/lineedit/lineedittest", "github.com/mattn/go-runewidth", "how many columns a character takes"},
	{"internal/memory", "github.com/google/uuid", "ids of rows"},
	{"internal/recall", "github.com/blevesearch/snowballstem", "stems"},

	{"internal/tongue", "github.com/leonelquinteros/gotext", "the format of the catalogs, and plurals"},
	{"internal/tongue", "golang.org/x/text", "the languages that a browser asks for"},

	{"internal/text", "golang.org/x/net", "hosts as they are looked up"},
	{"internal/address", "golang.org/x/net", "which names are somebody's, and which endings exist"},
	{"internal/address", "golang.org/x/text", "the same letter in other shapes"},
	{"internal/text", "github.com/clipperhouse/uax29", "what people see as one character"},

	{"internal/sqlite", "github.com/mattn/go-sqlite3", "the database engine"},
	{"internal/postgres", "github.com/jackc/pgx/v5", "the wire protocol of PostgreSQL"},

	{"internal/vault", "github.com/yuin/goldmark", "where the headings and the code of a note are"},
	{"internal/cite", "github.com/yuin/goldmark", "which parts of an answer are prose"},
	{"internal/front", "github.com/goccy/go-yaml", "the nodes of what yamldoc read"},
	{"internal/vault", "github.com/fsnotify/fsnotify", "hears of changed files"},

	{"internal/playbook", "github.com/goccy/go-yaml", "reads the example in tests"},
	{"internal/playbook/sheet", "github.com/goccy/go-yaml", "the nodes of what yamldoc read"},
	{"internal/yamldoc", "github.com/goccy/go-yaml", "the parser, which tells where a mistake is"},
	{"internal/playbook", "github.com/google/jsonschema-go", "parameters of tools, and the schema for editors"},
	{"internal/tools", "github.com/google/jsonschema-go", "schemas from Go types, and what a call breaks of one"},
	{"internal/tools/web", "golang.org/x/net", "fetched pages to readable text"},
	{"internal/tools/rest", "github.com/expr-lang/expr", "what the owner wants of an answer"},
	{"internal/tools/rest", "github.com/getkin/kin-openapi", "reads OpenAPI files"},
	{"internal/tools/rest", "golang.org/x/net", "answers in other encodings"},
	{"internal/tools/mcp", "github.com/modelcontextprotocol/go-sdk", "the protocol of tool servers"},
	{"internal/tools/mcp", "golang.org/x/oauth2", "the tokens of logins that the protocol's library makes"},
}

// forTests is what every test may use besides what its room may: the fakes
// (packages named …test), and these.
var forTests = []allowed{
	{".", "internal/when", "examples of times are times"},
	{"*", "github.com/google/go-cmp", "differences that can be read"},
	{"*", "go.uber.org/goleak", "no goroutine is left behind"},
	{".", "internal/tongue", "looks whether every word is in every language"},
	{".", "config", "explains settings on the control page"},
	{".", "golang.org/x/net", "reads the pages as browsers do"},
	{".", "github.com/leonelquinteros/gotext", "reads the catalogs"},
	{"*", "internal/memory", "tests use the real store, not a fake of it"},
	{"*", "internal/postgres/postgrestest", "a real server"},
	{"cmd/bot", "github.com/modelcontextprotocol/go-sdk", "the other end of the protocol"},
	{"cmd/bot", "golang.org/x/sys", "a terminal of its own"},
	{"cmd/bot", "internal/*", "drives the whole program, and looks at what it left"},
	{"cmd/bot", "internal/*/*", "drives the whole program, and looks at what it left"},
	{"internal/agent", "internal/cite", "checks citations as the bot does"},
	{"internal/agent", "internal/egress", "a page tool that reaches nothing"},
	{"internal/agent", "internal/tools/web", "a page tool that reaches nothing"},
	{"internal/llm/wrap", "internal/llm/offline", "a model to stand around"},
	{"internal/llm/wrap", "internal/llm/openai", "endpoints that fail at the wire"},
	{"internal/memory", "internal/chat", "drives the store as the hub does"},
	{"internal/facts", "internal/chat", "says where somebody asks"},
	{"internal/page", "github.com/gorilla/websocket", "drives a real browser"},
	{"internal/page", "internal/llm", "what a turn took"},
}
