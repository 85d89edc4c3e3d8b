package openai

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	goopenai "github.com/sashabaranov/go-openai"

	"parley/internal/llm"
)

// request turns a Request into the library's form, without what makes up nearly all of
// it, and what that form cannot say: see tools, messages and temperature.
func (c *Client) request(r llm.Request, known quirks) goopenai.ChatCompletionRequest {
	limit := cmp.Or(r.MaxTokens, c.o.MaxTokens)
	req := goopenai.ChatCompletionRequest{Model: r.Model, ReasoningEffort: c.o.Reasoning, Messages: []goopenai.ChatCompletionMessage{}}
	if known&newLimit != 0 || c.modern(r.Model) && known&oldLimit == 0 {
		req.MaxCompletionTokens = limit
	} else {
		//lint:ignore SA1019 Ollama, Gemini and OpenRouter know only the older name
		req.MaxTokens = limit
	}
	if r.Schema != nil && known&noSchema == 0 {
		req.ResponseFormat = &goopenai.ChatCompletionResponseFormat{
			Type:       goopenai.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &goopenai.ChatCompletionResponseFormatJSONSchema{Name: r.Schema.Name, Schema: r.Schema.JSON, Strict: true},
		}
	}
	return req
}

// wrote is a tool and how it is written on the wire.
type wrote struct {
	spec llm.ToolSpec
	json []byte
}

// tools returns the tools as they are listed in a request. They are the greater part
// of most requests and hardly ever change, so each is written once.
func (c *Client) tools(specs []llm.ToolSpec) ([][]byte, error) {
	list := make([][]byte, 0, len(specs))
	for _, t := range specs {
		w, _ := c.written.Load(t.Name)
		if w, ok := w.(wrote); ok && w.spec.Description == t.Description && bytes.Equal(w.spec.Parameters, t.Parameters) {
			list = append(list, w.json)
			continue
		}
		b, err := json.Marshal(goopenai.Tool{Type: goopenai.ToolTypeFunction, Function: &goopenai.FunctionDefinition{
			Name: t.Name, Description: t.Description, Parameters: t.Parameters,
		}})
		if err != nil {
			return nil, fmt.Errorf("tool %s: %w", t.Name, err)
		}
		c.written.Store(t.Name, wrote{t, b})
		list = append(list, b)
	}
	return list, nil
}

// temperature returns the member of a request that sets it, nil where the model's own
// applies. The library leaves a zero out, and the server's default would apply; a number
// close to zero is no way around it, because servers divide by it.
func (c *Client) temperature(model string, known quirks) []byte {
	if c.o.Temperature == nil || fixedTemperature(model) || known&noWarmth != 0 {
		return nil
	}
	return strconv.AppendFloat([]byte(`"temperature":`), *c.o.Temperature, 'f', -1, 64)
}

// modern reports whether the endpoint wants max_completion_tokens: OpenAI itself,
// and the models for which the library refuses the older name.
func (c *Client) modern(model string) bool {
	return fixedTemperature(model) || strings.HasSuffix(c.host(), "api.openai.com")
}

// fixedTemperature lists the models that take only their own temperature.
func fixedTemperature(model string) bool {
	own := []string{"o1", "o3", "o4", "gpt-5", "gpt-6"}
	return slices.ContainsFunc(own, func(prefix string) bool { return strings.HasPrefix(model, prefix) })
}

// arranged arranges the messages for this server: the schema and the tools move into
// the prompt if it does not accept them, and what its chat template does not support
// is expressed in words.
func arranged(r llm.Request, known quirks) []llm.Message {
	ms := r.Messages
	if known&noTools != 0 && len(r.Tools) > 0 {
		at := slices.IndexFunc(ms, func(m llm.Message) bool { return m.Role != llm.RoleSystem })
		if at < 0 {
			at = len(ms)
		}
		ms = slices.Concat(ms[:at], []llm.Message{{Role: llm.RoleSystem, Content: spelled(r.Tools)}}, ms[at:])
	}
	if r.Schema != nil && known&noSchema != 0 {
		ms = append(append([]llm.Message{}, ms...), llm.Message{Role: llm.RoleSystem,
			Content: "Answer with one JSON object and nothing else. Its JSON Schema:\n" + string(r.Schema.JSON)})
	}
	return llm.Arrange(ms, llm.Layout{NoSystem: known&noSystem != 0, NoTools: known&(noTools|noToolTurns) != 0,
		OneCall: known&oneCall != 0, ShortIDs: known&shortIDs != 0, NoImages: known&noImages != 0})
}

// message is one as it goes over the wire. It is ours because the library's writes each
// by itself and then all of them again, and has no provider data of calls.
type message struct {
	Role    string `json:"role"`
	Content any    `json:"content,omitempty"` // a text, parts, or nil
	Name    string `json:"name,omitempty"`
	Calls   []call `json:"tool_calls,omitempty"`
	CallID  string `json:"tool_call_id,omitempty"`
}

type call struct {
	ID       string                `json:"id,omitempty"`
	Type     goopenai.ToolType     `json:"type"`
	Function goopenai.FunctionCall `json:"function"`
	Extra    json.RawMessage       `json:"extra_content,omitempty"` // goes back as it came
}

// messages writes the list of messages.
func messages(ms []llm.Message, known quirks) ([]byte, error) {
	out := make([]message, len(ms))
	for i, m := range ms {
		w := message{Role: string(m.Role), CallID: m.ToolCallID}
		if m.Role == llm.RoleTool && known&noName == 0 {
			w.Name = m.Name
		}
		switch {
		case len(m.Images) > 0:
			w.Content = parts(m)
		case m.Content != "":
			w.Content = m.Content
		case len(m.ToolCalls) == 0:
			w.Content = "(empty)" // servers refuse an empty text
		}
		for _, c := range m.ToolCalls {
			w.Calls = append(w.Calls, call{ID: c.ID, Type: goopenai.ToolTypeFunction, Function: goopenai.FunctionCall{Name: c.Name,
				Arguments: c.Args}, Extra: c.Extra})
		}
		out[i] = w
	}
	return json.Marshal(out)
}

func parts(m llm.Message) []goopenai.ChatMessagePart {
	ps := []goopenai.ChatMessagePart{{Type: goopenai.ChatMessagePartTypeText, Text: m.Content}}
	for _, img := range m.Images {
		ps = append(ps, goopenai.ChatMessagePart{Type: goopenai.ChatMessagePartTypeImageURL, ImageURL: &goopenai.ChatMessageImageURL{
			URL: "data:" + img.MIME + ";base64," + base64.StdEncoding.EncodeToString(img.Data),
		}})
	}
	return ps
}

// host returns the name of the endpoint's host.
func (c *Client) host() string {
	u, err := url.Parse(c.o.BaseURL)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Hostname())
}

// cacheKey returns the member of a request that keeps those with the same beginning
// on one machine of the provider, if the endpoint is known to accept it; nil
// otherwise, because strict servers refuse unknown fields.
func (c *Client) cacheKey(key string) []byte {
	if key == "" || c.host() != "api.openai.com" {
		return nil
	}
	b, _ := json.Marshal(key) // a text always can
	return append([]byte(`"prompt_cache_key":`), b...)
}

// marksCache reports whether the model caches only what is marked: those of Anthropic
// behind OpenRouter.
func (c *Client) marksCache(model string) bool {
	return strings.HasPrefix(model, "anthropic/") && (c.host() == "openrouter.ai" || strings.HasSuffix(c.host(), ".openrouter.ai"))
}

// markCache marks where the beginnings end that the next request has too: the
// system message, and the newest message.
func markCache(messages []byte) ([]byte, error) {
	var ms []map[string]json.RawMessage
	if err := json.Unmarshal(messages, &ms); err != nil {
		return nil, err
	}
	for _, at := range []int{0, len(ms) - 1} {
		var text string
		if at < 0 || json.Unmarshal(ms[at]["content"], &text) != nil || text == "" {
			continue
		}
		content, err := json.Marshal([]any{map[string]any{"type": "text", "text": text, "cache_control": map[string]string{"type": "ephemeral"}}})
		if err != nil {
			return nil, err
		}
		ms[at]["content"] = content
	}
	return json.Marshal(ms)
}
