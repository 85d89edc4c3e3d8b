package cli

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"time"

	"parley/config"
	"parley/internal/app/setup"
	"parley/internal/llm/openai"
	"parley/internal/llm/probe"
	"parley/internal/memory"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

func (d *doctor) model(ctx context.Context, cfg config.Config) {
	var notes openai.Notebook // what a start learned; before the first there is nothing
	if stored(cfg) {
		if store, err := openStore(ctx, cfg, memory.Options{}); err == nil { // data has told why it cannot be opened
			defer func() { _ = store.Close() }()
			notes = store
		}
	}
	d.wait, cfg = cfg.Model.EmbeddingWait, setup.FindEncoder(ctx, cfg)
	e, err := setup.Connect(ctx, cfg, notes, slog.New(slog.DiscardHandler))
	if err != nil {
		d.line("model", err, "")
		return
	}
	for _, engine := range e.Engines() {
		d.quirks(ctx, engine)
	}
	if len(cfg.Models) > 0 {
		d.several(ctx, e)
		return
	}
	if list := e.Routes[config.PurposeAnswer]; len(list) > 0 {
		d.tried(ctx, trial{catalog.Words("model"), e.About, catalog.Words(wordsModelSettings), list[0]})
	} else {
		d.say("ok", "model", "%v", e.About)
	}
	d.embedding(ctx, e, "model.embedding")
	for _, purpose := range []string{config.PurposePlaybook, config.PurposeLibrarian} {
		if route := e.Routes[purpose]; len(route) > 1 {
			d.tried(ctx, trial{catalog.Fill(wordsModelFor, purpose), catalog.Words(route[0].Label), catalog.Words(wordsModelName), route[0]})
		}
	}
}

// several checks each model, and shows which model does what.
func (d *doctor) several(ctx context.Context, e setup.Endpoint) {
	for _, engine := range e.Engines() {
		if e.Talks(engine) {
			d.tried(ctx, trial{catalog.Fill(wordsModelCalled, engine.Name), catalog.Words(engine.Label), catalog.Words(wordsItsSettings), engine})
			continue
		}
		err := engine.Check(ctx)
		if err != nil {
			err = text.Tell("%s: %w; check %s", engine.Label, err, catalog.Words(wordsItsSettings))
		}
		d.line(catalog.Fill(wordsModelCalled, engine.Name), err, "%s", engine.Label)
	}
	for _, purpose := range config.Purposes() {
		var names []string
		for _, engine := range e.Routes[purpose] {
			names = append(names, engine.Name)
		}
		if len(names) > 0 {
			d.say("ok", catalog.Fill(wordsRouteOf, purpose), "%s", strings.Join(names, d.p.Text(wordsThenNext)))
		}
	}
	d.embedding(ctx, e, "routes.embedding")
}

// trial is a model to try.
type trial struct {
	name  catalog.Phrase // of the line
	about catalog.Phrase
	check catalog.Phrase // the settings to look at
	*setup.Engine
}

// mostSaid is how much of an answer is shown, in characters.
const mostSaid = 160

// shown is an answer as it is quoted to the operator.
func shown(answer string) string { return text.Shorten(text.Line(answer), mostSaid) }

// tried has a model answer and call a tool, as a conversation does: a list that has
// its name says nothing about that. An answer without sense is a warning, as code cannot
// tell a model that is broken from one that knows nothing.
func (d *doctor) tried(ctx context.Context, t trial) {
	o, err := t.Try(ctx)
	place, _ := t.Find(ctx)
	var p *probe.Problem
	switch {
	case errors.As(err, &p) && (p.Kind == probe.Path || p.Kind == probe.Page) && place.Added != "":
		err = text.Tell(wordsAddressMended, err, place.Base)
	case err != nil:
		err = text.Tell("%s %w; check %s", t.about, err, t.check)
	}
	window := ""
	if err == nil {
		window = d.window(ctx, t.Engine)
	}
	d.line(t.name, err, "%s%s", t.about, window)
	if err == nil && !o.Knows {
		d.say("warn", t.name, wordsNoSense, shown(o.Said))
	}
	if err == nil && !o.Calls {
		d.say("warn", t.name, wordsNoCalls)
	}
	if !place.Date.IsZero() {
		d.line(catalog.Fill(wordsClockOf, t.name), skewed(d.now(), place.Date), wordsClockAgrees)
	}
}

// window returns how many tokens a model takes, in words; "" where nobody says.
func (d *doctor) window(ctx context.Context, e *setup.Engine) string {
	if e.Traits.ContextSize > 0 {
		return " " + d.p.Say(wordsWindowSet, e.Traits.ContextSize)
	}
	tokens, sure, err := e.Client.Window(ctx)
	switch {
	case err != nil || tokens == 0:
		return ""
	case !sure:
		return " " + d.p.Say(wordsWindowUntil, tokens)
	}
	return " " + d.p.Say(wordsWindow, tokens)
}

// embedding asks each embedding model for a vector, the second time to see how long
// a question waits for one.
func (d *doctor) embedding(ctx context.Context, e setup.Endpoint, hint string) {
	for _, v := range e.Embedders() {
		var took time.Duration
		var list [][]float32
		var err error
		for range 2 {
			began := time.Now()
			if list, _, err = v.Embed(ctx, []string{"hello"}); err != nil {
				break
			}
			took = time.Since(began)
		}
		switch said := catalog.Fill(wordsDimensions, v.Name, len(slices.Concat(list...))); {
		case err != nil:
			d.line("embedding", text.Tell("%w; check %s, which is %s", err, hint, v.Name), "")
		case took > d.wait:
			d.say("warn", "embedding", wordsSlowVectors, said, took.Round(time.Millisecond), d.wait)
		default:
			d.say("ok", "embedding", "%s", said)
		}
	}
}

// quirks shows what was learned about the model.
func (d *doctor) quirks(ctx context.Context, e *setup.Engine) {
	list, err := e.Quirks(ctx)
	if err != nil {
		d.line(catalog.Fill(wordsLimitsOf, e.Name), err, "")
	} else if len(list) > 0 {
		d.say("ok", catalog.Fill(wordsLimitsOf, e.Name), wordsFoundOut, strings.Join(list, "; "))
	}
}
