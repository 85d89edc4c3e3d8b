package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"parley/config"
	"parley/internal/llm/openai"
	"parley/internal/llm/probe"
	"parley/internal/memory"
	"parley/internal/setup"
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
		d.tried(ctx, trial{"model", e.About.String(), "model.base_url, model.api_key and model.name", list[0]})
	} else {
		d.say("ok", "model", e.About.String())
	}
	d.embedding(ctx, e, "check model.embedding")
	for _, purpose := range []string{config.PurposePlaybook, config.PurposeLibrarian} {
		if route := e.Routes[purpose]; len(route) > 1 {
			d.tried(ctx, trial{"model for " + purpose, route[0].Label, "the name of that model", route[0]})
		}
	}
}

// several checks each model, and shows which model does what.
func (d *doctor) several(ctx context.Context, e setup.Endpoint) {
	for _, engine := range e.Engines() {
		if e.Talks(engine) {
			d.tried(ctx, trial{"model " + engine.Name, engine.Label, "its base_url, api_key and model", engine})
			continue
		}
		err := engine.Check(ctx)
		if err != nil {
			err = fmt.Errorf("%s: %w; check its base_url, api_key and model", engine.Label, err)
		}
		d.line("model "+engine.Name, err, engine.Label)
	}
	for _, purpose := range config.Purposes() {
		var names []string
		for _, engine := range e.Routes[purpose] {
			names = append(names, engine.Name)
		}
		if len(names) > 0 {
			d.say("ok", "route "+purpose, strings.Join(names, ", then "))
		}
	}
	d.embedding(ctx, e, "check routes.embedding")
}

// trial is a model to try.
type trial struct {
	name  string // of the line
	about string
	check string // the settings to look at
	*setup.Engine
}

// tried has a model answer and call a tool, as a conversation does: a list that has
// its name says nothing about that.
func (d *doctor) tried(ctx context.Context, t trial) {
	o, err := t.Try(ctx)
	place, _ := t.Find(ctx)
	var p *probe.Problem
	switch {
	case errors.As(err, &p) && (p.Kind == probe.Path || p.Kind == probe.Page) && place.Added != "":
		err = fmt.Errorf(wordsAddressMended, err, place.Base)
	case err != nil:
		err = fmt.Errorf("%s %w; check %s", t.about, err, t.check)
	}
	fine := t.about
	if err == nil {
		fine += d.window(ctx, t.Engine)
	}
	d.line(t.name, err, fine)
	if err == nil && !o.Calls {
		d.say("warn", t.name, wordsNoCalls)
	}
	if !place.Date.IsZero() {
		d.line(t.name+" clock", skewed(d.now(), place.Date), "this machine's clock agrees")
	}
}

// window returns how many tokens a model takes, in words; "" where nobody says.
func (d *doctor) window(ctx context.Context, e *setup.Engine) string {
	if e.Traits.ContextSize > 0 {
		return fmt.Sprintf(" %d tokens, as set.", e.Traits.ContextSize)
	}
	tokens, sure, err := e.Client.Window(ctx)
	switch {
	case err != nil || tokens == 0:
		return ""
	case !sure:
		return fmt.Sprintf(" %d tokens, until it is loaded.", tokens)
	}
	return fmt.Sprintf(" %d tokens.", tokens)
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
		switch said := fmt.Sprintf("%s, %d dimensions", v.Name, len(slices.Concat(list...))); {
		case err != nil:
			d.line("embedding", fmt.Errorf("%w; %s, which is %s", err, hint, v.Name), "")
		case took > d.wait:
			d.say("warn", "embedding", fmt.Sprintf("%s; a vector took %s, and questions wait %s: words alone decide until model.embedding_wait is longer", said, took.Round(time.Millisecond), d.wait))
		default:
			d.say("ok", "embedding", said)
		}
	}
}

// quirks shows what was learned about the model.
func (d *doctor) quirks(ctx context.Context, e *setup.Engine) {
	list, err := e.Quirks(ctx)
	if err != nil {
		d.line("limits of "+e.Name, err, "")
	} else if len(list) > 0 {
		d.say("ok", "limits of "+e.Name, "found out: "+strings.Join(list, "; "))
	}
}
