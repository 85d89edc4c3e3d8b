package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/llm/llmtest"
	"parley/internal/text/waittest"
)

// renderer is eval/templates/render.py.
type renderer struct {
	mu  sync.Mutex // guards the rest: one request at a time
	in  *json.Encoder
	out *bufio.Reader
}

func startRenderer(t *testing.T) *renderer {
	t.Helper()
	python := os.Getenv("PARLEY_PYTHON")
	if python == "" {
		python = "python3"
	}
	cmd := exec.CommandContext(context.Background(), python, "../../eval/templates/render.py")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	must(t, err)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() {
		_ = in.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
	return &renderer{in: json.NewEncoder(in), out: bufio.NewReader(out)}
}

// render returns the prompt that a template makes of a request.
func (r *renderer) render(template string, request json.RawMessage) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.in.Encode(map[string]any{"template": template, "request": request}); err != nil {
		return "", err
	}
	line, err := r.out.ReadBytes('\n')
	if err != nil {
		return "", err
	}
	var answer struct{ Prompt, Error string }
	if err := json.Unmarshal(line, &answer); err != nil {
		return "", err
	}
	if answer.Error != "" {
		return "", errors.New(answer.Error)
	}
	return answer.Prompt, nil
}

// rendered counts what became of the requests of one template.
type rendered struct {
	asked, refused int
	reasons        []string
	heard          bool // the newest words of the person stood in the prompt
}

// TestTemplates has the bot's own requests rendered by every chat template of
// the folder PARLEY_TEMPLATES: plain ones, with tools and their results, several
// calls at once, of a group, with a picture, after a fold, with a question that
// waits for a yes. Each message has to be answered, those that teach a quirk
// included. See eval/templates.
func TestTemplates(t *testing.T) {
	dir := os.Getenv("PARLEY_TEMPLATES")
	if dir == "" {
		t.Skip("PARLEY_TEMPLATES names no folder")
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.jinja"))
	must(t, err)
	r := startRenderer(t)
	whole := 0
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".jinja")
		t.Run(name, func(t *testing.T) {
			got := converse(t, func(req llmtest.Request) (string, error) { return r.render(file, req.Raw) })
			t.Logf("FIGURE %s: %d requests, %d refusals that taught %v", name, got.asked, got.refused, got.reasons)
			if !t.Failed() {
				whole++
			}
		})
	}
	t.Logf("FIGURE %d of %d templates: every message answered", whole, len(files))
}

// patient is how long an answer may grow.
const patient = 10 * time.Second

// converse leads a bot through everything a request can hold.
func converse(t *testing.T, render func(llmtest.Request) (string, error)) (got rendered) {
	w := newWorld(t, "BOT_MODEL_CONTEXT_SIZE=8000", "BOT_MODEL_STREAM=false").seeing()
	var mu sync.Mutex // guards got
	w.llm.Template(func(req llmtest.Request) error {
		prompt, err := render(req)
		mu.Lock()
		defer mu.Unlock()
		if got.asked++; err != nil {
			got.refused++
			got.reasons = append(got.reasons, fmt.Sprintf("%.120s", err))
		}
		got.heard = strings.Contains(prompt, "blue whale")
		return err
	})
	w.run(t)
	answered := func(what string, chat, user int64, text string, turns ...llmtest.Turn) {
		w.llm.Queue(append(turns, llmtest.Turn{Text: "Answer to " + what + "."})...)
		n := len(w.tg.Sent())
		w.saying(t, chat, user, text)
		// In a group the first sight of an answer may be a part of it.
		if !waittest.Within(patient, func() bool { return strings.Contains(w.tg.Sent()[n].Text, "Answer to "+what) }) {
			t.Fatalf("%s: said %q after %v", what, w.tg.Sent()[n].Text, got.reasons)
		}
		mu.Lock()
		defer mu.Unlock()
		if !got.heard {
			t.Errorf("%s: the prompt does not hold what was said", what)
		}
	}
	call := func(id, tool, args string) llmtest.Call { return llmtest.Call{ID: id, Name: tool, Args: args} }
	answered("plain", 1, 1, "a blue whale, hello")
	answered("tool", 1, 1, "what time is it for a blue whale?",
		llmtest.Turn{Calls: []llmtest.Call{call("call_0123456789abcdef", "current_time", `{}`)}})
	answered("two tools", 1, 1, "and its tasks, blue whale?", llmtest.Turn{Text: "I look.", Calls: []llmtest.Call{
		call("call_a", "list_tasks", `{}`), call("call_b", "current_time", `{}`)}})
	answered("after tools", 1, 1, "thanks, blue whale")
	answered("group", -100, 2, "@parley_bot a blue whale greets")
	answered("group, another", -100, 3, "@parley_bot and a second blue whale")
	picture := func(id string, turn llmtest.Turn) string {
		w.llm.Queue(turn)
		n := len(w.tg.Sent())
		w.send("photo", id, "a picture of a blue whale", testImage(t))
		return w.sent(t, n+1)[n]
	}
	if said := picture("one.png", llmtest.Turn{Text: "Answer to picture."}); !strings.Contains(said, "Answer to picture.") {
		t.Fatalf("picture: said %q after %v", said, got.reasons)
	}
	if said := picture("two.png", llmtest.Turn{Calls: []llmtest.Call{call("call_c", "add_task",
		`{"description":"x"}`)}}); !strings.Contains(said, "?") {
		t.Fatalf("a call because of a picture was not asked about: %q after %v", said, got.reasons)
	}
	answered("a question that waits", 7, 7, "what about the blue whale?")
	w.saying(t, 1, 1, "/summarize")
	answered("fold", 1, 1, "where were we, blue whale?")
	return got
}
