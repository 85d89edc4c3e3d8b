package wrap

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/llm"
	"parley/internal/llm/llmtest"
	"parley/internal/llm/openai"
	"parley/internal/text/waittest"
)

// failures returns the ways in which endpoints fail at the wire.
func failures() map[string]llmtest.Turn {
	half := llmtest.Piece(`{"content":"half an answer"}`, "")
	return map[string]llmtest.Turn{
		"400":                       llmtest.Refusal(400, `{"error":{"message":"no"}}`),
		"400, too long":             llmtest.Refusal(400, `{"error":{"code":"context_length_exceeded","message":"maximum context length"}}`),
		"400, filtered":             llmtest.Refusal(400, `{"error":{"code":"content_filter","message":"no"}}`),
		"401":                       llmtest.Refusal(401, `{"error":{"message":"bad key"}}`),
		"402":                       llmtest.Refusal(402, `{"error":{"message":"Insufficient credits"}}`),
		"403":                       llmtest.Refusal(403, `{"error":{"message":"not in your country"}}`),
		"404":                       llmtest.Refusal(404, `{"error":{"message":"model not found"}}`),
		"408":                       llmtest.Refusal(408, `{"error":{"message":"timeout"}}`),
		"413":                       llmtest.Refusal(413, `<html>Request Entity Too Large</html>`, "Content-Type", "text/html"),
		"429":                       llmtest.Refusal(429, `{"error":{"message":"slow down"}}`),
		"429, for a minute":         llmtest.Refusal(429, `{"error":{"message":"slow down"}}`, "Retry-After", "60"),
		"500":                       llmtest.Refusal(500, `{"error":{"message":"boom"}}`),
		"502 as HTML":               llmtest.Refusal(502, `<html>Bad Gateway</html>`, "Content-Type", "text/html"),
		"503":                       llmtest.Refusal(503, ``),
		"529":                       llmtest.Refusal(529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`),
		"cut in the middle":         {Stream: []string{half}},
		"silent from the beginning": {Stream: []string{": waiting"}, Hang: true},
		"silent in the middle":      {Stream: []string{half}, Hang: true},
		"an error in the stream":    {Stream: []string{half, `data: {"error":{"code":502,"message":"upstream"}}`}},
		"a 401 in the stream":       {Stream: []string{`data: {"error":{"code":401,"message":"no auth"}}`}},
		"empty":                     {Stream: []string{llmtest.Piece(`{"content":""}`, "stop")}},
		"no JSON":                   {Stream: []string{`data: {"choices":[{`}},
		"a lie about the content":   llmtest.Refusal(200, `<html>Sign in to the hotel's network</html>`, "Content-Type", "application/json"),
		"HTML that says it streams": llmtest.Refusal(200, `<html>Sign in</html>`, "Content-Type", "text/event-stream"),
		"too much":                  {Header: map[string]string{"Content-Type": "application/json"}, Body: `{"choices":[`, Flood: " "},
	}
}

// endpoint returns a fake and a leg to it.
func endpoint(t *testing.T, name string) (*llmtest.Server, Leg) {
	t.Helper()
	s := llmtest.NewServer()
	t.Cleanup(s.Close)
	return s, leg(t, name, s.URL(), 20*time.Second)
}

func leg(t *testing.T, name, url string, timeout time.Duration) Leg {
	t.Helper()
	c, err := openai.New(openai.Options{BaseURL: url, Model: "test", Timeout: timeout, Total: time.Minute, Stream: true})
	if err != nil {
		t.Fatal(err)
	}
	return Leg{Model: c, Name: name, Breaker: &Breaker{}}
}

var quiet = slog.New(slog.DiscardHandler)

func request(text string) llm.Request {
	return llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: text}}}
}

// shown is what somebody sees of an answer while it grows.
type shown struct{ text string }

func (s *shown) take(delta string) {
	if s.text += delta; delta == llm.RetryText {
		s.text = ""
	}
}

// TestFirstHealthyAnswers: whatever goes wrong at the first model, or at the
// first two, the next one answers, once, and nothing of the others stays shown.
func TestFirstHealthyAnswers(t *testing.T) {
	t.Parallel()
	kinds := failures()
	if len(kinds) < 20 {
		t.Fatalf("%d kinds of failure", len(kinds))
	}
	for name, fault := range kinds {
		for bad := 1; bad <= 2; bad++ {
			t.Run(fmt.Sprintf("%s, %d of 3", name, bad), func(t *testing.T) {
				t.Parallel()
				var legs []Leg
				var servers []*llmtest.Server
				for i := range 3 {
					s := llmtest.NewServer()
					t.Cleanup(s.Close)
					timeout := 20 * time.Second
					if i < bad && fault.Hang {
						timeout = 100 * time.Millisecond // silence has to be told from a busy machine only here
					}
					servers, legs = append(servers, s), append(legs, leg(t, fmt.Sprint("m", i), s.URL(), timeout))
					if i < bad {
						s.Respond(func(llmtest.Request) llmtest.Turn { return fault })
					}
				}
				servers[bad].Queue(llmtest.Turn{Calls: []llmtest.Call{{ID: "1", Name: "pay", Args: "{}"}}})
				var seen shown
				r := Route{Legs: legs, Patience: time.Minute, Log: quiet}
				resp, err := r.Complete(t.Context(), request("hi"), seen.take)
				if err != nil || resp.By != fmt.Sprint("m", bad) || len(resp.Message.ToolCalls) != 1 || strings.TrimPrefix(seen.text,
					llm.RetryText) != "" {
					t.Fatalf("%+v, shown %q, %v", resp, seen.text, err)
				}
				if n := len(servers[bad].Requests()); n != 1 {
					t.Errorf("the one that answered was asked %d times", n)
				}
				for i := range bad {
					if n := len(servers[i].Requests()); n > 2 {
						t.Errorf("m%d was asked %d times", i, n)
					}
				}
			})
		}
	}
}

// TestUnreachable: connections that are refused, and those that are cut before
// an answer.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	cut := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			_ = conn.(*net.TCPConn).SetLinger(0) // a reset
			_ = conn.Close()
		}
	})}
	var wg sync.WaitGroup
	wg.Go(func() { _ = cut.Serve(l) })
	t.Cleanup(func() { _ = cut.Close(); wg.Wait() })
	gone, _ := endpoint(t, "")
	gone.Close()
	s, well := endpoint(t, "well")
	s.Queue(llmtest.Turn{Text: "hello"})
	r := Route{Legs: []Leg{leg(t, "refused", gone.URL(), time.Minute), leg(t, "reset", "http://"+l.Addr().String()+"/v1", time.Minute),
		well}, Log: quiet}
	if resp, err := r.Complete(t.Context(), request("hi"), nil); err != nil || resp.By != "well" {
		t.Errorf("%+v, %v", resp, err)
	}
}

// scripted is a model that fails as it is told to, and counts.
type scripted struct {
	fail  func(n int) error // of the nth call, from 1; nil is well
	asked int
	saw   []llm.Request
	said  string // streamed before it fails
}

func (s *scripted) Complete(ctx context.Context, r llm.Request, onText func(string)) (llm.Response, error) {
	s.asked++
	s.saw = append(s.saw, r)
	if s.said != "" && onText != nil {
		onText(s.said)
	}
	if err := context.Cause(ctx); err != nil {
		return llm.Response{}, err
	}
	if s.fail != nil {
		if err := s.fail(s.asked); err != nil {
			return llm.Response{}, err
		}
	}
	return llm.Response{Finish: llm.FinishStop, Model: "x", Message: llm.Message{Role: llm.RoleAssistant, Content: s.said}}, nil
}

func (s *scripted) leg(name string) Leg { return Leg{Model: s, Name: name, Breaker: &Breaker{}} }

func down(int) error { return &llm.Error{Class: llm.ErrUnavailable, Detail: "down"} }

var errStopped = errors.New("stopped")

// TestWaitsForTimeNotTries: a model that is back within the budget answers, and
// one that is not is given up when the budget is over.
func TestWaitsForTimeNotTries(t *testing.T) {
	for name, tt := range map[string]struct {
		back     time.Duration // after which it works
		tip      time.Duration // Retry-After
		class    error
		answered bool
	}{
		"5xx for 15 s":              {back: 15 * time.Second, class: llm.ErrUnavailable, answered: true},
		"5xx for ever":              {back: time.Hour, class: llm.ErrUnavailable},
		"429, which names 7 s":      {back: 7 * time.Second, tip: 7 * time.Second, class: llm.ErrRateLimited, answered: true},
		"429, which names a minute": {back: time.Minute, tip: time.Minute, class: llm.ErrRateLimited},
		"a wrong key":               {back: time.Second, class: llm.ErrAuth},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				m := &scripted{said: "hello"}
				m.fail = func(int) error {
					if time.Since(began) < tt.back {
						return &llm.Error{Class: tt.class, RetryAfter: tt.tip}
					}
					return nil
				}
				r := Route{Legs: []Leg{m.leg("m")}, Patience: 20 * time.Second, Log: quiet}
				var seen shown
				resp, err := r.Complete(t.Context(), request("hi"), seen.take)
				took := time.Since(began)
				if (err == nil) != tt.answered || err != nil && !errors.Is(err, tt.class) {
					t.Errorf("%+v, %v", resp, err)
				}
				if err == nil && seen.text != "hello" {
					t.Errorf("shown %q", seen.text)
				}
				if took > 20*time.Second || !tt.answered && tt.class == llm.ErrUnavailable && took < 10*time.Second {
					t.Errorf("given up after %s and %d attempts", took, m.asked)
				}
				if tt.tip > 0 && m.asked > 2 || tt.class == llm.ErrAuth && m.asked > 1 {
					t.Errorf("asked %d times", m.asked)
				}
			})
		})
	}
}

// TestOneDeadline: nothing is waited for past the end of the whole.
func TestOneDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		m := &scripted{fail: down}
		r := Route{Legs: []Leg{m.leg("a"), m.leg("b")}, Patience: time.Hour, Total: 30 * time.Second, Log: quiet}
		if _, err := r.Complete(t.Context(), request("hi"), nil); err == nil || time.Since(began) != 30*time.Second {
			t.Errorf("after %s: %v", time.Since(began), err)
		}
		ctx, stop := context.WithCancelCause(t.Context())
		stop(errStopped)
		if _, err := r.Complete(ctx, request("hi"), nil); !errors.Is(err, errStopped) {
			t.Errorf("stopped: %v", err)
		}
	})
}

// TestBreaker: who failed is passed by; after its rest one request tries it
// while the others go past, and when it works again it is the first again.
func TestBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		working, hold := false, make(chan struct{})
		first := &scripted{said: "a"}
		first.fail = func(n int) error {
			if n > 1 && !working {
				<-hold
			}
			if !working {
				return down(n)
			}
			return nil
		}
		second := &scripted{said: "b"}
		r := Route{Legs: []Leg{first.leg("first"), second.leg("second")}, Log: quiet}
		ask := func() string {
			resp, err := r.Complete(t.Context(), request("hi"), nil)
			if err != nil {
				t.Error(err)
			}
			return resp.By
		}
		for range 3 {
			if by := ask(); by != "second" {
				t.Errorf("%s answered", by)
			}
		}
		if first.asked != 1 {
			t.Errorf("the one that rests was asked %d times", first.asked)
		}
		waittest.Pass(shortRest)
		probed := make(chan string)
		go func() { probed <- ask() }()
		synctest.Wait()
		if by := ask(); by != "second" || first.asked != 2 {
			t.Errorf("beside the probe %s answered, %d probes", by, first.asked-1)
		}
		close(hold)
		if by := <-probed; by != "second" {
			t.Errorf("the probe failed, and %s answered", by)
		}
		working = true
		waittest.Pass(shortRest)
		if by := ask(); by != "second" {
			t.Errorf("after a second failure it rests longer, and yet %s answered", by)
		}
		waittest.Pass(shortRest)
		if by := ask(); by != "first" {
			t.Errorf("it works again, and %s answered", by)
		}
	})
}

// TestNobodyElse: when all rest, all are asked all the same.
func TestNobodyElse(t *testing.T) {
	m, working := &scripted{said: "a"}, false
	m.fail = func(n int) error {
		if working {
			return nil
		}
		return down(n)
	}
	other := &scripted{fail: func(int) error { return &llm.Error{Class: llm.ErrAuth, Detail: "no"} }}
	r := Route{Legs: []Leg{m.leg("a"), other.leg("b")}, Log: quiet}
	if _, err := r.Complete(t.Context(), request("hi"), nil); !errors.Is(err, llm.ErrUnavailable) {
		t.Errorf("%v", err)
	}
	working = true
	if resp, err := r.Complete(t.Context(), request("hi"), nil); err != nil || resp.By != "a" {
		t.Errorf("%+v, %v", resp, err)
	}
}

// TestChosen: a request names the model that is asked first; what names none
// reaches no endpoint.
func TestChosen(t *testing.T) {
	a, b := &scripted{said: "a"}, &scripted{said: "b"}
	r := Route{Legs: []Leg{a.leg("a"), b.leg("b")}, Log: quiet}
	r.Legs[1].Blind = true
	req := request("hi")
	req.Messages[0].Images = []llm.Image{{MIME: "image/png", Data: []byte("x")}}
	for name, want := range map[string]string{"": "a", "a": "a", "b": "b", "gone": "a"} {
		req.Model = name
		if resp, err := r.Complete(t.Context(), req, nil); err != nil || resp.By != want {
			t.Errorf("%q: %+v, %v", name, resp, err)
		}
	}
	for _, got := range append(a.saw, b.saw...) {
		if got.Model != "" {
			t.Errorf("asked for %q", got.Model)
		}
	}
	if len(b.saw[0].Messages[0].Images) != 0 || len(a.saw[0].Messages[0].Images) != 1 || len(req.Messages[0].Images) != 1 {
		t.Error("pictures went to the wrong one")
	}
	r.Free = true
	req.Model = "another"
	if _, err := r.Complete(t.Context(), req, nil); err != nil || a.saw[len(a.saw)-1].Model != "another" {
		t.Errorf("of one endpoint any model may be asked for: %v", err)
	}
}
