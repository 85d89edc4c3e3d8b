package app

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"parley/internal/chat"
	"parley/internal/llm/llmtest"
	"parley/internal/tools"
)

// A planning librarian never has tools that write, however many jobs run at once.
func TestPlanningLibrarianNeverWrites(t *testing.T) {
	t.Parallel()
	model := llmtest.NewServer()
	t.Cleanup(model.Close)
	cfg := configured(t, "BOT_MODEL_BASE_URL="+model.URL(), "BOT_MODEL_NAME=test", "BOT_VAULT_DIR="+t.TempDir(), "BOT_VAULT_READERS=everyone")
	a := built(t, cfg, slog.New(slog.DiscardHandler), nil)
	must(t, a.notes.index.Refresh(t.Context()))
	model.Respond(func(llmtest.Request) llmtest.Turn { return llmtest.Turn{Text: "Merge a.md into b.md."} })
	job := a.notes.librarian()
	var all sync.WaitGroup
	for i := range 40 {
		c := tools.Call{Key: fmt.Sprint("call", i), Name: tools.Librarian, Args: json.RawMessage(`{"task":"tidy"}`),
			Where: chat.Key{Platform: "telegram", Channel: fmt.Sprint(i)}, Who: chat.User{ID: "telegram:1"}, Direct: true}
		all.Go(func() {
			if _, err := job.Spec().Ask(t.Context(), c); err != nil {
				t.Error(err)
			}
			if _, err := job.Call(t.Context(), c); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	planned, done := 0, 0
	for _, r := range model.Requests() {
		writes := strings.Contains(string(r.Tools), "vault_write")
		switch {
		case strings.HasPrefix(r.Last("user"), "Make a plan"):
			if planned++; writes {
				t.Errorf("a planning librarian had %s", r.Tools)
			}
		case writes:
			done++
		}
	}
	if planned != 40 || done != 40 {
		t.Errorf("%d plans and %d jobs with writing tools, want 40 of each", planned, done)
	}
}
