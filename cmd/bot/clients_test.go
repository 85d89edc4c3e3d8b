package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/internal/llm/llmtest"
)

// official is an official client, run as a program of its own.
type official struct {
	name string
	args []string
}

// programs returns the official clients that stand in a folder.
func programs(t *testing.T, folder string) []official {
	t.Helper()
	here, err := filepath.Abs("../../eval/clients")
	must(t, err)
	python := filepath.Join(folder, "bin", "python")
	return []official{
		{"openai for Python", []string{python, filepath.Join(here, "ask.py"), "openai"}},
		{"litellm", []string{python, filepath.Join(here, "ask.py"), "litellm"}},
		{"openai for Node", []string{"node", filepath.Join(here, "ask.mjs"), folder}},
	}
}

// plays has a client play a part; it ends what it returns.
func (p official) plays(t *testing.T, part, base, token string) (said func() string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), p.args[0], append(p.args[1:], part)...)
	cmd.Env = append(os.Environ(), "BASE="+base, "TOKEN="+token)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	must(t, cmd.Start())
	return func() string {
		t.Helper()
		err := cmd.Wait()
		if t.Logf("%s %s:\n%s", p.name, part, &out); err != nil {
			t.Errorf("%s %s: %v", p.name, part, err)
		}
		return out.String()
	}
}

// clerk has the model note what it should, delete what it should, and repeat anything else.
func (w *world) clerk() {
	w.llm.Respond(func(r llmtest.Request) llmtest.Turn {
		last := r.Messages[len(r.Messages)-1]
		switch said := r.Last("user"); {
		case last.Role == "tool":
			return llmtest.Turn{Text: "It is done, as you wished, and as you know me.", Chunks: 6, ChunkWait: 50 * time.Millisecond}
		case strings.Contains(said, "delete the milk"):
			return callTool("delete_task", `{"id":1}`)
		case strings.HasPrefix(said, "note that"):
			return callTool("add_task", fmt.Sprintf(`{"description":%q}`, strings.TrimPrefix(said, "note that I must ")))
		default:
			return llmtest.Turn{Text: "I heard: " + said}
		}
	})
}

// TestClients: official clients get what they know from elsewhere, and their own way of trying
// again does nothing twice, though the bot is killed in the middle.
func TestClients(t *testing.T) {
	folder := os.Getenv("PARLEY_CLIENTS")
	if folder == "" {
		t.Skip("needs the official clients: make clients")
	}
	for _, p := range programs(t, folder) {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "BOT_HTTP_API_PER_MINUTE=0")
			base := withAPI(t, w)
			w.clerk()
			child := w.start(t)
			token := w.token(t, 7)
			p.plays(t, "all", base, token)()
			for part, point := range map[string]string{"persist": "after_tool", "again": "before_send"} {
				w.settled(t)
				kill(child)
				before := w.count(t, "SELECT count(*) FROM tasks")
				child = w.start(t, "BOT_FAILPOINT="+point)
				said := p.plays(t, part, base, token)
				diesWithin(t, child, 10*time.Minute) // importing litellm alone may take minutes
				child = w.start(t)
				if got := said(); !strings.Contains(got, "answered: It is done") {
					t.Errorf("%s: %s", part, got)
				}
				w.settled(t)
				if n := w.count(t, "SELECT count(*) FROM tasks"); n != before+1 {
					t.Errorf("%s: %d tasks more", part, n-before)
				}
			}
			kill(child)
			child = w.start(t, "BOT_HTTP_API_PER_MINUTE=5")
			p.plays(t, "limit", base, token)()
			kill(child)
		})
	}
}
