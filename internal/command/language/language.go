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
	Rows LanguageRows
	// Speak returns the language of the answer to a message, as things are now.
	Speak func(ctx context.Context, m chat.Message) catalog.Printer
}

// LanguageRows is which languages people chose, as tags; memory.Store.
type LanguageRows interface {
	Languages(ctx context.Context, person string) (chosen, heard string, err error)
	SetLanguage(ctx context.Context, person, tag string) error
}

// maxNamed is how much of an unknown name is repeated, in characters.
const maxNamed = 40

// automatic takes a choice back.
const automatic = "auto"

// Command returns the entry of the table.
func (l Language) Command() gate.Command {
	return gate.Command{Name: "language", Help: helpLanguage, Effect: gate.ReadsBare, Quiet: true, Run: l.run, Options: []gate.Option{
		{Name: "language", Help: helpLanguageName, Suggest: func(_ context.Context, _ chat.Message, typed string) []string {
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
			return chat.Answer{Text: catalog.Say(ctx, wordsNoLanguage, text.Literal(text.Shorten(name, maxNamed)), languageNames())}, nil
		}
		tag = p.Tag()
	}
	if err := l.Rows.SetLanguage(ctx, r.Message.From.ID, tag); err != nil {
		return chat.Answer{}, err
	}
	p := l.Speak(ctx, r.Message)
	if tag == "" {
		return chat.Answer{Text: p.Say(wordsLanguageAuto, p.Name())}, nil
	}
	return chat.Answer{Text: p.Say(wordsLanguageSet, p.Name())}, nil
}

// show tells the language and why it is that, with a button for each other.
func (l Language) show(ctx context.Context, r gate.Request) (chat.Answer, error) {
	chosen, _, err := l.Rows.Languages(ctx, r.Message.From.ID)
	if err != nil {
		return chat.Answer{}, err
	}
	p := l.Speak(ctx, r.Message)
	a := chat.Answer{Text: p.Say(wordsLanguageHeard, p.Name())}
	if chosen != "" {
		a.Text = p.Say(wordsLanguageChosen, p.Name())
	}
	a.Text += "\n" + p.Say(wordsLanguages, languageNames())
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
		row = append(row, chat.Button{Label: p.Text(wordsLanguageBack), Data: "/language " + automatic})
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
