package wrap

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/llm"
	"parley/internal/text"
	"parley/internal/waittest"
)

// flaky is an endpoint that fails while it is told to, and counts.
type flaky struct {
	down  bool
	asked []string
}

func (f *flaky) Embed(ctx context.Context, texts []string) ([][]float32, llm.Usage, error) {
	f.asked = append(f.asked, texts...)
	if f.down {
		return nil, llm.Usage{}, errors.New("down")
	}
	return slices.Repeat([][]float32{{1, 2}}, len(texts)), llm.Usage{}, ctx.Err()
}

func TestEmbedderRestsAndRemembers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &flaky{}
		e := &Embedder{Of: []Vectors{{Embedder: f}}, Name: "m", Hide: text.Redactor{"sk-secret"}, Count: func(context.Context, Call) {}, Log: slog.New(slog.DiscardHandler), Now: time.Now}
		ask := func(texts ...string) error {
			_, err := e.Embed(t.Context(), texts)
			return err
		}
		if err := errors.Join(ask("a sk-secret"), ask("a sk-secret"), ask("b", "c")); err != nil || !slices.Equal(f.asked, []string{"a (hidden)", "b", "c"}) {
			t.Errorf("asked %q, %v", f.asked, err)
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := e.Embed(gone, []string{"d"}); err == nil || ask("d") != nil {
			t.Errorf("somebody gave up, and it rests: %v", err)
		}
		f.down = true
		if err := ask("e"); !errors.Is(err, ErrNoVectors) {
			t.Errorf("%v", err)
		}
		f.down = false
		before := len(f.asked)
		if err := ask("e"); err == nil || ask("a sk-secret") != nil || len(f.asked) != before {
			t.Errorf("it does not rest: %v", err)
		}
		waittest.Pass(embedRest)
		if err := ask("e"); err != nil {
			t.Errorf("after the rest: %v", err)
		}
		for i := range recentVectors {
			_ = ask(fmt.Sprint("text", i))
		}
		before = len(f.asked)
		if err := ask("a sk-secret"); err != nil || len(f.asked) != before+1 {
			t.Errorf("more is kept than should be: %v", err)
		}
	})
}
