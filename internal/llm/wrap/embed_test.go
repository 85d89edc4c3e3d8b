package wrap

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/llm"
	"parley/internal/llm/vector"
	"parley/internal/text"
	"parley/internal/text/waittest"
)

// flaky is an endpoint that fails while it is told to, refuses some texts, and
// counts.
type flaky struct {
	down    bool
	refuses map[string]error
	asked   []string
}

func (f *flaky) Embed(ctx context.Context, texts []string) ([][]float32, llm.Usage, error) {
	f.asked = append(f.asked, texts...)
	if f.down {
		return nil, llm.Usage{}, &llm.Error{Class: llm.ErrUnavailable, Status: 500, Detail: "down"}
	}
	for _, t := range texts {
		if err := f.refuses[t]; err != nil {
			return nil, llm.Usage{}, err
		}
	}
	return slices.Repeat([][]float32{{1, 2}}, len(texts)), llm.Usage{}, ctx.Err()
}

func TestEmbedderRestsAndRemembers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &flaky{}
		e := &Embedder{Of: []Vectors{{Embedder: f}}, Name: "m", Hide: text.Redactor{"sk-secret"}, Count: func(context.Context, Call) {},
			Log: slog.New(slog.DiscardHandler), Now: time.Now}
		ask := func(texts ...string) error {
			_, err := e.Embed(t.Context(), texts)
			return err
		}
		if err := errors.Join(ask("a sk-secret"), ask("a sk-secret"), ask("b", "c")); err != nil || !slices.Equal(f.asked,
			[]string{"a (hidden)", "b", "c"}) {
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

// TestOneTextThatIsRefused: the others have their vectors, at few requests, and
// only this one is left without; a model that is down marks nothing.
func TestOneTextThatIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		f := &flaky{refuses: map[string]error{
			"t7":  &llm.Error{Class: llm.ErrBadRequest, Status: 400, Detail: "bad"},
			"t20": &llm.Error{Class: llm.ErrUnavailable, Status: 500, Detail: "NaN"},
		}}
		e := &Embedder{Of: []Vectors{{Embedder: f}}, Name: "m", Count: func(context.Context, Call) {},
			Log: slog.New(slog.NewTextHandler(&log, nil)), Now: time.Now}
		var texts []string
		for i := range 32 {
			texts = append(texts, fmt.Sprint("t", i))
		}
		list, err := e.Embed(t.Context(), texts)
		if err != nil || len(list) != 32 {
			t.Fatalf("%d vectors, %v", len(list), err)
		}
		for i, v := range list {
			if (v == nil) != (i == 7 || i == 20) {
				t.Errorf("vector %d: %v", i, v)
			}
		}
		if n := strings.Count(log.String(), "refuses a text"); n != 2 || strings.Contains(log.String(), "t20") {
			t.Errorf("the log: %s", log.String())
		}
		if list, err := e.Embed(t.Context(), []string{"t20", "t1"}); err != nil || list[0] != nil || list[1] == nil {
			t.Errorf("with another: %v, %v", list, err)
		}
		f.down = true
		if list, err := e.Embed(t.Context(), texts); !errors.Is(err, ErrNoVectors) || list != nil {
			t.Errorf("down: %v, %v", list, err)
		}
		f.down = false
		// What is stored rests; a question is asked all the same, and the other way round.
		if _, err := e.Embed(t.Context(), texts); err == nil {
			t.Error("what is stored does not rest")
		}
		if v := vector.Embed(e.Embed).Query(t.Context(), "where?"); v == nil {
			t.Error("the question rests too")
		}
		waittest.Pass(embedRest)
		f.refuses["slow?"] = &llm.Error{Class: llm.ErrAuth}
		if v := vector.Embed(e.Embed).Query(t.Context(), "slow?"); v != nil || vector.Embed(e.Embed).Query(t.Context(), "why?") != nil {
			t.Error("questions do not rest")
		}
		if _, err := e.Embed(t.Context(), []string{"t1", "t2"}); err != nil {
			t.Errorf("what is stored rests because of a question: %v", err)
		}
	})
}

// slow is an endpoint that takes its time.
type slow struct {
	flaky
	takes time.Duration
}

func (s *slow) Embed(ctx context.Context, texts []string) ([][]float32, llm.Usage, error) {
	waittest.Pass(s.takes)
	return s.flaky.Embed(ctx, texts)
}

// However slow the model is, a message waits only once and only so long; what
// comes too late is there for the next.
func TestQuestionsWaitSoLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slow{takes: 3 * time.Second}
		e := &Embedder{Of: []Vectors{{Embedder: s}}, Name: "m", Count: func(context.Context, Call) {}, Log: slog.New(slog.DiscardHandler),
			Now:  time.Now,
			Wait: 80 * time.Millisecond, Background: func(fn func()) { go fn() }}
		began := time.Now()
		for range 3 { // facts, notes, messages
			if v := vector.Embed(e.Embed).Query(t.Context(), "where?"); v != nil {
				t.Error("it waited")
			}
		}
		if took := time.Since(began); took != e.Wait {
			t.Errorf("the question waited %s", took)
		}
		waittest.Pass(s.takes)
		began = time.Now()
		if v := vector.Embed(e.Embed).Query(t.Context(), "where?"); v == nil || time.Since(began) != 0 || len(s.asked) != 1 {
			t.Errorf("after %s: %v, asked %q", time.Since(began), v, s.asked)
		}
		if _, err := e.Embed(t.Context(), []string{"stored"}); err != nil {
			t.Errorf("what is stored does not wait: %v", err)
		}
		s.takes = 0
		if v := vector.Embed(e.Embed).Query(t.Context(), "when?"); v == nil {
			t.Error("it rests because it was slow")
		}
	})
}
