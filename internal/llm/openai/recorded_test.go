package openai

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/llm/llmtest"
)

// TestRecordedAnswers plays what llama.cpp's server streamed from SmolLM2-135M,
// recorded with eval/live: keep-alives, a first piece without text, and a model
// that repeats the fence around a turn's context. What is shown is what is said,
// and usage is reported.
func TestRecordedAnswers(t *testing.T) {
	files, err := filepath.Glob("testdata/wire/*.sse")
	if err != nil || len(files) == 0 {
		t.Fatal("no recordings", err)
	}
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s := fake(t)
		s.Queue(llmtest.Turn{Body: string(body), Header: map[string]string{"Content-Type": "text/event-stream"}})
		shown := ""
		resp, err := client(t, s, true).Complete(t.Context(), offering("hi"), func(d string) { shown += d })
		if err != nil || resp.Message.Content == "" || strings.TrimSpace(shown) != strings.TrimSpace(resp.Message.Content) ||
			resp.Usage.Completion == 0 || resp.Usage.Attempts != 1 {
			t.Errorf("%s: %+v, shown %q, %v", file, resp, shown, err)
		}
		if strings.Contains(resp.Message.Content, "<context>") || strings.Contains(resp.Message.Content, "</context>") {
			t.Errorf("%s: the fence is shown: %q", file, resp.Message.Content)
		}
	}
}
