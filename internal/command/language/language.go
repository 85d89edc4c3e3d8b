package language

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"parley/internal/chat"
	"parley/internal/command/gate"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// Language is /language.
type Language struct {
	Rows Rows
	// Speak returns the language of the answer to a message, as things are now.
	Speak func(ctx context.Context, m chat.Message) catalog.Printer
}

const maxNamed = 40

// automatic takes a choice back.
const automatic = "auto"

// Command returns the entry of the table.
func (l Language) Command() gate.Command {
	return gate.Command{Name: "language", Help: "The language I speak with you", Effect: gate.ReadsBare,
		Quiet: true, Run: l.run, Options: []gate.Option{
			{Name: "language", Help: "its name or its tag, such as de; auto follows your platform and your messages", Suggest: func(_ context.Context, _ chat.Message, typed string) []string {
				return slices.DeleteFunc(languageTags(), func(tag string) bool { return !strings.HasPrefix(tag, typed) })
			}},
		}}
}

func languageTags() (all []string) {
	for _, p := range catalog.Printers() {
		all = append(all, p.Tag())
	}
	return append(all, automatic)
}

func (l Language) run(ctx context.Context, r gate.Request) (chat.Answer, error) {
	name := r.Args["language"]
	if name == "" {
		return l.show(ctx, r)
	}
	tag := ""
	if !strings.EqualFold(name, automatic) {
		p, known := catalog.Named(name)
		if !known {
			return chat.Answer{Text: catalog.Say(ctx, "I do not speak %s. I speak %s.",
				text.Literal(text.Shorten(name, maxNamed)), languageNames())}, nil
		}
		tag = p.Tag()
	}
	if err := l.Rows.SetLanguage(ctx, r.Message.From.ID, tag); err != nil {
		return chat.Answer{}, err
	}
	p := l.Speak(ctx, r.Message)
	if tag == "" {
		return chat.Answer{Text: p.Say("I go by your platform and your messages again: %s.", p.Name())}, nil
	}
	return chat.Answer{Text: p.Say("From now on I speak %s with you.", p.Name())}, nil
}

// show tells the language and why it is that, with a button for each other.
func (l Language) show(ctx context.Context, r gate.Request) (chat.Answer, error) {
	chosen, _, err := l.Rows.Languages(ctx, r.Message.From.ID)
	if err != nil {
		return chat.Answer{}, err
	}
	p := l.Speak(ctx, r.Message)
	a := chat.Answer{Text: p.Say("I speak %s with you: that is what your platform or your messages say.", p.Name())}
	if chosen != "" {
		a.Text = p.Say("I speak %s with you, because you chose it.", p.Name())
	}
	a.Text += "\n" + p.Say("Change that with /language and one of these: %s.", languageNames())
	const perRow = 3
	var row []chat.Button
	for _, other := range catalog.Printers() {
		if other != p {
			row = append(row, chat.Button{Label: other.Name(), Data: "/language " + other.Tag()})
		}
		if len(row) == perRow {
			a.Buttons, row = append(a.Buttons, row), nil
		}
	}
	if chosen != "" {
		row = append(row, chat.Button{Label: p.Text("Automatic"), Data: "/language " + automatic})
	}
	if len(row) > 0 {
		a.Buttons = append(a.Buttons, row)
	}
	return a, nil
}

// languageNames lists the languages there are, with what to type for them.
func languageNames() string {
	var all []string
	for _, p := range catalog.Printers() {
		all = append(all, fmt.Sprintf("%s (`%s`)", p.Name(), p.Tag()))
	}
	return strings.Join(all, ", ")
}
