package openai

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/internal/llm"
	"parley/internal/text"
)

// quirks are what a model at an endpoint does not accept, or does in its own way.
type quirks uint32

const (
	noSystem    quirks = 1 << iota // the role system
	noTools                        // tools: they are told in words, and called in words
	noToolTurns                    // calls and their results among the messages
	oneCall                        // more than one call in a message
	shortIDs                       // ids of calls that are not nine letters and digits
	noName                         // the name of the tool in its result
	noImages                       // pictures
	noSchema                       // response_format
	noUsage                        // stream_options
	noStream                       // streaming
	newLimit                       // max_tokens: it wants max_completion_tokens
	oldLimit                       // max_completion_tokens
	noWarmth                       // temperature
	thinksAhead                    // its template begins a thought, so that an answer begins inside one
)

// lesson is a refusal that teaches a quirk.
type lesson struct {
	learns quirks
	name   string                   // under which it is kept
	about  string                   // what the operator is told of it
	says   func() *regexp.Regexp    // what the refusal says, in small letters; nil is learned otherwise
	sent   func(r llm.Request) bool // nil for any: a refusal of what was not sent is about something else
	source string                   // where the words can be read
}

// lessons is every quirk. The first that fits is learned.
var lessons = []lesson{
	{noTools, "no-tools", "takes no tools, they are told in words",
		text.Pattern(`does not support tools|support tool use|tool choice requires --enable-auto-tool-choice|tools param requires --jinja|function calling is not enabled|tools? (is|are) not supported|(extra_forbidden|unrecognized|unsupported|unknown)[^}]{0,60}['"]?\btools\b`),
		hasTools, "ollama issue 11131, openrouter (mastra issue 2839), vllm issue 9986, llama.cpp " +
			"tools/server/server-common.cpp, litellm issue 10313"},
	{shortIDs, "short-ids", "wants ids of calls with nine letters and digits",
		text.Pattern(`length (of )?9\b`), hasToolTurns, "Mistral's API (langchain pull 24668), chat template of Mistral-Nemo-Instruct-2407"},
	{oneCall, "one-call", "takes one call in a message",
		text.Pattern(`single tool-calls at once`), hasToolTurns, "chat template of meta-llama/Llama-3.1-8B-Instruct"},
	{noUsage, "no-usage", "does not report usage of streams when asked",
		text.Pattern(`stream_options|include_usage`), nil, "Mistral's API (anon-kode issue 53)"},
	{noSchema, "no-schema", "takes no response_format, it is told in words",
		text.Pattern(`response_?\s?format|json_schema|structured outputs?`), func(r llm.Request) bool { return r.Schema != nil },
		"lm studio bug-tracker issue 307; DeepSeek's and Groq's APIs"},
	{newLimit, "new-limit", "wants max_completion_tokens",
		text.Pattern(`use 'max_completion_tokens'`), nil, "OpenAI's API (opencode issue 37964)"},
	{oldLimit, "old-limit", "wants max_tokens",
		text.Pattern(`max_completion_tokens.{0,60}(not permitted|not supported|unsupported|unknown|unrecognized)|(extra_forbidden|unsupported|unknown|unrecognized).{0,60}max_completion_tokens`), nil, "Mistral's API (eca issue 231)"},
	{noWarmth, "no-temperature", "takes no temperature",
		text.Pattern(`temperature\W{0,3}(does not support|is not supported|is deprecated|is unsupported|参数非法)|temperature.{0,10}(must|has to) be (a )?(strictly positive|greater than 0|in range \(0)|(unsupported|unknown|unrecognized).{0,40}temperature`), nil,
		"OpenAI's API (9router issue 560); those that refuse 0: transformers (FastGPT issue 2027), GigaChat (gigachain " +
			"issue 237), GLM-4 (one-api issue 1141)"},
	{noImages, "no-images", "takes no pictures",
		text.Pattern(`image input|not a multimodal model|at most 0 image|does not support (image|vision|multimodal)|image_url is only supported|unknown variant .image_url.|multimodal data provided`), hasImages,
		"llama.cpp tools/server/server-common.cpp, ollama issue 17301, vllm (dots.ocr issue 61)"},
	{noName, "no-name", "takes no name in a tool's result",
		text.Pattern(`property 'name' is unsupported|"tool","name"`), hasToolTurns, "Groq's API (julep issue 885)"},
	{noSystem, "no-system", "takes no system message",
		text.Pattern(`system role|role system|'system'|developer instruction is not enabled|system message is not supported|unexpected role.{0,5}system`), nil,
		"vllm pull 2964, sglang issue 892, Gemini's API (rig issue 788), chat template of google/gemma-2-2b-it"},
	{noStream, "no-stream", "does not stream",
		text.Pattern(`tools?\b.{0,30}with stream|\bstream(ing)?\b.{0,5} (is )?not supported|unsupported.{0,20}\bstream(ing)?\b`),
		nil, "llama.cpp issue 12601 and older servers"},
	{noToolTurns, "no-tool-turns", "takes no calls among its messages, they are told in words",
		text.Pattern(`must alternate|only user and assistant roles|unexpected message role|unknown role|invalid role|invalid message role`),
		hasToolTurns,
		"chat templates of google/gemma-2-2b-it, mistral-instruct and zephyr-7b-beta"},
	{noSystem, "no-system", "takes no system message",
		text.Pattern(`must alternate|only user and assistant roles|unexpected message role|unknown role|invalid role|invalid message role`),
		nil, "the same templates, without calls"},
	{thinksAhead, "thinks-ahead", "begins its answers inside a thought", nil, nil,
		"chat templates of Qwen/QwQ-32B and deepseek-ai/DeepSeek-R1"},
}

func hasTools(r llm.Request) bool { return len(r.Tools) > 0 }

func hasToolTurns(r llm.Request) bool {
	return slices.ContainsFunc(r.Messages, func(m llm.Message) bool { return m.Role == llm.RoleTool || len(m.ToolCalls) > 0 })
}

func hasImages(r llm.Request) bool {
	return slices.ContainsFunc(r.Messages, llm.Message.Pictured)
}

// raised stands before what a template says in the errors of llama.cpp's server.
const raised = "jinja exception:"

// lessonOf recognizes what a refusal is about; 0 means nothing new.
func lessonOf(detail string, r llm.Request, known quirks) quirks {
	low := strings.ToLower(detail)
	if at := strings.LastIndex(low, raised); at >= 0 {
		low = low[at:] // before it stands a piece of the template, which names other things too
	}
	for _, l := range lessons {
		if l.says != nil && known&l.learns == 0 && (l.sent == nil || l.sent(r)) && l.says().MatchString(low) {
			return l.learns
		}
	}
	return 0
}

// Notebook keeps what was learned of a model at an endpoint over restarts, for
// some time. Both may be called from many goroutines and may block for as long
// as a database does.
type Notebook interface {
	// Quirks returns the names of what was learned.
	Quirks(ctx context.Context, endpoint, model string) ([]string, error)
	// LearnQuirk adds one.
	LearnQuirk(ctx context.Context, endpoint, model, name string) error
}

// learned holds the known quirks of each model at an endpoint.
type learned struct {
	mu     sync.Mutex // guards models
	models map[string]quirks
	book   Notebook // nil forgets
	where  string   // the endpoint, without secrets
}

// endpointName returns a base URL without its possible secrets.
func endpointName(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host + strings.TrimRight(u.Path, "/")
}

// of returns the known quirks of a model. After a failed read it asks the notebook
// again.
func (l *learned) of(ctx context.Context, model string) (quirks, error) {
	l.mu.Lock()
	q, ok := l.models[model]
	l.mu.Unlock()
	if ok || l.book == nil {
		return q, nil
	}
	names, err := l.book.Quirks(ctx, l.where, model)
	if err != nil {
		return 0, fmt.Errorf("quirks of %s: %w", model, err)
	}
	for _, row := range lessons {
		if slices.Contains(names, row.name) {
			q |= row.learns
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.models[model] |= q
	return l.models[model], nil
}

// keep stores a quirk that proved right: with it the model answered.
func (l *learned) keep(ctx context.Context, model string, q quirks) error {
	l.mu.Lock()
	fresh := q &^ l.models[model]
	l.models[model] |= q
	l.mu.Unlock()
	if l.book == nil {
		return nil
	}
	for i, row := range lessons {
		if fresh&row.learns == 0 || slices.ContainsFunc(lessons[:i], func(o lesson) bool { return o.learns == row.learns }) {
			continue
		}
		if err := l.book.LearnQuirk(ctx, l.where, model, row.name); err != nil {
			return fmt.Errorf("keep a quirk of %s: %w", model, err)
		}
	}
	return nil
}

// Quirks describes the model's known quirks for the operator.
func (c *Client) Quirks(ctx context.Context) ([]string, error) {
	q, err := c.learned.of(ctx, c.o.Model)
	q |= c.inspect(ctx)
	var list []string
	for _, l := range lessons {
		if q&l.learns != 0 && !slices.Contains(list, l.about) {
			list = append(list, l.about)
		}
	}
	return list, err
}

// propsWait is how long a server is asked what it is before the first message.
const propsWait = 2 * time.Second

// props holds what llama.cpp's server says about its model at /props.
type props struct {
	Settings struct {
		Ctx int `json:"n_ctx"` // tokens that each of its slots has
	} `json:"default_generation_settings"`
	Caps *struct {
		System    bool `json:"supports_system_role"`
		Tools     bool `json:"supports_tools"`
		ToolCalls bool `json:"supports_tool_calls"`
	} `json:"chat_template_caps"`
}

// inspect asks a llama.cpp server what its chat template supports: the server silently
// drops the rest from the prompt, so no refusal would ever teach it. It asks once,
// and only servers without TLS, which are self-hosted; any other answer, or none, is
// ignored.
func (c *Client) inspect(ctx context.Context) quirks {
	c.once.Do(func() {
		if !strings.HasPrefix(c.o.BaseURL, "http://") {
			return
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), propsWait)
		defer cancel()
		if p, err := c.props(ctx); err == nil {
			c.silent = p.quirks()
		}
	})
	return c.silent
}

func (c *Client) props(ctx context.Context) (p props, err error) {
	return p, c.ask(ctx, http.MethodGet, c.beside("/props"), nil, &p)
}

func (p props) quirks() (q quirks) {
	if p.Caps == nil {
		return 0
	}
	if !p.Caps.System {
		q |= noSystem
	}
	if !p.Caps.Tools {
		q |= noTools
	}
	if !p.Caps.ToolCalls {
		q |= noToolTurns
	}
	return q
}
