package openai

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"parley/internal/llm"
	"parley/internal/llm/llmtest"
)

// notebook is a Notebook in memory.
type notebook struct {
	mu   sync.Mutex // guards rows
	rows map[string][]string
}

func (n *notebook) Quirks(_ context.Context, endpoint, model string) ([]string, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.rows[endpoint+" "+model], nil
}

func (n *notebook) LearnQuirk(_ context.Context, endpoint, model, name string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.rows[endpoint+" "+model] = append(n.rows[endpoint+" "+model], name)
	return nil
}

// everything returns a request that uses all a model may refuse.
func everything() llm.Request {
	r := ask("and now?")
	r.Messages = []llm.Message{{Role: llm.RoleSystem, Content: "be kind"},
		{Role: llm.RoleUser, Content: "see", Images: []llm.Image{{MIME: "image/png", Data: []byte("x")}}},
		{Role: llm.RoleAssistant, ToolCalls: []llm.ToolCall{{ID: "call_abc", Name: "now", Args: "{}"},
			{ID: "call_def", Name: "now", Args: "{}"}}},
		{Role: llm.RoleTool, Name: "now", ToolCallID: "call_abc", Content: "noon"},
		{Role: llm.RoleTool, Name: "now", ToolCallID: "call_def", Content: "noon too"}}
	r.Tools = []llm.ToolSpec{{Name: "now", Description: "Tells the time.", Parameters: json.RawMessage(`{"type":"object"}`)}}
	r.Schema = &llm.Schema{Name: "a", JSON: json.RawMessage(`{"type":"object"}`)}
	return r
}

// TestRefusals plays what servers say word for word: the message that teaches a
// quirk is answered, and a new process with the same notebook knows it.
func TestRefusals(t *testing.T) {
	jinja := "\n------------\nWhile executing CallExpression at line 1, column 1 in source:\nError: Jinja Exception: "
	for name, tt := range map[string]struct {
		status int
		body   string
		learns string
		gone   string // no longer in what is sent; a quote is another way to say it is there
		there  string // in what is sent instead
	}{
		"ollama, tools":        {400, `{"error":{"message":"registry.ollama.ai/library/gemma3:4b does not support tools","type":"api_error","param":null,"code":null}}`, "no-tools", `"tools":`, "Tells the time."},
		"openrouter, tools":    {404, `{"error":{"message":"No endpoints found that support tool use. To learn more about provider routing, visit: https://openrouter.ai/docs/provider-routing","code":404}}`, "no-tools", `"tools":`, "\\u003ctool_call\\u003e"},
		"vllm, tools":          {400, `{"object":"error","message":"\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set","type":"BadRequestError","param":null,"code":400}`, "no-tools", `"tools":`, "Tells the time."},
		"llama.cpp, tools":     {500, `{"error":{"code":500,"message":"tools param requires --jinja flag","type":"server_error"}}`, "no-tools", `"tools":`, "Tells the time."},
		"mistral, tools":       {422, `{"object":"Error","detail":[{"type":"extra_forbidden","loc":["body","tools"],"msg":"Extra inputs are not permitted","input":[]}]}`, "no-tools", `"tools":`, "Tells the time."},
		"gemini, tools":        {400, `[{"error":{"code":400,"message":"Function calling is not enabled for models/gemma-3-27b-it","status":"INVALID_ARGUMENT"}}]`, "no-tools", `"tools":`, "Tells the time."},
		"gemini, system":       {400, `[{"error":{"code":400,"message":"Developer instruction is not enabled for models/gemma-3-27b-it","status":"INVALID_ARGUMENT"}}]`, "no-system", `"role":"system"`, "be kind"},
		"vllm, system":         {400, `{"object":"error","message":"System role not supported","type":"BadRequestError","param":null,"code":400}`, "no-system", `"role":"system"`, "be kind"},
		"llama.cpp, system":    {500, `{"error":{"code":500,"message":"` + strings.ReplaceAll(jinja, "\n", `\n`) + `System role not supported","type":"server_error"}}`, "no-system", `"role":"system"`, "be kind"},
		"lm studio, system":    {400, `{"error":"Error rendering prompt with jinja template: \"System role not supported\".\n\nThis is usually an issue with the model's prompt template."}`, "no-system", `"role":"system"`, "be kind"},
		"llama.cpp, turns":     {500, `{"error":{"code":500,"message":"Conversation roles must alternate user/assistant/user/assistant/...","type":"server_error"}}`, "no-tool-turns", `"tool_calls"`, "noon too"},
		"lm studio, schema":    {400, `{"error":"'response_format.type' must be 'json_schema' or 'text'"}`, "no-schema", `"response_format"`, "JSON Schema"},
		"deepseek, schema":     {400, `{"error":{"message":"This response_format type is unavailable now","type":"invalid_request_error"}}`, "no-schema", `"response_format"`, "JSON Schema"},
		"mistral, usage":       {422, `{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","stream_options","include_usage"],"msg":"Extra inputs are not permitted","input":true}]},"type":"invalid_request_error"}`, "no-usage", `"stream_options"`, ""},
		"openai, limit":        {400, `{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","type":"invalid_request_error","param":"max_tokens","code":"unsupported_parameter"}}`, "new-limit", `"max_tokens"`, `"max_completion_tokens"`},
		"openai, temperature":  {400, `{"error":{"message":"Unsupported value: 'temperature' does not support 0.16 with this model. Only the default (1) value is supported.","param":"temperature","code":"unsupported_value"}}`, "no-temperature", `"temperature"`, ""},
		"xinference, zero":     {500, `{"detail":"[address=0.0.0.0:1, pid=2] ` + "`temperature`" + ` (=0) has to be a strictly positive float, otherwise your next token scores will be invalid."}`, "no-temperature", `"temperature"`, ""},
		"gigachat, zero":       {422, `{"status":422,"message":"Invalid params: temperature must be in range (0, +inf)"}`, "no-temperature", `"temperature"`, ""},
		"glm, zero":            {400, `{"error":{"message":"temperature参数非法。请检查文档。","code":"1214"}}`, "no-temperature", `"temperature"`, ""},
		"mistral, ids":         {400, `{"object":"error","message":"Tool call id was call_abc but must be a-z, A-Z, 0-9, with a length of 9.","type":"invalid_function_call","code":"3280"}`, "short-ids", "call_abc", `"tool_calls"`},
		"llama.cpp, ids":       {500, `{"error":{"code":500,"message":"` + strings.ReplaceAll(jinja, "\n", `\n`) + `Tool call IDs should be alphanumeric strings with length 9!","type":"server_error"}}`, "short-ids", "call_def", `"tool_calls"`},
		"llama.cpp, two calls": {500, `{"error":{"code":500,"message":"This model only supports single tool-calls at once!","type":"server_error"}}`, "one-call", `"tool_calls":[{"id":"call_abc","type":"function","function":{"name":"now","arguments":"{}"}},`, `"tool_calls"`},
		"llama.cpp, picture":   {500, `{"error":{"code":500,"message":"image input is not supported - hint: if this is unexpected, you may need to provide the mmproj","type":"server_error"}}`, "no-images", "image_url", "cannot see pictures"},
		"vllm, picture":        {400, `{"object":"error","message":"facebook/opt-125m is not a multimodal model None","type":"BadRequestError","param":null,"code":400}`, "no-images", "image_url", "cannot see pictures"},
		"ollama, picture":      {400, `{"error":{"message":"this model does not support image input"}}`, "no-images", "image_url", "cannot see pictures"},
		"groq, name":           {400, `{"error":{"message":"'messages.3' : for 'role:tool' the following must be satisfied[('messages.3' : property 'name' is unsupported)]","type":"invalid_request_error"}}`, "no-name", `"name":"now","tool_call_id"`, `"tool_call_id"`},
	} {
		t.Run(name, func(t *testing.T) {
			s := fake(t)
			s.Queue(llmtest.Refusal(tt.status, tt.body))
			s.Respond(func(llmtest.Request) llmtest.Turn { return llmtest.Turn{Text: "fine"} })
			book := &notebook{rows: map[string][]string{}}
			for range 2 { // two processes
				c := made(t, Options{BaseURL: s.URL(), Model: "test", Temperature: new(0.0), Stream: true, Notebook: book})
				if resp, err := c.Complete(t.Context(), everything(), nil); err != nil || resp.Message.Content != "fine" {
					t.Fatalf("%+v, %v", resp, err)
				}
			}
			asked := s.Requests()
			if len(asked) != 3 {
				t.Fatalf("%d requests: it is learned once", len(asked))
			}
			for _, r := range asked[1:] {
				if strings.Contains(string(r.Raw), tt.gone) || !strings.Contains(string(r.Raw), tt.there) {
					t.Errorf("sent %s", r.Raw)
				}
			}
			if got := book.rows[s.URL()+" test"]; !slices.Equal(got, []string{tt.learns}) {
				t.Errorf("kept %v", book.rows)
			}
		})
	}
}

// TestWrongLesson: what did not help is not kept, nor tried for ever, and a
// refusal of what was not sent teaches nothing.
func TestWrongLesson(t *testing.T) {
	s := fake(t)
	book := &notebook{rows: map[string][]string{}}
	s.Respond(func(llmtest.Request) llmtest.Turn {
		return llmtest.Refusal(400, `{"error":{"message":"System role not supported, temperature is not supported, and image input, stream_options, unknown max_completion_tokens"}}`)
	})
	c := made(t, Options{BaseURL: s.URL(), Model: "test", Stream: true, Notebook: book})
	if _, err := c.Complete(t.Context(), ask("hi"), nil); err == nil || len(book.rows) != 0 {
		t.Errorf("%v, kept %v", err, book.rows)
	}
	if n := len(s.Requests()); n > 6 {
		t.Errorf("%d attempts", n)
	}
	for detail, want := range map[string]quirks{
		"image_url could not be fetched": 0, "the temperature of the GPU is too high": 0, "upstream failed: tool timed out": 0,
		"max_completion_tokens is too large": 0,
		"{{ raise_exception('alphanumeric strings with length 9!') }}\nError: Jinja Exception: System role not supported": noSystem,
	} {
		if q := lessonOf(detail, everything(), 0); q != want {
			t.Errorf("%s: learned %b", detail, q)
		}
	}
	if q := lessonOf("image input is not supported", ask("hi"), 0); q != 0 {
		t.Errorf("learned %b from a refusal of something that was not sent", q)
	}
}

// TestModelsLearnApart: what one model refuses, another one may take.
func TestModelsLearnApart(t *testing.T) {
	s := fake(t)
	s.Models("test", "other")
	s.Queue(llmtest.Refusal(400, `{"error":{"message":"System role not supported"}}`))
	c := client(t, s, false)
	for i, model := range []string{"test", "other"} {
		r := llm.Request{Model: model, Messages: []llm.Message{{Role: llm.RoleSystem, Content: "be kind"}, {Role: llm.RoleUser, Content: "hi"}}}
		complete(t, c, r)
		if sent := s.Requests()[i+1]; strings.Contains(string(sent.Raw), `"role":"system"`) != (model == "other") {
			t.Errorf("%s: %s", model, sent.Raw)
		}
	}
}

// TestLessons holds the table: names and words are one for each quirk.
func TestLessons(t *testing.T) {
	names := map[quirks]string{}
	for _, l := range lessons {
		if l.source == "" || l.about == "" || names[l.learns] != "" && names[l.learns] != l.name+l.about {
			t.Error(fmt.Sprint(l.name, ": ", l.about))
		}
		names[l.learns] = l.name + l.about
	}
}

// TestSilentTemplate: llama.cpp's server leaves out of the prompt what a chat
// template does not know, and refuses nothing; it says so when it is asked.
func TestSilentTemplate(t *testing.T) {
	s := fake(t)
	s.Props(`{"chat_template_caps":{"supports_system_role":true,"supports_tool_calls":false,"supports_tools":false}}`)
	c := client(t, s, true)
	complete(t, c, everything())
	sent := s.Requests()[0]
	if len(sent.Tools) != 0 || !strings.Contains(sent.System(), "Tells the time.") || strings.Contains(string(sent.Raw), `"tool_calls"`) {
		t.Errorf("sent %s", sent.Raw)
	}
	if told, err := c.Quirks(t.Context()); err != nil || len(told) != 2 {
		t.Errorf("told %v, %v", told, err)
	}
}

// TestRecordedRefusals reads what llama.cpp's server said, recorded with
// eval/live and the templates of Gemma 2, Mistral Nemo and Llama 3.1. The file's
// name is what it teaches.
func TestRecordedRefusals(t *testing.T) {
	files, err := filepath.Glob("testdata/wire/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no recordings", err)
	}
	for _, file := range files {
		body, err := os.ReadFile(file)
		must(t, err)
		name, _, _ := strings.Cut(filepath.Base(file), ".")
		q := lessonOf(words(body), everything(), 0)
		if i := slices.IndexFunc(lessons, func(l lesson) bool { return l.learns == q }); i < 0 || lessons[i].name != name {
			t.Errorf("%s: learned %b", name, q)
		}
	}
}
