package main

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// recorder is a proxy that notes where somebody wants to go, and lets nobody
// through.
type recorder struct {
	*httptest.Server
	mu    sync.Mutex // guards hosts
	hosts []string
}

func newRecorder(t *testing.T) *recorder {
	r := &recorder{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		r.mu.Lock()
		defer r.mu.Unlock()
		host, _, err := net.SplitHostPort(q.Host)
		if err != nil {
			host = q.Host
		}
		r.hosts = append(r.hosts, host)
		w.WriteHeader(http.StatusForbidden)
	}))
	t.Cleanup(r.Close)
	return r
}

// reached returns the hosts, each once.
func (r *recorder) reached() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	seen := map[string]bool{}
	var all []string
	for _, h := range r.hosts {
		if !seen[h] {
			all = append(all, h)
		}
		seen[h] = true
	}
	return strings.Join(all, " ")
}

// bot runs a program of ours in a process of its own, through the recorder.
func (r *recorder) bot(t *testing.T, in string, env []string, args ...string) string {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append([]string{childEnv + "=1", "PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "OLLAMA_HOST=127.0.0.1:1",
		"HTTPS_PROXY=" + r.URL, "HTTP_PROXY=" + r.URL, "NO_PROXY=127.0.0.1"}, env...)
	cmd.Dir = t.TempDir()
	cmd.Stdin = strings.NewReader(in)
	out, _ := cmd.CombinedOutput() // it says how it ended
	return string(out)
}

// keyTail is the secret part of every key here.
const keyTail = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH"

// A key that init is given goes only to its certain owner; a proxy records every request.
func TestInitSendsKeysNowhereElse(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, answers, reached, says string }{
		{"a key of OpenAI", "sk-proj-" + keyTail, "api.openai.com", ""},
		{"an older one", "sk-abcdefghijklmnopqrstT3BlbkFJabcdefghijklmnopqrst", "api.openai.com", ""},
		{"OpenRouter", "sk-or-v1-" + keyTail, "openrouter.ai", "key of OpenRouter"},
		{"Anthropic", "sk-ant-api03-" + keyTail, "api.anthropic.com", "key of Anthropic"},
		{"Groq", "gsk_" + keyTail, "api.groq.com", "key of Groq"},
		{"Google", "AIzaSy" + keyTail, "generativelanguage.googleapis.com", "key of Google"},
		{"xAI", "xai-" + keyTail, "api.x.ai", "key of xAI"},
		{"sk- alone, which many use", "sk-" + keyTail, "", "sent it nowhere"},
		{"sk- and hex", "sk-0123456789abcdef0123456789abcdef", "", "sent it nowhere"},
		{"hex", "0123456789abcdef0123456789abcdef", "", "sent it nowhere"},
		{"a token of Telegram", "123456:" + keyTail, "", "sent it nowhere"},
		{"in quotes", `"sk-proj-` + keyTail + `"`, "", "sent it nowhere"},
		{"as a line of a shell", "OPENAI_API_KEY=sk-proj-" + keyTail, "", "sent it nowhere"},
		{"an address with a slip", "htps://api.example/v1 sk-" + keyTail, "", "sent it nowhere"},
		{"hex with a dot, as a host has", "0123456789abcdef0123456789abcdef." + keyTail, "", "sent it nowhere"},
		{"with a slash, as an address has", "abc/" + keyTail, "", "sent it nowhere"},
		{"another's key after the provider", "openai\nsk-ant-api03-" + keyTail, "", "secret of Anthropic"},
		{"an unknown key after the provider", "2\nsk-" + keyTail, "", "sent it nowhere"},
		{"Telegram's token after an address", "https://api.deepseek.example/v1\n123456:" + keyTail, "api.deepseek.example", ""},
		{"the name first", "gpt-4o sk-proj-" + keyTail, "", "sent it nowhere"},
		{"another's key for OpenAI's address", "https://api.openai.com/v1 sk-ant-api03-" + keyTail + " m", "", "sent only where it belongs"},
		{"OpenAI's key for another's address", "https://openrouter.ai/api/v1 sk-proj-" + keyTail + " m", "", "sent only where it belongs"},
		{"the key as the name", "https://api.openai.com/v1 m sk-proj-" + keyTail, "", "sent it nowhere"},
		{"a pair", "https://openrouter.ai/api/v1 sk-or-v1-" + keyTail + " m", "openrouter.ai", ""},
		{"an unknown form with an address", "https://api.deepseek.example/v1 sk-" + keyTail + " m", "api.deepseek.example", ""},
		{"a model's key for Telegram", "builtin\ntelegram\nsk-proj-" + keyTail, "", "sent it nowhere"},
		{"anything for Telegram", "builtin\ntelegram\n" + keyTail, "", "sent it nowhere"},
		{"Telegram's token for Discord", "builtin\ndiscord\n123456:" + keyTail, "", "sent it nowhere"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRecorder(t)
			out := r.bot(t, tt.answers+"\n", nil, "init", "--config", filepath.Join(t.TempDir(), "bot.yaml"))
			if got := r.reached(); got != tt.reached {
				t.Errorf("reached %q, want %q:\n%s", got, tt.reached, out)
			}
			if !strings.Contains(out, tt.says) || strings.Contains(out, keyTail) {
				t.Errorf("%q is not said, or the key is:\n%s", tt.says, out)
			}
		})
	}
}

// A start sends a key that is known to be another's nowhere, too.
func TestStartSendsKeysNowhereElse(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ env, reached string }{
		"OpenAI's":     {"OPENAI_API_KEY=sk-proj-" + keyTail, "api.openai.com"},
		"OpenRouter's": {"OPENAI_API_KEY=sk-or-v1-" + keyTail, ""},
		"Anthropic's":  {"BOT_MODEL_API_KEY=sk-ant-" + keyTail, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRecorder(t)
			out := r.bot(t, "", []string{tt.env}, "doctor")
			if got := r.reached(); got != tt.reached {
				t.Errorf("reached %q, want %q:\n%s", got, tt.reached, out)
			}
			if strings.Contains(out, keyTail) {
				t.Errorf("the key is shown:\n%s", out)
			}
		})
	}
}
