package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"parley/config"
	"parley/internal/adapters/discord/discordtest"
	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/text/waittest"
)

// asked answers bot init through a pipe.
func (w *world) asked(t *testing.T, answers ...string) (out string, code int) {
	t.Helper()
	t.Setenv("BOT_TELEGRAM_API_URL", w.tg.URL())
	t.Setenv("BOT_DISCORD_API_URL", w.dc.URL())
	t.Setenv("OLLAMA_HOST", "127.0.0.1:1")
	if w.file == "" {
		w.file = filepath.Join(t.TempDir(), "bot.yaml")
	}
	args := []string{"init", "--config", w.file}
	if len(answers) > 0 && answers[0] == "--answers" {
		args = append(args, answers...)
	}
	return typed(strings.Join(answers, "\n")+"\n", args...)
}

func TestInitWritesWhatAStartNeeds(t *testing.T) {
	for _, tt := range []struct {
		name    string
		answers func(w *world) []string
		says    []string
		check   func(w *world, c config.Config) bool
	}{
		{"telegram", func(w *world) []string {
			return []string{w.llm.URL() + " sk-test-12345 test", "Telegram", w.tg.Token(), "42"}
		},
			[]string{"the token of @parley_bot", "have @parley_bot in a group", "bot doctor", "test answers",
				"not sensibly: asked for the capital of France"},
			func(w *world, c config.Config) bool {
				return string(c.Telegram.Token) == w.tg.Token() && c.Access.Owners[0] == "telegram:42" && c.Model.APIKey == "sk-test-12345" &&
					c.Model.BaseURL == w.llm.URL() && c.Model.Name == "test"
			}},
		{"discord without an owner", func(w *world) []string { return []string{w.llm.URL() + " - test", "discord", discordtest.Token, ""} },
			[]string{"the token of parley", "tick Message Content Intent", "client_id=" + discordtest.App, "permissions=274878008320",
				"press Continue"},
			func(_ *world, c config.Config) bool {
				return c.Discord.Token == discordtest.Token && len(c.Access.Owners) == 0 && c.Model.APIKey == ""
			}},
		{"terminal", func(*world) []string { return []string{"", ""} }, []string{"built-in responder"},
			func(_ *world, c config.Config) bool { return c.Model.Name == "builtin" && c.Telegram.Token == "" }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			w.dc.Flags(0)
			w.llm.RequireKey("")
			out, code := w.asked(t, tt.answers(w)...)
			if code != 0 {
				t.Fatalf("exit %d:\n%s", code, out)
			}
			for _, want := range tt.says {
				if !strings.Contains(out, want) {
					t.Errorf("it does not say %q:\n%s", want, out)
				}
			}
			c, err := config.Load(config.Options{File: w.file})
			if err != nil || len(c.Warnings) > 0 || !tt.check(w, c) {
				b, _ := os.ReadFile(w.file)
				t.Errorf("%v %v\n%s", err, c.Warnings, b)
			}
			if st, err := os.Stat(w.file); err != nil || st.Mode().Perm() != 0o600 {
				t.Errorf("mode %v %v", st.Mode(), err)
			}
		})
	}
}

// TestInitIsAMenu: people pick a model from the endpoint's list, set up several platforms
// at once and take back each answer; init corrects an address.
func TestInitIsAMenu(t *testing.T) {
	for _, tt := range []struct {
		name    string
		answers func(w *world) []string
		says    []string
		check   func(w *world, c config.Config) bool
	}{
		{"a model by its number", func(w *world) []string { return []string{w.llm.URL(), "", "2", "terminal"} },
			[]string{"1  alpha", "2  beta", "beta answers"},
			func(_ *world, c config.Config) bool { return c.Model.Name == "beta" }},
		{"a model by part of its name", func(w *world) []string { return []string{w.llm.URL(), "", "gam", "terminal"} },
			[]string{"gamma answers"},
			func(_ *world, c config.Config) bool { return c.Model.Name == "gamma" }},
		{"Enter takes the first", func(w *world) []string { return []string{w.llm.URL(), "", "", ""} },
			nil,
			func(_ *world, c config.Config) bool { return c.Model.Name == "alpha" }},
		{"an address without /v1 and without http", func(w *world) []string {
			return []string{strings.TrimPrefix(strings.TrimSuffix(w.llm.URL(), "/v1"), "http://"), "sk-some-key", "alpha", ""}
		},
			[]string{"/v1 was missing, I added it"},
			func(w *world, c config.Config) bool {
				return c.Model.BaseURL == w.llm.URL() && c.Model.APIKey == "sk-some-key"
			}},
		{"two platforms", func(w *world) []string {
			return []string{"builtin", "1 2", w.tg.Token(), "42", discordtest.Token, "77"}
		},
			[]string{"@parley_bot in a group", "client_id=" + discordtest.App, "press Continue"},
			func(w *world, c config.Config) bool {
				return string(c.Telegram.Token) == w.tg.Token() && c.Discord.Token == discordtest.Token &&
					slices.Equal(c.Access.Owners, []string{"telegram:42", "discord:77"})
			}},
		{"back from the token to another platform", func(*world) []string {
			return []string{"builtin", "telegram", "back", "discord", discordtest.Token, ""}
		},
			nil,
			func(_ *world, c config.Config) bool {
				return c.Telegram.Token == "" && c.Discord.Token == discordtest.Token
			}},
		{"back from the model to the provider", func(w *world) []string { return []string{w.llm.URL(), "", "back", "back", "builtin", ""} },
			nil,
			func(_ *world, c config.Config) bool { return c.Model.Name == "builtin" && c.Model.BaseURL == "" }},
		{"back at the beginning", func(*world) []string { return []string{"back", "builtin", ""} },
			[]string{"first question"},
			func(_ *world, c config.Config) bool { return c.Model.Name == "builtin" }},
		{"everything skipped", func(*world) []string { return []string{"skip", "telegram", "skip"} },
			[]string{"Without Telegram"},
			func(_ *world, c config.Config) bool { return c.Model.Name == "builtin" && c.Telegram.Token == "" }},
		{"a model skipped", func(w *world) []string { return []string{w.llm.URL(), "skip", "skip", "skip"} },
			nil,
			func(_ *world, c config.Config) bool { return c.Model.Name == "builtin" && c.Model.BaseURL == "" }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			w.llm.Models("alpha", "beta", "gamma", "text-embedding-3")
			out, code := w.asked(t, tt.answers(w)...)
			c, err := config.Load(config.Options{File: w.file})
			if code != 0 || err != nil || !tt.check(w, c) {
				b, _ := os.ReadFile(w.file)
				t.Errorf("exit %d, %v\n%s\n%s", code, err, b, out)
			}
			for _, want := range tt.says {
				if !strings.Contains(out, want) {
					t.Errorf("it does not say %q:\n%s", want, out)
				}
			}
		})
	}
}

func TestInitTakesAnswersFromAFile(t *testing.T) {
	for name, answers := range map[string]string{
		"by name": "# mine\nprovider: %[1]s\nkey: sk-of-a-file\nmodel: test\nplatforms: telegram discord\ntelegram.token: " +
			"%[2]s\ntelegram.owner: 42\ndiscord.token: %[3]s\n",
		"in order": "# mine\n%[1]s\nsk-of-a-file\ntelegram discord\n%[2]s\n42\n%[3]s\n\n",
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.file = filepath.Join(t.TempDir(), "bot.yaml")
			file := filepath.Join(t.TempDir(), "answers")
			must(t, os.WriteFile(file, fmt.Appendf(nil, answers, w.llm.URL(), w.tg.Token(), discordtest.Token), 0o600))
			out, code := w.asked(t, "--answers", file)
			c, err := config.Load(config.Options{File: w.file})
			if code != 0 || err != nil || c.Model.APIKey != "sk-of-a-file" || c.Model.Name != "test" || string(c.Telegram.Token) != w.tg.Token() ||
				c.Discord.Token != discordtest.Token || !slices.Equal(c.Access.Owners, []string{"telegram:42"}) {
				t.Errorf("exit %d, %v:\n%s", code, err, out)
			}
			if strings.Contains(out, "sk-of-a-file") || strings.Contains(out, w.tg.Token()) {
				t.Errorf("a secret is shown:\n%s", out)
			}
		})
	}
	t.Run("mixed", func(t *testing.T) {
		w := newWorld(t)
		file := filepath.Join(t.TempDir(), "answers")
		must(t, os.WriteFile(file, []byte("provider: builtin\ntelegram\n"), 0o600))
		if out, code := w.asked(t, "--answers", file); code == 0 || !strings.Contains(out, "line 2") {
			t.Errorf("exit %d:\n%s", code, out)
		}
	})
}

// TestInitWaitsForTheFirstMessage: it starts the bot with what was answered, says
// whom to write to, and tells who wrote.
func TestInitWaitsForTheFirstMessage(t *testing.T) {
	w := newWorld(t)
	t.Setenv("BOT_DATA_DIR", w.dir)
	go func() {
		waittest.Within(time.Minute, w.tg.Polling) // else nobody writes, and that is said
		w.tg.Push(telegramtest.Text(42, 42, "hello there"))
	}()
	out, code := w.asked(t, w.llm.URL()+" - test", "telegram", w.tg.Token(), "42", "yes")
	if code != 0 || !strings.Contains(out, "Write to @parley_bot on Telegram now") || !strings.Contains(out, "It works: ") ||
		strings.Contains(out, "hello there") {
		t.Errorf("exit %d:\n%s", code, out)
	}
	if sent := w.sent(t, 1); !strings.Contains(sent[0], "hello there") {
		t.Errorf("got %q", sent)
	}
}

func TestInitSaysHowToFix(t *testing.T) {
	for _, tt := range []struct {
		name, want string
		answers    func(w *world) []string
	}{
		{"model away", "nothing listens at 127.0.0.1:1", func(*world) []string { return []string{"http://127.0.0.1:1/v1 sk-secret-key"} }},
		{"model missing", "does not have the model absent; it has test",
			func(w *world) []string { return []string{w.llm.URL() + " sk-secret-key absent"} }},
		{"model key", "refuses the key", func(w *world) []string {
			w.llm.RequireKey("another")
			return []string{w.llm.URL() + " sk-secret-key test"}
		}},
		{"ollama away", "ollama serve", func(*world) []string { return []string{"ollama"} }},
		{"platform", "I know telegram, discord, matrix, terminal, not", func(*world) []string { return []string{"builtin", "signal"} }},
		{"telegram token", "@BotFather", func(*world) []string { return []string{"builtin", "telegram", "1:sk-secret-key"} }},
		{"no token", "not a token", func(*world) []string { return []string{"builtin", "telegram", "", ""} }},
		{"discord token", "Reset Token", func(*world) []string { return []string{"builtin", "discord", "sk-secret-key"} }},
		{"telegram away", "check the network", func(w *world) []string { w.cut(); return []string{"builtin", "telegram", "1:sk-secret-key"} }},
		{"owner by name", "not a numeric id", func(w *world) []string { return []string{"builtin", "telegram", w.tg.Token(), "@ann"} }},
		{"owner shared", "use the numeric id of one person", func(w *world) []string {
			return []string{"builtin", "telegram",
				w.tg.Token(), "1087968824"}
		}},
		{"input ends", "ended before the last question", func(w *world) []string { return []string{"builtin", "telegram", w.tg.Token()} }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			out, code := w.asked(t, tt.answers(w)...)
			if code != exitFailure && code != exitUsage || !strings.Contains(out, tt.want) {
				t.Errorf("exit %d, want %q:\n%s", code, tt.want, out)
			}
			if strings.Contains(out, "sk-secret-key") {
				t.Errorf("a secret is shown:\n%s", out)
			}
			if left, _ := filepath.Glob(w.file + "*"); len(left) != 0 {
				t.Errorf("written: %v", left)
			}
		})
	}
}

// Who is asked in a language may go back and skip in it.
func TestInitUnderstandsBackAndSkip(t *testing.T) {
	t.Setenv("LC_ALL", "de_DE.UTF-8")
	w := newWorld(t)
	out, code := w.asked(t, w.llm.URL(), "zurück", "Überspringen", "telegram", "überspringen")
	if c, err := config.Load(config.Options{File: w.file}); code != 0 || err != nil || c.Model.Name != "builtin" ||
		!strings.Contains(out, "Dann ohne Telegram") {
		t.Errorf("exit %d, %v, model %q:\n%s", code, err, c.Model.Name, out)
	}
}

func TestInitKeepsAFileThatExists(t *testing.T) {
	w := newWorld(t)
	if out, code := w.asked(t, "", ""); code != 0 {
		t.Fatal(out)
	}
	must(t, os.WriteFile(w.file, []byte("log: {level: warn}\n"), 0o600))
	if out, code := w.asked(t, "", ""); code != exitFailure || !strings.Contains(out, "--force") {
		t.Errorf("exit %d: %s", code, out)
	}
	if b, _ := os.ReadFile(w.file); string(b) != "log: {level: warn}\n" {
		t.Errorf("it was overwritten: %s", b)
	}
}

// TestInitOnATerminal types at a pseudo terminal: a wrong answer is asked for
// again, and no secret is echoed.
func TestInitOnATerminal(t *testing.T) {
	w := newWorld(t)
	ours, theirs := terminalPair(t)
	w.file = filepath.Join(t.TempDir(), "bot.yaml")
	cmd := exec.Command(os.Args[0], "init", "--config", w.file)
	cmd.Env = append(os.Environ(), childEnv+"=1", "BOT_TELEGRAM_API_URL="+w.tg.URL(), "BOT_DISCORD_API_URL=http://127.0.0.1:1",
		"OLLAMA_HOST=127.0.0.1:1")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, theirs, theirs
	must(t, cmd.Start())
	t.Cleanup(func() { kill(cmd) })
	_ = theirs.Close()
	var shown safeBuffer
	read := 0
	go func() { _, _ = io.Copy(&shown, ours) }()
	for _, step := range []struct{ wait, answer string }{
		{"1. Who answers", strings.TrimSuffix(w.llm.URL(), "/v1")}, {"/v1 was missing, I added it", "sk-typed-key"},
		{"test answers", "back"}, {"Its key", "back"}, {"nobody yet", w.llm.URL() + " sk-typed-key test"}, {"test answers", "telegram discord"},
		{"3. Open https://t.me/BotFather", "1:wrong-token"}, {"does not know this token", w.tg.Token()},
		{"4. Who owns it", "ann"}, {"not a numeric id", "42"},
		{"Reset Token", "a-discord-token"}, {"check the network", "Skip"}, {"Start it now", "no"},
	} {
		eventually(t, step.wait+" in "+shown.String(), func() bool {
			_, rest, ok := strings.Cut(shown.String()[read:], step.wait)
			return ok && strings.HasSuffix(rest, ": ") // it has asked
		})
		read = len(shown.String())
		if _, err := io.WriteString(ours, step.answer+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, shown.String())
	}
	text := shown.String()
	if !strings.Contains(text, "telegram discord\r\n") || !strings.Contains(text, "42\r\n") || !strings.Contains(text,
		w.llm.URL()+" •••••••••••• test\r\n") {
		t.Errorf("what is no secret is not shown: %s", text)
	}
	for _, secret := range []string{"sk-typed-key", "1:wrong-token", "a-discord-token", w.tg.Token()} {
		if strings.Contains(text, secret) {
			t.Errorf("%s is shown: %s", secret, text)
		}
	}
	if c, err := config.Load(config.Options{File: w.file}); err != nil || string(c.Telegram.Token) != w.tg.Token() || c.Discord.Token != "" {
		t.Errorf("written: %+v and %+v, %v", c.Telegram, c.Discord, err)
	}
}

// terminalPair opens a pseudo terminal.
func terminalPair(t *testing.T) (ours, theirs *os.File) {
	t.Helper()
	ours, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no pseudo terminals here:", err)
	}
	t.Cleanup(func() { _ = ours.Close() })
	name, err := ptsName(ours)
	if err != nil {
		t.Skip("no pseudo terminals here:", err)
	}
	theirs, err = os.OpenFile(name, os.O_RDWR|unix.O_NOCTTY, 0)
	must(t, err)
	return ours, theirs
}
