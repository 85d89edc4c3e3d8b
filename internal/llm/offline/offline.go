// Package offline is the built-in responder: what answers when no model is
// connected. It understands a small, documented set of plain sentences, turns
// them into the tool calls a model would make, and says the rest of the time
// what it is. It never pretends to reason, and it is not a model.
package offline

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"parley/internal/llm"
)

// Name is the model name under which it goes.
const Name = "builtin"

// Model answers without a model. The zero Model is ready; it never blocks, and
// calls it makes are only of tools the request offers.
type Model struct {
	// Why says in a sentence what keeps a real model from answering; "" is that
	// none is connected, with how to connect one.
	Why string
}

// sentence is one thing it understands: the first row whose pattern matches
// and whose tool is offered wins. Groups named in the pattern become the
// tool's arguments.
type sentence struct {
	pattern func() *regexp.Regexp // compiled when first needed
	tool    string
	example string // for help
}

func row(tool, example, pattern string) sentence {
	compile := func() *regexp.Regexp {
		return regexp.MustCompile(`(?is)^(?:please |could you |can you )?` + pattern + `[.!?]*$`)
	}
	return sentence{sync.OnceValue(compile), tool, example}
}

// sentences is the documented set, more special before more general.
var sentences = []sentence{
	row("save_fact", "remember that I prefer tea", `remember(?: that|:)? (?P<content>.+?)`),
	row("set_reminder", "remind me to stretch in 10 minutes", `remind me to (?P<text>.+?) (?P<when>(?:in|at|on|tomorrow|today|every|next)\b.*?)`),
	row("set_reminder", "", `remind me (?P<when>(?:in|at|on|tomorrow|today|every|next)\b.*?) to (?P<text>.+?)`),
	row("add_task", "add a task to call mom", `add (?:a )?task:? (?:to )?(?P<description>.+?)`),
	row("list_facts", "what do you know about me?", `what do you (?:know|remember)(?: about me)?`),
	row("list_reminders", "show my reminders", `(?:show|list|what are) (?:me )?my reminders`),
	row("save_decision", "decision: we ship on Fridays", `(?:decision|we decided)(?: that|:) *(?P<content>.+?)`),
	row("cancel_reminder", "", `cancel (?:my )?reminder #?(?P<id>\d+)`),
	row("delete_task", "", `(?:delete|remove) (?:my )?task #?(?P<id>\d+)`),
	row("update_fact", "", `(?:change|correct) fact #?(?P<id>\d+) to:? (?P<content>.+?)`),
	row("forget_fact", "", `forget (?P<last>that|it)`),
	row("forget_fact", "forget #3", `forget (?:fact )?#?(?P<id>\d+)`),
	row("list_tasks", "show my tasks", `(?:show|list|what are) (?:me )?my (?:tasks|to-?dos)|my tasks`),
	row("complete_task", "done with #2", `(?:(?:i'm |i am )?done with|complete|finish|tick off) (?:task )?#?(?P<id>\d+)`),
	row("list_log", "what did I log today?", `what did i log(?: on)?(?: (?P<day>[\w ]+?))?`),
	row("log_entry", "log that I finished the report", `log(?: that|:) (?P<content>.+?)`),
	row("current_time", "what time is it?", `(?:what(?:'s| is) the (?:time|date)|what time is it|what day is it)(?: now| today)?`),
	row("recall_conversation", "what did we say about the trip?", `what did (?:we|i|you) say about (?P<query>.+?)`),
	row("vault_search", "search my notes for tea", `(?:search|look in|find in) (?:my |the )?notes (?:for |about )?(?P<query>.+?)`),
}

// Complete implements llm.Model.
func (m Model) Complete(ctx context.Context, r llm.Request, onText func(string)) (llm.Response, error) {
	if ctx.Err() != nil {
		return llm.Response{}, context.Cause(ctx)
	}
	if r.Spend != nil {
		if err := r.Spend(); err != nil {
			return llm.Response{}, err
		}
	}
	resp := llm.Response{Model: Name, Rote: true, Finish: llm.FinishStop, Message: llm.Message{Role: llm.RoleAssistant}}
	if r.Schema != nil {
		return resp, &llm.Error{Class: llm.ErrNone, Detail: "the built-in responder cannot judge or sum up"}
	}
	if last := r.Messages[len(r.Messages)-1]; last.Role == llm.RoleTool {
		resp.Message.Content = phrase(last)
	} else if call, ok := understand(last.Content, r); ok {
		resp.Finish, resp.Message.ToolCalls = llm.FinishToolCalls, []llm.ToolCall{call}
		return resp, nil
	} else if text := guided(r); text != "" {
		resp.Message.Content = text
	} else {
		resp.Message.Content = m.honest(r)
	}
	if onText != nil {
		onText(resp.Message.Content)
	}
	return resp, nil
}

func offered(r llm.Request) []string {
	if r.Callable != nil {
		return r.Callable
	}
	names := make([]string, len(r.Tools))
	for i, t := range r.Tools {
		names[i] = t.Name
	}
	return names
}

// speaker is the author's name that stands before what is said in a group.
var speaker = regexp.MustCompile(`^[^:\n]{1,64}: `)

// understand finds the tool call a sentence asks for.
func understand(text string, r llm.Request) (llm.ToolCall, bool) {
	call, ok := match(strings.TrimSpace(text), r)
	if !ok {
		call, ok = match(strings.TrimSpace(speaker.ReplaceAllString(text, "")), r)
	}
	return call, ok
}

func match(text string, r llm.Request) (llm.ToolCall, bool) {
	tools := offered(r)
	for _, s := range sentences {
		if !slices.Contains(tools, s.tool) {
			continue
		}
		found := s.pattern().FindStringSubmatch(text)
		if found == nil {
			continue
		}
		args := map[string]any{}
		for i, name := range s.pattern().SubexpNames() {
			if name == "" || found[i] == "" {
				continue
			}
			args[name] = argument(name, strings.TrimSpace(found[i]))
		}
		if slices.Contains(pointers, args["content"]) {
			continue
		}
		if args["last"] != nil {
			id := lastFact(r)
			if id == "" {
				continue
			}
			args = map[string]any{"id": json.Number(id)}
		}
		b, _ := json.Marshal(args) // plain strings and numbers
		return llm.ToolCall{ID: "builtin_1", Name: s.tool, Args: string(b)}, true
	}
	return llm.ToolCall{}, false
}

// pointers stand for what was said before, which only a model could tell.
var pointers = []any{"that", "this", "it"}

// factNumber is how a result names the fact it was about.
var factNumber = regexp.MustCompile(`\(#(\d+)\)`)

// lastFact returns the number of the fact that was spoken of last, "" for none.
func lastFact(r llm.Request) string {
	for _, m := range slices.Backward(r.Messages) {
		if found := factNumber.FindStringSubmatch(m.Content); found != nil && m.Role == llm.RoleTool && strings.Contains(m.Name, "fact") {
			return found[1]
		}
	}
	return ""
}

func argument(name, value string) any {
	if name == "id" {
		return json.Number(value)
	}
	return value
}

// class is the code that stands before the words of a failure.
var class = regexp.MustCompile(`^[A-Z_]{4,}: `)

// declined is the code of a call that the person said no to.
const declined = "DECLINED: "

// phrase says a tool's result plainly: it is written to be read.
func phrase(m llm.Message) string {
	if strings.HasPrefix(m.Content, declined) {
		return "All right, nothing was changed."
	}
	text := class.ReplaceAllString(strings.TrimSpace(m.Content), "")
	if text == "" || text == "(empty)" {
		return "Done."
	}
	if m.Name == "recall_conversation" {
		text = saidByPeople(text)
	}
	r := []rune(text)
	r[0] = unicode.ToUpper(r[0])
	return string(r)
}

// mostRecalled is how many messages are shown where nobody picks from them.
const mostRecalled = 5

var message = regexp.MustCompile(`(?m)^\[\d{4}-\d\d-\d\d \d\d:\d\d\] `)

// saidByPeople returns the best of the messages that were found, without what this
// responder said itself, unless there is nothing else.
func saidByPeople(found string) string {
	starts := append(message.FindAllStringIndex(found, -1), []int{len(found), 0})
	var all, own []string
	for i := range len(starts) - 1 {
		one := strings.TrimSpace(found[starts[i][0]:starts[i+1][0]])
		if all = append(all, one); !strings.HasPrefix(found[starts[i][1]:], "assistant: ") {
			own = append(own, one)
		}
	}
	if own != nil {
		all = own
	}
	if all == nil {
		return found
	}
	return strings.Join(all[:min(len(all), mostRecalled)], "\n")
}

// fewExamples is how many sentences stand in an answer that is not the first.
const fewExamples = 3

// honest says what this is and how to get a real model; at length only in the
// first answer of a conversation.
func (m Model) honest(r llm.Request) string {
	var can []string
	tools := offered(r)
	for _, s := range sentences {
		if s.example != "" && slices.Contains(tools, s.tool) {
			can = append(can, "“"+s.example+"”")
		}
	}
	what := "I can still run commands: /help lists them."
	if len(can) > 0 {
		what = fmt.Sprintf("What I do understand are plain sentences such as %s. /help lists the commands.", strings.Join(can[:min(len(can), fewExamples)], ", "))
	}
	if m.Why != "" {
		return m.Why + " " + what
	}
	for _, said := range r.Messages {
		if said.Role == llm.RoleAssistant {
			return "No language model is connected, so I can't answer that. " + what
		}
	}
	if len(can) > 0 {
		what = "What I do understand:\n- " + strings.Join(can, "\n- ") + "\n\n/help lists the commands."
	}
	return "Hello! I am the built-in responder: no language model is connected, so I can't hold a real conversation yet.\n\n" + what +
		"\n\nTo connect a model, start me with `OPENAI_API_KEY=…` (OpenAI), or with `OPENAI_BASE_URL=…` and `OPENAI_MODEL=…` (any OpenAI-compatible server), or run Ollama on this machine."
}
