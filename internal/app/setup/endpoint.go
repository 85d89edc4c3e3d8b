// Package setup builds from the settings what both startup and the operator's commands
// need: the models, the log, notes, tool servers. It keeps nothing running.
package setup

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"parley/config"
	"parley/internal/llm"
	"parley/internal/llm/offline"
	"parley/internal/llm/openai"
	"parley/internal/llm/probe"
	"parley/internal/llm/provider"
	"parley/internal/llm/wrap"
	"parley/internal/text"
	"parley/internal/text/catalog"
	"parley/internal/text/machine"
)

// Endpoint holds the models, and what is known about them.
type Endpoint struct {
	llm.Model                                         // answers as the route of that name does, without limits; nil for none yet
	Name      string                                  // asked for, and shown
	About     catalog.Phrase                          // the line that tells the operator which models these are
	Fallback  llm.Model                               // the free lane, unless the built-in responder is the model itself
	Quick     llm.Model                               // likewise, before the model is asked
	See       bool                                    // pictures can be shown to one that answers
	Check     func(context.Context) error             // nil where there is nothing to ask
	List      func(context.Context) ([]string, error) // models to choose from; nil for none
	// Free lets any model of the one endpoint be chosen by its name there;
	// otherwise models are chosen by the owner's names.
	Free   bool
	Routes map[string][]*Engine // by purpose; none, or one without models, is not done
	// Encoder makes vectors instead of that route; nil where none was found.
	Encoder *Engine
	Call    Calling
}

// Calling bounds the retries of model calls.
type Calling struct {
	RetryFor time.Duration
	Retries  int
	Total    time.Duration
}

// Engine is one model. Its breaker, gauge and window are shared by all routes it
// is on.
type Engine struct {
	*openai.Client
	Name    string // the owner's, or the model's own where there is one endpoint
	Label   string // model and address, for the operator
	at      config.Engine
	Traits  config.Traits
	Breaker *wrap.Breaker
	Window  *wrap.Window
}

// Price returns what its tokens cost.
func (e *Engine) Price() wrap.Price { return wrap.Price(e.Traits.Price) }

// Try has the model answer a tiny question and call a tool, as a conversation would.
// Its errors are *probe.Problem, or ctx's.
func (e *Engine) Try(ctx context.Context) (probe.Outcome, error) {
	return probe.Try(ctx, probe.Endpoint{Model: e.Client, Base: e.at.BaseURL, Key: string(e.at.APIKey), Name: e.at.Model})
}

// Find looks at what is at its address. It blocks as probe.Find does.
func (e *Engine) Find(ctx context.Context) (probe.Place, error) {
	return probe.Find(ctx, e.at.BaseURL, string(e.at.APIKey))
}

// Engines returns all models, each once, in the order of their first route.
func (e Endpoint) Engines() (list []*Engine) {
	for _, purpose := range slices.Concat(config.Purposes(), slices.Sorted(maps.Keys(e.Routes))) {
		for _, engine := range e.Routes[purpose] {
			if !slices.Contains(list, engine) {
				list = append(list, engine)
			}
		}
	}
	return list
}

// defaultModel is what a key without a model name asks for.
const defaultModel = "gpt-4o-mini"

// Attempts and the wait between them before a required model is given up at
// start.
const (
	startTries = 3
	startWait  = 500 * time.Millisecond
)

// Connect chooses the models: those configured; else Ollama, if it answers; else the
// built-in responder. What is learned about a model goes into the notebook; nil keeps
// nothing. An embedding model that was found is included.
func Connect(ctx context.Context, cfg config.Config, notes openai.Notebook, log *slog.Logger) (Endpoint, error) {
	encoder, err := Encoder(cfg, notes, log)
	if err != nil {
		return Endpoint{}, err
	}
	e, err := connect(ctx, cfg, notes, log)
	if e.Encoder = encoder; encoder != nil && err == nil {
		e.About = catalog.Fill("%s Meaning: %s.", e.About, encoder.Label)
	}
	return e, err
}

func connect(ctx context.Context, cfg config.Config, notes openai.Notebook, log *slog.Logger) (Endpoint, error) {
	b := builder{cfg: cfg, notes: notes, log: log, room: make(chan struct{}, affordable(cfg.Limits.ConcurrentModelCalls, log)),
		made: map[string]*Engine{}}
	if len(cfg.Models) > 0 {
		return b.several()
	}
	if cfg.Model.Name == offline.Name {
		return builtin("Model: the built-in responder, as configured."), nil
	}
	found, err := locate(ctx, cfg)
	if err != nil {
		return Endpoint{}, err
	}
	if found.base == "" {
		return builtin("Model: the built-in responder, because no language model is set. Set OPENAI_API_KEY, or " +
			"OPENAI_BASE_URL and OPENAI_MODEL, or start Ollama."), nil
	}
	return b.one(ctx, found)
}

// place is the endpoint and the name of the one model.
type place struct{ base, name string }

// hosted matches the names of models that only providers run.
var hosted = text.Pattern(`^(gpt-[345]|chatgpt-|o[134](-|$)|claude-|gemini-|grok-)`)

// locate finds the one endpoint; a place without a base is none.
func locate(ctx context.Context, cfg config.Config) (place, error) {
	m := cfg.Model
	p := place{m.BaseURL, m.Name}
	switch {
	case p.base != "":
	case m.APIKey != "":
		if owner := provider.Of(string(m.APIKey)); owner != nil && owner.Base != provider.OpenAI {
			return place{}, text.Tell("model.api_key is a key of %s and was sent nowhere: set model.base_url to %s, and model.name", owner.Name, owner.Base)
		}
		p.base = provider.OpenAI
	case p.name != "":
		p.base = cfg.OllamaURL
		if !hosted().MatchString(p.name) {
			break
		}
		if here, _ := openai.Probe(ctx, p.base); !slices.Contains(here, p.name) {
			return place{}, noKey("model.api_key", p.name, text.Tell("set OPENAI_API_KEY, or OPENAI_BASE_URL with the address of another provider and its key, or pull "+
				"a model with Ollama and name that one"))
		}
	default:
		models, ok := openai.Probe(ctx, cfg.OllamaURL)
		if !ok || len(models) == 0 {
			return place{}, nil
		}
		p = place{cfg.OllamaURL, models[0]}
	}
	if p.name == "" && p.base == provider.OpenAI {
		p.name = defaultModel
	}
	return p, nil
}

func noKey(setting, model string, hint error) error {
	return &config.Error{Setting: setting, Problem: text.Tell("no key is set, and %s needs one", model), Hint: hint}
}

// builder makes engines, each once.
type builder struct {
	cfg   config.Config
	notes openai.Notebook
	log   *slog.Logger
	room  chan struct{}      // of all models together
	made  map[string]*Engine // by the owner's name; "" is the one model
}

// engine makes a model, or returns the one of that name.
func (b *builder) engine(set config.Engine) (*Engine, error) {
	name, base, key, model, t := set.Name, set.BaseURL, set.APIKey, set.Model, set.Traits
	if e := b.made[name]; e != nil {
		return e, nil
	}
	c, err := openai.New(openai.Options{
		BaseURL: base, APIKey: string(key), Model: model, Transcription: model, Embedding: model, Temperature: t.Temperature.Sent(),
		Reasoning: t.ReasoningEffort,
		MaxTokens: t.MaxTokens, Timeout: b.cfg.Model.Timeout, Total: b.cfg.Agent.TurnTimeout, Stream: b.cfg.Model.Stream,
		Concurrent: cap(b.room), Room: b.room, Log: b.log, Notebook: b.notes,
	})
	if err != nil {
		return nil, err
	}
	e := &Engine{Client: c, Name: name, Label: fmt.Sprintf("%s at %s", model, base), Traits: t, Breaker: &wrap.Breaker{}, at: set}
	if e.Name == "" {
		e.Name = model
	}
	if t.ContextSize == 0 {
		e.Window = &wrap.Window{Name: e.Name, Ask: c.Window, Reply: t.MaxTokens, Log: b.log}
	}
	b.made[name] = e
	return e, nil
}

// one makes the endpoint of model.*.
func (b *builder) one(ctx context.Context, at place) (Endpoint, error) {
	m := b.cfg.Model
	if at.name == "" {
		c, err := openai.New(openai.Options{BaseURL: at.base, APIKey: string(m.APIKey), Timeout: m.Timeout})
		if err != nil {
			return Endpoint{}, err
		}
		if at.name, err = onlyModel(ctx, c, at.base); err != nil {
			return Endpoint{}, err
		}
	}
	e := Endpoint{Name: at.name, About: catalog.Fill("Model: %s at %s.", at.name, at.base), Free: true}
	err := b.route(&e, func(name string) (*Engine, error) {
		model, traits := name, m.Traits
		if name == "" {
			model = at.name
		} else {
			traits.ContextSize, traits.ReasoningEffort, traits.Price = 0, "", config.Price{} // of the other model
		}
		return b.engine(config.Engine{Name: name, BaseURL: at.base, APIKey: m.APIKey, Model: model, Traits: traits})
	})
	if err != nil {
		return Endpoint{}, err
	}
	e.List = b.made[""].Models
	return e, nil
}

// several makes the endpoints of models.
func (b *builder) several() (Endpoint, error) {
	e := Endpoint{}
	err := b.route(&e, func(name string) (*Engine, error) {
		set, _ := b.cfg.Engine(name)
		i := slices.IndexFunc(b.cfg.Models, func(e config.Engine) bool { return e.Name == name })
		path := fmt.Sprintf("models[%d].", i)
		if set.BaseURL == "" {
			if set.APIKey == "" {
				return nil, noKey(path+"api_key", set.Model, text.Tell("set its api_key, such as ${OPENAI_API_KEY}, or the base_url of a server that needs none"))
			}
			if owner := provider.Of(string(set.APIKey)); owner != nil && owner.Base != provider.OpenAI {
				return nil, fmt.Errorf("%sapi_key is a key of %s and was sent nowhere: set %sbase_url to %s", path, owner.Name, path, owner.Base)
			}
			set.BaseURL = provider.OpenAI
		}
		return b.engine(set)
	})
	if err != nil {
		return Endpoint{}, err
	}
	var about []string
	for _, engine := range e.Engines() {
		about = append(about, fmt.Sprintf("%s (%s)", engine.Name, engine.Label))
	}
	e.Name, e.About = e.Routes[config.PurposeAnswer][0].Name, catalog.Fill("Models: %s.", strings.Join(about, ", "))
	e.List = func(context.Context) (names []string, err error) {
		for _, engine := range e.Routes[config.PurposeAnswer] {
			names = append(names, engine.Name)
		}
		return names, nil
	}
	return e, nil
}

// route fills in the routes, and what depends on them.
func (b *builder) route(e *Endpoint, engine func(name string) (*Engine, error)) error {
	e.Routes = map[string][]*Engine{}
	add := func(purpose string, names []string) error {
		for _, name := range names {
			made, err := engine(name)
			if err != nil {
				return err
			}
			e.Routes[purpose] = append(e.Routes[purpose], made)
		}
		return nil
	}
	for _, purpose := range config.Purposes() {
		if err := add(purpose, b.cfg.Route(purpose)); err != nil {
			return err
		}
	}
	for i, s := range b.cfg.Subagents {
		route := s.Route
		if s.Model != "" {
			route = []string{s.Model, ""}
		}
		if err := add(ForSubagent+s.Name, route); err != nil {
			return fmt.Errorf("subagents[%d]: %w", i, err)
		}
	}
	for i, r := range b.cfg.Agents {
		for _, purpose := range residentPurposes {
			if err := add(ForAgent(r.Name, purpose), r.Route(purpose)); err != nil {
				return fmt.Errorf("agents[%d]: %w", i, err)
			}
		}
	}
	e.Call = Calling{RetryFor: b.cfg.Model.RetryFor, Retries: b.cfg.Model.Retries, Total: b.cfg.Agent.TurnTimeout}
	e.Check = e.anyAnswers
	e.Fallback, e.Quick = Lane(b.cfg.Quick)
	legs := e.Legs(config.PurposeAnswer)
	e.Model = e.Along(legs, b.log)
	e.See = slices.ContainsFunc(legs, func(l wrap.Leg) bool { return !l.Blind })
	return nil
}

// Lane returns what answers without a model while that is down, and before it is asked.
func Lane(quick string) (fallback, first llm.Model) {
	switch quick {
	case config.QuickOff:
		return nil, nil
	case config.QuickOn:
		first = offline.Model{Sure: true}
	}
	return offline.Model{Sure: true, Tells: true}, first
}

// Talks reports whether a model is used for more than embeddings and transcription.
func (e Endpoint) Talks(engine *Engine) bool {
	for purpose, route := range e.Routes {
		if purpose != config.PurposeEmbedding && purpose != config.PurposeTranscription && slices.Contains(route, engine) {
			return true
		}
	}
	return false
}

// ForSubagent begins the purpose of a helper's own route.
const ForSubagent = "subagent:"

// residentPurposes are those for which an agent may have models of its own.
var residentPurposes = []string{config.PurposeAnswer, config.PurposePlaybook, config.PurposeSummary}

// ForAgent returns the purpose of an agent's own route.
func ForAgent(name, purpose string) string { return "agent:" + name + ":" + purpose }

// Purposes returns the purposes that have a model and need words. Without routes it is all,
// by the same model.
func (e Endpoint) Purposes() (list []string) {
	if len(e.Routes) == 0 {
		return []string{config.PurposeAnswer, config.PurposePlaybook, config.PurposeSummary, config.PurposeLibrarian}
	}
	for purpose, route := range e.Routes {
		if len(route) > 0 && purpose != config.PurposeEmbedding && purpose != config.PurposeTranscription {
			list = append(list, purpose)
		}
	}
	return list
}

// Legs returns the models for a purpose, nil for none.
func (e Endpoint) Legs(purpose string) (legs []wrap.Leg) {
	for _, engine := range e.Routes[purpose] {
		legs = append(legs, wrap.Leg{Model: engine.Client, Name: engine.Name, Breaker: engine.Breaker, Window: engine.Window,
			Blind: !engine.Traits.Images})
	}
	return legs
}

// Along returns the route over legs.
func (e Endpoint) Along(legs []wrap.Leg, log *slog.Logger) wrap.Route {
	return wrap.Route{Legs: legs, Free: e.Free, Patience: e.Call.RetryFor, Tries: max(e.Call.Retries, len(legs)),
		Total: e.Call.Total, Log: log}
}

// anyAnswers checks the models that answer: one that works is enough.
func (e Endpoint) anyAnswers(ctx context.Context) error {
	var first error
	for _, engine := range e.Routes[config.PurposeAnswer] {
		err := engine.Check(ctx)
		if err == nil {
			return nil
		}
		if first == nil {
			first = err
		}
	}
	return first
}

// affordable lowers the number of model calls at once to a quarter of the file
// descriptors: platforms and the database must not go without.
func affordable(calls int, log *slog.Logger) int {
	limit, ok := machine.OpenFiles()
	if !ok || limit/4 >= uint64(calls) {
		return calls
	}
	fewer := max(1, int(limit/4))
	log.Warn("few file descriptors: fewer model calls at once than limits.concurrent_model_calls", "descriptors", limit, "calls", fewer)
	return fewer
}

// onlyModel takes the first model of an endpoint for which none was named.
func onlyModel(ctx context.Context, c *openai.Client, base string) (string, error) {
	names, err := c.Models(ctx)
	if err != nil {
		return "", fmt.Errorf("model.name is not set, and %s does not list its models: %w", base, err)
	}
	if len(names) == 0 {
		return "", fmt.Errorf("model.name is not set, and %s has no models", base)
	}
	return names[0], nil
}

func builtin(about string) Endpoint {
	return Endpoint{Model: offline.Model{}, Name: offline.Name, About: catalog.Words(about), Free: true}
}

// Ready asks whether the model can be used: three times, because a server next
// door may still be starting. A wrong key or a missing model is not asked again.
func (e Endpoint) Ready(ctx context.Context) error {
	if e.Check == nil {
		return nil
	}
	var err error
	for try := 1; ; try++ {
		if err = e.Check(ctx); err == nil {
			return nil
		}
		if try == startTries || !errors.Is(err, llm.ErrUnavailable) {
			return fmt.Errorf("the model %s cannot be used: %w", e.Name, err)
		}
		select {
		case <-time.After(startWait):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
