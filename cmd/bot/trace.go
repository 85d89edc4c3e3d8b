package main

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

	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/tools"
)

// Traces show where the time of an answer went: a span for the message, one for
// each model call and each tool call within it, sent to a collector as
// OpenTelemetry's OTLP/HTTP wants it in JSON. They tell names, counts and
// times, never what was said. The format is small and frozen; the library for
// it is larger than the rest of the program.

// Spans wait in a queue of this length, and go out together this often. What a
// collector does not take is lost: an answer never waits for it.
const (
	traceQueue   = 2048
	traceEvery   = 2 * time.Second
	traceTimeout = 5 * time.Second
)

// tracer sends spans. A nil tracer makes none.
type tracer struct {
	address string
	log     *slog.Logger
	queue   chan *span
	quit    chan struct{} // closed to send what waits and end
	done    chan struct{}
	once    sync.Once
	turns   sync.Map // chat.Key -> *span of the message being answered there
	running sync.Map // key of a tool call -> its *span
}

// span is one piece of work, in OTLP's words.
type span struct {
	TraceID string      `json:"traceId"`
	ID      string      `json:"spanId"`
	Parent  string      `json:"parentSpanId,omitempty"`
	Name    string      `json:"name"`
	Kind    int         `json:"kind"`
	Start   string      `json:"startTimeUnixNano"`
	End     string      `json:"endTimeUnixNano"`
	Attrs   []attribute `json:"attributes"`
	Status  struct {
		Code int `json:"code,omitempty"` // 2 is an error
	} `json:"status"`

	t *tracer
}

// attribute is a name and a text, or a number.
type attribute struct {
	Key   string `json:"key"`
	Value struct {
		Text   *string `json:"stringValue,omitempty"`
		Number *string `json:"intValue,omitempty"` // OTLP writes 64-bit numbers as text
	} `json:"value"`
}

// Kinds of spans.
const (
	spanInternal = 1
	spanServer   = 2
	spanClient   = 3
)

// newTracer starts sending; "" is no tracer. The caller calls close.
func newTracer(endpoint string, log *slog.Logger) *tracer {
	if endpoint == "" {
		return nil
	}
	t := &tracer{address: strings.TrimRight(endpoint, "/") + "/v1/traces", log: log, queue: make(chan *span, traceQueue), quit: make(chan struct{}), done: make(chan struct{})}
	go t.send()
	return t
}

// close sends what waits; later spans are lost. It may be called twice.
func (t *tracer) close() {
	if t != nil {
		t.once.Do(func() { close(t.quit) })
		<-t.done
	}
}

type spanKey struct{}

// start begins a span within ctx's, or a trace of its own.
func (t *tracer) start(ctx context.Context, name string, kind int) (context.Context, *span) {
	if t == nil {
		return ctx, nil
	}
	parent, _ := ctx.Value(spanKey{}).(*span)
	s := t.begin(parent, name, kind)
	return context.WithValue(ctx, spanKey{}, s), s
}

func (t *tracer) begin(parent *span, name string, kind int) *span {
	s := &span{t: t, ID: randomHex(8), Name: name, Kind: kind, Start: nanos(time.Now())}
	if parent != nil {
		s.TraceID, s.Parent = parent.TraceID, parent.ID
	} else {
		s.TraceID = randomHex(16)
	}
	return s
}

// set adds what is known by now; value is a text or an int.
func (s *span) set(key string, value any) {
	if s == nil {
		return
	}
	a := attribute{Key: key}
	text := fmt.Sprint(value)
	if _, number := value.(int); number {
		a.Value.Number = &text
	} else {
		a.Value.Text = &text
	}
	s.Attrs = append(s.Attrs, a)
}

// end hands the span over, unless too many wait already.
func (s *span) end(failed bool) {
	if s == nil {
		return
	}
	s.End = nanos(time.Now())
	if failed {
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

// send posts batches until close.
func (t *tracer) send() {
	defer close(t.done)
	tick := time.NewTicker(traceEvery)
	defer tick.Stop()
	var batch []*span
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

func (t *tracer) post(batch []*span) error {
	service := attribute{Key: "service.name"}
	name := "parley"
	service.Value.Text = &name
	body, err := json.Marshal(map[string]any{"resourceSpans": []any{map[string]any{
		"resource":   map[string]any{"attributes": []attribute{service}},
		"scopeSpans": []any{map[string]any{"scope": map[string]any{"name": "parley", "version": version}, "spans": batch}},
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
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, maxReply))
	if resp.StatusCode >= 300 {
		return fmt.Errorf("the collector answered with status %d", resp.StatusCode)
	}
	return nil
}

// messages makes a span of each message that is answered.
func (t *tracer) messages(next chat.Handler) chat.Handler {
	if t == nil {
		return next
	}
	return chat.HandlerFunc(func(ctx context.Context, m chat.Message, w chat.Reply) (chat.Answer, error) {
		ctx, s := t.start(ctx, "message", spanServer)
		s.set("parley.platform", m.Key.Platform)
		t.turns.Store(m.Key, s)
		defer t.turns.Delete(m.Key)
		a, err := next.Handle(ctx, m, w)
		if turn, ok := a.Record.(*memory.Turn); ok {
			s.set("parley.category", turn.Decision.Category)
		}
		s.end(err != nil)
		return a, err
	})
}

// tracedModel makes a span of each call.
type tracedModel struct {
	llm.Model
	t *tracer
}

// Complete implements llm.Model.
func (m tracedModel) Complete(ctx context.Context, r llm.Request, onText func(string)) (llm.Response, error) {
	ctx, s := m.t.start(ctx, "model call", spanClient)
	resp, err := m.Model.Complete(ctx, r, onText)
	s.set("gen_ai.request.model", r.Model)
	s.set("gen_ai.usage.input_tokens", resp.Usage.Prompt)
	s.set("gen_ai.usage.output_tokens", resp.Usage.Completion)
	s.set("parley.attempts", resp.Usage.Attempts)
	s.end(err != nil)
	return resp, err
}

// tool follows the states of a tool call.
func (t *tracer) tool(c tools.Call, name string, state tools.State) {
	if t == nil {
		return
	}
	key := c.Key + " " + c.ID
	switch state {
	case tools.Pending, tools.Retrying:
	case tools.Running:
		parent, _ := t.turns.Load(c.Where)
		turn, _ := parent.(*span)
		s := t.begin(turn, "tool call", spanInternal)
		s.set("gen_ai.tool.name", name)
		t.running.Store(key, s)
	default:
		if v, ok := t.running.LoadAndDelete(key); ok {
			s := v.(*span)
			s.set("parley.status", string(state))
			s.end(state != tools.Success)
		}
	}
}
