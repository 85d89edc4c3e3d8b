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
	"parley/internal/app/platform"
	"parley/internal/app/setup"
	"parley/internal/chat"
	"parley/internal/command/language"
	"parley/internal/llm/probe"
	"parley/internal/llm/provider"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// Init asks for what the first start needs and writes the settings.
type Init struct {
	Force   bool   `help:"Overwrite a settings file that exists, without asking."`
	Answers string `help:"Take the answers from a file: lines such as \"provider: openai\", or the answers in the order of the questions." placeholder:"FILE"`
}

// Run asks for what the first start needs, tries each answer, writes the settings, and
// starts the bot if wanted. On a terminal it repeats a question after a wrong answer; with
// a pipe or a file it stops.
func (c Init) Run(ctx context.Context, f *Flags, s *Streams, b *Bot) error {
	// The environment may set the address (telegram.api_url), as at startup.
	base, err := config.Load(config.Options{File: os.DevNull, Env: os.Environ(), IDs: f.IDs})
	if err != nil {
		return err
	}
	w := &wizard{asker: asker{p: Speaks()}, base: base, ids: f.IDs, file: cmp.Or(f.Config, config.DefaultFile),
		accounts: map[string]platform.Account{}, tokens: platform.Tokens(),
		know: func(m config.Config) { f.Veil.Knows(setup.NewRedactor(m, setup.ShortestLogged)) }}
	if err := w.open(c.Answers, s); err != nil {
		return err
	}
	if done, err := w.existing(ctx, c.Force); done || err != nil {
		return err
	}
	w.say(`A few questions, and Parley is ready. Enter takes what stands in [brackets],
back returns to the question before, skip leaves one out, and Ctrl-C ends this and
writes nothing. Keys and tokens are not shown as you type.
`)
	w.say("help explains a question.\n")
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
	base   config.Config // the settings without a file
	ids    chat.Identities
	file   string
	know   func(config.Config) // is given the secrets of the answers, so that nothing shows them
	made   config.Config       // the answers
	before config.Config       // the settings that exist

	menu     []choice
	given    given               // the rest of the first answer
	at       *provider.Provider  // whose endpoint it is; nil for nobody who is known
	place    probe.Place         // of the endpoint; without a base there is none
	chosen   []platform.Platform // none is the terminal
	accounts map[string]platform.Account
	tokens   provider.Forms // of the platforms
}

// given is a key and a model's name that came with an address.
type given struct {
	key, model string
	keyless    bool // no key is needed
}

// open finds the source of the answers.
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
	named, lines, err := answersOf(string(b), w.names())
	if err != nil {
		return err
	}
	w.tty, w.filed, w.named, w.in = nil, true, named, bufio.NewReader(strings.NewReader(lines))
	return nil
}

// names returns the names of the questions.
func (w *wizard) names() (list []string) {
	for _, s := range w.steps() {
		list = append(list, s.name)
	}
	return append(list, "change", "setting", "page.listen", "page.url", "write", "start")
}

// step asks one question, unless an earlier answer covers it.
type step struct {
	name string
	run  func(context.Context) error
}

func (w *wizard) steps() []step {
	list := []step{{"provider", w.provider}, {"key", w.key}, {"model", w.model}, {"platforms", w.platforms}}
	for _, p := range platform.Accounts() {
		list = append(list, step{p.Platform + ".token", w.token(p)}, step{p.Platform + ".owner", w.owner(p)})
	}
	return list
}

// returnTo: an earlier answer does not work, so its step must ask again.
type returnTo struct {
	step string
	error
}

// Unwrap returns what is wrong.
func (r *returnTo) Unwrap() error { return r.error }

// walk takes the steps in order, and goes back on request.
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
		case errors.As(err, &to) && w.tty == nil:
			return to.error
		case to != nil:
			w.say("  %v", to.error)
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

// existing adds to a file that exists; done is false where the questions of a first start
// are to be asked.
func (w *wizard) existing(ctx context.Context, force bool) (done bool, err error) {
	if _, err := os.Stat(w.file); errors.Is(err, os.ErrNotExist) || force {
		return false, nil
	}
	if w.tty == nil && w.named["change"] == "" {
		return true, text.Tell("%s exists already: move it away, name another with --config, overwrite it with --force, or "+
			"say in the file of answers what shall change", w.file)
	}
	if err = w.add(ctx); !errors.Is(err, errAnew) {
		return true, err
	}
	kept, err := w.keep()
	if err == nil {
		w.made = config.Config{}
		w.say("  The settings of today are in %s now.", kept)
	}
	return false, err
}

// yes reports whether somebody agrees, in English or their language.
func (a *asker) yes(said string) bool {
	own := a.p.Text("yes")
	return slices.ContainsFunc([]string{"yes", "y", "1", "ok", own, strings.ReplaceAll(own, "í", "i"), string([]rune(own)[:1])},
		func(yes string) bool { return strings.EqualFold(said, yes) })
}

// Speaks returns the language of this machine.
func Speaks() catalog.Printer {
	p, _ := catalog.For(language.Machine(os.Getenv))
	return p
}

// Complain prints an error in the language of this machine.
func Complain(w io.Writer, err error) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok && len(joined.Unwrap()) == 1 {
		err = joined.Unwrap()[0] // the parser wraps it
	}
	_, _ = fmt.Fprintln(w, Speaks().Say("bot: %v", err))
}
