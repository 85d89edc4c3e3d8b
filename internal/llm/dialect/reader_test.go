package dialect

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// offer returns the tools of these tests.
func offer(name string) (json.RawMessage, bool) {
	schema, ok := map[string]string{
		"now": `{}`, "add_task": `{"properties":{"text":{"type":"string"},"due":{"type":"integer"}}}`, "mcp_files-read": ``,
	}[name]
	return json.RawMessage(schema), ok
}

// read gives a text to a Reader in two pieces, cut at a byte; it returns what
// was shown as well.
func read(t testing.TB, text string, at int, set func(*Reader)) (Result, string) {
	t.Helper()
	shown := ""
	r := &Reader{Offer: offer, Show: func(s string) { shown += s }, Void: func() { shown = "" }}
	if set != nil {
		set(r)
	}
	r.Write(text[:at])
	r.Write(text[at:])
	return r.End(), shown
}

var (
	now  = Call{"now", `{}`}
	task = Call{"add_task", `{"text":"buy milk","due":2}`}
)

// forms is how families write calls. What stands in a text of them is, with
// spaces left out, as their chat templates write it.
var forms = map[string]struct {
	in   string
	text string
	want []Call
}{
	"hermes, qwen": {"<tool_call>\n{\"name\": \"add_task\", \"arguments\": {\"text\": \"buy milk\", \"due\": 2}}\n</tool_call>",
		"", []Call{task}},
	"two of them": {"<tool_call>\n{\"name\": \"now\", \"arguments\": {}}\n</tool_call>\n<tool_call>\n{\"name\": " +
		"\"now\", \"arguments\": {}}\n</tool_call>", "", []Call{now, now}},
	"with words before": {"Let me see.\n\n<tool_call>{\"name\":\"now\",\"arguments\":{}}</tool_call>", "Let me see.", []Call{now}},
	"not closed":        {"<tool_call>\n{\"name\": \"now\", \"arguments\": {}}", "", []Call{now}},
	"arguments as text": {`<tool_call>{"name":"add_task","arguments":"{\"text\":\"buy milk\",\"due\":2}"}</tool_call>`, "", []Call{task}},
	"end mark inside": {`<tool_call>{"name":"add_task","arguments":{"text":"</tool_call> is a mark"}}</tool_call>`,
		"", []Call{{"add_task", `{"text":"</tool_call> is a mark"}`}}},
	"comma too many":  {`<tool_call>{"name":"add_task","arguments":{"text":"buy milk","due":2,},}</tool_call>`, "", []Call{task}},
	"python's quotes": {`<tool_call>{'name': 'add_task', 'arguments': {'text': 'buy milk', 'due': 2}}</tool_call>`, "", []Call{task}},
	"qwen3-coder": {"<tool_call>\n<function=add_task>\n<parameter=text>\nbuy " +
		"milk\n</parameter>\n<parameter=due>\n2\n</parameter>\n</function>\n</tool_call>", "", []Call{task}},
	"without its frame": {"<function=add_task>\n<parameter=text>\nbuy milk\n</parameter>\n<parameter=due>\n2\n</parameter>\n</function>",
		"", []Call{task}},
	"functionary 3.1": {`<function=add_task>{"text": "buy milk", "due": 2}</function>`, "", []Call{task}},
	"seed": {"<seed:tool_call>\n<function=add_task>\n<parameter=text>buy " +
		"milk</parameter>\n<parameter=due>2</parameter>\n</function>\n</seed:tool_call>", "", []Call{task}},
	"a number as text": {"<function=add_task><parameter=text>42</parameter></function>", "", []Call{{"add_task", `{"text":"42"}`}}},
	"mistral, old": {`[TOOL_CALLS] [{"name": "add_task", "arguments": {"text": "buy milk", "due": 2}, "id": "123456789"}]`,
		"", []Call{task}},
	"mistral, new":        {`[TOOL_CALLS]add_task[CALL_ID]123456789[ARGS]{"text": "buy milk", "due": 2}`, "", []Call{task}},
	"mistral, newest":     {`[TOOL_CALLS]now[ARGS]{}[TOOL_CALLS]add_task[ARGS]{"text": "buy milk", "due": 2}`, "", []Call{now, task}},
	"llama 3.1":           {`<|python_tag|>{"name": "add_task", "parameters": {"text": "buy milk", "due": 2}}<|eom_id|>`, "", []Call{task}},
	"llama 3.1, two":      {`<|python_tag|>{"name": "now", "parameters": {}}; {"name": "now", "parameters": {}}`, "", []Call{now, now}},
	"llama 3.1, builtin":  {`<|python_tag|>add_task.call(text="buy milk", due=2)`, "", nil},
	"llama 3, bare":       {`{"name": "add_task", "parameters": {"text": "buy milk", "due": 2}}`, "", []Call{task}},
	"llama 3, typed":      {`{"type": "function", "name": "add_task", "parameters": {"text": "buy milk", "due": 2}}`, "", []Call{task}},
	"llama 4, pythonic":   {`[add_task(text="buy milk", due=2), now()]`, "", []Call{task, now}},
	"openai's form":       {`{"tool_calls":[{"id":"a","type":"function","function":{"name":"add_task","arguments":"{\"text\":\"buy milk\",\"due\":2}"}}]}`, "", []Call{task}},
	"beside its name":     {`{"tool": "add_task", "text": "buy milk", "due": 2}`, "", []Call{task}},
	"named by its key":    {`{"add_task": {"text": "buy milk", "due": 2}}`, "", []Call{task}},
	"fenced":              {"```json\n{\"name\": \"add_task\", \"arguments\": {\"text\": \"buy milk\", \"due\": 2}}\n```", "", []Call{task}},
	"fenced, no language": {"```\n{\"name\": \"now\", \"arguments\": {}}\n```", "", []Call{now}},
	"fenced marks":        {"```xml\n<tool_call>{\"name\": \"now\", \"arguments\": {}}</tool_call>\n```", "", []Call{now}},
	"phi-4": {`<|tool_call|>[{"name": "add_task", "arguments": {"text": "buy milk", "due": 2}}]<|/tool_call|>`,
		"", []Call{task}},
	"phi, functools": {`functools[{"name": "add_task", "arguments": {"text": "buy milk", "due": 2}}]`, "", []Call{task}},
	"granite":        {`<|tool_call|>[{"name": "add_task", "arguments": {"text": "buy milk", "due": 2}}]`, "", []Call{task}},
	"nemotron":       {`<TOOLCALL>[{"name": "add_task", "arguments": {"text": "buy milk", "due": 2}}]</TOOLCALL>`, "", []Call{task}},
	"apriel":         {`<tool_calls>[{"name": "add_task", "arguments": {"text": "buy milk", "due": 2}}]</tool_calls>`, "", []Call{task}},
	"apertus":        {`<|tools_prefix|>[{"add_task": {"text": "buy milk", "due": 2}}]<|tools_suffix|>`, "", []Call{task}},
	"glm": {"<tool_call>add_task\n<arg_key>text</arg_key>\n<arg_value>buy " +
		"milk</arg_value>\n<arg_key>due</arg_key>\n<arg_value>2</arg_value>\n</tool_call>", "", []Call{task}},
	"glm, no arguments": {"<tool_call>now\n</tool_call>", "", []Call{now}},
	"kimi":              {`<|tool_calls_section_begin|><|tool_call_begin|>functions.add_task:0<|tool_call_argument_begin|>{"text": "buy milk", "due": 2}<|tool_call_end|><|tool_calls_section_end|>`, "", []Call{task}},
	"kimi, a server's":  {`<|tool_calls_section_begin|><|tool_call_begin|>functions.mcp_files-read:12<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>`, "", []Call{{"mcp_files-read", "{}"}}},
	"deepseek r1": {"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>add_task\n```json\n{\"text\": " +
		"\"buy milk\", \"due\": 2}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>", "", []Call{task}},
	"deepseek v3.1": {`<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>add_task<｜tool▁sep｜>{"text": "buy milk", "due": 2}<｜tool▁call▁end｜><｜tool▁call▁begin｜>now<｜tool▁sep｜>{}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`, "", []Call{task, now}},
	"deepseek v3.2": {"<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"add_task\">\n<｜DSML｜parameter name=\"text\" " +
		"string=\"true\">buy milk</｜DSML｜parameter>\n" +
		"<｜DSML｜parameter name=\"due\" string=\"false\">2</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>", "", []Call{task}},
	"minimax": {"<minimax:tool_call>\n<invoke name=\"add_task\">\n<parameter name=\"text\">buy " +
		"milk</parameter>\n<parameter name=\"due\">2</parameter>\n</invoke>\n</minimax:tool_call>", "", []Call{task}},
	"minimax m1": {"<tool_calls>\n{\"name\": \"now\", \"arguments\": {}}\n{\"name\": \"now\", \"arguments\": {}}\n</tool_calls>",
		"", []Call{now, now}},
	"command r": {"Action: ```json\n[\n    {\n        \"tool_name\": \"add_task\",\n        \"parameters\": " +
		"{\"text\": \"buy milk\", \"due\": 2}\n    }\n]```", "", []Call{task}},
	"command r7b": {`<|START_THINKING|>I will add it.<|END_THINKING|><|START_ACTION|>[{"tool_call_id": "0", "tool_name": "add_task", "parameters": {"text": "buy milk", "due": 2}}]<|END_ACTION|>`, "", []Call{task}},
	"react":       {"Thought: I should add it\nAction: add_task\nAction Input: {\"text\": \"buy milk\", \"due\": 2}", "", []Call{task}},
	"qwen-agent":  {"✿FUNCTION✿: add_task\n✿ARGS✿: {\"text\": \"buy milk\", \"due\": 2}\n✿RESULT✿", "", []Call{task}},
	"internlm": {`<|action_start|><|plugin|>{"name": "add_task", "parameters": {"text": "buy milk", "due": 2}}<|action_end|>`,
		"", []Call{task}},
	"functionary 3.2":  {">>>add_task\n{\"text\": \"buy milk\", \"due\": 2}", "", []Call{task}},
	"gemma 3":          {"```tool_code\nadd_task(text=\"buy milk\", due=2)\n```", "", []Call{task}},
	"gemma 3, printed": {"```tool_code\nprint(default_api.add_task(text='buy milk', due=2))\n```", "", []Call{task}},
	"gemma 4":          {`<|tool_call>call:add_task{text:<|"|>buy milk<|"|>,due:2}<tool_call|>`, "", []Call{task}},
	"lfm2":             {`<|tool_call_start|>[add_task(text="buy milk", due=2)]<|tool_call_end|>`, "", []Call{task}},
	"gigachat":         {`<|function_call|>{"name": "add_task", "arguments": {"text": "buy milk", "due": 2}}`, "", []Call{task}},
	"gpt-oss":          {`<|channel|>analysis<|message|>They want milk.<|end|><|start|>assistant<|channel|>commentary to=functions.add_task <|constrain|>json<|message|>{"text": "buy milk", "due": 2}<|call|>`, "", []Call{task}},
	"gpt-oss, other": {`<|start|>assistant to=functions.add_task<|channel|>commentary json<|message|>{"text": "buy milk", "due": 2}`,
		"", []Call{task}},
	"gpt-oss, begun": {` to=functions.add_task<|channel|>commentary <|constrain|>json<|message|>{"text": "buy milk", "due": 2}`,
		"", []Call{task}},
	"gpt-oss, to nobody": {"<|channel|>commentary " +
		"to=assistant<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>Hello!", "Hello!", nil},
	"minimax m3": {"<mm:think>hm</mm:think>]<]minimax[>[<tool_call>\n]<]minimax[>[<invoke " +
		"name=\"add_task\">]<]minimax[>[<text>buy " +
		"milk]<]minimax[>[</text>]<]minimax[>[<due>2]<]minimax[>[</due>]<]minimax[>[</invoke>\n]<]minimax[>[</tool_call>", "", []Call{task}},
	"minicpm": {"<function name=\"add_task\"><param name=\"text\"><![CDATA[buy milk]]></param><param " +
		"name=\"due\">2</param></function>", "", []Call{task}},
	"kimi k3": {"<|open|>response<|sep|><|close|>response<|sep|><|open|>tools<|sep|><|open|>call tool=\"add_task\" " +
		"index=\"1\"<|sep|><|open|>argument key=\"text\" type=\"string\"<|sep|>buy milk<|close|>argument<|sep|>" +
		"<|open|>argument key=\"due\" " +
		"type=\"number\"<|sep|>2<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|><|close|>message<|sep|>", "", []Call{task}},
	"apriel thinks":       {"Here are my reasoning steps:\nhm\n[BEGIN FINAL RESPONSE]\nHello!\n[END FINAL RESPONSE]", "Hello!", nil},
	"never begun, joined": {"They said hi.</think>Hello!", "Hello!", nil},
	"while thinking":      {"<think>I need the time.\n<tool_call>\n{\"name\": \"now\", \"arguments\": {}}\n</tool_call>", "", []Call{now}},

	"think":       {"<think>\nhm, <tool_call> is what I want\n</think>\n\nHello!", "Hello!", nil},
	"thinking":    {"<thinking>hm</thinking>Hello!", "Hello!", nil},
	"seed thinks": {"<seed:think>hm</seed:think>Hello!", "Hello!", nil},
	"magistral":   {"[THINK]hm[/THINK]Hello!", "Hello!", nil},
	"kimi-vl":     {"◁think▷hm◁/think▷Hello!", "Hello!", nil},
	"reasoning":   {"<reasoning>\nhm\n</reasoning>\nHello!", "Hello!", nil},
	"gpt-oss speaks": {"<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>Hello!<|return|>",
		"Hello!", nil},
	"gemma 4 thinks":    {"<|channel>thought\nhm<channel|>Hello!", "Hello!", nil},
	"never begun":       {"They said hi.\n</think>\n\nHello!", "Hello!", nil},
	"not ended":         {"<think>hm, hm", "", nil},
	"thinks again":      {"<think>hm</think>Hello\n<think>hm</think>\nthere!", "Hello\nthere!", nil},
	"end of turn":       {"Hello!<|im_end|>", "Hello!", nil},
	"goes on alone":     {"Hello!<|im_end|>\n<|im_start|>user\nAnd you?<|im_end|>\n<|im_start|>assistant\nFine.", "Hello!", nil},
	"repeats the fence": {"It is noon.\n</context>\n\nAnd sunny.", "It is noon.\n\nAnd sunny.", nil},
	"imagines a call":   {"Hello!\n<tool_response>{}</tool_response>", "Hello!", nil},

	"prose": {"Use `<think>` and a <think> tag, [1] {x} and [TOOL].\n\n> quoted\n\nAction: call Bob. 2 < 3 >>> x",
		"Use `<think>` and a <think> tag, [1] {x} and [TOOL].\n\n> quoted\n\nAction: call Bob. 2 < 3 >>> x", nil},
	"example of a call": {"Hermes writes `<tool_call>{\"name\": \"now\"}</tool_call>` for it.",
		"Hermes writes `<tool_call>{\"name\": \"now\"}</tool_call>` for it.", nil},
	"example in a block": {"So:\n```text\nsee <tool_call>{\"name\": \"now\"}</tool_call>\n```\nThat is it.",
		"So:\n```text\nsee <tool_call>{\"name\": \"now\"}</tool_call>\n```\nThat is it.", nil},
	"json they asked for": {"```json\n{\"name\": \"Ada\", \"age\": 36}\n```", "```json\n{\"name\": \"Ada\", \"age\": 36}\n```", nil},
	"bare json":           {"{\"city\": \"Rome\"}", "{\"city\": \"Rome\"}", nil},
	"json of another tool": {"{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Rome\"}}",
		"{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Rome\"}}", nil},
	"code":                  {"```go\nfunc main() {\n\tprintln(`<think>`)\n}\n```", "```go\nfunc main() {\n\tprintln(`<think>`)\n}\n```", nil},
	"an empty block":        {"```\n```\nand on", "```\n```\nand on", nil},
	"a block not closed":    {"```go\nx := 1", "```go\nx := 1", nil},
	"one backtick":          {"a ` b\nc", "a ` b\nc", nil},
	"white space at an end": {"Hello \n", "Hello \n", nil},
	"python":                {"[x for x in y] is a list", "[x for x in y] is a list", nil},
	"struck out":            {"<s>old</s> new", "<s>old</s> new", nil},
	"links":                 {"[a](http://b) and\n[c]: http://d", "[a](http://b) and\n[c]: http://d", nil},
}

// TestForms reads every form, cut at every byte: what is shown meanwhile is what
// is said in the end, and never a part of a call or a thought.
func TestForms(t *testing.T) {
	for name, tt := range forms {
		t.Run(name, func(t *testing.T) {
			for at := range len(tt.in) + 1 {
				got, shown := read(t, tt.in, at, nil)
				if got.Text != tt.text || shown != tt.text {
					t.Fatalf("cut at %d: said %q, shown %q", at, got.Text, shown)
				}
				if name == "llama 3.1, builtin" { // not one of ours
					continue
				}
				if diff := cmp.Diff(tt.want, got.Calls); diff != "" || got.Fault != "" {
					t.Fatalf("cut at %d: %s %s", at, got.Fault, diff)
				}
			}
		})
	}
}

// TestBytes reads every form byte by byte: nothing raw is shown for a moment.
func TestBytes(t *testing.T) {
	for name, tt := range forms {
		shown := ""
		r := &Reader{Offer: offer, Show: func(s string) { shown += s }, Void: func() { shown = "" }}
		for i := range len(tt.in) {
			r.Write(tt.in[i : i+1])
			if !strings.HasPrefix(name, "never begun") && name != "react" && name != "apriel thinks" && name != "gpt-oss, begun" &&
				!strings.HasPrefix(tt.text, shown) {
				t.Fatalf("%s: %q is shown on the way to %q", name, shown, tt.text)
			}
		}
		if r.End(); shown != tt.text {
			t.Errorf("%s: shown %q", name, shown)
		}
	}
}

// TestFaults shows what a model is asked about once more.
func TestFaults(t *testing.T) {
	doubt := "Sure:\n```json\n{\"name\": \"now\", \"arguments\": {}}\n```"
	behind := "{\"name\": \"now\", \"arguments\": {}}\n\nIt is noon."
	for name, tt := range map[string]struct {
		in   string
		sure bool
		want Result
	}{
		"cut":            {"<tool_call>{\"name\": \"now\", \"argu</tool_call>", false, Result{Fault: Garbled}},
		"no such tool":   {"<tool_call>{\"name\": \"weather\", \"arguments\": {}}</tool_call>", false, Result{Fault: Unknown}},
		"and with words": {"I look. <tool_call>{\"name\": \"weather\"}</tool_call>", false, Result{Text: "I look.", Fault: Unknown}},
		"an example?":    {doubt, false, Result{Text: "Sure:", Fault: Doubtful}},
		"no, a call":     {doubt, true, Result{Text: "Sure:", Calls: []Call{now}}},
		"prose behind":   {behind, false, Result{Text: "It is noon.", Fault: Doubtful}},
		"still there":    {behind, true, Result{Text: behind}},
	} {
		got, shown := read(t, tt.in, len(tt.in)/2, func(r *Reader) { r.Sure = tt.sure })
		if diff := cmp.Diff(tt.want, got); diff != "" || shown != tt.want.Text {
			t.Errorf("%s: shown %q\n%s", name, shown, diff)
		}
	}
}

// TestOpened reads answers that begin inside a thought, as templates begin one.
func TestOpened(t *testing.T) {
	for in, want := range map[string]string{"hm\n</think>\n\nHello": "Hello", "hm</think>Hello": "Hello", "Hello": "Hello",
		"<think>hm</think>Hello": "Hello"} {
		for at := range len(in) + 1 {
			got, shown := read(t, in, at, func(r *Reader) { r.Opened = true })
			if got.Text != want || shown != want {
				t.Errorf("%q: said %q, shown %q", in, got.Text, shown)
			}
		}
	}
}

// TestMarks holds the tables: each has a source, and no mark begins another.
func TestMarks(t *testing.T) {
	for a := range marks {
		for b := range marks {
			if a != b && strings.HasPrefix(b, a) {
				t.Errorf("%q begins %q", a, b)
			}
		}
	}
	for _, f := range families {
		if f.source == "" {
			t.Errorf("%s has no source", f.open)
		}
	}
	if n := len(families) + len(silent) + len(others) + len(thoughts) + len(headers); n > len(marks) {
		t.Errorf("%d marks are named twice", n-len(marks))
	}
}

// FuzzReader reads what strangers write: it never panics, and however the text
// is cut the answer is the same, and what was shown is what is said.
func FuzzReader(f *testing.F) {
	for _, tt := range forms {
		f.Add(tt.in, uint(len(tt.in)/2), false)
	}
	f.Fuzz(func(t *testing.T, in string, at uint, opened bool) {
		set := func(r *Reader) { r.Opened = opened }
		whole, _ := read(t, in, len(in), set)
		got, shown := read(t, in, int(at%uint(len(in)+1)), set)
		if diff := cmp.Diff(whole, got); diff != "" {
			t.Fatal(diff)
		}
		if !strings.HasPrefix(shown, got.Text) || strings.TrimSuffix(shown, "</s>") != got.Text {
			t.Fatalf("shown %q, said %q", shown, got.Text)
		}
		for _, c := range got.Calls {
			if !json.Valid([]byte(c.Args)) || c.Args[0] != '{' {
				t.Fatal(fmt.Sprint(c))
			}
		}
	})
}
