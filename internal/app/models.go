package app

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"parley/internal/admin"
	"parley/internal/llm"
	"parley/internal/llm/offline"
	"parley/internal/llm/wrap"
	"parley/internal/memory"
	"parley/internal/setup"
)

// models owns the way to the language models: the endpoint, what stands around
// a call, vectors, traces, and how the model was when somebody asked last.
type models struct {
	*base
	store    *memory.Store // keeps what is learned of the model
	front    *front        // whose quotas bound the calls
	endpoint setup.Endpoint
	embedder *wrap.Embedder // nil for none
	spans    spans
	pulse    pulse
}

// open connects to the endpoint; one that is there already stays.
func (m *models) open(ctx context.Context) (err error) {
	if m.endpoint.Model == nil {
		if m.endpoint, err = setup.Connect(ctx, m.cfg, m.store, m.log); err != nil {
			return err
		}
	}
	m.embedder = m.newEmbedder()
	m.spans.Tracer = wrap.NewTracer(m.cfg.OTel.Endpoint, m.process.Version, m.log)
	return nil
}

// builtIn says that no model answers but the built-in responder.
func (m *models) builtIn() bool { return m.endpoint.Name == offline.Name }

// guarded holds a model's calls to the limits, and secrets back from it.
func (m *models) guarded(inner llm.Model) llm.Model {
	discreet := wrap.Discreet{Model: wrap.Traced{Model: inner, Name: m.endpoint.Name, Tracer: m.spans.Tracer, First: m.counts.firstToken}, Hide: setup.NewRedactor(m.cfg, setup.ShortestSaid)}
	return wrap.Meter{
		Model: discreet, Name: m.endpoint.Name, MaxTokens: m.cfg.Model.MaxTokens, Instead: m.pastLimit, Count: m.counts.modelCall,
		Reserve: func(ctx context.Context, tokens int64) (func(int64), error) {
			return m.front.quotas.Reserve(ctx, tokens)
		},
	}
}

// pastOffline is the limits.past_limit that lets the built-in responder answer.
const pastOffline = "offline"

// pastLimit is who answers when a limit is reached; nil is nobody.
func (m *models) pastLimit(err error) llm.Model {
	if errors.Is(err, admin.ErrQuota) && m.inForce.Load().Limits.PastLimit == pastOffline {
		return offline.Model{Why: wordsPastLimit}
	}
	return nil
}

// newEmbedder is the embedder of the settings, nil for none.
func (m *models) newEmbedder() *wrap.Embedder {
	name := m.cfg.Model.Embedding
	if name == "" {
		return nil
	}
	if m.endpoint.Embed == nil {
		m.log.Warn("model.embedding is not used: the built-in responder has no embedding model", "model", name)
		return nil
	}
	return &wrap.Embedder{Embedder: m.endpoint.Embed, Name: name, Hide: setup.NewRedactor(m.cfg, setup.ShortestSaid), Count: m.counts.modelCall, Log: m.log, Now: m.now}
}

// embed makes vectors for whatever asks; it is nil in the options of those who
// do where no embedding model is set.
func (m *models) embed(ctx context.Context, texts []string) ([][]float32, error) {
	if m.embedder == nil {
		return nil, wrap.ErrNoVectors
	}
	return m.embedder.Embed(ctx, texts)
}

// embeds is the embed of options.
func (m *models) embeds() embed {
	if m.cfg.Model.Embedding == "" {
		return nil
	}
	return m.embed
}

// modelDown is the state of a model that cannot be reached.
const modelDown = "down"

// modelState asks the model's endpoint how it is.
func (m *models) state(ctx context.Context) string {
	if m.endpoint.Check == nil {
		return "built in"
	}
	began := m.now()
	if err := m.endpoint.Check(ctx); err != nil {
		return modelDown
	}
	return fmt.Sprintf("ok, %d ms", m.now().Sub(began).Milliseconds())
}

// pulse remembers how the model was, because asking takes longer than a page
// may.
type pulse struct {
	mu    sync.Mutex // guards the rest
	state string
	asked time.Time
}

// pulseAge is how old an answer may be before it is asked for anew.
const pulseAge = 30 * time.Second

// last returns the last answer at once and, when it is old, asks for another in
// the background.
func (p *pulse) last(ask func(context.Context) string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Since(p.asked) > pulseAge {
		p.asked = time.Now()
		go func() {
			ctx, cancel := context.WithTimeout(context.Background(), statusTimeout)
			defer cancel()
			state := ask(ctx)
			p.mu.Lock()
			defer p.mu.Unlock()
			p.state = state
		}()
	}
	if p.state == "" {
		return "being asked"
	}
	return p.state
}

// require holds the start up, or only says so, as model.required tells.
func (m *models) require(ctx context.Context) error {
	if m.cfg.Model.Required {
		return m.endpoint.Ready(ctx)
	}
	m.background(func() {
		if err := m.endpoint.Ready(ctx); err != nil && ctx.Err() == nil {
			m.log.Warn("starting without a model", "err", err)
		}
	})
	return nil
}
