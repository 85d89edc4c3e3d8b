package discord

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/bwmarrin/discordgo"

	"parley/internal/chat"
	"parley/internal/text"
)

// Limits of Discord on forms and on the menu of a message, in characters.
const (
	maxTitle    = 45
	maxField    = 45
	maxCustomID = 100
	maxAction   = 32
	maxActions  = 5 // a menu has no more
	mostTyped   = 4000
)

// form asks for the text of a command.
type form struct {
	title  string
	option string // the name of what is asked for; "" is the rest of the line
	label  string
}

// menus is what is registered besides commands.
type menus struct {
	forms   map[string]form            // by command and verb, of those with a long text
	actions map[string]chat.MenuAction // by name
}

func menusOf(m chat.Menu) *menus {
	known := &menus{forms: map[string]form{}, actions: map[string]chat.MenuAction{}}
	add := func(path string, c chat.MenuCommand) {
		for _, o := range c.Options {
			if o.Long && o.Required {
				known.forms[path] = form{title: "/" + path, option: o.Name, label: o.Help}
			}
		}
	}
	for _, c := range m.Commands {
		add(c.Name, c)
		for _, v := range c.Verbs {
			add(c.Name+" "+v.Name, v)
		}
	}
	for _, act := range m.Actions[:min(len(m.Actions), maxActions)] {
		known.actions[text.Clip(act.Name, maxAction)] = act
	}
	return known
}

// wireActions returns the menu of a message as Discord stores it.
func wireActions(m chat.Menu) (list []wireCommand) {
	for _, act := range m.Actions[:min(len(m.Actions), maxActions)] {
		list = append(list, wireCommand{Type: int(discordgo.MessageApplicationCommand), Name: text.Clip(act.Name, maxAction),
			Names: localize(act.Name)})
	}
	return list
}

// lacking returns the form for a required text that is missing from a command; false if
// none is, or Discord takes no form for it.
func (a *Adapter) lacking(i *wireInteraction) (f form, command string, ok bool) {
	path, options := i.Data.Name.shown(), i.Data.Options
	if len(options) > 0 && options[0].Type == number(discordgo.ApplicationCommandOptionSubCommand) {
		path, options = path+" "+options[0].Name.shown(), options[0].Options
	}
	known := a.menus.Load()
	if known == nil {
		return f, "", false
	}
	f, ok = known.forms[path]
	for _, o := range options {
		ok = ok && o.Name.shown() != f.option
	}
	command = "/" + path + words(options)
	return f, command, ok && utf8.RuneCountInString(command) <= maxCustomID
}

// modal is a form as Discord shows it.
type modal struct {
	Title    string      `json:"title"`
	CustomID string      `json:"custom_id"`
	Rows     []component `json:"components"`
}

// Kinds of fields.
const (
	textInput = 4
	oneLine   = 1
	paragraph = 2
)

// ask shows a form; sending it uses the command in its id.
func (a *Adapter) ask(ctx context.Context, i *wireInteraction, f form, id string) {
	style := paragraph
	if f.option == "" {
		style = oneLine
	}
	field := component{Type: textInput, Style: style, CustomID: formField + f.option, Label: text.Clip(f.label, maxField),
		Required: true, MaxLength: mostTyped}
	a.respond(ctx, i, response{discordgo.InteractionResponseModal, modal{text.Clip(f.title, maxTitle), id,
		[]component{{Type: actionRow, Components: []component{field}}}}})
}

// formField begins the id of the one field of a form; the option's name follows.
const formField = "text:"

// filled returns the command that a sent form stands for, and the message it is about.
func (i *wireInteraction) filled() (command, about string) {
	command = i.Data.CustomID.shown()
	if head, id, ok := strings.Cut(command, " @"); ok && isID(plain(id)) {
		command, about = head, id
	}
	for _, row := range i.Data.Components {
		for _, field := range row.Components {
			option, ours := strings.CutPrefix(field.CustomID.shown(), formField)
			switch value := strings.TrimSpace(field.Value.shown()); {
			case !ours:
			case option == "":
				command += " " + value
			default:
				command += " " + option + ":" + quoted(value)
			}
		}
	}
	return command, about
}

// quotes are the pairs that a value may stand between.
var quotes = [][2]string{{`"`, `"`}, {"«", "»"}, {"“", "”"}, {"„", "“"}}

// quoted puts a value between quotes that it does not contain.
func quoted(value string) string {
	for _, q := range quotes {
		if !strings.Contains(value, q[1]) {
			return q[0] + value + q[1]
		}
	}
	return `"` + strings.ReplaceAll(value, `"`, "'") + `"`
}

// act turns the use of a message's menu into a reply to that message with a command.
// asked is true when a form was shown instead.
func (a *Adapter) act(i *wireInteraction, m *chat.Message) (command string, asked bool) {
	known := a.menus.Load()
	if known == nil {
		return "", false
	}
	act, ok := known.actions[i.Data.Name.shown()]
	if !ok || !isID(i.Data.Target) {
		return "", false
	}
	if act.Ask != "" {
		// What it is about is not in what comes back: the form's id names it.
		f, id := form{title: act.Name, label: act.Ask}, "/"+act.Command+" @"+string(i.Data.Target)
		if utf8.RuneCountInString(id) > maxCustomID {
			return "", false
		}
		a.targets.Put(string(i.Data.Target), i.target(a.myID(), m))
		a.aside(func(ctx context.Context) { a.ask(ctx, i, f, id) })
		return "", true
	}
	a.refer(m, string(i.Data.Target), i.target(a.myID(), m))
	return "/" + act.Command, false
}

// maxTargets is how many messages that forms are about are remembered. What was forgotten
// only costs the form.
const maxTargets = 200

// target is a message that somebody uses a menu on.
type target struct {
	text  string
	other bool // written by neither the bot nor them
}

// target reads the message that came with an interaction.
func (i *wireInteraction) target(self string, m *chat.Message) target {
	t, ok := i.Data.Resolved.Messages[string(i.Data.Target)]
	if !ok || t.Content == unreadable {
		return target{}
	}
	about := t.Content.shown()
	for _, s := range t.Snapshots {
		if s.Message != nil {
			about = strings.TrimSpace(about + "\n" + s.Message.Content.shown())
		}
	}
	own := t.Author != nil && (string(t.Author.ID) == self || Platform+":"+string(t.Author.ID) == m.From.ID)
	return target{about, !own || len(t.Snapshots) > 0}
}

// refer makes m a reply to a message.
func (a *Adapter) refer(m *chat.Message, id string, t target) {
	m.ReplyTo, m.Quote, m.Relayed = id, t.text, t.other
}
