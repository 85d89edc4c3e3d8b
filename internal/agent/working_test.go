package agent

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"parley/internal/chat"
	"parley/internal/llm"
)

// workers is a chat.Reply that shows which tools are at work.
type workers struct {
	seen
	told []string
}

func (w *workers) Work(tool string, begins bool) {
	w.told = append(w.told, fmt.Sprint(tool, begins))
}

// TestPeopleSeeWhichToolsAreAtWork: whoever waits is told of each call as it runs.
func TestPeopleSeeWhichToolsAreAtWork(t *testing.T) {
	var ran atomic.Int32
	b := newBench(t, Options{}, adder(&ran))
	b.model.Call(llm.ToolCall{ID: "1", Name: "add", Args: `{"text":"milk"}`}).Say("3")
	w := &workers{}
	m := b.accept(chat.Message{Key: chat.Key{Platform: "telegram", Channel: "7"}, From: chat.User{ID: "telegram:7", Name: "Ann"},
		Text: "hello", Direct: true})
	_, err := b.Handle(context.Background(), m, w)
	must(t, err)
	if want := []string{"addtrue", "addfalse"}; !slices.Equal(w.told, want) {
		t.Errorf("told of %q, want %q", w.told, want)
	}
}
