package openai

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"parley/internal/llm"
	"parley/internal/text/waittest"
)

// TestAWholeAnswerThatGrows: without streaming the timeout is for the first byte
// of the answer and for each gap; blanks that keep a connection are no answer.
func TestAWholeAnswerThatGrows(t *testing.T) {
	const timeout, gap = 3 * time.Second, 500 * time.Millisecond
	for name, pieces := range map[string][]string{
		"grows": {`{"model":"m",`, `"choices":`, `[{"message":`, `{"role":"assistant",`, `"content":"hi"},`, `"finish_reason":`, `"stop"}]}`},
		"blank": {" ", "\n", " ", "\n", " ", "\n", " "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				for _, piece := range pieces {
					_, _ = fmt.Fprint(w, piece)
					w.(http.Flusher).Flush()
					waittest.Take(r.Context(), gap)
				}
				if name == "blank" {
					<-r.Context().Done()
				}
			}))
			t.Cleanup(s.Close)
			c, err := New(Options{BaseURL: s.URL, Model: "test", Timeout: timeout, Total: 30 * time.Second})
			if err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			resp, err := c.Complete(context.Background(), llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: "hi"}}}, nil)
			if (name == "grows") != (err == nil) || err == nil && resp.Message.Content != "hi" || time.Since(began) > 20*time.Second {
				t.Errorf("%q, %v after %s", resp.Message.Content, err, time.Since(began))
			}
		})
	}
}
