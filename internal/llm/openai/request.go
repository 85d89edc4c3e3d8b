package openai

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strings"

	goopenai "github.com/sashabaranov/go-openai"

	"parley/internal/llm"
)

// request turns a Request into the library's form, tools excepted: see tools.
func (c *Client) request(r llm.Request, known quirks) goopenai.ChatCompletionRequest {
	model := r.Model
	limit := r.MaxTokens
	if limit == 0 {
		limit = c.o.MaxTokens
	}
	req := goopenai.ChatCompletionRequest{Model: model, ReasoningEffort: c.o.Reasoning, Messages: messages(arranged(r, known), known)}
	if known&newLimit != 0 || c.modern(model) && known&oldLimit == 0 {
		req.MaxCompletionTokens = limit
	} else {
		//lint:ignore SA1019 Ollama, Gemini and OpenRouter know only the older name
		req.MaxTokens = limit
	}
	if !fixedTemperature(model) && known&noWarmth == 0 {
		req.Temperature = temperature(c.o.Temperature)
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

// tools writes the member that lists the tools, nil for none. They are the greater part
// of most requests and hardly ever change, so each is written once.
func (c *Client) tools(specs []llm.ToolSpec) ([]byte, error) {
	if len(specs) == 0 {
		return nil, nil
	}
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
	size := len(toolsKey) + len(list)
	for _, b := range list {
		size += len(b)
	}
	out := append(make([]byte, 0, size), toolsKey...)
	for _, b := range list {
		out = append(append(out, b...), ',')
	}
	out[len(out)-1] = ']'
	return out, nil
}

// toolsKey begins the tools of a request.
const toolsKey = `"tools":[`

// temperature makes zero reach the wire: the library leaves a zero out, and
// the provider's default would apply.
func temperature(t float64) float32 {
	if t == 0 {
		return math.SmallestNonzeroFloat32
	}
	return float32(t)
}

// modern reports whether the endpoint wants max_completion_tokens: OpenAI itself,
// and the models for which the library refuses the older name.
func (c *Client) modern(model string) bool {
	u, err := url.Parse(c.o.BaseURL)
	return fixedTemperature(model) || (err == nil && strings.HasSuffix(u.Hostname(), "api.openai.com"))
}

// fixedTemperature lists the models that take only their own temperature.
func fixedTemperature(model string) bool {
	for _, prefix := range []string{"o1", "o3", "o4", "gpt-5", "gpt-6"} {
		if strings.HasPrefix(model, prefix) {
			return true
		}
	}
	return false
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

func messages(ms []llm.Message, known quirks) []goopenai.ChatCompletionMessage {
	out := make([]goopenai.ChatCompletionMessage, len(ms))
	for i, m := range ms {
		w := goopenai.ChatCompletionMessage{Role: string(m.Role), Content: m.Content, ToolCallID: m.ToolCallID}
		if m.Role == llm.RoleTool && known&noName == 0 {
			w.Name = m.Name
		}
		if w.Content == "" && len(m.ToolCalls) == 0 {
			w.Content = "(empty)" // an empty string is left out, and servers refuse that
		}
		for _, call := range m.ToolCalls {
			w.ToolCalls = append(w.ToolCalls, goopenai.ToolCall{ID: call.ID, Type: goopenai.ToolTypeFunction,
				Function: goopenai.FunctionCall{Name: call.Name, Arguments: call.Args}})
		}
		if len(m.Images) > 0 {
			w.MultiContent, w.Content = parts(m), ""
		}
		out[i] = w
	}
	return out
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

// extras collects the provider data that must go back with its tool call.
func extras(ms []llm.Message) map[string]json.RawMessage {
	var m map[string]json.RawMessage
	for _, msg := range ms {
		for _, c := range msg.ToolCalls {
			if len(c.Extra) > 0 {
				if m == nil {
					m = map[string]json.RawMessage{}
				}
				m[c.ID] = c.Extra
			}
		}
	}
	return m
}
