package gate

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"parley/internal/chat"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

const wordsUnknown = "I do not know the command /%s. Try /help."

// Codes by which refusals can be found in the log.
const (
	codeDenied  = "REFUSAL:MISSING_PERMISSION"
	codeLimited = "RATE_LIMITED"
)

// unknownCommand is what the record calls a command that does not exist.
const unknownCommand = "unknown"

// CommandOptions of NewCommands.
type CommandOptions struct {
	// Role says what m's author may do here (Gate.Role). Required.
	Role func(ctx context.Context, m chat.Message) (Role, error)
	// Confirm asks the questions of commands that have one; required then.
	Confirm *Confirmations
	Log     *slog.Logger
}

// Commands runs slash commands. It is immutable and safe for many goroutines.
type Commands struct {
	table []Command
	o     CommandOptions
}

// NewCommands checks the table and adds help in front. Help lists commands in the order given.
func NewCommands(table []Command, o CommandOptions) (*Commands, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	c := &Commands{o: o}
	c.table = append([]Command{c.help()}, table...)
	seen := map[string]bool{}
	for _, cmd := range c.table {
		if seen[fold(cmd.Name)] {
			return nil, fmt.Errorf("command %s: there are two", cmd.Name)
		}
		seen[fold(cmd.Name)] = true
		if err := cmd.check(cmd.Name); err != nil {
			return nil, err
		}
		for _, v := range append([]Command{cmd}, cmd.Verbs...) {
			if v.Confirm != nil && o.Confirm == nil {
				return nil, fmt.Errorf("command %s: asks a question and there is nobody to ask", cmd.Name)
			}
		}
	}
	return c, nil
}

// Has reports whether a command that is there has this name.
func (c *Commands) Has(name string) bool {
	return slices.ContainsFunc(c.table, func(k Command) bool { return k.Name == name && k.there() })
}

// Table returns every command, for registering. It must not be changed.
func (c *Commands) Table() []Command { return c.table }

// Wrap runs commands and passes everything else on. A button whose data is a
// command runs it as the person who pressed. Forwarded words are never a command.
func (c *Commands) Wrap(next chat.Handler) chat.Handler {
	pass := chat.FuncOf(next)
	return chat.HandlerFunc(func(ctx context.Context, m chat.Message, w chat.Reply) (chat.Answer, error) {
		if !gives(m) {
			return pass(ctx, m, w)
		}
		return c.run(ctx, m, w, false)
	})
}

// gives reports whether a message is a command.
func gives(m chat.Message) bool {
	pressed := m.Kind == chat.KindButton && strings.HasPrefix(m.Text, "/")
	return !m.Forwarded && (m.Kind == chat.KindCommand || pressed)
}

// Pace says what a message waits for: commands that only read do not wait for what takes long,
// whoever gives them. It reads nothing but the table.
func (c *Commands) Pace(m chat.Message) chat.Pace {
	if !gives(m) {
		return chat.InOrder
	}
	cmd, rest, complaint := c.find(context.Background(), &Request{Message: m, Role: Owner})
	bare := strings.TrimSpace(rest) == ""
	switch {
	case complaint != "", cmd.Run == nil, cmd.Effect == Reads, cmd.Effect == ReadsBare && bare:
		return chat.Beside
	case cmd.Effect == Works:
		return chat.InOrder
	}
	return chat.Quick
}

// Alone reports a command that need not wait for an answer whose model fails.
func (c *Commands) Alone(m chat.Message) bool {
	if !gives(m) {
		return false
	}
	cmd, _, _ := c.find(context.Background(), &Request{Message: m, Role: Owner})
	return cmd.Alone
}

// commandAction is the kind of Action that waits behind Command.Confirm.
const commandAction = "command"

// Actions returns the confirmed actions of commands, for Confirmations.Wrap.
func (c *Commands) Actions() map[string]Do {
	return map[string]Do{commandAction: func(ctx context.Context, m chat.Message, s Settled, _ chat.Reply) (chat.Answer, error) {
		if err := json.Unmarshal(s.Args, &m.Text); err != nil {
			return chat.Answer{}, fmt.Errorf("confirmed command: %w", err)
		}
		m.Kind = chat.KindCommand
		return c.run(ctx, m, nil, true)
	}}
}

// run is the only function that parses, permits and runs commands.
func (c *Commands) run(ctx context.Context, m chat.Message, w chat.Reply, confirmed bool) (chat.Answer, error) {
	role, err := c.o.Role(ctx, m)
	if err != nil {
		return chat.Answer{}, fmt.Errorf("command: %w", err)
	}
	r := Request{Message: m, Reply: w, Role: role}
	cmd, rest, complaint := c.find(ctx, &r)
	if complaint != "" {
		return closed(chat.Answer{Text: complaint}, cmp.Or(r.Command, unknownCommand), chat.Refused, chat.Invalid), nil
	}
	path := strings.TrimSpace(r.Command + " " + r.Verb)
	cmd = cmd.at(m)
	lists := cmd.Run == nil && anyVerb(cmd, role)
	if !cmd.admits(role) && !lists {
		c.o.Log.Warn("denied", "code", codeDenied, "command", path, "person", m.From.ID, "place", m.Key.String())
		return closed(chat.Answer{Text: catalog.Say(ctx, "/%s is for %s. Try /help to see what you can do.", path, catalog.Words(circles[max(cmd.Who, Member)]))},
			path, chat.Refused, chat.NoPermission), nil
	}
	if lists {
		return closed(chat.Answer{Text: c.describe(ctx, cmd, path, role), Private: cmd.Private}, path, chat.Answered, ""), nil
	}
	if r.Args, err = arguments(cmd.Options, rest); err != nil {
		r.quote(err)
	}
	if err != nil && !r.Quoted {
		a := chat.Answer{Text: catalog.Say(ctx, "%s Usage: `%s`", err, cmd.usage(path)), Buttons: offer(ctx, m, cmd, path, err)}
		a.Private = cmd.Private
		return closed(a, path, chat.Refused, chat.Invalid), nil
	}
	a, err := c.execute(ctx, cmd, r, confirmed)
	if sentence, ok := catalog.Sentence(ctx, err); ok {
		a, err = closed(chat.Answer{Text: sentence, Private: cmd.Private}, path, chat.Refused, chat.Invalid), nil
	}
	if err != nil {
		return c.apologize(ctx, r, err)
	}
	how, why := chat.Answered, chat.Reason("")
	if confirmed {
		how = chat.Confirmed
	}
	if asked, ok := a.Record.(chat.End); ok {
		how, why = asked.Outcome, asked.Reason
	} else if a.Record != nil {
		return a, nil // a turn of its own
	}
	return closed(a, path, how, why), nil
}

// closed records how a command ended.
func closed(a chat.Answer, path string, how chat.Outcome, why chat.Reason) chat.Answer {
	a.Record = chat.End{Outcome: how, Reason: why, Command: path}
	return a
}

// Bounds of what is offered: the limits of Discord and Telegram for a list, a row
// and a button.
const (
	maxOffered = 25
	rowOffered = 2
	maxPressed = 64 // bytes
	maxLabel   = 40 // characters
)

// offer makes buttons for the one missing option, each of which runs the command with a value;
// nil if there is nothing to choose from.
func offer(ctx context.Context, m chat.Message, cmd Command, path string, err error) (rows [][]chat.Button) {
	var left missing
	more := func(o Option) bool { return o.Name != left.Name && !o.Named }
	if !errors.As(err, &left) || slices.ContainsFunc(cmd.Options, more) {
		return nil
	}
	values := left.suggestions(ctx, m, "")
	switch {
	case left.Kind == Switch:
		values = []chat.Choice{{Value: "on"}, {Value: "off"}}
	case len(left.Choices) > 0:
		for _, v := range left.Choices {
			values = append(values, chat.Choice{Value: v})
		}
	}
	n := 0
	for _, v := range values {
		b := chat.Button{Label: text.Clip(v.Shown(), maxLabel), Data: "/" + path + " " + cmp.Or(v.Pressed, v.Value)}
		if len(b.Data) > maxPressed || strings.ContainsAny(v.Value, " \"“„«") || n == maxOffered {
			continue
		}
		if n%rowOffered == 0 {
			rows = append(rows, nil)
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], b)
		n++
	}
	return rows
}

// Private reports, before a command runs, whether its answer is best shown to its author
// alone: because it is private or quiet, or the command goes wrong.
func (c *Commands) Private(ctx context.Context, m chat.Message) bool {
	role, err := c.o.Role(ctx, m)
	if err != nil {
		return true
	}
	cmd, rest, complaint := c.find(ctx, &Request{Message: m, Role: role})
	cmd = cmd.at(m)
	if complaint != "" || cmd.Private || cmd.Quiet || !cmd.admits(role) || role < Member { // who is not let in may get no answer
		return true
	}
	_, err = arguments(cmd.Options, rest)
	return err != nil
}

func (c *Commands) execute(ctx context.Context, cmd Command, r Request, confirmed bool) (chat.Answer, error) {
	if cmd.Confirm != nil && !confirmed {
		question, err := cmd.Confirm(ctx, r)
		if err != nil {
			return chat.Answer{}, err
		}
		if cmd.Private && question != "" && !r.Message.Direct {
			question = catalog.Say(ctx, "Shall I really do that (%s)?", Escape(keyless(r.Message.Text))) // others read it
		}
		if question != "" {
			line, _ := json.Marshal(r.Message.Text) // a string always can
			return c.o.Confirm.Ask(ctx, r.Message, question, Action{Kind: commandAction, Args: line, Again: cmd.Again})
		}
	}
	a, err := cmd.Run(ctx, r)
	a.Private = a.Private || cmd.Private
	return a, err
}

// apologize answers for a command that failed; the log has the details under the id in the
// sentence.
func (c *Commands) apologize(ctx context.Context, r Request, err error) (chat.Answer, error) {
	if cause := context.Cause(ctx); cause != nil {
		return chat.Answer{}, cause
	}
	id := chat.ErrorID()
	c.o.Log.Error("command failed", "id", id, "command", r.Command, "verb", r.Verb, "error", err)
	return chat.Answer{Text: catalog.Say(ctx, "Sorry, /%s did not work. Please try again in a moment; if it keeps failing, tell the owner this number: %s", r.Command, id),
		Record: chat.End{Outcome: chat.Failed, Reason: chat.Fault, Command: r.Command, ErrorID: id, Fault: err.Error()}}, nil
}

// find names the command and verb that r's message means and returns the text of their
// arguments, or a complaint that suggests what was meant. It suggests only names that the
// author may use.
func (c *Commands) find(ctx context.Context, r *Request) (cmd Command, rest, complaint string) {
	name, rest := commandName(r.Message.Text)
	cmd, ok := c.command(name)
	if !ok {
		return cmd, "", didYouMean(ctx, catalog.Say(ctx, wordsUnknown, Escape(name)), "/", nearest(name, names(c.table, r.Role)))
	}
	r.Command = cmd.Name
	if len(cmd.Verbs) == 0 || !cmd.admits(r.Role) && !anyVerb(cmd, r.Role) {
		return cmd, rest, ""
	}
	word, after := cutWord(rest)
	if v, ok := cmd.verb(fold(word)); ok {
		r.Verb = v.Name
		return v, after, ""
	}
	if word == "" || cmd.Run != nil && len(cmd.Options) > 0 {
		return cmd, rest, ""
	}
	usable := names(inherited(cmd), r.Role)
	complaint = catalog.Say(ctx, "/%s does not know %s; it knows %s.", cmd.Name, Escape(word), strings.Join(usable, ", "))
	return cmd, "", didYouMean(ctx, complaint, "/"+cmd.Name+" ", nearest(fold(word), usable))
}

func didYouMean(ctx context.Context, complaint, before, guess string) string {
	if guess == "" {
		return complaint
	}
	return complaint + " " + catalog.Say(ctx, "Did you mean `%s`?", before+guess)
}

func (c *Commands) command(name string) (Command, bool) {
	for _, cmd := range c.table {
		if fold(cmd.Name) == name && cmd.there() {
			return cmd, true
		}
	}
	return Command{}, false
}

func anyVerb(cmd Command, role Role) bool { return len(names(inherited(cmd), role)) > 0 }

func inherited(cmd Command) []Command {
	all := make([]Command, len(cmd.Verbs))
	for i, v := range cmd.Verbs {
		all[i] = cmd.inherit(v)
	}
	return all
}

// names returns the commands (or verbs) that a role may use.
func names(table []Command, role Role) []string {
	var all []string
	for _, cmd := range table {
		if cmd.there() && (cmd.admits(role) || len(cmd.Verbs) > 0 && anyVerb(cmd, role)) {
			all = append(all, cmd.Name)
		}
	}
	return all
}
