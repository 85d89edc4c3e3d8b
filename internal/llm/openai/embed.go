package openai

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	goopenai "github.com/sashabaranov/go-openai"

	"parley/internal/llm"
	"parley/internal/text"
)

// Bounds of one request for vectors: what servers take, and what a small
// machine reads within the deadline.
const (
	maxTexts = 64
	maxText  = 6000  // bytes of each; what a text is about shows before
	minText  = 700   // not even that is too much for any model
	maxSum   = 48000 // bytes of all
)

// Embed implements llm.Embedder, in as many requests as it takes.
func (c *Client) Embed(ctx context.Context, texts []string) (all [][]float32, used llm.Usage, err error) {
	if c.o.Embedding == "" {
		return nil, used, fmt.Errorf("embed: %w: no embedding model is set", llm.ErrModelNotFound)
	}
	select {
	case c.room <- struct{}{}:
		defer func() { <-c.room }()
	case <-ctx.Done():
		return nil, used, context.Cause(ctx)
	}
	all = make([][]float32, 0, len(texts))
	for len(texts) > 0 {
		halved := c.shorter.Load()
		limit := maxText >> halved
		batch, size := []string{}, 0
		for _, one := range texts[:min(len(texts), maxTexts)] {
			one = cmp.Or(text.ClipBytes(one, limit), " ") // servers refuse an empty one
			if size += len(one); size > maxSum {
				break
			}
			batch = append(batch, one)
		}
		err := c.persist(ctx, &tally{patient: true, void: func() {}}, func() error {
			list, u, err := c.embed(ctx, batch)
			all, used = append(all, list...), used.Add(u)
			return err
		})
		if errors.Is(err, llm.ErrContextOverflow) && limit/2 >= minText {
			c.shorter.CompareAndSwap(halved, halved+1)
			continue
		}
		if err != nil {
			return nil, used, err
		}
		texts = texts[len(batch):]
	}
	return all, used, nil
}

// embed makes one request.
func (c *Client) embed(ctx context.Context, texts []string) ([][]float32, llm.Usage, error) {
	ctx, watch := watched(ctx, c.o.Timeout, c.o.Total)
	defer watch.stop()
	resp, err := c.api.CreateEmbeddings(ctx, goopenai.EmbeddingRequestStrings{Input: texts, Model: goopenai.EmbeddingModel(c.o.Embedding)})
	if err != nil {
		return nil, llm.Usage{}, c.classify(ctx, err, nil)
	}
	used := llm.Usage{Prompt: resp.Usage.PromptTokens, Total: resp.Usage.PromptTokens, Attempts: 1}
	out := make([][]float32, len(texts))
	for _, d := range resp.Data {
		if d.Index >= 0 && d.Index < len(out) {
			out[d.Index] = d.Embedding
		}
	}
	if missing := slices.IndexFunc(out, func(v []float32) bool { return len(v) == 0 || len(v) != len(out[0]) }); missing >= 0 {
		return nil, used, &llm.Error{Class: llm.ErrInvalidOutput,
			Detail: fmt.Sprintf("%d vectors for %d texts, that of number %d is missing or of another size", len(resp.Data), len(texts), missing)}
	}
	return out, used, nil
}
