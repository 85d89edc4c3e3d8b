package wrap

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Traces show where the time of an answer went: a span for the message, one for
// each model call and each tool call within it, sent to a collector as
// OpenTelemetry's OTLP/HTTP wants it in JSON. They hold names, counts and
// times, never what was said. Names and attributes are those of OpenTelemetry's
// conventions for generative AI, so that a collector knows them; what they have
// no name for begins with "parley.".

// Spans wait in a queue of this length, and go out together this often. What a
// collector does not take is lost: an answer never waits for it.
const (
	traceQueue   = 2048
	traceEvery   = 2 * time.Second
	traceTimeout = 5 * time.Second
	maxCollected = 1 << 20 // bytes of a collector's answer that are read
)

// Tracer sends spans. A nil Tracer makes none.
type Tracer struct {
	address string
	log     *slog.Logger
	queue   chan *Span
	quit    chan struct{} // closed to send what waits and end
	done    chan struct{}
	once    sync.Once
	version string
}

// Span is one piece of work, in OTLP's words.
type Span struct {
	TraceID string      `json:"traceId"`
	ID      string      `json:"spanId"`
	Parent  string      `json:"parentSpanId,omitempty"`
	Name    string      `json:"name"`
	Kind    int         `json:"kind"`
	Start   string      `json:"startTimeUnixNano"`
	End     string      `json:"endTimeUnixNano"`
	Attrs   []Attribute `json:"attributes"`
	Status  struct {
		Code int `json:"code,omitempty"` // 2 is an error
	} `json:"status"`

	t *Tracer
}

// Attribute is a name and a text, or a number.
type Attribute struct {
	Key   string `json:"key"`
	Value struct {
		Text   *string `json:"stringValue,omitempty"`
		Number *string `json:"intValue,omitempty"` // OTLP writes 64-bit numbers as text
	} `json:"value"`
}

// Kinds of spans.
const (
	Internal = 1
	Server   = 2
	Client   = 3
)

// NewTracer starts sending to an endpoint of OTLP/HTTP; "" is no tracer. The caller calls Close.
func NewTracer(endpoint, version string, log *slog.Logger) *Tracer {
	if endpoint == "" {
		return nil
	}
	t := &Tracer{address: strings.TrimRight(endpoint, "/") + "/v1/traces", version: version, log: log,
		queue: make(chan *Span, traceQueue), quit: make(chan struct{}), done: make(chan struct{})}
	go t.send()
	return t
}

// Close sends what waits; later spans are lost. It may be called twice.
func (t *Tracer) Close() {
	if t != nil {
		t.once.Do(func() { close(t.quit) })
		<-t.done
	}
}

type spanKey struct{}

// Start begins a span within ctx's, or a trace of its own.
func (t *Tracer) Start(ctx context.Context, name string, kind int) (context.Context, *Span) {
	if t == nil {
		return ctx, nil
	}
	parent, _ := ctx.Value(spanKey{}).(*Span)
	s := t.Begin(parent, name, kind)
	return context.WithValue(ctx, spanKey{}, s), s
}

// Begin begins a span within parent, or a trace of its own with nil.
func (t *Tracer) Begin(parent *Span, name string, kind int) *Span {
	if t == nil {
		return nil
	}
	s := &Span{t: t, ID: randomHex(8), Name: name, Kind: kind, Start: nanos(time.Now())}
	if parent != nil {
		s.TraceID, s.Parent = parent.TraceID, parent.ID
	} else {
		s.TraceID = randomHex(16)
	}
	return s
}

// Set adds an attribute; value is a text or an int.
func (s *Span) Set(key string, value any) {
	if s == nil {
		return
	}
	a := Attribute{Key: key}
	text := fmt.Sprint(value)
	if _, number := value.(int); number {
		a.Value.Number = &text
	} else {
		a.Value.Text = &text
	}
	s.Attrs = append(s.Attrs, a)
}

// Finish hands the span over, unless too many wait already. failure is the kind
// of error it ended with, "" for none.
func (s *Span) Finish(failure string) {
	if s == nil {
		return
	}
	s.End = nanos(time.Now())
	if failure != "" {
		s.Set("error.type", failure)
		s.Status.Code = 2
	}
	select {
	case s.t.queue <- s:
	default:
	}
}

func nanos(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }

func randomHex(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

// send posts batches until Close.
func (t *Tracer) send() {
	defer close(t.done)
	tick := time.NewTicker(traceEvery)
	defer tick.Stop()
	var batch []*Span
	down := false
	flush := func() {
		if len(batch) == 0 {
			return
		}
		err := t.post(batch)
		if err != nil && !down {
			t.log.Warn("traces are lost until the collector takes them again", "err", err)
		}
		batch, down = nil, err != nil
	}
	for {
		select {
		case s := <-t.queue:
			if batch = append(batch, s); len(batch) >= traceQueue/4 {
				flush()
			}
		case <-tick.C:
			flush()
		case <-t.quit:
			for range len(t.queue) {
				batch = append(batch, <-t.queue)
			}
			flush()
			return
		}
	}
}

func (t *Tracer) post(batch []*Span) error {
	var resource Span
	resource.Set("service.name", "parley")
	body, err := json.Marshal(map[string]any{"resourceSpans": []any{map[string]any{
		"resource":   map[string]any{"attributes": resource.Attrs},
		"scopeSpans": []any{map[string]any{"scope": map[string]any{"name": "parley", "version": t.version}, "spans": batch}},
	}}})
	if err != nil {
		return err
	}
	client := http.Client{Timeout: traceTimeout}
	resp, err := client.Post(t.address, "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, maxCollected))
	if resp.StatusCode >= 300 {
		return fmt.Errorf("the collector answered with status %d", resp.StatusCode)
	}
	return nil
}
