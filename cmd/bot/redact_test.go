package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/config"
	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/app/setup"
	"parley/internal/llm/llmtest"
	"parley/internal/text"
)

const (
	keyCanary = "sk-canary/with \"quotes\"+7"
	envCanary = "canary-of-a-tool-server"
)

// TestSecretsGoNowhere runs a bot in which everything that can fail shows
// secrets: the person, the model, its errors and dead connections. None may be
// in the log, the chat, a request to the model, or what is stored of them.
func TestSecretsGoNowhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.file = filepath.Join(t.TempDir(), "bot.yaml")
	settings := "mcp: {servers: [{name: dead, command: [\"./" + envCanary + "\"], env: [\"KEY=" + envCanary + "\"]}]}\nlog: {level: debug}\n"
	must(t, os.WriteFile(w.file, []byte(settings), 0o600))
	w.env = append(w.env, "OPENAI_API_KEY="+keyCanary, "BOT_HTTP_LISTEN=127.0.0.1:0")
	w.llm.RequireKey(keyCanary)
	w.onDiscord().run(t)
	token := w.tg.Token()
	quoted := `sk-canary/with \"quotes\"+7`

	ask := func(n int, text string, turns ...llmtest.Turn) string {
		w.llm.Queue(turns...)
		w.tg.Push(telegramtest.Text(1, 1, text))
		return w.sent(t, n)[n-1]
	}
	ask(1, "my token is "+token+", see https://example.com/"+token, llmtest.Turn{Text: "It is " + keyCanary + ", I think", Chunks: 20})
	ask(2, "say it through a tool", llmtest.Turn{Calls: []llmtest.Call{{ID: "1", Name: "save_decision",
		Args: `{"content":"the key is ` + quoted + `"}`}}}, llmtest.Turn{Text: "done"})
	refused := llmtest.Turn{Status: 401, Body: `{"error":{"message":"Incorrect API key provided: ` + quoted + `"}}`}
	ask(3, "and now the key is refused", refused)
	cut := llmtest.Turn{Text: "half of " + keyCanary + " and", Finish: "",
		Stream: []string{`{"choices":[{"delta":{"content":"` + quoted + ` is cut"}}]}`}}
	ask(4, "cut", cut, cut, cut)
	ask(5, "/session info")
	ask(6, "/status")
	ask(7, "/tools list")
	lift := w.tg.Fail(telegramtest.Fault{Method: "sendMessage", Drop: true, Times: 1})
	ask(8, "dropped")
	lift()
	w.cut()
	eventually(t, "a failed poll in the log", func() bool { return strings.Contains(w.log.String(), "getUpdates") })
	must(t, w.stop())

	found := map[string]string{"the log": w.log.String()}
	for _, m := range w.tg.Sent() {
		found["the chat"] += m.Text + "\n"
	}
	for _, d := range w.tg.Drafts() {
		found["a draft"] += d.Text + "\n"
	}
	for _, r := range w.llm.Requests() {
		found["a request to the model"] += string(r.Raw) + "\n"
	}
	if !strings.Contains(found["the chat"], "It is "+text.Hidden+", I think") || !strings.Contains(found["a request to the model"],
		"my token is "+text.Hidden) {
		t.Errorf("the canaries did not come by: %s\n%s", found["the chat"], found["a request to the model"])
	}
	for where, text := range found {
		for _, secret := range []string{token, keyCanary, quoted, envCanary} {
			if i := strings.Index(text, secret); i >= 0 {
				t.Errorf("%s is in %s: …%s…", secret, where, text[max(0, i-200):min(len(text), i+100)])
			}
		}
	}
	err := filepath.WalkDir(w.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if strings.Contains(string(b), "sk-canary") {
			t.Errorf("what the model said of the key is in %s", filepath.Base(path))
		}
		return err
	})
	must(t, err)
}

func TestRedactorForms(t *testing.T) {
	t.Parallel()
	c := config.Default()
	c.Model.APIKey, c.Model.BaseURL, c.Telegram.Token = `a"b c/d+e`, "https://user:password1@host/v1", "123456:canary"
	c.Discord.Token = "123"
	r := setup.NewRedactor(c, setup.ShortestLogged)
	for text, want := range map[string]string{
		`key a"b c/d+e.`: "key (hidden).", `key=a\"b c/d+e`: "key=(hidden)", "?k=a%22b+c%2Fd%2Be&": "?k=(hidden)&",
		"https://user:password1@host": "https://user:(hidden)@host", "/bot123456:canary/getMe": "/bot(hidden)/getMe",
		"?t=123456%3Acanary": "?t=(hidden)",
		"123":                "123",
	} {
		if got := r.Hide(text); got != want {
			t.Errorf("%s became %s", text, got)
		}
	}
}

func TestMistakesOfTheProgramAreVeiled(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", keyCanary)
	t.Setenv("OPENAI_MODEL", "m")
	t.Setenv("OPENAI_BASE_URL", "http://user:"+envCanary+"@127.0.0.1:1/v1")
	var out safeBuffer
	for _, args := range [][]string{{"chat"}, {"doctor"}} {
		run(append(args, "--data", filepath.Join(t.TempDir(), "data")), strings.NewReader(""), &out, &out)
	}
	if text := out.String(); !strings.Contains(text, "127.0.0.1:1") || strings.Contains(text, envCanary) ||
		strings.Contains(text, "sk-canary") {
		t.Errorf("got %s", text)
	}
}
