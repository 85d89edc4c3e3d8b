package command

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/internal/chat"
	"parley/internal/command/gate"
	"parley/internal/text/catalog"
)

// Model is /model and /prompt.
type Model struct {
	Name func() string // which answers
	// List asks the endpoint which there are; nil where it cannot be asked.
	List    func(context.Context) ([]string, error)
	BuiltIn bool // only the built-in responder: there is nothing to choose
	// Choose makes another answer from now on, and after the next start; it
	// returns how many conversations go on with it.
	Choose func(ctx context.Context, name string) (conversations int, err error)
	// Routes is which models do what, in order; nil where one does all.
	Routes func() []Route
	// Reload reads the persona again; on an error the last one stays.
	Reload func() error
}

// Route is the models for a purpose.
type Route struct {
	Purpose string
	Models  []RouteModel
}

// RouteModel is one of them, and how it is.
type RouteModel struct {
	Name  string
	Until time.Time // it rests; zero for not
	Why   string
}

// In says it in a language.
func (r Route) In(p catalog.Printer) string {
	var names []string
	for _, m := range r.Models {
		if m.Until.IsZero() {
			names = append(names, m.Name)
		} else {
			names = append(names, p.Say("%s (rests until %s UTC: %s)", m.Name, m.Until.UTC().Format(time.TimeOnly), m.Why))
		}
	}
	return p.Say("- %s: %s", r.Purpose, strings.Join(names, ", "))
}

func (l Model) command() gate.Command {
	name := gate.Option{Name: "name", Help: "name of the model", Required: true, Offer: l.offer}
	return gate.Command{Name: "model", Help: "The language model", Who: gate.Owner, Verbs: []gate.Command{
		{Name: "show", Help: "Which model answers, and which there are", Effect: gate.Reads, Run: l.show},
		{Name: "set", Help: "Answer with another model", Effect: gate.Works, Options: []gate.Option{name}, Run: l.set},
	}}
}

func (l Model) show(ctx context.Context, _ gate.Request) (chat.Answer, error) {
	answer := catalog.Say(ctx, "**Model:** %s", l.Name())
	if l.List == nil {
		return chat.Answer{Text: answer}, nil
	}
	const most = 50
	if names, err := l.List(ctx); err == nil && len(names) > 0 { // without the list it is an answer, too
		answer += "\n" + catalog.Say(ctx, "**There are:** %s", strings.Join(names[:min(len(names), most)], ", "))
	}
	if l.Routes != nil {
		answer += "\n" + catalog.Text(ctx, "**Who does what:**")
		for _, r := range l.Routes() {
			answer += "\n" + r.In(catalog.Of(ctx))
		}
	}
	return chat.Answer{Text: answer}, nil
}

func (l Model) set(ctx context.Context, r gate.Request) (chat.Answer, error) {
	name := r.Args["name"]
	if l.BuiltIn {
		return say(ctx, "No language model is connected, only my built-in responder, so there is nothing to choose from. "+
			"OPENAI_BASE_URL and OPENAI_MODEL connect one at the next start.")
	}
	if l.List != nil {
		names, err := l.List(ctx)
		if err != nil {
			return chat.Answer{}, fmt.Errorf("list models: %w", err)
		}
		if !slices.Contains(names, name) {
			return say(ctx, "There is no model named %q at this endpoint. /model show lists what there is.", name)
		}
	}
	n, err := l.Choose(ctx, name)
	if err != nil {
		return chat.Answer{}, err
	}
	return say(ctx, "From now on %s answers. It continues with %s.", name, catalog.Many(ctx, n, "conversation"))
}

func (l Model) prompt() gate.Command {
	return gate.Command{Name: "prompt", Help: "The persona", Who: gate.Owner, Verbs: []gate.Command{
		{Name: "reload", Help: "Read the persona file again", Run: func(ctx context.Context, _ gate.Request) (chat.Answer, error) {
			if err := l.Reload(); err != nil {
				return say(ctx, "The persona file can't be used, so the last good one stays in force: %v", err)
			}
			return say(ctx, "I have read the persona file again.")
		}},
	}}
}

// offer lists the models there are.
func (l Model) offer(ctx context.Context, _ chat.Message) (choices []chat.Choice) {
	if l.List == nil {
		return nil
	}
	names, err := l.List(ctx)
	if err != nil {
		return nil
	}
	for _, name := range names {
		choices = append(choices, chat.Choice{Value: name})
	}
	return choices
}
