package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"parley/config"
	"parley/internal/app/setup"
	"parley/internal/chat"
	"parley/internal/command/language"
	"parley/internal/llm/probe"
	"parley/internal/llm/provider"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// Init asks for what the first startup needs and writes the settings.
type Init struct {
	Force   bool   `help:"Overwrite a settings file that exists, without asking."`
	Answers string `help:"Take the answers from a file: lines such as \"provider: openai\", or the answers in the order of the questions." placeholder:"FILE"`
}

// Run asks for what the first startup needs, tries each answer, writes the settings,
// and starts the bot if that is wanted. On a terminal it asks again after a wrong
// answer; with a pipe or a file it stops.
func (c Init) Run(ctx context.Context, f *Flags, s *Streams, b *Bot) error {
	// The environment may set the address (telegram.api_url), as at startup.
	base, err := config.Load(config.Options{File: os.DevNull, Env: os.Environ(), IDs: f.IDs})
	if err != nil {
		return err
	}
	w := &wizard{asker: asker{p: Speaks()}, base: base, ids: f.IDs, file: cmp.Or(f.Config, config.DefaultFile), accounts: map[string]account{},
		know: func(m config.Config) { f.Veil.Knows(setup.NewRedactor(m, setup.ShortestLogged)) }}
	if err := w.open(c.Answers, s); err != nil {
		return err
	}
	if err := w.mayWrite(ctx, c.Force); err != nil {
		return err
	}
	w.say(`A few questions, and Parley is ready. Enter takes what stands in [brackets],
back returns to the question before, skip leaves one out, and Ctrl-C ends this and
writes nothing. Keys and tokens are not shown as you type.
`)
	if err := w.walk(ctx, w.steps()); err != nil {
		return err
	}
	if err := w.write(); err != nil {
		return err
	}
	return w.next(ctx, f, s, b)
}

// wizard is one run of init.
type wizard struct {
	asker
	base config.Config // what is in force without a file
	ids  chat.Identities
	file string
	know func(config.Config) // takes the secrets of the answers, so that nothing shows them
	made config.Config       // the answers

	menu     []choice
	given    given              // what the answer to the first question held besides
	at       *provider.Provider // whose endpoint it is; nil for nobody who is known
	place    probe.Place        // of the endpoint; without a base there is none
	chosen   []string           // platforms; none is the terminal
	accounts map[string]account
}

// given is a key and a model's name that came with an address.
type given struct {
	key, model string
	keyless    bool // it was said that no key is needed
}

// open finds out where the answers come from.
func (w *wizard) open(answers string, s *Streams) error {
	w.asker = asker{p: w.p, out: s.Out, in: bufio.NewReader(s.In), hide: func(line string) string {
		return setup.NewRedactor(w.made, setup.ShortestLogged).Hide(line)
	}}
	if f, ok := s.In.(*os.File); ok && IsTerminal(f) {
		w.tty = f
	}
	if answers == "" {
		return nil
	}
	b, err := os.ReadFile(answers)
	if err != nil {
		return fmt.Errorf("answers: %w", err)
	}
	named, lines, err := answersOf(string(b), names)
	if err != nil {
		return err
	}
	w.tty, w.filed, w.named, w.in = nil, true, named, bufio.NewReader(strings.NewReader(lines))
	return nil
}

// names are those of the questions.
var names = []string{"provider", "key", "model", "platforms", "telegram.token", "telegram.owner", "discord.token", "discord.owner", "start"}

// step asks one question, or none where what is known already answers it.
type step struct {
	name string
	run  func(context.Context) error
}

func (w *wizard) steps() []step {
	return []step{
		{"provider", w.provider}, {"key", w.key}, {"model", w.model}, {"platforms", w.platforms},
		{"telegram.token", w.token("telegram")}, {"telegram.owner", w.owner("telegram")},
		{"discord.token", w.token("discord")}, {"discord.owner", w.owner("discord")},
	}
}

// returnTo says that an earlier answer does not do.
type returnTo struct {
	step string
	err  error
}

// Error implements error.
func (r *returnTo) Error() string { return r.err.Error() }

// String implements catalog.Phrase.
func (r *returnTo) String() string { return r.err.Error() }

// In says it in a language.
func (r *returnTo) In(p catalog.Printer) string { return p.Say("%v", r.err) }

// Unwrap returns what is wrong.
func (r *returnTo) Unwrap() error { return r.err }

// walk takes the steps in order, and back where that is asked for.
func (w *wizard) walk(ctx context.Context, steps []step) error {
	var trail []int // steps that asked something
	for i := 0; i < len(steps); {
		before := w.asked
		err := steps[i].run(ctx)
		w.know(w.made)
		var to *returnTo
		switch {
		case errors.Is(err, errBack) && len(trail) == 0:
			w.say("  %v", err)
		case errors.Is(err, errBack):
			i, trail = trail[len(trail)-1], trail[:len(trail)-1]
		case errors.As(err, &to) && w.tty != nil:
			w.say("  %v", err)
			i = slices.IndexFunc(steps, func(s step) bool { return s.name == to.step })
			trail = slices.DeleteFunc(trail, func(t int) bool { return t >= i })
		case err != nil:
			return err
		default:
			if w.asked > before {
				trail = append(trail, i)
			}
			i++
		}
	}
	return nil
}

func (w *wizard) mayWrite(ctx context.Context, force bool) error {
	if _, err := os.Stat(w.file); errors.Is(err, os.ErrNotExist) || force {
		return nil
	}
	if w.tty == nil {
		return text.Tell("%s exists already: move it away, name another with --config, or overwrite it with --force", w.file)
	}
	said, err := w.answer(ctx, question{text: catalog.Fill("%s exists already. Overwrite it? [yes/no]", w.file)})
	if err == nil && !w.yes(said) {
		err = text.Tell("%s is as it was", w.file)
	}
	return err
}

// yes reports whether somebody agrees, in English or their language.
func (a *asker) yes(said string) bool {
	own := a.p.Text("yes")
	return slices.ContainsFunc([]string{"yes", "y", own, strings.ReplaceAll(own, "í", "i"), string([]rune(own)[:1])},
		func(yes string) bool { return strings.EqualFold(said, yes) })
}

// Speaks returns the language of this machine, which operators are spoken to in.
func Speaks() catalog.Printer {
	p, _ := catalog.For(language.Machine(os.Getenv))
	return p
}

// Complain writes an error, in the language of this machine where it has words.
func Complain(w io.Writer, err error) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok && len(joined.Unwrap()) == 1 {
		err = joined.Unwrap()[0] // as the parser returns it
	}
	_, _ = fmt.Fprintln(w, Speaks().Say("bot: %v", err))
}
