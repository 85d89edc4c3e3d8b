// Package openai implements llm.Model for any OpenAI-compatible endpoint: retries,
// deadlines, error classes, streaming and the quirks of providers. It holds no
// prompt text and decides nothing about a conversation.
package openai

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	goopenai "github.com/sashabaranov/go-openai"

	"parley/internal/llm"
)

// Options of New. BaseURL is required.
type Options struct {
	BaseURL   string // with /v1, without a trailing slash
	APIKey    string // "" sends none
	Model     string // used when a request names none
	Embedding string // model for Embed; "" makes Embed fail
	// Transcription is the model for Transcribe; "" makes it fail.
	Transcription string
	Temperature   *float64      // nil leaves it to the endpoint
	Reasoning     string        // effort; "" sends none
	MaxTokens     int           // 0 is 1024
	Timeout       time.Duration // to the first token, and between two tokens; 0 is 30 s
	Total         time.Duration // of one attempt; 0 is four times Timeout
	Stream        bool
	Concurrent    int // requests at once over all conversations; 0 is 64
	// Room holds one element for each request that is under way, at all clients
	// that have it; nil makes one of Concurrent.
	Room     chan struct{}
	Log      *slog.Logger // nil is silent
	Notebook Notebook     // nil learns anew with each process
}

// Attempts at vectors, the wait before the second, and the longest Retry-After
// that is waited for.
const (
	embedTries = 3
	firstWait  = 100 * time.Millisecond
	longestTip = 5 * time.Second
)

// Client is an llm.Model and an llm.Embedder. It is safe for many goroutines.
// It repeats a request only if that needs no waiting: without what the server was
// found not to accept, or when the answer was empty. wrap.Route waits for servers and
// tries other ones.
type Client struct {
	o    Options
	api  *goopenai.Client
	wire *doer         // below api
	room chan struct{} // one token per request on the wire

	written sync.Map // a tool's name -> wrote

	once    sync.Once // guards silent
	silent  quirks    // what the server's template leaves out without a word
	learned learned
	shorter atomic.Int32 // how many times maxText was halved for texts to embed
}

// New makes a Client. It does not connect.
func New(o Options) (*Client, error) {
	if o.BaseURL == "" {
		return nil, errors.New("openai: no base URL")
	}
	o.MaxTokens = cmp.Or(o.MaxTokens, 1024)
	o.Timeout = cmp.Or(o.Timeout, 30*time.Second)
	o.Total = cmp.Or(o.Total, 4*o.Timeout)
	o.Concurrent = cmp.Or(o.Concurrent, 64)
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	if o.Room == nil {
		o.Room = make(chan struct{}, o.Concurrent)
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DialContext = patient(transport.DialContext)
	transport.MaxIdleConns, transport.MaxIdleConnsPerHost = o.Concurrent, o.Concurrent
	transport.IdleConnTimeout = 20 * time.Second // each holds buffers, and a burst opens many
	transport.WriteBufferSize = 16 << 10         // most requests go out in one piece
	transport.DisableCompression = true          // a stream must not wait in a decompressor
	config := goopenai.DefaultConfig(o.APIKey)
	config.BaseURL = strings.TrimRight(o.BaseURL, "/")
	wire := &doer{client: &http.Client{Transport: transport}, secret: o.APIKey}
	config.HTTPClient = wire
	config.EmptyMessagesLimit = math.MaxInt32 // keep-alive comments are no error
	return &Client{o: o, wire: wire, api: goopenai.NewClientWithConfig(config), room: o.Room,
		learned: learned{models: map[string]quirks{}, book: o.Notebook, where: endpointName(o.BaseURL)}}, nil
}

// Complete implements llm.Model.
func (c *Client) Complete(ctx context.Context, r llm.Request, onText func(string)) (llm.Response, error) {
	select {
	case c.room <- struct{}{}:
		defer func() { <-c.room }()
	case <-ctx.Done():
		return llm.Response{}, context.Cause(ctx)
	}
	r.Model = cmp.Or(r.Model, c.o.Model)
	known, err := c.learned.of(ctx, r.Model)
	if err != nil {
		c.o.Log.Warn("what was learned of the model cannot be read", "err", err)
	}
	known |= c.inspect(ctx)
	streamed := false
	var resp llm.Response
	tries := tally{asked: r, known: known, void: func() {
		if streamed {
			onText(llm.RetryText)
		}
	}}
	err = c.persist(ctx, &tries, func() (err error) {
		if r.Spend != nil {
			if err := r.Spend(); err != nil {
				tries.attempts--
				return err
			}
		}
		streamed = false
		resp, err = c.attempt(ctx, &tries, func(delta string) {
			if onText != nil && delta != "" {
				streamed = true
				onText(delta)
			}
		})
		return err
	})
	if err != nil {
		if e, ok := errors.AsType[*llm.Error](err); ok { // the bill of all attempts
			e.Usage = tries.lost
			e.Usage.Attempts = tries.attempts
		}
		return llm.Response{}, err
	}
	if err := c.learned.keep(ctx, r.Model, tries.trial); err != nil {
		c.o.Log.Warn("what was learned of the model is forgotten at the next start", "err", err)
	}
	resp.Usage = resp.Usage.Add(tries.lost)
	resp.Usage.Attempts = tries.attempts
	return resp, nil
}

// persist repeats an attempt until it works or is not worth repeating.
func (c *Client) persist(ctx context.Context, tries *tally, attempt func() error) error {
	for {
		tries.attempts++
		err := attempt()
		if err == nil {
			return nil
		}
		if e, ok := errors.AsType[*llm.Error](err); ok {
			tries.lost = tries.lost.Add(e.Usage)
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		wait, again := c.again(err, tries)
		if !again {
			return err
		}
		c.o.Log.Warn("model call failed, trying again", "attempt", tries.attempts, "wait", wait, "err", err)
		tries.void()
		if err := llm.Pause(ctx, wait); err != nil {
			return err
		}
	}
}

// tally records the attempts of one request.
type tally struct {
	attempts       int
	waited, filled bool   // the one 429 and the one empty answer that are retried
	patient        bool   // servers that cannot be reached are waited for
	void           func() // told before another attempt
	asked          llm.Request
	known, trial   quirks    // what was known before, and what this request taught
	repair         *repair   // nil until an answer was faulty
	lost           llm.Usage // of attempts that came to nothing
}

// again decides whether an attempt is repeated, and after how long.
func (c *Client) again(err error, t *tally) (time.Duration, bool) {
	var e *llm.Error
	if !errors.As(err, &e) {
		return 0, false
	}
	switch {
	case t.learn(e):
		return 0, true
	case errors.Is(e.Class, llm.ErrUnavailable):
		wait := firstWait << (t.attempts - 1)
		if e.RetryAfter > 0 && e.RetryAfter <= longestTip {
			wait = e.RetryAfter
		}
		return wait, t.patient && t.attempts < embedTries
	case errors.Is(e.Class, llm.ErrRateLimited):
		first := t.patient && !t.waited
		t.waited = true
		e.RetryAfter = cmp.Or(e.RetryAfter, time.Second)
		return e.RetryAfter, first && e.RetryAfter <= longestTip
	case errors.Is(e.Class, llm.ErrInvalidOutput):
		first := !t.filled
		t.filled = true
		return 0, first
	}
	return 0, false
}

// learn recognizes what a server refuses; the next attempt avoids it. Each thing is
// learned once, so that a refusal cannot repeat forever. It does so for every status:
// llama.cpp reports with a 500 what its template refuses, and OpenRouter with a 404
// that no provider supports tools.
func (t *tally) learn(e *llm.Error) bool {
	if !errors.Is(e.Class, llm.ErrBadRequest) && !errors.Is(e.Class, llm.ErrUnavailable) && !errors.Is(e.Class, llm.ErrModelNotFound) {
		return false
	}
	fresh := lessonOf(e.Detail, t.asked, t.known|t.trial)
	t.trial |= fresh
	return fresh != 0
}

// attempt makes one request on the wire, under the three deadlines.
func (c *Client) attempt(ctx context.Context, t *tally, onText func(string)) (llm.Response, error) {
	ctx, watch := watched(ctx, c.o.Timeout, c.o.Total)
	defer watch.stop()
	r, known := t.asked, t.known|t.trial
	if t.repair != nil {
		r.Messages = append(r.Messages[:len(r.Messages):len(r.Messages)], t.repair.turns()...)
	}
	tokens := max(r.MaxTokens, c.o.MaxTokens)
	ex := &exchange{room: min(max(maxAnswer, int64(tokens)*perToken), maxBody),
		members: [][]byte{c.temperature(r.Model, known), c.cacheKey(r.Cache)}, marks: c.marksCache(r.Model), touch: watch.touch}
	ctx = context.WithValue(ctx, exchangeKey{}, ex)
	a := &answer{tokens: tokens, asked: r, known: known, reader: reader(r, known, t.repair != nil, onText)}
	err := c.exchange(ctx, ex, a, watch)
	if err == nil {
		var resp llm.Response
		if resp, err = a.response(); err == nil {
			if a.opened {
				t.trial |= thinksAhead &^ known
			}
			overhear(ctx, ex, a, nil)
			return resp, nil
		}
	}
	failed := c.classify(ctx, err, a)
	overhear(ctx, ex, a, failed)
	if e, ok := errors.AsType[*llm.Error](failed); ok && t.repair == nil {
		t.repair = a.repair(e)
	}
	return llm.Response{}, failed
}

// exchange sends the request and takes the answer in.
func (c *Client) exchange(ctx context.Context, ex *exchange, a *answer, watch *watch) error {
	var err error
	r, known := a.asked, a.known
	if known&noTools == 0 {
		if ex.tools, err = c.tools(r.Tools); err != nil {
			return err
		}
	}
	if ex.messages, err = messages(arranged(r, known), known); err != nil {
		return fmt.Errorf("write messages: %w", err)
	}
	req := c.request(r, known)
	if !c.o.Stream || known&noStream != 0 {
		if _, err := c.api.CreateChatCompletion(ctx, req); err != nil && ex.raw == nil {
			return err
		}
		return a.take(ex.raw)
	}
	req.Stream = true
	if known&noUsage == 0 {
		req.StreamOptions = &goopenai.StreamOptions{IncludeUsage: true}
	}
	stream, err := c.api.CreateChatCompletionStream(ctx, req)
	if err != nil {
		return err
	}
	defer func() { _ = stream.Close() }()
	return a.follow(events(ex.body), watch)
}

// Transcribe transcribes a recording; name has the file ending of its format. It
// makes one attempt.
func (c *Client) Transcribe(ctx context.Context, name string, audio []byte) (string, error) {
	if c.o.Transcription == "" {
		return "", fmt.Errorf("transcribe: %w: no transcription model is set", llm.ErrModelNotFound)
	}
	select {
	case c.room <- struct{}{}:
		defer func() { <-c.room }()
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
	ctx, watch := watched(ctx, c.o.Total, c.o.Total) // nothing comes before the whole answer
	defer watch.stop()
	resp, err := c.api.CreateTranscription(ctx, goopenai.AudioRequest{Model: c.o.Transcription, FilePath: name,
		Reader: bytes.NewReader(audio)})
	if err != nil {
		return "", fmt.Errorf("transcribe: %w", c.classify(ctx, err, nil))
	}
	return resp.Text, nil
}
