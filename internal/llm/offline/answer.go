package offline

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/expr-lang/expr"

	"parley/internal/llm"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// Said in more than one place.
const (
	wordsNoSum    = "I can't work that out."
	wordsCommands = "/help lists the commands."
)

// slotID stands for the number of a thing in what can be said next.
const slotID = "{id}"

// callID begins the id of the calls that sentences asked for; others are the playbook's.
const callID = "builtin_"

// answer returns the calls that a sentence asks for, or nil and what is said without one.
func (m Model) answer(p catalog.Printer, a asked) (calls []llm.ToolCall, text string) {
	if a.guess && !slices.Contains(lookups, a.does) {
		return nil, a.guessed(p)
	}
	if a.lacks() {
		return nil, a.lacking(p)
	}
	if text, ok := a.plain(p); ok {
		return nil, a.with(p, text, a.does)
	}
	for i, one := range append([]asked{a}, a.more...) {
		calls = append(calls, one.call(i+1))
	}
	return calls, ""
}

// call is the n-th call that a sentence asks for.
func (a asked) call(n int) llm.ToolCall {
	args := map[string]any{}
	for name, value := range a.args {
		args[name] = value
		if name == "id" {
			args[name] = json.Number(value)
		}
	}
	b, _ := json.Marshal(args) // plain strings and numbers
	return llm.ToolCall{ID: callID + strconv.Itoa(n), Name: a.does, Args: string(b)}
}

// guessed asks whether a statement is to be kept, or done.
func (a asked) guessed(p catalog.Printer) string {
	switch a.does {
	case "add_task":
		return p.Say("Shall I add a task: “%s”? Say “yes”, and I do.", a.subject())
	case "complete_task":
		return p.Say("Shall I look for a task about “%s” and tick it off? Say “yes”, and I do.", a.subject())
	}
	return p.Say("Shall I remember this: “%s”? Say “yes”, and I do.", a.subject())
}

// subject is what a guess is about.
func (a asked) subject() string {
	return cmp.Or(a.args["content"], a.args["description"], a.args["words"], a.args["id"])
}

// lacking asks for what a reminder lacks.
func (a asked) lacking(p catalog.Printer) string {
	text, at := a.args["text"], a.args["when"]
	switch {
	case a.part != nil && at == "":
		asks, _ := p.Sentence(a.part) // it has one
		return asks
	case a.clock:
		return p.Text("For when? Say a time, such as “7 in the morning” or “in 10 minutes”.")
	case text == "" && at == "":
		return p.Say("What shall I remind you of, and when? For example: “%s”", a.example("set_reminder"))
	case text == "":
		return p.Say("What shall I remind you of (%s)?", at)
	}
	return p.Say("When shall I remind you of “%s”? Say a time, such as “tomorrow at 9” or “in 10 minutes”.", text)
}

// example is a sentence that asks for a thing.
func (b *book) example(does string) string {
	for _, said := range b.next["start"] {
		if a, ok := (talk{tools: []string{does}}).in(b, said); ok && a.does == does {
			return said
		}
	}
	return ""
}

// plain is the answer to what needs no tool.
func (a asked) plain(p catalog.Printer) (string, bool) {
	switch a.does {
	case "greeting":
		return p.Text("Hello!"), true
	case "how":
		return p.Text("I am here and ready."), true
	case "help":
		return p.Text("I can remember facts, remind you, keep tasks and a journal, tell the time and find what was said. Say for example:") + "\n- " + strings.Join(a.next["start"], "\n- ") + "\n\n" + p.Text(wordsCommands), true
	case "about":
		return p.Text("I am Parley, an assistant that runs on its owner's machine. No language model is connected at the " +
			"moment: I understand plain sentences about reminders, tasks, facts and your journal, and hold no real conversation."), true
	case "thanks":
		return p.Text("You are welcome."), true
	case "bye":
		return p.Text("Goodbye! I keep what you told me. To end this conversation: /session end. In a terminal, Ctrl-D ends the program."), true
	case "upset":
		return p.Text("I am sorry. Without a language model I only understand plain sentences; “help” shows them."), true
	case "ok":
		return p.Text("All right."), true
	case "all":
		return p.Text("To make me forget everything about you, send /forget-me. It asks you once more, and then it is gone for good."), true
	case "sum":
		return sum(p, a.args["sum"]), true
	}
	return "", false
}

// numbered finds the number of the first thing that a result names, but for what is
// crossed out there.
var numbered = text.Pattern(`#(\d+)(?:[^ \d]| [^~]|$)`)

// with adds what can be said after a thing, about the one that text names.
func (b *book) with(p catalog.Printer, text, does string) string {
	id := numbered().FindStringSubmatch(text)
	var said []string
	for _, one := range b.next[does] {
		switch {
		case !strings.Contains(one, slotID):
		case id == nil:
			continue
		default:
			one = strings.ReplaceAll(one, slotID, id[1])
		}
		said = append(said, p.Say("“%s”", one))
	}
	if len(said) == 0 {
		return text
	}
	return text + "\n\n" + p.Say("You can say next: %s", strings.Join(said, ", "))
}

// signs are how people write sums.
var (
	signs = strings.NewReplacer("% of", "/100*", "percent of", "/100*", "plus", "+", "minus", "-", "times", "*", "multiplied by", "*",
		"divided by", "/", "mal", "*", "geteilt durch", "/", "dividido por", "/", "dividido entre", "/", "por", "*", "mas", "+", "menos", "-",
		"fois", "*", "moins", "-", "divise par", "/", "плюс", "+", "минус", "-", "умножить на", "*", "разделить на", "/", "加", "+",
		"减", "-", "乘以", "*", "乘", "*", "除以", "/",
		"$", "", "€", "", "£", "", "×", "*", "÷", "/", "x", "*", "X", "*", "^", "**", "=", "", " ", "")
	thousands = text.Pattern(`(\d),(\d{3})\b`)
)

// mostSum is how long a calculation may be.
const mostSum = 100

// sum works a calculation out.
func sum(p catalog.Printer, said string) string {
	plain := strings.ReplaceAll(thousands().ReplaceAllString(signs.Replace(fold(said)), "$1$2"), ",", ".")
	if len(plain) > mostSum {
		return p.Text(wordsNoSum)
	}
	if under, is := strings.CutPrefix(plain, "√"); is {
		plain = under + "**0.5"
	}
	out, err := expr.Eval(plain, nil)
	n, ok := out.(float64)
	if i, whole := out.(int); whole {
		n, ok = float64(i), true
	} else {
		n = math.Round(n*1e9) / 1e9 // computers count no more exactly
	}
	if err != nil || !ok || math.IsInf(n, 0) || math.IsNaN(n) {
		return p.Text(wordsNoSum)
	}
	return p.Say("%s = %s", strings.TrimRight(strings.TrimSpace(said), "= "), strconv.FormatFloat(n, 'f', -1, 64))
}

// class is the code that stands before the words of a failure.
var class = text.Pattern(`^[A-Z_]{4,}: `)

// declined is the code of a call that the person said no to.
const declined = "DECLINED: "

// told says a tool's result plainly, which is written to be read, and after what a
// sentence asked for also what can be said next: in the language of the result, which is
// that of who speaks, whatever one sentence was in.
func told(p catalog.Printer, t talk) string {
	last := len(t.messages) - 1
	i := last
	for i > 0 && t.messages[i].Role == llm.RoleTool {
		i--
	}
	var all []string
	for _, m := range t.messages[i+1 : last] {
		if mine(m) {
			all = append(all, toldOf(p, m))
		}
	}
	m := t.messages[last]
	text := toldOf(p, m)
	for i > 0 && t.messages[i].Role != llm.RoleUser {
		i--
	}
	if _, ok := t.at(i, 3); ok && mine(m) && !t.sure && !strings.HasPrefix(m.Content, declined) {
		text = inOrder(t.speaks)[0].with(p, text, m.Name) // the tool speaks their language, too
	}
	return strings.Join(append(all, text), "\n")
}

// mine reports the result of a call that a sentence asked for.
func mine(m llm.Message) bool {
	return m.Role == llm.RoleTool && strings.HasPrefix(m.ToolCallID, callID)
}

// toldOf says one result.
func toldOf(p catalog.Printer, m llm.Message) string {
	if strings.HasPrefix(m.Content, declined) {
		return p.Text("All right, nothing was changed.")
	}
	text := class().ReplaceAllString(strings.TrimSpace(m.Content), "")
	if text == "" || text == "(empty)" {
		text = p.Text("Done.")
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

var message = text.Pattern(`(?m)^\[\d{4}-\d\d-\d\d \d\d:\d\d\] `)

// saidByPeople returns the best of the messages that were found, without what this
// responder said itself, unless there is nothing else.
func saidByPeople(found string) string {
	starts := append(message().FindAllStringIndex(found, -1), []int{len(found), 0})
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

// answered reports whether something was said before in this conversation.
func answered(r llm.Request) bool {
	return slices.ContainsFunc(r.Messages, func(m llm.Message) bool { return m.Role == llm.RoleAssistant })
}

// honest says what this is and how to get a real model; at length only in the
// first answer of a conversation. The examples are in the language of b.
func (m Model) honest(p catalog.Printer, r llm.Request, b *book) string {
	var can []string
	tools := offered(r)
	for _, said := range b.next["start"] {
		if a, ok := (talk{tools: tools}).in(b, said); ok && !slices.Contains(answers, a.does) {
			can = append(can, p.Say("“%s”", said))
		}
	}
	what := p.Text("I can still run commands: /help lists them.")
	if len(can) > 0 {
		what = p.Say("What I do understand are plain sentences such as %s. /help lists the commands.", strings.Join(can[:min(len(can), fewExamples)], ", "))
	}
	switch {
	case m.Why != "":
		return p.Text(m.Why) + " " + what
	case answered(r):
		return p.Text("No language model is connected, so I can't answer that.") + " " + what
	case len(can) > 0:
		what = p.Text("What I do understand:") + "\n- " + strings.Join(can, "\n- ") + "\n\n" + p.Text(wordsCommands)
	}
	return p.Text("Hello! I am the built-in responder: no language model is connected, so I can't hold a real conversation yet.") + "\n\n" + what + "\n\n" + p.Text("To connect a model, start me with `OPENAI_API_KEY=…` (OpenAI), or with `OPENAI_BASE_URL=…` and "+
		"`OPENAI_MODEL=…` (any OpenAI-compatible server), or run Ollama on this machine.")
}

// What the playbook writes into the request about the step of a journey, as
// far as it can be said without a model: internal/playbook/guidance.md
// has the words, and config/rehearsals/offline.txt holds the two together.
var (
	standsAt = text.Pattern(`(?m)^## Where the conversation stands\n.*at the step "(.*?)"\..*\n(.*)`)
	asksFor  = text.Pattern(`(?m)^## Ask for one thing\nNot known yet: (.*?)\.(?: For example: "(.*)")?$`)
	notTaken = text.Pattern(`(?m)^What they gave was not taken: (.*)\. Say so kindly`)
)

// guided asks what the playbook wants asked, word for word, or says at which
// step the conversation is and what the owner wrote about it; "" when no
// journey is under way and there is nothing to ask.
func guided(p catalog.Printer, r llm.Request) string {
	i := len(r.Messages) - 1
	for i > 0 && r.Messages[i].Role != llm.RoleSystem {
		i--
	}
	told := r.Messages[max(i, 0)].Content
	if ask := asksFor().FindStringSubmatch(told); ask != nil {
		question := ask[2]
		if question == "" {
			question = p.Say("Please tell me %s.", ask[1])
		}
		if wrong := notTaken().FindStringSubmatch(told); wrong != nil {
			question = p.Say("I could not take that: %s. %s", wrong[1], question)
		}
		return question
	}
	step := standsAt().FindStringSubmatch(told)
	switch {
	case step == nil:
		return ""
	case step[2] == "" || strings.HasPrefix(step[2], "## "):
		return p.Say("We are at “%s”.", step[1])
	}
	return p.Say("We are at “%s”. No language model is connected, so I can only show what is meant to happen here: %s", step[1], step[2])
}
