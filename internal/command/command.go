// Package command is what people type in a chat: one struct for each group of slash
// commands, with the parts of the bot that the group needs. A group is data (gate.Command)
// and the functions behind it; Groups puts them in the order of /help. What the model can
// do too is declared in package tools (tools.Operation), and made into a command here.
//
// Package gate decides who may run what, parses lines and asks for a yes. Commands ask no
// model (/ask hands a message on), hold no SQL and start nothing. An error that people may
// read is a text.Error; gate answers with it.
package command

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"parley/internal/chat"
	"parley/internal/command/gate"
	"parley/internal/memory/provenance"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// Groups is every group there is. The zero Groups has a table to look at, whose
// commands must not be run; it lacks what only some settings bring, /librarian,
// /voice and /facts file.
type Groups struct {
	General   General
	Web       Web
	Status    Status
	Session   Session
	Model     Model
	Tools     Tools
	Insight   Insight
	Facts     Facts
	Decisions Decisions
	Tasks     Tasks
	Reminders Reminders
	Journal   Journal
	Handoff   Handoff
	Hooks     Hooks
	Tokens    Tokens
	Person    Person
	Listen    Listen
	Voice     Voice
	Notes     Notes
	Playbook  Playbook
	Rehearsal Rehearsal
}

// Table returns the commands in the order of /help. The verbs of /config are apart
// (Config.Verbs), because the command itself is admin's.
func (g Groups) Table() []gate.Command {
	return slices.Concat(
		[]gate.Command{
			g.General.start(), g.General.ask(), g.Insight.why(), g.Status.command(), g.General.stop(),
			g.Session.command(), g.Session.summarize(), g.Model.command(), g.Model.prompt(), g.Tools.command(),
			g.Insight.trace(), g.General.page(), g.Web.command(), g.General.Agents.command(), g.Insight.stats(), g.Insight.debug(),
			g.Facts.command(), g.Decisions.command(), g.Tasks.command(), g.Reminders.command(), g.Journal.command(),
			g.Handoff.command(), g.Hooks.command(), g.Tokens.command(),
			g.Person.Language.Command(), g.Listen.command(), g.Person.export(), g.Person.forgetMe(),
		},
		g.Voice.commands(), g.Notes.commands(), append(g.Playbook.commands(), g.Rehearsal.command()))
}

// say answers with words.
func say(ctx context.Context, words string, args ...any) (chat.Answer, error) {
	return chat.Answer{Text: catalog.Say(ctx, words, args...)}, nil
}

// listPage is how many rows a list shows at once.
const listPage = 15

// number returns the option that names a row; about says of which kind.
func number(about string) gate.Option {
	return gate.Option{Name: "number", Help: about, Kind: gate.Number, Required: true}
}

// passedOn is the origin of what a request stores.
func passedOn(r gate.Request) provenance.Origin {
	from := provenance.Origin{Via: provenance.ViaTyped}
	if r.Quoted {
		from.Via |= provenance.ViaQuoted
	}
	return from
}

// row returns the id of the row that an option names: numbered finds that of a number or a
// RowKey.
func row(r gate.Request, option string, numbered func(number int64) (int64, error)) (int64, error) {
	key, isKey := strings.CutPrefix(r.Args[option], "=")
	n, err := strconv.ParseInt(key, 10, 64)
	if _, keyed := provenance.Keyed(n); isKey && !keyed || err != nil {
		return n, err
	}
	return numbered(n)
}

// beginning keeps the words that begin with what was typed.
func beginning(all []string, typed string) (some []string) {
	for _, s := range all {
		if strings.HasPrefix(s, typed) {
			some = append(some, s)
		}
	}
	return some
}

// codeBlock returns a text between fences that it cannot close.
func codeBlock(language, code string) string {
	return "```" + language + "\n" + strings.ReplaceAll(code, "```", "'''") + "\n```"
}

// quoted returns a text of others as one line that says nothing in Markdown, of n
// characters at most.
func quoted(said string, n int) string {
	return "`" + text.Shorten(strings.ReplaceAll(strings.Join(strings.Fields(said), " "), "`", "'"), n) + "`"
}
