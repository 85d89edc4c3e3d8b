package cli

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"parley/config"
	"parley/internal/adapters/terminal"
	"parley/internal/chat"
	"parley/internal/llm/offline"
	"parley/internal/llm/openai"
	"parley/internal/llm/provider"
	"parley/internal/setup"
)

// Init asks for what the first startup needs and writes the settings.
type Init struct {
	Force bool `help:"Overwrite a settings file that exists, without asking."`
}

// Run asks for what the first startup needs, tries each answer, and writes the
// settings. On a terminal it asks again after a wrong answer; in a pipe, where one
// line is one answer, it stops.
func (c Init) Run(ctx context.Context, f *Flags, s *Streams) error {
	// The environment may set the address (telegram.api_url), as at startup.
	base, err := config.Load(config.Options{File: os.DevNull, Env: os.Environ(), IDs: f.IDs})
	if err != nil {
		return err
	}
	w := &wizard{s: s, in: bufio.NewReader(s.In), tty: IsTerminal(s.In), base: base, ids: f.IDs, file: cmp.Or(f.Config, config.DefaultFile)}
	if err := w.mayWrite(ctx, c.Force); err != nil {
		return err
	}
	w.say(wordsInit)
	for _, ask := range []func(context.Context) error{w.model, w.platform, w.token, w.owner} {
		if err := ask(ctx); err != nil {
			return err
		}
		f.Veil.Knows(setup.NewRedactor(w.made, setup.ShortestLogged))
	}
	if err := w.write(); err != nil {
		return err
	}
	w.next()
	return nil
}

// wizard is one run of init.
type wizard struct {
	s       *Streams
	in      *bufio.Reader
	tty     bool
	base    config.Config // what is in force without a file
	ids     chat.Identities
	file    string
	made    config.Config // the answers
	chosen  string        // platform; "" is the terminal
	account account
}

func (w *wizard) say(format string, args ...any) { fmt.Fprintf(w.s.Out, format+"\n", args...) }

// answer reads one line. hidden turns off the echo of a terminal.
func (w *wizard) answer(ctx context.Context, question string, hidden bool) (string, error) {
	if f, ok := w.s.In.(*os.File); ok && hidden && w.tty {
		restore, err := terminal.Hide(f)
		if err != nil {
			return "", err
		}
		defer restore()
	}
	fmt.Fprint(w.s.Out, question+" ")
	type line struct {
		text string
		err  error
	}
	read := make(chan line, 1)
	go func() { // a read cannot be cancelled; after Ctrl-C it goes with the process
		text, err := w.in.ReadString('\n')
		read <- line{text, err}
	}()
	select {
	case <-ctx.Done():
		w.say("")
		return "", errors.New("nothing was written")
	case l := <-read:
		if !w.tty {
			w.say("")
		}
		if l.err != nil && (!errors.Is(l.err, io.EOF) || l.text == "") {
			return "", errors.New("the input ended before the last question; nothing was written")
		}
		return strings.TrimSpace(l.text), nil
	}
}

// until asks until an answer passes.
func (w *wizard) until(ctx context.Context, question string, hidden bool, try func(answer string) error) error {
	for {
		text, err := w.answer(ctx, question, hidden)
		if err != nil {
			return err
		}
		if err = try(text); err == nil || !w.tty || ctx.Err() != nil {
			return err
		}
		w.say("  %s", setup.NewRedactor(w.made, setup.ShortestLogged).Hide(err.Error()))
	}
}

func (w *wizard) mayWrite(ctx context.Context, force bool) error {
	if _, err := os.Stat(w.file); errors.Is(err, os.ErrNotExist) || force {
		return nil
	}
	if !w.tty {
		return fmt.Errorf("%s exists already: move it away, name another with --config, or overwrite it with --force", w.file)
	}
	text, err := w.answer(ctx, w.file+" exists already. Overwrite it? [yes/no]", false)
	if err == nil && text != "yes" {
		err = fmt.Errorf("%s is as it was", w.file)
	}
	return err
}

// model asks for the endpoint and lists its models. The answer may contain a key, so
// it is not echoed.
func (w *wizard) model(ctx context.Context) error {
	local, _ := openai.Probe(ctx, w.base.OllamaURL)
	question := wordsInitModel
	if len(local) > 0 {
		question = wordsInitModelOllama
	}
	return w.until(ctx, question, true, func(text string) error {
		m, err := modelFrom(text, w.base.OllamaURL, local)
		if err != nil {
			return err
		}
		try := w.base
		try.Model.BaseURL, try.Model.APIKey, try.Model.Name = m.BaseURL, m.APIKey, m.Name
		w.made.Model = m
		e, err := setup.Connect(ctx, try, nil, slog.New(slog.DiscardHandler))
		if err == nil && e.Check != nil {
			err = e.Check(ctx)
		}
		if err != nil {
			return fmt.Errorf("that model cannot be used: %w; check the address, the key and the name", err)
		}
		w.made.Model.Name = e.Name
		w.say("  %s", e.About)
		return nil
	})
}

// modelFrom reads an answer: nothing, builtin, ollama [NAME], ADDRESS [KEY
// [NAME]] with - for no key, or KEY [NAME] of OpenAI.
func modelFrom(text, ollama string, local []string) (m config.Model, err error) {
	words := append(strings.Fields(text), "", "", "")
	if len(words) > 6 {
		return m, errors.New("that is more than an address, a key and a model's name")
	}
	switch first := words[0]; {
	case first == offline.Name, first == "" && len(local) == 0:
		m.Name = offline.Name
	case first == "ollama", first == "":
		if len(local) == 0 {
			return m, fmt.Errorf("Ollama does not answer at %s: start it with ollama serve, and get a model with ollama pull qwen3", ollama)
		}
		m.BaseURL, m.Name = ollama, cmp.Or(words[1], local[0])
	case strings.HasPrefix(first, "http://"), strings.HasPrefix(first, "https://"):
		m.BaseURL, m.APIKey, m.Name = first, config.Secret(words[1]), words[2]
		if m.APIKey == "-" {
			m.APIKey = ""
		}
	default:
		if err := onlyOpenAI(first); err != nil {
			return config.Model{}, err
		}
		m.BaseURL, m.APIKey, m.Name = provider.OpenAI, config.Secret(first), words[1]
	}
	if provider.Owner(m.Name) != "" {
		return config.Model{}, errors.New("a key stands where the model's name belongs, so I have sent it nowhere: the order is address, key, name")
	}
	if err := provider.Belongs(string(m.APIKey), m.BaseURL); err != nil {
		return config.Model{}, err
	}
	return m, nil
}

// errUnknownKey does not repeat the answer, which may be a secret.
var errUnknownKey = errors.New("I can't tell whose key that is, so I have sent it nowhere: answer with the address of its provider, the key and the model's name, such as https://openrouter.ai/api/v1 KEY MODEL")

// onlyOpenAI returns nil if a text is certainly a key of OpenAI.
func onlyOpenAI(key string) error {
	p := provider.Of(key)
	switch {
	case p == nil:
		return errUnknownKey
	case p.Base != provider.OpenAI:
		return fmt.Errorf("that is a key of %s, so I have sent it nowhere: answer with %s KEY MODEL", p.Name, p.Base)
	}
	return nil
}

func (w *wizard) platform(ctx context.Context) error {
	return w.until(ctx, wordsInitPlatform, false, func(text string) error {
		switch strings.ToLower(text) {
		case "telegram", "discord":
			w.chosen = strings.ToLower(text)
		case "terminal", "none", "":
		default:
			return fmt.Errorf("I know telegram, discord and terminal, not %q", text)
		}
		return nil
	})
}

// token asks for the platform's token and looks up its bot.
func (w *wizard) token(ctx context.Context) error {
	if w.chosen == "" {
		return nil
	}
	question := wordsInitTelegram
	if w.chosen == "discord" {
		question = wordsInitDiscord
	}
	return w.until(ctx, question, true, func(text string) (err error) {
		if text == "" || strings.ContainsAny(text, " \t/") {
			return errors.New("that is not a token; copy it whole, it has no spaces")
		}
		if owner := provider.Owner(text); owner != "" && !strings.EqualFold(owner, w.chosen) {
			return fmt.Errorf("that is a secret of %s, not of %s, so I have sent it nowhere", owner, w.chosen)
		}
		if w.chosen == "telegram" && provider.Owner(text) == "" {
			return errors.New("that is not a token of Telegram, so I have sent it nowhere: @BotFather writes it as 123456:ABC-DEF")
		}
		telegram, discord := w.base.Telegram, w.base.Discord
		if w.chosen == "telegram" {
			w.made.Telegram.Token, telegram.Token = config.Secret(text), config.Secret(text)
			w.account, err = askTelegram(ctx, telegram)
		} else {
			w.made.Discord.Token, discord.Token = config.Secret(text), config.Secret(text)
			w.account, err = askDiscord(ctx, discord)
		}
		if err != nil {
			return err
		}
		w.say("  That is the token of %s.", w.account.name)
		if w.account.problem != nil {
			w.say("  Before you start: %v.", w.account.problem)
		}
		return nil
	})
}

func (w *wizard) owner(ctx context.Context) error {
	if w.chosen == "" {
		return nil
	}
	question := wordsInitOwnerTelegram
	if w.chosen == "discord" {
		question = wordsInitOwnerDiscord
	}
	return w.until(ctx, question, false, func(text string) error {
		if text == "" {
			return nil
		}
		c := config.Default()
		c.Access.Owners = []string{w.chosen + ":" + strings.TrimPrefix(text, w.chosen+":")}
		if err := c.Validate(w.ids); err != nil {
			return err
		}
		w.made.Access.Owners = c.Access.Owners
		return nil
	})
}

// text returns the settings file: the answers and nothing else.
func (w *wizard) text() string {
	var b strings.Builder
	b.WriteString("# Written by bot init; config/bot.example.yaml has every setting.\n")
	section := func(name string, pairs ...[2]string) {
		head := name + ":\n"
		for _, p := range pairs {
			if p[1] != "" {
				value, _ := json.Marshal(p[1]) // JSON strings are YAML
				fmt.Fprintf(&b, "%s  %s: %s\n", head, p[0], value)
				head = ""
			}
		}
	}
	section("model", [2]string{"base_url", w.made.Model.BaseURL}, [2]string{"api_key", string(w.made.Model.APIKey)}, [2]string{"name", w.made.Model.Name})
	section("telegram", [2]string{"token", string(w.made.Telegram.Token)})
	section("discord", [2]string{"token", string(w.made.Discord.Token)})
	if len(w.made.Access.Owners) > 0 {
		owners, _ := json.Marshal(w.made.Access.Owners)
		fmt.Fprintf(&b, "access:\n  owners: %s\n", owners)
	}
	return b.String()
}

// write writes the file, reads it back, and then moves it into place. Only its owner
// can read it.
func (w *wizard) write() error {
	draft := fmt.Sprintf("%s.new-%d", w.file, os.Getpid())
	defer func() { _ = os.Remove(draft) }()
	if err := os.WriteFile(draft, []byte(w.text()), 0o600); err != nil {
		return fmt.Errorf("write the settings: %w", err)
	}
	if _, err := config.Load(config.Options{File: draft, IDs: w.ids}); err != nil {
		return fmt.Errorf("these answers do not go together: %w", err)
	}
	if err := os.Rename(draft, w.file); err != nil {
		return fmt.Errorf("write the settings: %w", err)
	}
	return nil
}

// next prints the next steps.
func (w *wizard) next() {
	w.say("\n%s is written; only you can read it. Next:", w.file)
	with := ""
	if w.file != config.DefaultFile {
		with = " --config " + w.file
	}
	w.say("  bot doctor%s    looks whether everything is in place", with)
	w.say("  bot%s           starts it", with)
	switch {
	case w.chosen == "discord" && w.account.id != "":
		w.say("Invite it to your server: https://discord.com/oauth2/authorize?client_id=%s&scope=bot+applications.commands&permissions=%d", w.account.id, invitePermissions)
	case w.chosen == "telegram":
		w.say("Then write to %s.", w.account.name)
	}
	if w.chosen != "" && len(w.made.Access.Owners) == 0 {
		w.say("The start prints a code: /claim CODE in a direct chat makes you the owner.")
	}
}

// invitePermissions are View Channel, Send Messages, Attach Files, Read Message
// History and Send Messages in Threads.
const invitePermissions = 1<<10 | 1<<11 | 1<<15 | 1<<16 | 1<<38
