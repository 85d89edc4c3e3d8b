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

// Said in more than one place.
const (
	wordsItsSettings = "its base_url, api_key and model"
	wordsModelCalled = "model %s"
	wordsLimitsOf    = "limits of %s"
)

func (d *doctor) model(ctx context.Context, cfg config.Config) {
	var notes openai.Notebook // learned at earlier starts
	if stored(cfg) {
		if store, err := openStore(ctx, cfg, memory.Options{}); err == nil { // data reports why it cannot be opened
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
		d.tried(ctx, trial{catalog.Words("model"), e.About, catalog.Words("model.base_url, model.api_key and model.name"), list[0]})
	} else {
		d.say("ok", "model", "%v", e.About)
	}
	d.embedding(ctx, e, "model.embedding")
	for _, purpose := range []string{config.PurposePlaybook, config.PurposeLibrarian} {
		if route := e.Routes[purpose]; len(route) > 1 {
			d.tried(ctx,
				trial{catalog.Fill("model for %s", purpose), catalog.Words(route[0].Label), catalog.Words("the name of that model"), route[0]})
		}
	}
}

// several checks each model and shows the routes.
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
			d.say("ok", catalog.Fill("route %s", purpose), "%s", strings.Join(names, d.p.Text(", then ")))
		}
	}
	d.embedding(ctx, e, "routes.embedding")
}

// trial is a model to try.
type trial struct {
	name  catalog.Phrase // of the check
	about catalog.Phrase
	check catalog.Phrase // settings to check
	*setup.Engine
}

// mostSaid is how much of an answer is quoted, in characters.
const mostSaid = 160

// shown shortens an answer for quoting.
func shown(answer string) string { return text.Shorten(text.Line(answer), mostSaid) }

// tried has a model answer and call a tool, as a conversation does: being listed proves
// neither. A senseless answer is only a warning, because code cannot tell a broken model
// from an ignorant one.
func (d *doctor) tried(ctx context.Context, t trial) {
	o, err := t.Try(ctx)
	place, _ := t.Find(ctx)
	var p *probe.Problem
	switch {
	case errors.As(err, &p) && (p.Kind == probe.Path || p.Kind == probe.Page) && place.Added != "":
		err = text.Tell("%w; set model.base_url to %s", err, place.Base)
	case err != nil:
		err = text.Tell("%s %w; check %s", t.about, err, t.check)
	}
	window := ""
	if err == nil {
		window = d.window(ctx, t.Engine)
	}
	d.line(t.name, err, "%s%s", t.about, window)
	if err == nil && !o.Knows {
		d.say("warn", t.name, "it answers, but not sensibly: asked for the capital of France in one word, it said %q; check "+
			"the temperature, the chat template that the server uses and how far the model is quantised, or take another model", shown(o.Said))
	}
	if err == nil && !o.Calls {
		d.say("warn", t.name, "it answers, but called no tool when it was told to: reminders, notes and searches will not "+
			"work well; another model may do better")
	}
	if !place.Date.IsZero() {
		d.line(catalog.Fill(wordsClockOf, t.name), skewed(d.now(), place.Date), wordsClockAgrees)
	}
}

// window describes how many tokens a model takes, "" if unknown.
func (d *doctor) window(ctx context.Context, e *setup.Engine) string {
	if e.Traits.ContextSize > 0 {
		return " " + d.p.Say("%d tokens, as set.", e.Traits.ContextSize)
	}
	tokens, sure, err := e.Client.Window(ctx)
	switch {
	case err != nil || tokens == 0:
		return ""
	case !sure:
		return " " + d.p.Say("%d tokens, until it is loaded.", tokens)
	}
	return " " + d.p.Say("%d tokens.", tokens)
}

// embedding asks each embedding model for a vector twice; the second time shows how long a
// question waits.
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
		switch said := catalog.Fill("%s, %d dimensions", v.Name, len(slices.Concat(list...))); {
		case err != nil:
			d.line("embedding", text.Tell("%w; check %s, which is %s", err, hint, v.Name), "")
		case took > d.wait:
			d.say("warn", "embedding", "%s; a vector took %s, and questions wait %s: words alone decide until model.embedding_wait is longer", said, took.Round(time.Millisecond), d.wait)
		default:
			d.say("ok", "embedding", "%s", said)
		}
	}
}

// speech has a word spoken.
func (d *doctor) speech(ctx context.Context, s config.Speech) {
	e, name, ok := setup.Speech(s)
	if !ok {
		return
	}
	began := time.Now()
	r, err := e.Speak(ctx, "Hello.", "")
	if err != nil {
		err = text.Tell("%w; check %s", err, "speech.base_url, speech.api_key, speech.model")
	}
	d.line("speech", err, "%s speaks %s, %d KB in %s", name, r.MIME, len(r.Data)>>10, time.Since(began).Round(time.Millisecond))
}

// quirks shows what was learned about the model.
func (d *doctor) quirks(ctx context.Context, e *setup.Engine) {
	list, err := e.Quirks(ctx)
	if err != nil {
		d.line(catalog.Fill(wordsLimitsOf, e.Name), err, "")
	} else if len(list) > 0 {
		d.say("ok", catalog.Fill(wordsLimitsOf, e.Name), "found out: %s", strings.Join(list, "; "))
	}
}
