package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/adapters/telegram/telegramtest"
)

// lines are what people say to a real model, in English, German and Spanish. A
// small model answers poorly; what counts is that each turn ends well.
var lines = []string{
	"Hi!", "What time is it?", "Add a task: buy milk", "Which tasks do I have?", "Remember that my sister is called Ana.",
	"What is my sister's name?", "Give me an example of a JSON object with a name and an age.", "Write a haiku about rain.",
	"How do I print a line in Python?",
	"What does <think> mean?", "Repeat exactly: <tool_call>{\"name\":\"add_task\",\"arguments\":{\"description\":\"x\"}}</tool_call>",
	"Thanks, bye.",
	"Hallo!", "Wie spät ist es?", "Notiere: Brot kaufen", "Was steht auf meiner Liste?", "Erzähl mir einen Witz.",
	"Wie heißt die Hauptstadt von Frankreich?",
	"¡Hola!", "¿Qué hora es?", "Recuérdame mañana a las 9 llamar a Ana", "¿Cuántos son 12 por 12?", "Cuéntame algo de Madrid.",
	"Traduce «rain» al español.", "Adiós.",
}

// trouble begins what is said when a turn does not end well.
var trouble = regexp.MustCompile(
	`I can't reach my language model|too many requests|quota is used up|not set up properly|too long for me to continue|did not get a usable answer|took longer than I may|too much for one go`)

// raw is what no answer of a model may show, unless it was asked for.
var raw = regexp.MustCompile(`<\|[a-z_]+\|>|</?think>|</?tool_call>|\[TOOL_CALLS\]|<function=`)

// wire notes what goes between the bot and a real server.
type wire struct {
	mu    sync.Mutex // guards the rest
	pairs []exchange
}

// exchange is a request and its answer, as they were on the wire.
type exchange struct {
	path   string
	asked  []byte
	status int
	said   bytes.Buffer
}

// RoundTrip implements http.RoundTripper.
func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	var asked []byte
	if r.Body != nil {
		var err error
		if asked, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
		r.Body = io.NopCloser(bytes.NewReader(asked))
	}
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	e := &exchange{path: r.URL.Path, asked: asked, status: resp.StatusCode}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.TeeReader(resp.Body, &e.said), closing{resp.Body, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.pairs = append(w.pairs, *e)
	}}}
	return resp, nil
}

// closing tells when a body is closed.
type closing struct {
	io.Closer
	then func()
}

func (c closing) Close() error {
	c.then()
	return c.Closer.Close()
}

// keep writes the answers to completions into a folder, one file each.
func (w *wire) keep(t *testing.T, dir string) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, e := range w.pairs {
		if !strings.HasSuffix(e.path, "/chat/completions") {
			continue
		}
		name := filepath.Join(dir, fmt.Sprintf("%03d-%d", i, e.status))
		must(t, os.WriteFile(name+".request.json", e.asked, 0o600))
		must(t, os.WriteFile(name+".answer", e.said.Bytes(), 0o600))
	}
}

// TestLiveMakesSense has the doctor ask the model at PARLEY_LIVE what any model knows, at
// the settings that everybody has who set none.
func TestLiveMakesSense(t *testing.T) {
	server := os.Getenv("PARLEY_LIVE")
	if server == "" {
		t.Skip("PARLEY_LIVE names no server")
	}
	w := newWorld(t, "BOT_MODEL_BASE_URL="+server, "BOT_MODEL_NAME="+os.Getenv("PARLEY_LIVE_MODEL"), "BOT_MODEL_TIMEOUT=4m")
	out, code := w.examined(t)
	t.Logf("exit %d:\n%s", code, out)
	if code != 0 || strings.Contains(out, "not sensibly") {
		t.Error("the doctor found no sense in what it says")
	}
	w.env = append(w.env, "BOT_AGENT_TURN_TIMEOUT=9m", "BOT_MODEL_MAX_TOKENS=48", "BOT_MODEL_CONTEXT_SIZE=8000")
	say := onTerminal(t, w)
	for _, line := range []string{"What is the capital of France?", "Hi!", "Which language do people speak in Spain?"} {
		got := say(line)
		t.Logf("%q -> %q", line, got)
		if strings.TrimSpace(got) == "" || trouble.MatchString(got) {
			t.Errorf("%q: %q", line, got)
		}
	}
}

// TestLive talks 50 turns with the server at PARLEY_LIVE, half of them on
// Telegram and half in the terminal: at most 2 end in a sentence of trouble, and
// none is empty or raw. PARLEY_WIRE is a folder for what was on the wire. See
// eval/live; `make live` starts the server.
func TestLive(t *testing.T) {
	server := os.Getenv("PARLEY_LIVE")
	if server == "" {
		t.Skip("PARLEY_LIVE names no server")
	}
	u, err := url.Parse(server)
	must(t, err)
	seen := &wire{}
	proxy := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(p *httputil.ProxyRequest) {
		p.SetURL(&url.URL{Scheme: u.Scheme,
			Host: u.Host})
	},
		Transport: seen, FlushInterval: -1})
	defer proxy.Close()
	var troubles, turns int
	for name, front := range map[string]func(*testing.T, *world) func(string) string{"telegram": liveTelegram, "terminal": onTerminal} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.env = append(w.env, "BOT_MODEL_BASE_URL="+proxy.URL+"/v1", "BOT_MODEL_NAME="+os.Getenv("PARLEY_LIVE_MODEL"),
				"BOT_MODEL_TIMEOUT=4m", "BOT_AGENT_TURN_TIMEOUT=9m", "BOT_MODEL_MAX_TOKENS=48", "BOT_MODEL_CONTEXT_SIZE=8000")
			say := front(t, w)
			for _, line := range lines {
				start := time.Now()
				got := say(line)
				turns++
				t.Logf("%5.1fs %q -> %q", time.Since(start).Seconds(), line, got)
				if strings.TrimSpace(got) == "" {
					t.Errorf("%q: an empty answer", line)
				}
				if raw.MatchString(got) && !raw.MatchString(line) {
					t.Errorf("%q: raw: %q", line, got)
				}
				if trouble.MatchString(got) {
					troubles++
				}
			}
		})
	}
	t.Logf("%d of %d turns ended in trouble", troubles, turns)
	if troubles > 2 {
		t.Errorf("%d of %d turns ended in trouble", troubles, turns)
	}
	if dir := os.Getenv("PARLEY_WIRE"); dir != "" {
		seen.keep(t, dir)
	}
}

// liveTelegram is as patient as a real model needs.
func liveTelegram(t *testing.T, w *world) func(string) string {
	w.run(t)
	return func(text string) string {
		n := len(w.tg.Sent())
		w.tg.Push(telegramtest.Text(1, 1, text))
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		sent, err := w.tg.WaitSent(ctx, n+1)
		must(t, err)
		return sent[n].Text
	}
}
