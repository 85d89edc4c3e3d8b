package openai

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/llm"
	"parley/internal/llm/llmtest"
)

func embedder(t testing.TB, s *llmtest.Server) *Client {
	t.Helper()
	return made(t, Options{BaseURL: s.URL(), APIKey: key, Model: "test", Embedding: llmtest.EmbeddingModel,
		Timeout: 5 * time.Second, Total: time.Minute})
}

func TestEmbedInBatches(t *testing.T) {
	s := fake(t)
	s.RequireKey(key)
	var texts []string
	for i := range 150 {
		texts = append(texts, fmt.Sprint("text number ", i))
	}
	texts[3], texts[4] = "", strings.Repeat("ä", 9000) // nothing, and too much
	got, _, err := embedder(t, s).Embed(context.Background(), texts)
	if err != nil || len(got) != len(texts) {
		t.Fatalf("%d vectors, %v", len(got), err)
	}
	for i, text := range texts {
		if i != 3 && i != 4 && !slices.Equal(got[i], s.Vector(text)) {
			t.Errorf("%d is not the vector of its text", i)
		}
	}
	if n := len(s.Embedded()); n != 3 {
		t.Errorf("%d requests", n)
	}
	long := slices.Repeat([]string{strings.Repeat("much to say ", 500)}, 20)
	if got, _, err := embedder(t, s).Embed(context.Background(), long); err != nil || len(got) != 20 || len(s.Embedded()) != 6 {
		t.Errorf("%d vectors, %d requests, %v", len(got), len(s.Embedded()), err)
	}
	// A model that reads less gets less, from then on.
	s = fake(t)
	c := embedder(t, s)
	s.FailEmbeddings(llmtest.Refusal(400, `{"error":{"message":"the input length exceeds the context length"}}`),
		llmtest.Refusal(500, `{"error":{"message":"input (2000 tokens) is too large to process. increase the physical batch size"}}`))
	for range 2 {
		if got, _, err := c.Embed(context.Background(), long[:1]); err != nil || len(got) != 1 {
			t.Errorf("%d vectors, %v", len(got), err)
		}
	}
	var sizes []int
	for _, texts := range s.Embedded() {
		sizes = append(sizes, len(texts[0]))
	}
	if !slices.Equal(sizes, []int{6000, 3000, 1500, 1500}) {
		t.Errorf("texts of %d bytes", sizes)
	}
	if got, _, err := embedder(t, s).Embed(context.Background(), nil); err != nil || len(got) != 0 {
		t.Errorf("of nothing: %v, %v", got, err)
	}
}

func TestEmbedFailures(t *testing.T) {
	boom := llmtest.Refusal(500, `{"error":{"message":"boom `+key+`"}}`)
	short := llmtest.Turn{Body: `{"object":"list","data":[]}`}
	for _, tt := range []struct {
		name     string
		turns    []llmtest.Turn
		class    error // nil: it works in the end
		attempts int
	}{
		{"500 twice, then well", []llmtest.Turn{boom, boom}, nil, 3},
		{"500 for ever", []llmtest.Turn{boom, boom, boom, boom}, llm.ErrUnavailable, 3},
		{"429 with a short wait", []llmtest.Turn{llmtest.Refusal(429, `{}`, "Retry-After", "0.02")}, nil, 2},
		{"429 with a long wait", []llmtest.Turn{llmtest.Refusal(429, `{}`, "Retry-After", "30")}, llm.ErrRateLimited, 1},
		{"key", []llmtest.Turn{llmtest.Refusal(401, `{"error":{"message":"bad key `+key+`"}}`)}, llm.ErrAuth, 1},
		{"model", []llmtest.Turn{llmtest.Refusal(404, `{"error":"model \"x\" not found"}`)}, llm.ErrModelNotFound, 1},
		{"silence", []llmtest.Turn{{Status: 200, Body: "{", Hang: true}}, nil, 2},
		{"too few, then well", []llmtest.Turn{short}, nil, 2},
		{"too few for ever", []llmtest.Turn{short, short}, llm.ErrInvalidOutput, 2},
		{"of different sizes", []llmtest.Turn{{Body: `{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1,2]}]}`}}, nil, 2},
		{"numbers that are none", []llmtest.Turn{{Body: `{"data":[{"index":7,"embedding":[1]},{"index":-1,"embedding":[1]}]}`}}, nil, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := fake(t)
			s.FailEmbeddings(tt.turns...)
			got, _, err := embedder(t, s).Embed(context.Background(), []string{"one", "two"})
			if !errors.Is(err, tt.class) || (tt.class == nil) != (err == nil && len(got) == 2) {
				t.Errorf("got %d vectors, %v, want %v", len(got), err, tt.class)
			}
			if n := len(s.Embedded()); n != tt.attempts {
				t.Errorf("%d attempts, want %d", n, tt.attempts)
			}
			if err != nil && strings.Contains(err.Error(), key) {
				t.Errorf("the key is in %q", err)
			}
		})
	}
	if _, _, err := client(t, fake(t), false).Embed(context.Background(), []string{"x"}); !errors.Is(err, llm.ErrModelNotFound) {
		t.Errorf("without a model: %v", err)
	}
}
