package wrap

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
)

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
