package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/llm/llmtest"
)

// client runs bot mcp as another program would.
func (w *world) client(t *testing.T) *sdk.ClientSession {
	t.Helper()
	cmd := exec.Command(os.Args[0], "mcp")
	cmd.Env = append(slices.Concat(os.Environ(), w.env), childEnv+"=1")
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	c := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	s, err := c.Connect(t.Context(), &sdk.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatalf("%v: %s", err, complaints.String())
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("end: %v: %s", err, complaints.String())
		}
	})
	return s
}

func ask(t *testing.T, s *sdk.ClientSession, tool string, args map[string]any) (text string, failed bool) {
	t.Helper()
	r, err := s.CallTool(context.Background(), &sdk.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	return r.Content[0].(*sdk.TextContent).Text, r.IsError
}

func TestMCPServer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.client(t) // the bot is not running, and there is no data folder yet
	list, err := s.ListTools(t.Context(), nil)
	must(t, err)
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	slices.Sort(names)
	want := []string{"add_task", "complete_task", "list_facts", "list_tasks", "recall_conversation", "save_fact", "update_fact"}
	if !slices.Equal(names, want) {
		t.Errorf("offers %v, want %v", names, want)
	}
	if got, failed := ask(t, s, "save_fact", map[string]any{"content": "Prefers tea over coffee"}); failed {
		t.Errorf("save_fact: %s", got)
	}
	if got, failed := ask(t, s, "add_task", map[string]any{"text": 5}); !failed {
		t.Errorf("wrong arguments were taken: %s", got)
	}
	w.run(t) // beside it, from now on
	if got, failed := ask(t, s, "add_task", map[string]any{"description": "water the plants"}); failed {
		t.Errorf("add_task: %s", got)
	}
	w.llm.Respond(func(llmtest.Request) llmtest.Turn { return llmtest.Turn{Text: "noted"} })
	w.tg.Push(telegramtest.Text(1, 1, "/tasks list")) // the owner
	w.tg.Push(telegramtest.Text(1, 1, "/facts list"))
	w.tg.Push(telegramtest.Text(2, 2, "/facts list")) // somebody else
	got := strings.Join(w.sent(t, 3), "\n")
	if strings.Count(got, "water the plants") != 1 || strings.Count(got, "tea over coffee") != 1 {
		t.Errorf("the bot shows %q", got)
	}
	w.saying(t, 1, 1, "the wifi password hint is the blue boat")
	if got, _ := ask(t, s, "recall_conversation", map[string]any{"query": "blue boat"}); !strings.Contains(got, "wifi") {
		t.Errorf("recalls %q", got)
	}
	if got, _ := ask(t, s, "list_facts", nil); !strings.Contains(got, "tea over coffee") {
		t.Errorf("facts %q", got)
	}
}

// What bot mcp says of its tools is so: calling again what is said to be
// idempotent changes nothing more, and what is not, does.
func TestMCPServerTellsTheTruth(t *testing.T) {
	w := newWorld(t)
	s := w.client(t)
	list, err := s.ListTools(t.Context(), nil)
	must(t, err)
	said := map[string]*sdk.ToolAnnotations{}
	for _, tool := range list.Tools {
		said[tool.Name] = tool.Annotations
		if *tool.Annotations.OpenWorldHint || tool.Annotations.ReadOnlyHint && *tool.Annotations.DestructiveHint {
			t.Errorf("%s: %+v", tool.Name, tool.Annotations)
		}
	}
	state := func() string {
		tasks, _ := ask(t, s, "list_tasks", nil)
		facts, _ := ask(t, s, "list_facts", nil)
		return tasks + facts
	}
	for _, tt := range []struct {
		name string
		args map[string]any
	}{
		{"add_task", map[string]any{"description": "water the plants"}},
		{"save_fact", map[string]any{"content": "Prefers tea over coffee"}},
		{"update_fact", map[string]any{"id": 1, "content": "Prefers coffee over tea"}},
		{"complete_task", map[string]any{"id": 1}},
	} {
		before := state()
		first, failed := ask(t, s, tt.name, tt.args)
		if failed {
			t.Fatalf("%s: %s", tt.name, first)
		}
		once := state()
		ask(t, s, tt.name, tt.args)
		twice := state()
		if again := once == twice; again != said[tt.name].IdempotentHint || before == once {
			t.Errorf("%s says idempotent %t; twice is once: %t\n%s\n%s", tt.name, said[tt.name].IdempotentHint, again, once, twice)
		}
	}
	for name, destroys := range map[string]bool{"add_task": false, "save_fact": false, "update_fact": true, "complete_task": true} {
		if *said[name].DestructiveHint != destroys {
			t.Errorf("%s says destructive %t", name, !destroys)
		}
	}
	for _, name := range []string{"list_tasks", "list_facts", "recall_conversation"} {
		if !said[name].ReadOnlyHint {
			t.Errorf("%s does not say that it only reads", name)
		}
	}
}
