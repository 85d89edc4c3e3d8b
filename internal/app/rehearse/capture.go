package rehearse

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/memory/modellog"
	"parley/internal/playbook"
	"parley/internal/playbook/condition"
	"parley/internal/text"
)

// wordsNothingSaid is said in more than one place.
const wordsNothingSaid = "There is no answer here whose words are still kept."

// Capture writes rehearsals from what was said, so that a wrong answer becomes a test
// that fails until the playbook is right.
type Capture struct {
	Rows *memory.Store
	Dir  string // where scripts go; made when it is not there
	// Rules returns the playbook of an agent, which its scripts play, and the folder
	// that it is in; nil and "" for none.
	Rules func(agent string) (*playbook.Book, string)
	// Came returns what models answered for a decision, word for word; nil, or nothing,
	// where that is not kept: then it is put together from the transcript.
	Came func(ctx context.Context, d memory.Decision) ([]Came, error)

	book *playbook.Book // of the answer
	dir  string
}

// Came is an answer of a model: what it said or called, or its verdicts.
type Came struct {
	llm.Message
	Judged bool
}

// Kept returns what reads the answers of models from their record: replies to the person, and
// verdicts on rules.
func Kept(tape *modellog.Tape) func(context.Context, memory.Decision) ([]Came, error) {
	return func(ctx context.Context, d memory.Decision) (list []Came, err error) {
		calls, err := tape.For(ctx, d.InboxID, d.Key, d.At)
		for _, c := range calls {
			whole, err := tape.Read(ctx, c.ID)
			switch {
			case errors.Is(err, modellog.ErrNone): // forgotten in the meantime
				return nil, nil
			case err != nil:
				return nil, err
			case whole.Reply != nil && (whole.Form == "" || whole.Form == Verdicts):
				list = append(list, Came{Message: *whole.Reply, Judged: whole.Form != ""})
			}
		}
		return list, err
	}
}

// Wish is what should come of a message, as lines of a script.
type Wish struct {
	Lines []string
	// Says, if it is not "", is what the model says at last instead of what it said then.
	Says string
}

// Wanting writes the conversation that led to the answer with an id as a script that wants
// something of it. It returns the script's path. why says in a few words who wants it so.
func (c Capture) Wanting(ctx context.Context, id, why string, w Wish) (string, error) {
	d, err := c.Rows.Decisions.DecisionByID(ctx, id)
	if err != nil {
		return "", text.Instead(err, memory.ErrNotFound, wordsNothingSaid)
	}
	came := c.Came
	c.Came = func(ctx context.Context, of memory.Decision) (list []Came, err error) {
		if came != nil {
			list, err = came(ctx, of)
		}
		if last := len(list) - 1; of.ID == d.ID && w.Says != "" && last >= 0 && !list[last].Judged && len(list[last].ToolCalls) == 0 {
			list[last].Content = w.Says
		}
		return list, err
	}
	c.book, c.dir = c.Rules(d.Agent)
	talk, answer, err := c.talk(ctx, d)
	if err != nil {
		return "", err
	}
	if len(w.Lines) == 0 {
		w.Lines = []string{line{mark: "<", text: strings.TrimSpace(cmp.Or(w.Says, answer))}.String()}
	}
	head := fmt.Sprintf("From a chat on %s: %s", d.At.Format(time.DateOnly), strings.ReplaceAll(why, "\n", " "))
	script, err := c.script(head, talk, strings.Join(w.Lines, "\n"))
	if err != nil {
		return "", err
	}
	return c.save(script, d)
}

// maxCaptured is how many exchanges a captured script has.
const maxCaptured = 20

// Errors of Write, for people.
var (
	ErrNothingSaid = text.Tell(wordsNothingSaid)
	ErrNoWish      = text.Tell("Say what should have come of it: words of the answer, or the id of a rule or the name of a tool, " +
		"such as: should have said 30 days; should not have applied refund_policy.")
	ErrAsWished = text.Tell("That is what came of it.")
)

// WriteByID is Write for the answer with an id.
func (c Capture) WriteByID(ctx context.Context, id, should string) (string, error) {
	d, err := c.Rows.Decisions.DecisionByID(ctx, id)
	if err != nil {
		return "", text.Instead(err, memory.ErrNotFound, wordsNothingSaid)
	}
	return c.Write(ctx, d, should)
}

// Script returns the conversation that led to the answer with an id as a script that
// expects the same answer again.
func (c Capture) Script(ctx context.Context, id string) (string, error) {
	d, err := c.Rows.Decisions.DecisionByID(ctx, id)
	if err != nil {
		return "", text.Instead(err, memory.ErrNotFound, wordsNothingSaid)
	}
	c.book, c.dir = c.Rules(d.Agent)
	talk, answer, err := c.talk(ctx, d)
	if err != nil {
		return "", err
	}
	return c.script(fmt.Sprintf("A conversation of %s, with what the models answered.", d.At.Format(time.DateOnly)), talk, line{mark: "<", text: strings.TrimSpace(answer)}.String())
}

// Write makes a script of the conversation that led to an answer, with what should have
// come of it: words of the answer, or the id of a rule or the name of a tool, each of
// them with "not" before it. It returns the script's path.
func (c Capture) Write(ctx context.Context, d memory.Decision, should string) (string, error) {
	c.book, c.dir = c.Rules(d.Agent)
	talk, answer, err := c.talk(ctx, d)
	if err != nil {
		return "", err
	}
	wish, err := c.wish(should, answer, d)
	if err != nil {
		return "", err
	}
	head := strings.ReplaceAll(fmt.Sprintf("From a chat on %s: %s", d.At.Format(time.DateOnly), text.Shorten(should, 200)), "\n", " ")
	script, err := c.script(head, talk, wish)
	if err != nil {
		return "", err
	}
	return c.save(script, d)
}

// script puts one together.
func (c Capture) script(head, talk, wish string) (string, error) {
	settings := "access: {mode: open}\n"
	if c.dir != "" {
		dir, err := filepath.Abs(c.dir)
		if err != nil {
			return "", err
		}
		settings += fmt.Sprintf("playbook: {dir: %q}\n", dir)
	}
	return fmt.Sprintf("%s\n-- settings.yaml --\n%s-- talk --\n%s%s\n", head, settings, talk, wish), nil
}

// talk returns the lines of the conversation up to an answer, and the answer.
func (c Capture) talk(ctx context.Context, d memory.Decision) (lines, answer string, err error) {
	entries, err := c.Rows.Transcript(ctx, d.Session, 0, 0)
	if err != nil {
		return "", "", err
	}
	audits, err := c.Rows.Decisions.Audits(ctx, d.Key, time.Time{}, d.At, maxCaptured)
	if err != nil {
		return "", "", err
	}
	audits = slices.DeleteFunc(audits, func(a memory.Audit) bool { return a.Session != d.Session })
	var talk strings.Builder
	found := false
	for i, a := range audits {
		said := exchange(entries, a.Decision)
		if len(said) == 0 {
			continue
		}
		var came []Came
		if c.Came != nil {
			if came, err = c.Came(ctx, a.Decision); err != nil {
				return "", "", err
			}
		}
		c.exchange(&talk, a.Decision, said, came)
		if i == len(audits)-1 {
			answer, found = said[len(said)-1].Content, a.ID == d.ID
		}
	}
	if !found {
		return "", "", ErrNothingSaid
	}
	return talk.String(), answer, nil
}

func (c Capture) save(script string, d memory.Decision) (string, error) {
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return "", fmt.Errorf("write rehearsal: %w", err)
	}
	name := filepath.Join(c.Dir, fmt.Sprintf("%s-%.8s.txt", d.At.UTC().Format("2006-01-02-1504"), d.ID))
	if err := os.WriteFile(name, []byte(script), 0o600); err != nil {
		return "", fmt.Errorf("write rehearsal: %w", err)
	}
	if _, err := Open([]string{name}); err != nil {
		return "", errors.Join(fmt.Errorf("write rehearsal: %w", err), os.Remove(name))
	}
	return name, nil
}

// exchange returns a message and what followed until the next one.
func exchange(entries []memory.Entry, d memory.Decision) []memory.Entry {
	from := slices.IndexFunc(entries, func(e memory.Entry) bool {
		return e.Role == llm.RoleUser && e.User == d.User && e.MessageID != "" && e.MessageID == d.Message
	})
	if from < 0 {
		return nil
	}
	to := from + 1
	for to < len(entries) && entries[to].Role != llm.RoleUser {
		to++
	}
	return entries[from:to]
}

// exchange writes one message with what the model said to it.
func (c Capture) exchange(w *strings.Builder, d memory.Decision, said []memory.Entry, came []Came) {
	put := func(mark, text string) { fmt.Fprintln(w, line{mark: mark, text: strings.TrimSpace(text)}) }
	put(">", whoWhere(d)+said[0].Content)
	if len(came) == 0 {
		came = Recalled(d, said)
	}
	for _, one := range came {
		put(one.line())
	}
	fmt.Fprintln(w)
}

// Recalled returns what models answered for a decision as far as its transcript tells: a
// message and all that followed until the next one.
func Recalled(d memory.Decision, said []memory.Entry) (list []Came) {
	var answers []Came
	for i, e := range said[1:] {
		switch {
		case e.Role != llm.RoleAssistant:
		case len(e.ToolCalls) > 0 && !strings.HasPrefix(e.ToolCalls[0].ID, "step_"):
			answers = append(answers, Came{Message: llm.Message{Role: e.Role, ToolCalls: e.ToolCalls}})
		case len(e.ToolCalls) == 0 && i == len(said)-2 && d.Calls > 0 && d.Detail.Intent.By != "playbook" &&
			d.End.Outcome != chat.Failed && d.End.Outcome != chat.Confirmed:
			answers = append(answers, Came{Message: llm.Message{Role: e.Role, Content: e.Content}})
		}
	}
	for range max(0, d.Calls-len(answers)) {
		list = append(list, Came{Message: llm.Message{Role: llm.RoleAssistant, Content: verdicts(d)}, Judged: true})
	}
	return append(list, answers...)
}

// line returns an answer as a line of a script.
func (c Came) line() (mark, text string) {
	switch {
	case c.Judged:
		return "judge", c.Content
	case len(c.ToolCalls) > 0:
		return "!", callsOf(c.ToolCalls)
	}
	return "=", c.Content
}

// callsOf returns calls of tools, one a line.
func callsOf(list []llm.ToolCall) string {
	var calls []string
	for _, call := range list {
		calls = append(calls, call.Name+" "+strings.Join(strings.Fields(call.Args), " "))
	}
	return strings.Join(calls, "\n")
}

// whoWhere names who wrote where, as scripts do.
func whoWhere(d memory.Decision) string {
	platform, id := chat.CutID(d.User)
	if platform == "" || platform == "terminal" {
		return ""
	}
	if d.Key.Channel == id {
		return fmt.Sprintf("[%s] ", d.User)
	}
	place := d.Key.Channel
	if d.Key.Thread != "" {
		place += "/" + d.Key.Thread
	}
	return fmt.Sprintf("[%s@%s] ", d.User, place)
}

// verdicts are those that a model gave on conditions in plain words.
func verdicts(d memory.Decision) string {
	type verdict struct {
		ID        string  `json:"id"`
		Relevance float64 `json:"relevance"`
		Reason    string  `json:"reason"`
	}
	var came playbook.MatchResult
	list := []verdict{}
	if json.Unmarshal(d.Detail.Playbook, &came) == nil {
		for _, m := range came.Matches {
			if cond, err := condition.Parse(m.Condition, nil); err == nil && cond.Judged() {
				list = append(list, verdict{m.GuidelineID, m.RelevanceScore, m.Reasoning})
			}
		}
	}
	out, _ := json.Marshal(map[string]any{"conditions": list})
	return string(out)
}

var (
	wishForm = text.Pattern(
		`(?is)^\W*(?:it\s+)?(?:should(?:n'?t)?(?:'ve)?|must)?\s*(not\b)?\s*(?:have\b)?\s*(?:been\b)?\s*(?:said|say|answered|answer|mentioned|mention|told\s+(?:me|them|us)|replied|reply|applied|apply|used|use|called|call|asked|ask)?\s*(?:the\s+)?(?:rule|guideline|tool)?\s*[:,]?\s*(.*)$`)
	negated = text.Pattern(`(?i)^\W*(?:it\s+)?should(?:n'?t| not)\b`)
	pieces  = text.Pattern(`[\pL\pN_.-]+`)
)

// wish turns what should have been into the line of a script that fails now.
func (c Capture) wish(should, answer string, d memory.Decision) (string, error) {
	m := wishForm().FindStringSubmatch(should)
	rest := strings.Trim(strings.TrimSpace(m[2]), "\"“”„'`.")
	if rest == "" {
		return "", ErrNoWish
	}
	not := m[1] != "" || negated().MatchString(should)
	if what, id := c.named(rest); what != "" {
		var came playbook.MatchResult
		_ = json.Unmarshal(d.Detail.Playbook, &came) // none is none
		applied := slices.ContainsFunc(came.TopMatches, func(m playbook.Match) bool { return m.GuidelineID == id })
		if what == "rule" && applied != not {
			return "", ErrAsWished
		}
		return either(!not, what, id), nil
	}
	if not {
		return "", ErrNoWish
	}
	var words []string
	for _, w := range pieces().FindAllString(rest, -1) {
		words = append(words, regexp.QuoteMeta(strings.Trim(w, ".-")))
	}
	pattern := "(?i)" + strings.Join(words, `\W+`)
	re, err := regexp.Compile(pattern)
	if err != nil || len(words) == 0 {
		return "", ErrNoWish
	}
	if re.MatchString(answer) {
		return "", ErrAsWished
	}
	return line{mark: "<~", text: pattern}.String(), nil
}

// named finds the id of a rule, or the name of a tool that rules name, in a wish of few
// words.
func (c Capture) named(wish string) (what, id string) {
	b := c.book
	if b == nil {
		return "", ""
	}
	words := pieces().FindAllString(wish, -1)
	if len(words) > 3 {
		return "", ""
	}
	for _, w := range words {
		for _, g := range b.Guidelines() {
			if g.ID == w {
				return "rule", w
			}
			if slices.Contains(g.Tools, w) {
				return "tool", w
			}
		}
	}
	return "", ""
}
