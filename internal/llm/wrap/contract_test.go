package wrap

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"parley/internal/llm"
	"parley/internal/llm/llmtest"
	"parley/internal/llm/offline"
	"parley/internal/text"
)

// What stands around a model is a model: all that llm.Model promises holds
// behind it.
func TestContract(t *testing.T) {
	llmtest.Contract(t, func(*testing.T) llmtest.Rig {
		meter := Meter{Model: Traced{Model: offline.Model{}}, Count: func(context.Context, Call) {},
			Instead: func(error) llm.Model { return nil },
			Reserve: func(context.Context, Amount) (func(Amount), error) { return func(Amount) {}, nil }}
		route := Route{Legs: []Leg{{Model: meter, Name: "a", Breaker: &Breaker{}}, {Model: meter, Name: "b", Breaker: &Breaker{}}},
			Log: slog.New(slog.DiscardHandler)}
		return llmtest.Rig{Model: Discreet{Model: route, Hide: text.NewRedactor([]string{"a secret of ours"}, 8)}}
	})
}

// TestStreamHoldsBack: however a stream is cut, no piece shows the beginning
// of a secret that goes on, and nothing else is lost.
func TestStreamHoldsBack(t *testing.T) {
	d := Discreet{Hide: text.Redactor{"canary-1234"}}
	const said = "a canary-1234, a cabin and a canary-12"
	for size := 1; size < len(said); size++ {
		var shown []string
		show, end := d.stream(func(s string) { shown = append(shown, s) })
		for i := 0; i < len(said); i += size {
			show(said[i:min(len(said), i+size)])
		}
		end()
		if got := strings.Join(shown, ""); got != "a (hidden), a cabin and a canary-12" {
			t.Errorf("pieces of %d: %q", size, got)
		}
	}
}

func TestTracesHoldNothingUp(t *testing.T) {
	hang := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hang }))
	t.Cleanup(slow.Close)
	t.Cleanup(func() { close(hang) })
	tr := NewTracer(slow.URL, "test", slog.New(slog.DiscardHandler))
	for range 3 * traceQueue {
		_, s := tr.Start(t.Context(), "message", Server)
		s.Finish("")
	}
	hang <- struct{}{} // the first batch was sent, and the rest did not wait for it
}
