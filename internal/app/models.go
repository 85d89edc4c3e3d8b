package app

import (
	"context"
	"errors"
	"sync"
	"time"

	"parley/config"
	"parley/internal/app/setup"
	"parley/internal/app/whatif"
	"parley/internal/chat"
	"parley/internal/command"
	"parley/internal/command/gate"
	"parley/internal/llm"
	"parley/internal/llm/offline"
	"parley/internal/llm/wrap"
	"parley/internal/memory"
	"parley/internal/memory/modellog"
	"parley/internal/text/catalog"
)

// wordsBuiltIn is said in more than one place.
const wordsBuiltIn = "built in"

// models owns the language models: endpoints, wrappers of calls, vectors, traces, and
// their last known state.
type models struct {
	*base
	front    *front         // its quotas bound the calls
	tape     *modellog.Tape // for requests and answers; nil keeps none
	endpoint setup.Endpoint
	gauges   map[string]*wrap.Gauge // by model
	routes   map[string]wrap.Route  // by purpose
	embedder *wrap.Embedder         // nil for none
	spans    Spans
	pulse    pulse
	// instead takes the place of a model in a world apart; nil leaves the models.
	instead func(whatif.Leg) llm.Model
}

// open connects to the models, unless an endpoint is set already.
func (m *models) open(ctx context.Context) (err error) {
	if m.endpoint.Model == nil {
		if m.endpoint, err = setup.Connect(ctx, m.cfg, m.store, m.log); err != nil {
			return err
		}
	}
	m.gauges, m.routes = map[string]*wrap.Gauge{}, map[string]wrap.Route{}
	for _, e := range m.endpoint.Engines() {
		m.gauges[e.Name] = &wrap.Gauge{}
	}
	m.embedder = m.newEmbedder()
	m.spans.Tracer = wrap.NewTracer(m.cfg.OTel.Endpoint, m.process.Version, m.log)
	for _, purpose := range m.endpoint.Purposes() {
		m.routes[purpose] = m.route(purpose)
	}
	return nil
}

// builtIn reports whether only the built-in responder answers.
func (m *models) builtIn() bool { return m.endpoint.Name == offline.Name }

// routed returns the models for a purpose, with limits enforced and secrets hidden; nil if
// none is set.
func (m *models) routed(purpose string) llm.Model {
	route, ok := m.routes[purpose]
	if !ok {
		return nil
	}
	return wrap.Discreet{Model: route, Hide: setup.NewRedactor(m.cfg, setup.ShortestSaid)}
}

// route returns the models for a purpose. A model set by a test or a rehearsal serves
// every purpose that produces text.
func (m *models) route(purpose string) wrap.Route {
	legs := m.endpoint.Legs(purpose)
	if len(m.endpoint.Routes) == 0 {
		legs = []wrap.Leg{{Model: m.endpoint.Model, Name: m.endpoint.Name, Breaker: &wrap.Breaker{}, Blind: !m.endpoint.See}}
	}
	for i, leg := range legs {
		if m.instead != nil {
			one := whatif.Leg{Model: leg.Model, Name: leg.Name, Purpose: purpose}
			if e := m.engine(leg.Name); e != nil {
				one.Price = e.Price()
			}
			leg.Model = m.instead(one)
		}
		meter := wrap.Meter{
			Model: wrap.Traced{Model: modellog.Model{Model: leg.Model, Tape: m.taping(leg.Name), Name: leg.Name, Purpose: purpose},
				Name: leg.Name, Tracer: m.spans.Tracer, First: m.counts.FirstToken},
			Name: leg.Name, Purpose: purpose, MaxTokens: m.cfg.Model.MaxTokens, Window: leg.Window, Gauge: m.gauges[leg.Name],
			Instead: m.pastLimit, Count: m.count, Reserve: m.reserve,
		}
		if e := m.engine(leg.Name); e != nil {
			meter.MaxTokens, meter.Price = e.Traits.MaxTokens, e.Price()
		}
		legs[i].Model, legs[i].Gauge = meter, meter.Gauge
	}
	return m.endpoint.Along(legs, m.log)
}

// taping returns where a model's calls are recorded; nil for the built-in responder.
func (m *models) taping(name string) *modellog.Tape {
	if name == offline.Name {
		return nil
	}
	return m.tape
}

// shown returns which models do what and which are resting; nil with a single endpoint.
func (m *models) shown() func() []command.Route {
	if m.endpoint.Free {
		return nil
	}
	return func() (list []command.Route) {
		for _, purpose := range config.Purposes() {
			route := command.Route{Purpose: purpose}
			for _, e := range m.endpoint.Routes[purpose] {
				shown := command.RouteModel{Name: e.Name}
				if until, why := e.Breaker.Resting(); why != nil {
					shown.Until, shown.Why = until, wrap.ErrorType(why)
				}
				route.Models = append(route.Models, shown)
			}
			if len(route.Models) > 0 {
				list = append(list, route)
			}
		}
		return list
	}
}

// engine returns a model by its name, nil for none.
func (m *models) engine(name string) *setup.Engine {
	for _, e := range m.endpoint.Engines() {
		if e.Name == name {
			return e
		}
	}
	return nil
}

// reserve reserves the estimated cost of a call.
func (m *models) reserve(ctx context.Context, a wrap.Amount) (func(wrap.Amount), error) {
	done, err := m.front.quotas.Reserve(ctx, gate.Amount(a))
	if err != nil {
		return nil, err
	}
	return func(took wrap.Amount) { done(gate.Amount(took)) }, nil
}

// count adds a call to the metrics and to what its payer spent today, even if the message
// was stopped: the call was made.
func (m *models) count(ctx context.Context, c wrap.Call) {
	m.counts.ModelCall(c)
	if c.Outcome == "refused" || c.Model == offline.Name {
		return
	}
	used := memory.Used{Purpose: c.Purpose, Model: c.Model, Calls: 1, Usage: c.Usage}
	if c.Outcome == "failed" {
		used.Failed = 1
	}
	payer := chat.Payer(ctx)
	m.store.Usage.AddUsage(payer.Key, payer.From.ID, used, func(err error) {
		m.log.Warn("a model call is not in the figures", "model", c.Model, "err", err)
	})
}

// own returns the purpose under which an agent's route is stored: its own if it has one.
func (m *models) own(agent, purpose string) string {
	if own := setup.ForAgent(agent, purpose); m.routes[own].Legs != nil {
		return own
	}
	return purpose
}

// window returns the most tokens a request of an agent may have at the model of this name.
func (m *models) window(agent, name string) int {
	leg := m.routes[m.own(agent, config.PurposeAnswer)].Next(name)
	if n := leg.Window.Space(); n > 0 {
		return n
	}
	if e := m.engine(leg.Name); e != nil && e.Traits.ContextSize > 0 {
		return int(e.Traits.ContextSize)
	}
	if n := int(m.cfg.Model.ContextSize); n > 0 {
		return n
	}
	return unknownWindow
}

// estimate returns a function that counts a request's tokens as the next model of a route
// would.
func (m *models) estimate(route string) func(llm.Request) int {
	return func(r llm.Request) int { return m.routes[route].Estimate(r) }
}

// unknownWindow is the assumed context window of an unknown model, in tokens.
const unknownWindow = 32768

// pastOffline is the value of limits.past_limit that lets the built-in responder answer.
const pastOffline = "offline"

// pastLimit returns who answers when a limit is reached; nil for nobody.
func (m *models) pastLimit(err error) llm.Model {
	if errors.Is(err, gate.ErrQuota) && m.inForce.Load().Limits.PastLimit == pastOffline {
		return offline.Model{Why: "Today's allowance is used up, so I can't ask my language model before midnight UTC."}
	}
	if errors.Is(err, gate.ErrQuota) && m.cfg.Quick != config.QuickOff {
		return wrap.Spent{Model: offline.Model{Sure: true, Tells: true}, Why: err}
	}
	return nil
}

// newEmbedder returns the embedder of the settings, nil for none.
func (m *models) newEmbedder() *wrap.Embedder {
	name := m.cfg.EmbeddingModel()
	if name == "" {
		return nil
	}
	e := &wrap.Embedder{Name: name, Hide: setup.NewRedactor(m.cfg, setup.ShortestSaid), Count: m.count, Log: m.log, Now: m.now,
		Wait: m.cfg.Model.EmbeddingWait, Background: m.background}
	e.Of = m.endpoint.Embedders()
	if len(e.Of) == 0 {
		m.log.Warn("model.embedding is not used: the built-in responder has no embedding model", "model", name)
		return nil
	}
	return e
}

// hear transcribes recordings; nil without a transcription model.
func (m *models) hear() func(ctx context.Context, name string, audio []byte) (string, error) {
	ears := wrap.Ears{Count: m.count}
	for _, e := range m.endpoint.Routes[config.PurposeTranscription] {
		ears.Of = append(ears.Of, wrap.Ear{Hear: e.Transcribe, Name: e.Name, Price: e.Price(), Breaker: e.Breaker})
	}
	if len(ears.Of) == 0 {
		return nil
	}
	return ears.Hear
}

// embed makes vectors; pass embeds() instead to options, which is nil without a model.
func (m *models) embed(ctx context.Context, texts []string) ([][]float32, error) {
	if m.embedder == nil {
		return nil, wrap.ErrNoVectors
	}
	return m.embedder.Embed(ctx, texts)
}

// embeds returns embed, nil if no embedding model is set.
func (m *models) embeds() embed {
	if m.cfg.EmbeddingModel() == "" {
		return nil
	}
	return m.embed
}

// condition is the state of a model.
type condition struct {
	said catalog.Phrase
	ill  bool
}

// state asks the endpoint for its state.
func (m *models) state(ctx context.Context) condition {
	if m.endpoint.Check == nil {
		return condition{said: catalog.Words(wordsBuiltIn)}
	}
	began := m.now()
	if err := m.endpoint.Check(ctx); err != nil {
		return condition{catalog.Words("down"), true}
	}
	return condition{said: catalog.Fill("ok, %d ms", m.now().Sub(began).Milliseconds())}
}

// pulse remembers the model's state: asking takes longer than a page may.
type pulse struct {
	mu    sync.Mutex // guards the rest
	state condition
	asked time.Time
}

// pulseAge is how old a state may be before it is asked again.
const pulseAge = 30 * time.Second

// last returns the last known state and, if it is old, asks again in the background.
func (p *pulse) last(ask func(context.Context) condition) condition {
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
	if p.state.said == nil {
		return condition{said: catalog.Words("being asked")}
	}
	return p.state
}

// require stops startup, or only warns, depending on model.required.
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
