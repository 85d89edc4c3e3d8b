package llmtest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

// batch is how many texts one request has at most.
const batch = 64

// Encoder returns an embedding model that a server has at base, such as
// http://127.0.0.1:8000/v1, and the name it gives it: its first one. It waits as long as the
// server takes.
func Encoder(ctx context.Context, base string) (embed func(context.Context, []string) ([][]float32, error), model string, err error) {
	var models struct{ Data []struct{ ID string } }
	if err := exchange(ctx, http.MethodGet, base+"/models", nil, &models); err != nil {
		return nil, "", err
	}
	if len(models.Data) == 0 {
		return nil, "", fmt.Errorf("%s has no model", base)
	}
	model = models.Data[0].ID
	return func(ctx context.Context, texts []string) (list [][]float32, err error) {
		for len(texts) > 0 {
			n := min(len(texts), batch)
			var made struct {
				Data []struct{ Embedding []float32 }
			}
			if err := exchange(ctx, http.MethodPost, base+"/embeddings", map[string]any{"model": model, "input": texts[:n]}, &made); err != nil {
				return nil, err
			}
			if len(made.Data) != n {
				return nil, fmt.Errorf("%d vectors of %d texts", len(made.Data), n)
			}
			for _, d := range made.Data {
				list = append(list, d.Embedding)
			}
			texts = texts[n:]
		}
		return list, nil
	}, model, nil
}

func exchange(ctx context.Context, method, url string, body, into any) error {
	var sent bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&sent).Encode(body); err != nil {
			return err
		}
	}
	r, err := http.NewRequestWithContext(ctx, method, url, &sent)
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", url, answer.Status)
	}
	return json.NewDecoder(answer.Body).Decode(into)
}
