package command

import (
	"cmp"
	"context"
	"strings"

	"parley/internal/chat"
	"parley/internal/command/gate"
	"parley/internal/memory/facts"
	"parley/internal/memory/provenance"
	"parley/internal/text/catalog"
	"parley/internal/tools"
)

// verbs makes the verbs of a command from operations, in their order.
func verbs(all []tools.Operation) (list []gate.Command) {
	for _, o := range all {
		if o.Command != "" {
			list = append(list, verb(o))
		}
	}
	return list
}

// operated makes the verb of the operation that has this command.
func operated(all []tools.Operation, command string) gate.Command {
	return verb(tools.Operated(all, command))
}

// verb makes a verb from an operation.
func verb(o tools.Operation) gate.Command {
	spec := o.Spec()
	c := gate.Command{Name: o.Command[strings.LastIndexByte(o.Command, ' ')+1:], Help: o.Help, Private: o.Private, Alone: true}
	if spec.ReadOnly {
		c.Effect = gate.Reads
	}
	for _, a := range o.Args {
		c.Options = append(c.Options, option(o, a))
	}
	if o.Listed {
		c.Options = append(c.Options, gate.Option{Name: "page", Help: "page number", Kind: gate.Number})
	}
	c.Run = func(ctx context.Context, r gate.Request) (chat.Answer, error) {
		result, err := o.Do(ctx, callOf(r), o.Given(r.Args))
		if err != nil {
			return chat.Answer{}, err
		}
		return shown(ctx, r, o, result), nil
	}
	if spec.Confirm {
		c.Confirm = func(ctx context.Context, r gate.Request) (string, error) {
			return o.Question(ctx, callOf(r), o.Given(r.Args))
		}
	}
	return c
}

// option makes an option from an argument of an operation.
func option(o tools.Operation, a tools.Arg) gate.Option {
	property := o.Property(a)
	opt := gate.Option{Name: a.Name, Help: a.Help, Required: property.Required, Long: a.Long, Named: a.Named,
		Choices: a.Choices, Suggest: a.Suggest}
	if opt.Choices == nil {
		opt.Choices = property.Enum
	}
	switch property.Type {
	case "integer":
		opt.Kind, opt.Row = gate.Number, a.Field() == "id"
	case "boolean":
		opt.Kind = gate.Switch
	}
	if a.Offer != nil {
		opt.Offer = func(ctx context.Context, m chat.Message) []chat.Choice { return a.Offer(ctx, provenance.ViewerOf(m)) }
	}
	return opt
}

// callOf is the call that a command makes.
func callOf(r gate.Request) tools.Call {
	c := tools.CallOf(r.Message)
	c.Origin = passedOn(r)
	return c
}

// shown is what people see of a result: a list in pages, a deed with what may be done
// about it.
func shown(ctx context.Context, r gate.Request, o tools.Operation, result tools.Result) chat.Answer {
	a := chat.Answer{Text: result.Content}
	var buttons []chat.Button
	switch data := result.Data.(type) {
	case tools.Rows:
		if len(data.Lines) > 0 && !o.Listed {
			a.Text = strings.Join(data.Lines, "\n")
		} else if len(data.Lines) > 0 {
			return gate.Page(ctx, data.Lines, r.Number("page", 1), listPage, "/"+o.Command)
		}
		if len(data.Lines) == 0 {
			a.Text = cmp.Or(data.None, a.Text)
		}
	case tools.Deed:
		a.Text, buttons = data.Note, data.Buttons
	case facts.Change:
		buttons = data.Buttons(catalog.Of(ctx))
	}
	return under(a.Text, buttons)
}

// under puts buttons below a text; nil is none.
func under(words string, buttons []chat.Button) chat.Answer {
	a := chat.Answer{Text: words}
	if len(buttons) > 0 {
		a.Buttons = [][]chat.Button{buttons}
	}
	return a
}
