package main

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/llm/llmtest"
	"parley/internal/memory"
	"parley/internal/memory/datadir"
)

// examined runs bot doctor with the world's settings and returns its lines.
func (w *world) examined(t *testing.T, env ...string) (out string, code int) {
	t.Helper()
	w.setenv(t, env...)
	return w.call(t, "doctor")
}

// setenv gives commands that run in this process the environment of the bot, and more.
func (w *world) setenv(t *testing.T, more ...string) {
	t.Helper()
	for _, e := range slices.Concat(w.env, more) {
		name, value, _ := strings.Cut(e, "=")
		t.Setenv(name, value)
	}
}

// obedient calls the first tool that it is offered, as a model does that is told to, and
// knows what it is asked.
func obedient(r llmtest.Request) llmtest.Turn {
	var tools []struct{ Function struct{ Name string } }
	if json.Unmarshal(r.Tools, &tools) != nil || len(tools) == 0 {
		return llmtest.Turn{Text: "Paris."}
	}
	return llmtest.Turn{Calls: []llmtest.Call{{ID: "1", Name: tools[0].Function.Name, Args: `{"word":"apple"}`}}}
}

func TestDoctorFindsNothing(t *testing.T) {
	w := newWorld(t).onDiscord()
	w.llm.Respond(obedient)
	w.run(t) // and disturbs nobody
	eventually(t, "a poll", w.tg.Polling)
	out, code := w.examined(t, "BOT_ACCESS_MODE=pairing", "BOT_MODEL_EMBEDDING="+llmtest.EmbeddingModel)
	if code != 0 || strings.Contains(out, "BAD") || strings.Contains(out, "warn") {
		t.Errorf("exit %d:\n%s", code, out)
	}
	for _, want := range []string{"config", "prompt", "access", "data folder", "schema", "database", "disk", "model",
		"embedding", "telegram", "telegram receiving", "telegram clock", "discord", "discord receiving", "discord clock"} {
		if !strings.Contains(out, "\nok   "+want+" ") && !strings.HasPrefix(out, "ok   "+want+" ") {
			t.Errorf("%s is not checked:\n%s", want, out)
		}
	}
	if n := w.dc.Identifies(); n != 1 || len(w.tg.Calls("getUpdates")) > 2 {
		t.Errorf("doctor took part: %d gateway sessions, %d polls", n, len(w.tg.Calls("getUpdates")))
	}
}

// spoiled is something that is wrong, and what doctor says of it.
type spoiled struct {
	name, want string
	exit       int
	spoil      func(t *testing.T, w *world)
}

// sets is an environment in which something is wrong.
func sets(env ...string) func(*testing.T, *world) {
	return func(_ *testing.T, w *world) { w.env = append(w.env, env...) }
}

func (s spoiled) examine(t *testing.T) {
	w := newWorld(t, "BOT_ACCESS_MODE=pairing")
	s.spoil(t, w)
	out, code := w.examined(t)
	if code != s.exit || !strings.Contains(out, s.want) {
		t.Errorf("exit %d, want %d and %q:\n%s", code, s.exit, s.want, out)
	}
	if strings.Contains(out, w.tg.Token()) || strings.Contains(out, "sk-secret") {
		t.Errorf("a secret is shown:\n%s", out)
	}
}

// helped gives the bot a helper.
func helped(t *testing.T, settings string) func(*testing.T, *world) {
	prompt := filepath.Join(t.TempDir(), "prompt.md")
	must(t, os.WriteFile(prompt, []byte("Help."), 0o600))
	return func(t *testing.T, w *world) {
		w.settings(t, "subagents:\n  - {description: helps, prompt_file: "+prompt+", "+settings+"}\n")
	}
}

func TestDoctorFinds(t *testing.T) {
	for _, tt := range []spoiled{
		{"embedding", "check model.embedding, which is mistyped", 1, sets("BOT_MODEL_EMBEDDING=mistyped")},
		{"intent", "tick Message Content Intent", 1, func(_ *testing.T, w *world) { w.onDiscord().dc.Flags(1 << 23) }},
		{"verified intent", "ok   discord receiving", 0, func(_ *testing.T, w *world) { w.onDiscord().dc.Flags(1 << 18) }},
		{"webhook", "a webhook is set at 127.0.0.1:", 1, func(t *testing.T, w *world) {
			if resp, err := http.PostForm(w.tg.URL()+"/bot"+w.tg.Token()+"/setWebhook",
				url.Values{"url": {"http://127.0.0.1:1/hook"}}); err != nil || resp.StatusCode != 200 {
				t.Fatal(resp, err)
			}
		}},
		{"privacy mode", "send /setprivacy to @BotFather", 1, sets("BOT_CHANNEL_MODE=ambient")},
		{"telegram token", "copy it again from @BotFather", 1, func(_ *testing.T, w *world) { w.tg.Revoke(true) }},
		{"discord token", "Reset Token", 1, func(_ *testing.T, w *world) {
			w.env = append(w.env, "BOT_DISCORD_TOKEN=mistyped", "BOT_DISCORD_API_URL="+w.dc.URL())
		}},
		{"telegram is away", "cannot be reached", 1, func(_ *testing.T, w *world) { w.cut() }},
		{"clock", "clock is off by -", 1, func(t *testing.T, w *world) {
			ahead := telegramtest.Start(telegramtest.Options{Now: func() time.Time { return time.Now().Add(time.Hour) }})
			t.Cleanup(ahead.Close)
			w.env = append(w.env, "BOT_TELEGRAM_API_URL="+ahead.URL())
		}},
		{"open", "everybody may talk with the bot (access.mode open), as much", 0, sets("BOT_ACCESS_MODE=open")},
		{"open and bounded", "unless you mean it", 0, sets("BOT_ACCESS_MODE=open", "BOT_LIMITS_TOKENS_PER_DAY=1000")},
		{"star", "access.mode open says that", 1, sets("BOT_ACCESS_ALLOW=*")},
		{"readable folder", "chmod 700", 1, func(t *testing.T, w *world) { must(t, os.Mkdir(w.dir, 0o755)) }},
		{"readable settings", "warn config", 0, func(t *testing.T, w *world) {
			w.file = filepath.Join(t.TempDir(), "bot.yaml")
			must(t, os.WriteFile(w.file, []byte("model: {api_key: sk-secret}\n"), 0o644))
		}},
		{"damage", "bot restore FILE", 1, func(t *testing.T, w *world) {
			s, err := memory.Open(t.Context(), w.dir, memory.Options{})
			must(t, err)
			must(t, s.Close())
			must(t, os.Truncate(filepath.Join(w.dir, datadir.Name), 5000))
		}},
		{"a helper's name", "BAD  tools              subagents[0]: the name recall_conversation is taken by another tool", 1,
			helped(t, "name: recall_conversation")},
		{"a helper's tools", "subagents[0].tools: there is no tool \"list_taks\"; did you mean list_tasks?", 1,
			helped(t, "name: helper, tools: [list_taks]")},
		{"no model", "check model.base_url", 1, sets("BOT_MODEL_NAME=absent")},
	} {
		t.Run(tt.name, tt.examine)
	}
}

// TestDoctorSpeaksTheMachinesLanguage: names, reasons and what to do are in the language
// that the machine is set to.
func TestDoctorSpeaksTheMachinesLanguage(t *testing.T) {
	in := func(lang string, spoil func(t *testing.T, w *world)) func(t *testing.T, w *world) {
		return func(t *testing.T, w *world) {
			w.env = append(w.env, "LC_ALL="+lang)
			spoil(t, w)
		}
	}
	for _, tt := range []spoiled{
		{"token", "BAD  telegram           Telegram kennt dieses Token nicht: ", 1, in("de_DE.UTF-8", func(_ *testing.T, w *world) { w.tg.Revoke(true) })},
		{"folder", "BAD  Datenordner        ", 1, in("de_DE.UTF-8", func(t *testing.T, w *world) { must(t, os.Mkdir(w.dir, 0o755)) })},
		{"model", "; проверьте model.base_url, model.api_key и model.name", 1, in("ru_RU.UTF-8", sets("BOT_MODEL_NAME=absent"))},
		{"width", "warn 访问               任何人都能和机器人说话", 0, in("zh_CN.UTF-8", sets("BOT_ACCESS_MODE=open"))},
	} {
		t.Run(tt.name, tt.examine)
	}
}

// TestDoctorTriesTheModel: an endpoint that lists its models may refuse every
// conversation all the same.
func TestDoctorTriesTheModel(t *testing.T) {
	for _, tt := range []spoiled{
		{"an endpoint whose list is open and whose chat wants a key", "wants a key, and none is set", 1, func(_ *testing.T, w *world) {
			w.llm.Respond(func(llmtest.Request) llmtest.Turn {
				return llmtest.Turn{Status: http.StatusUnauthorized, Body: `{"error":{"message":"No auth credentials found"}}`}
			})
		}},
		{"an endpoint whose list is open and whose chat refuses the key", "refuses the key", 1, func(_ *testing.T, w *world) {
			w.env = append(w.env, "BOT_MODEL_API_KEY=sk-secret-of-mine")
			w.llm.Respond(func(llmtest.Request) llmtest.Turn {
				return llmtest.Turn{Status: http.StatusUnauthorized, Body: `{"error":{"message":"User not found."}}`}
			})
		}},
		{"no /v1", "set model.base_url to http://127.0.0.1:", 1, func(_ *testing.T, w *world) {
			w.env = append(w.env, "BOT_MODEL_BASE_URL="+strings.TrimSuffix(w.llm.URL(), "/v1"))
		}},
		{"a proxy's page", "a web page answers", 1, func(_ *testing.T, w *world) {
			w.llm.Respond(func(llmtest.Request) llmtest.Turn {
				return llmtest.Turn{Status: http.StatusOK, Body: "<html><title>Log in</title></html>"}
			})
		}},
		{"a model without sense", `said "What is the capital`, 0, func(*testing.T, *world) {}},
		{"a model that only talks", "called no tool", 0, func(*testing.T, *world) {}},
	} {
		t.Run(tt.name, tt.examine)
	}
}
