package command

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"parley/internal/chat"
	"parley/internal/command/gate"
	"parley/internal/text/catalog"
	"parley/internal/tools"
)

// Config is the verbs of /config beyond access, which is admin's.
type Config struct {
	Settings Settings
	Policies Policies
	// Here says whom I answer where a message was written, and when.
	Here func(context.Context, chat.Message) (string, error)
	All  func() tools.Set // every tool there is
	// Leave takes the bot out of a place, by its id ("telegram:chat:-100").
	Leave func(ctx context.Context, place string) error
	// IDs are those in the settings, and Called is an id with what people call it.
	IDs    func() []string
	Called func(ctx context.Context, id string) (string, error)
	Log    *slog.Logger
}

// Settings is the settings in force, of which some can be changed from a chat.
type Settings interface {
	// String returns all of them, without secrets.
	String() string
	// Tunable names those that can be changed, such as "session.ttl".
	Tunable() []string
	// Tuned returns what was changed from the chat, in the order of the names.
	Tuned() []Tuned
	// Tune changes one for good; "default" takes that back. A value that does
	// not fit is a text.Error.
	Tune(ctx context.Context, name, value string) (was, now string, err error)
}

// Tuned is a setting that was changed from the chat.
type Tuned struct{ Name, Now, Otherwise string }

// Policies is what was decided about each channel; access.Register.
type Policies interface {
	Policy(ctx context.Context, k chat.Key) (chat.Policy, error)
	SetPolicy(ctx context.Context, k chat.Key, p chat.Policy) error
}

// Verbs returns the verbs.
func (c Config) Verbs() []gate.Command {
	return []gate.Command{
		{Name: "show", Help: "What applies here, and the current settings", Effect: gate.Reads, Private: true, Run: c.show},
		{Name: "set", Help: "Change a setting permanently", Private: true, Run: c.set, Options: []gate.Option{
			{Name: "name", Help: "such as session.ttl", Required: true, Suggest: c.suggestSetting},
			{Name: "value", Help: "as in the settings file, or default to reset it", Required: true},
		}},
		{Name: "tools", Help: "Which tools I use in this channel", Effect: gate.ReadsBare, Who: gate.Admin, Run: c.tools, Options: []gate.Option{
			{Name: "names", Help: "names with commas between, none, or default for all", Suggest: c.suggestTools},
		}},
		{Name: "leave", Help: "Leave a group or a server", Private: true, Run: c.leave, Options: []gate.Option{
			{Name: "place", Help: "its id, such as telegram:chat:-1001 or discord:guild:99", Required: true},
		}},
	}
}

func (c Config) suggestSetting(_ context.Context, _ chat.Message, typed string) []string {
	return beginning(c.Settings.Tunable(), strings.ToLower(typed))
}

// leave takes the bot out of a place. What it knows of it stays, as when it is removed.
func (c Config) leave(ctx context.Context, r gate.Request) (chat.Answer, error) {
	place := strings.TrimSpace(r.Args["place"])
	if err := c.Leave(ctx, place); err != nil {
		c.Log.Warn("leave", "place", place, "err", err)
		return say(ctx, "I could not leave %s: I may be gone from there already, or that is not the id of a place. "+
			"Somebody who administers it can remove me.", place)
	}
	called, err := c.Called(ctx, place)
	if err != nil {
		return chat.Answer{}, err
	}
	return say(ctx, "Done, I have left %s.", called)
}

func (c Config) show(ctx context.Context, r gate.Request) (chat.Answer, error) {
	here, err := c.Here(ctx, r.Message)
	if err != nil {
		return chat.Answer{}, err
	}
	p, err := c.Policies.Policy(ctx, r.Message.Key)
	if err != nil {
		return chat.Answer{}, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", here, toolsWords(ctx, p.Tools))
	for _, t := range c.Settings.Tuned() {
		b.WriteString(catalog.Say(ctx, "Set with /config set: `%s` is %s; without that it would be %s.", t.Name, t.Now, t.Otherwise) + "\n")
	}
	for _, id := range c.IDs() {
		if called, err := c.Called(ctx, id); err != nil {
			return chat.Answer{}, err
		} else if called != id {
			b.WriteString("- " + called + "\n")
		}
	}
	b.WriteString(codeBlock("", strings.TrimSpace(c.Settings.String())))
	return chat.Answer{Text: b.String()}, nil
}

func (c Config) set(ctx context.Context, r gate.Request) (chat.Answer, error) {
	name, value := strings.ToLower(r.Args["name"]), strings.TrimSpace(r.Args["value"])
	if all := c.Settings.Tunable(); !slices.Contains(all, name) {
		return say(ctx, "I can't change %q from here. What I can change: %s. Everything else is in the settings file.", name, strings.Join(all, ", "))
	}
	was, now, err := c.Settings.Tune(ctx, name, value)
	if err != nil {
		return chat.Answer{}, err
	}
	c.Log.Info("setting changed", "setting", name, "value", now, "by", r.Message.From.ID)
	return say(ctx, "`%s` is %s from now on; it was %s.", name, now, was)
}

// separators stand between names of tools.
func separators(r rune) bool { return r == ',' || r == ' ' }

func (c Config) tools(ctx context.Context, r gate.Request) (chat.Answer, error) {
	p, err := c.Policies.Policy(ctx, r.Message.Key)
	if err != nil {
		return chat.Answer{}, err
	}
	names := strings.FieldsFunc(strings.ToLower(r.Args["names"]), separators)
	switch {
	case len(names) == 0:
		return chat.Answer{Text: toolsWords(ctx, p.Tools)}, nil
	case slices.Equal(names, []string{"default"}):
		p.Tools = nil
	case slices.Equal(names, []string{"none"}):
		p.Tools = []string{}
	default:
		for _, name := range names {
			if _, ok := c.All().Lookup(name); !ok {
				return say(ctx, wordsNoTool, name)
			}
		}
		p.Tools = names
	}
	if err := c.Policies.SetPolicy(ctx, r.Message.Key, p); err != nil {
		return chat.Answer{}, err
	}
	c.Log.Info("tools of a channel changed", "place", r.Message.Key.String(), "by", r.Message.From.ID)
	return chat.Answer{Text: toolsWords(ctx, p.Tools)}, nil
}

// toolsWords says which tools are used in a channel.
func toolsWords(ctx context.Context, names []string) string {
	switch {
	case names == nil:
		return catalog.Text(ctx, "I may use all my tools here.")
	case len(names) == 0:
		return catalog.Text(ctx, "I use no tools here.")
	}
	return catalog.Say(ctx, "The only tools I use here are %s.", strings.Join(names, ", "))
}

// suggestTools completes the last of several names.
func (c Config) suggestTools(ctx context.Context, m chat.Message, typed string) []string {
	last := strings.LastIndexFunc(typed, separators) + 1
	list := Tools{All: c.All}.suggest(ctx, m, typed[last:])
	for i := range list {
		list[i] = typed[:last] + list[i]
	}
	return list
}
