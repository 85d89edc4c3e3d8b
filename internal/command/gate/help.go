package gate

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"parley/internal/chat"
	"parley/internal/text/catalog"
)

func (c *Commands) help() Command {
	return Command{
		Name: "help", Help: "What you can do here", Effect: Reads, Quiet: true,
		Options: []Option{{Name: "command", Help: "a command to tell more about",
			Suggest: func(_ context.Context, _ chat.Message, prefix string) []string {
				return starting(names(c.table, Owner), prefix)
			}}},
		Run: func(ctx context.Context, r Request) (chat.Answer, error) {
			name := strings.TrimPrefix(r.Args["command"], "/")
			a := chat.Answer{Text: c.Help(ctx, r.Role, name)}
			if name == "" {
				a.Buttons = [][]chat.Button{{{Label: catalog.Text(ctx, "All commands"), Data: "/help " + everything}}}
			}
			return a, nil
		},
	}
}

// everything asks /help for all commands.
const everything = "all"

// mostFirst is how many commands /help names at first.
const mostFirst = 5

// Help names a few commands that a role may use, all of them for "all", or describes one.
func (c *Commands) Help(ctx context.Context, role Role, name string) string {
	switch {
	case name == "":
		return c.first(ctx, role)
	case fold(name) != everything:
		word, _ := cutWord(name)
		cmd, ok := c.command(fold(word))
		if !ok || !slices.Contains(names(c.table, role), cmd.Name) {
			return didYouMean(ctx, catalog.Say(ctx, wordsUnknown, Escape(word)), "/", nearest(fold(word), names(c.table, role)))
		}
		return c.describe(ctx, cmd, cmd.Name, role)
	}
	var b strings.Builder
	b.WriteString(catalog.Text(ctx, "Just write to me. These commands work too:"))
	for _, cmd := range c.table {
		if !cmd.useful(role) {
			continue
		}
		verbs := ""
		if usable := names(inherited(cmd), role); len(usable) > 0 {
			verbs = " " + strings.Join(usable, "|")
		}
		fmt.Fprintf(&b, "\n`%s%s` – %s", cmd.usage(cmd.Name), verbs, catalog.Text(ctx, cmd.Help))
	}
	return b.String()
}

// useful reports whether a role may use a command, or a verb of it, and has any use for it:
// people who are in need no command that lets strangers in.
func (cmd Command) useful(role Role) bool {
	if cmd.Who == Anyone && role > Stranger || !cmd.there() {
		return false
	}
	return cmd.admits(role) || anyVerb(cmd, role)
}

// first names what people want most.
func (c *Commands) first(ctx context.Context, role Role) string {
	var few []Command
	for _, cmd := range c.table {
		if cmd.First > 0 && cmd.useful(role) {
			few = append(few, cmd)
		}
	}
	slices.SortStableFunc(few, func(a, b Command) int { return a.First - b.First })
	var b strings.Builder
	b.WriteString(catalog.Text(ctx, "Just write to me: ask something, or say what I should remember. These help most:"))
	for _, cmd := range few[:min(len(few), mostFirst)] {
		fmt.Fprintf(&b, "\n`/%s` – %s", cmd.Name, catalog.Text(ctx, cmd.Help))
	}
	b.WriteString("\n" + catalog.Text(ctx, "`/help all` lists everything you can do here, `/help remind` tells more about one command."))
	return b.String()
}

// describe describes one command: its verbs, or its options.
func (c *Commands) describe(ctx context.Context, cmd Command, path string, role Role) string {
	var b strings.Builder
	fmt.Fprintf(&b, "`%s` – %s", cmd.usage(path), catalog.Text(ctx, cmd.Help))
	for _, o := range cmd.Options {
		if !o.Hidden {
			fmt.Fprintf(&b, "\n    %s: %s", o.Name, catalog.Text(ctx, o.Help))
		}
	}
	for _, v := range inherited(cmd) {
		if v.admits(role) {
			fmt.Fprintf(&b, "\n`%s` – %s", v.usage(path+" "+v.Name), catalog.Text(ctx, v.Help))
		}
	}
	return b.String()
}

// Complete returns the lines that m.Text, the beginning of a command, may
// become: names and verbs that the role may use, then values of options.
func (c *Commands) Complete(ctx context.Context, m chat.Message, role Role) []string {
	if !strings.HasPrefix(m.Text, "/") {
		return nil
	}
	name, rest := commandName(m.Text)
	if !strings.ContainsRune(m.Text, ' ') {
		return before("/", starting(names(c.table, role), name))
	}
	cmd, ok := c.command(name)
	if !ok {
		return nil
	}
	line := "/" + cmd.Name + " "
	if len(cmd.Verbs) > 0 {
		word, after := cutWord(rest)
		v, ok := cmd.verb(fold(word))
		if !ok || !strings.ContainsAny(rest, " ") {
			return before(line, starting(names(inherited(cmd), role), word))
		}
		cmd, rest, line = v, after, line+v.Name+" "
	}
	if !cmd.admits(role) {
		return nil
	}
	return before(line, c.values(ctx, cmd, m, rest))
}

// values completes the last value of what was typed of cmd's options.
func (c *Commands) values(ctx context.Context, cmd Command, m chat.Message, typed string) []string {
	done := ""
	for _, o := range cmd.Options {
		value, rest := cutValue(typed)
		free := takesRest(cmd.Options, o)
		if free {
			value, rest = typed, ""
		}
		if rest != "" {
			done += typed[:len(typed)-len(rest)]
			typed = rest
			continue
		}
		var all []string
		switch {
		case o.Suggests():
			for _, s := range o.suggestions(ctx, m, value) {
				all = append(all, s.Value)
			}
		case o.Kind == Switch:
			all = starting([]string{"on", "off"}, value)
		default:
			all = starting(o.Choices, value)
		}
		if !free {
			all = quotedWords(all)
		}
		return before(done, all)
	}
	return nil
}

// quotedWords quotes values that are more than one word.
func quotedWords(all []string) []string {
	for i, v := range all {
		if strings.ContainsFunc(v, unicode.IsSpace) {
			all[i] = `"` + v + `"`
		}
	}
	return all
}

func starting(words []string, prefix string) []string {
	var all []string
	for _, w := range words {
		if strings.HasPrefix(fold(w), fold(prefix)) {
			all = append(all, w)
		}
	}
	return all
}

func before(prefix string, words []string) []string {
	for i, w := range words {
		words[i] = prefix + w
	}
	return words
}

// Page answers with one page of lines, counted from 1, and buttons to the
// next and the one before. command is what a button runs, as in "/facts list";
// it needs a Number option named page, and at most 50 bytes to fit a button.
func Page(ctx context.Context, lines []string, page, size int, command string) chat.Answer {
	pages := max(1, (len(lines)+size-1)/size)
	page = min(max(page, 1), pages)
	from := (page - 1) * size
	a := chat.Answer{Text: strings.Join(lines[from:min(from+size, len(lines))], "\n")}
	if pages == 1 {
		return a
	}
	a.Text += "\n" + catalog.Say(ctx, "Page %d of %d", page, pages)
	var row []chat.Button
	if page > 1 {
		row = append(row, chat.Button{Label: catalog.Text(ctx, "‹ Back"), Data: fmt.Sprintf("%s page:%d", command, page-1)})
	}
	if page < pages {
		row = append(row, chat.Button{Label: catalog.Text(ctx, "Next ›"), Data: fmt.Sprintf("%s page:%d", command, page+1)})
	}
	a.Buttons = [][]chat.Button{row}
	return a
}

// Markdown returns every command as the table in docs/commands.md.
func (c *Commands) Markdown() string {
	var b strings.Builder
	b.WriteString("| command | who | answer | does |\n|---|---|---|---|\n")
	row := func(path string, cmd Command) {
		seen := ""
		if cmd.Private {
			seen = "private"
		}
		usage := strings.ReplaceAll(cmd.usage(path), "|", `\|`)
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", usage, cmp.Or(cmd.Who, Member), seen, cmd.Help)
	}
	for _, cmd := range c.table {
		if cmd.Run != nil {
			row(cmd.Name, cmd)
		}
		for _, v := range inherited(cmd) {
			row(cmd.Name+" "+v.Name, v)
		}
	}
	return b.String()
}

// audiences are the roles of a command table as menus know them.
var audiences = map[Role]chat.Audience{Anyone: chat.Everybody, Stranger: chat.Members, Member: chat.Members,
	Admin: chat.Admins, Owner: chat.Owners}

// Menu returns a command table as platforms show it.
func Menu(table []Command) (list []chat.MenuCommand) {
	for _, c := range table {
		if !c.there() {
			continue
		}
		m := chat.MenuCommand{Name: c.Name, Help: c.Help, Who: audiences[c.Who], Least: audiences[c.Least()], Verbs: Menu(c.Verbs)}
		for _, o := range c.Options {
			if o.Hidden {
				continue
			}
			m.Options = append(m.Options, chat.MenuOption{Name: o.Name, Help: o.Help, Kind: chat.OptionKind(o.Kind),
				Required: o.Required, Choices: o.Choices, Suggests: o.Suggests(), Long: o.Long})
		}
		list = append(list, m)
	}
	return list
}

// Suggests reports whether an option can be completed.
func (o Option) Suggests() bool { return o.Suggest != nil || o.Offer != nil }

// suggestions completes what m's author typed of an option: values that begin so,
// and those with words that do.
func (o Option) suggestions(ctx context.Context, m chat.Message, typed string) (list []chat.Choice) {
	switch {
	case o.Suggest != nil:
		for _, v := range o.Suggest(ctx, m, typed) {
			list = append(list, chat.Choice{Value: v})
		}
	case o.Offer != nil:
		for _, c := range o.Offer(ctx, m) {
			if strings.HasPrefix(fold(c.Value), fold(typed)) || hasWord(c.Label, typed) {
				list = append(list, c)
			}
		}
	}
	return list
}

func hasWord(text, typed string) bool {
	text, typed = fold(text), fold(strings.TrimSpace(typed))
	for i := range text {
		if (i == 0 || text[i-1] == ' ') && strings.HasPrefix(text[i:], typed) {
			return true
		}
	}
	return false
}

// Suggest completes what m's author typed of one option of the command that
// m.Text names; nothing where it is not for them.
func (c *Commands) Suggest(ctx context.Context, m chat.Message, option, typed string) []chat.Choice {
	role, err := c.o.Role(ctx, m)
	if err != nil {
		return nil
	}
	cmd, _, complaint := c.find(ctx, &Request{Message: m, Role: role})
	if complaint != "" || !cmd.admits(role) {
		return nil
	}
	for _, o := range cmd.Options {
		if o.Name == option {
			return o.suggestions(ctx, m, typed)
		}
	}
	return nil
}
