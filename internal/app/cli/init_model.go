package cli

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley/config"
	"parley/internal/app/setup"
	"parley/internal/llm/offline"
	"parley/internal/llm/openai"
	"parley/internal/llm/probe"
	"parley/internal/llm/provider"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// Said in more than one place.
const (
	wordsInitForeign      = "that is a secret of %s, which serves no models, so I have sent it nowhere"
	wordsInitUnusable     = "that model cannot be used: %w"
	wordsInitBuiltinTaken = "  The built-in responder answers until you set a model."
)

// choice is a line of the provider menu.
type choice struct {
	name  string // may be typed instead of the number
	label string
	take  func() error
}

// provider asks which provider answers.
func (w *wizard) provider(ctx context.Context) error {
	w.made.Model, w.given, w.at, w.place = config.Model{}, given{}, nil, probe.Place{}
	local, _ := openai.Probe(ctx, w.base.OllamaURL)
	w.menu = w.choices(local)
	w.say("1. Who answers? A number, a key of theirs, or the address of your own server\n   (LM Studio, " +
		"llama.cpp, vLLM, a gateway):")
	for i, c := range w.menu {
		w.say("  %2d  %s", i+1, c.label)
	}
	fallback := w.menu[len(w.menu)-1]
	if len(local) > 0 {
		fallback = w.menu[0]
	}
	q := question{name: "provider", text: catalog.Fill("   [%s]:", fallback.name), shown: provider.Veil, help: wordsHelpProvider}
	return w.until(ctx, q, func(said string) error {
		if said == "" || said == skipped {
			return fallback.take()
		}
		return w.choose(ctx, said)
	})
}

// choices returns the menu.
func (w *wizard) choices(local []string) (menu []choice) {
	label := w.p.Say("Ollama, which does not answer at %s", w.base.OllamaURL)
	if len(local) > 0 {
		label = w.p.Say("Ollama, which runs on this machine (%s)", strings.Join(local[:min(3, len(local))], ", "))
	}
	menu = append(menu, choice{"ollama", label, func() error {
		if len(local) == 0 {
			return text.Tell("Ollama does not answer at %s, or has no model: start it with ollama serve, and get a model with ollama pull qwen3",
				w.base.OllamaURL)
		}
		w.place, w.given.keyless = probe.Place{Base: w.base.OllamaURL, Models: local}, true
		return nil
	}})
	for _, p := range provider.All() {
		menu = append(menu, choice{strings.ReplaceAll(strings.ToLower(p.Name), " ", ""), p.Name, func() error {
			w.at, w.place = &p, probe.Place{Base: p.Base}
			return nil
		}})
	}
	return append(menu, choice{offline.Name, w.p.Text("nobody yet: the built-in responder, which knows no language model"), func() error {
		w.made.Model.Name = offline.Name
		return nil
	}})
}

// choose reads an answer: a number or a name of the menu, ollama NAME, a key, or
// ADDRESS [KEY [NAME]] with - for no key.
func (w *wizard) choose(ctx context.Context, said string) error {
	words := append(strings.Fields(said), "", "", "")
	if len(words) > 6 {
		return text.Tell("that is more than an address, a key and a model's name")
	}
	first := words[0]
	if w.tokens.Owner(words[2]) != "" || words[1] != "" && w.tokens.Owner(first) != "" && w.tokens.Owner(words[1]) != "" {
		return text.Tell("a key stands where the model's name belongs, so I have sent it nowhere: the order is address, key, name")
	}
	n, _ := strconv.Atoi(first)
	for i, c := range w.menu {
		if n == i+1 || strings.EqualFold(first, c.name) {
			w.given = given{model: words[1]}
			return c.take()
		}
	}
	if p := provider.Of(first); p != nil {
		w.at, w.place, w.given = p, probe.Place{Base: p.Base}, given{key: first, model: words[1]}
		w.say("  That is a key of %s; it goes to %s and nowhere else.", p.Name, p.Base)
		return nil
	}
	if owner := w.tokens.Owner(first); owner != "" {
		return text.Tell(wordsInitForeign, owner)
	}
	if !w.tokens.IsAddress(first) {
		return text.Tell("I can't tell whose key that is, so I have sent it nowhere: choose the provider by its " +
			"number, and I ask for the key next; or give the address of your own server")
	}
	w.given = given{key: words[1], model: words[2], keyless: words[1] == "-"}
	if w.given.keyless {
		w.given.key = ""
	}
	return w.address(ctx, first)
}

// address probes an endpoint without a key: whose key it needs is not known yet.
func (w *wizard) address(ctx context.Context, address string) error {
	if err := w.tokens.Belongs(w.given.key, address); err != nil {
		return err
	}
	if w.at = provider.At(address); w.at != nil {
		w.place = probe.Place{Base: w.at.Base}
		return nil
	}
	place, err := probe.Find(ctx, address, "")
	var p *probe.Problem
	if errors.As(err, &p) && (p.Kind == probe.NoKey || p.Kind == probe.Key) {
		if w.given.keyless {
			return err
		}
		place.Models, err = nil, nil
	}
	if err != nil {
		return text.Tell(wordsInitUnusable, err)
	}
	w.place = place
	w.found()
	return nil
}

// found reports what was completed in the address.
func (w *wizard) found() {
	if w.place.Added != "" {
		w.say("  %s was missing, I added it: %s", w.place.Added, provider.Veil(w.place.Base))
	}
}

// key asks for the key, if one is needed, and lists the models with it.
func (w *wizard) key(ctx context.Context) error {
	if w.place.Base == "" || w.given.keyless {
		w.made.Model.BaseURL = w.place.Base
		return nil
	}
	if key := w.given.key; key != "" {
		w.given.key = "" // asked for if this one is refused
		return again("key", w.tryKey(ctx, key))
	}
	ask := catalog.Fill("   Its key, or Enter if it needs none:")
	if w.at != nil {
		ask = catalog.Fill("   Your key of %s, from %s (or skip):", w.at.Name, w.at.Keys)
	}
	return w.until(ctx, question{name: "key", text: ask, shown: dots, help: wordsHelpKey}, func(key string) error {
		switch {
		case key != "" && key != skipped:
			return w.tryKey(ctx, key)
		case w.at != nil:
			w.say("  Without a key nobody answers there.")
			w.made.Model, w.place = config.Model{Name: offline.Name}, probe.Place{}
			return nil
		}
		w.made.Model.BaseURL, w.made.Model.APIKey = w.place.Base, "" // drop a refused key
		return nil
	})
}

// again makes an error return to a step.
func again(step string, err error) error {
	if err == nil {
		return nil
	}
	return &returnTo{step, err}
}

// tryKey sends a key to its own provider only.
func (w *wizard) tryKey(ctx context.Context, key string) error {
	if owner := w.tokens.Owner(key); owner != "" && provider.Of(key) == nil {
		return text.Tell(wordsInitForeign, owner)
	}
	if w.at != nil {
		if err := w.tokens.Refuses(*w.at, key); err != nil {
			return err
		}
	}
	w.made.Model.BaseURL, w.made.Model.APIKey = w.place.Base, config.Secret(key)
	w.know(w.made)
	place, err := probe.Find(ctx, w.place.Base, key)
	if err != nil {
		return text.Tell(wordsInitUnusable, err)
	}
	w.place = place
	w.made.Model.BaseURL = place.Base
	w.found()
	return nil
}

// model asks for the model, and has it answer and call a tool.
func (w *wizard) model(ctx context.Context) error {
	if w.place.Base == "" {
		w.say(wordsInitBuiltinTaken)
		return nil
	}
	list := talkers(w.place.Models)
	best := ""
	if w.at != nil && slices.Contains(list, w.at.Best) {
		best = w.at.Best
	} else if len(list) > 0 {
		best = list[0]
	}
	switch name := w.given.model; {
	case name != "":
		w.given.model = ""
		return again("model", w.tryModel(ctx, w.listed(name)))
	case len(list) == 1:
		if err := w.tryModel(ctx, best); err != nil {
			return again("provider", err)
		}
		return nil
	}
	return w.pick(ctx, list, best)
}

// listed returns a name as the endpoint lists it.
func (w *wizard) listed(name string) string {
	if full := "models/" + name; slices.Contains(w.place.Models, full) { // Google
		return full
	}
	return name
}

// mostShown is the number of models shown at once.
const mostShown = 15

// pick asks for a model by number, name, or part of a name to see fewer.
func (w *wizard) pick(ctx context.Context, all []string, best string) error {
	shown := all
	w.show(shown, best)
	ask := catalog.Fill("   It lists no models. The name of the one you want:")
	if best != "" {
		ask = catalog.Fill("   Which model? A number, a name, or part of one to see fewer [%s]:", best)
	}
	for {
		var fewer []string
		err := w.until(ctx, question{name: "model", text: ask, help: wordsHelpModel}, func(answer string) error {
			fewer = nil
			n, _ := strconv.Atoi(answer)
			switch name := w.listed(answer); {
			case answer == skipped:
				w.made.Model, w.place = config.Model{Name: offline.Name}, probe.Place{}
				w.say(wordsInitBuiltinTaken)
				return nil
			case answer == "" && best == "":
				return text.Tell("I need a name")
			case answer == "":
				return w.tryModel(ctx, best)
			case n > 0 && n <= min(len(shown), mostShown):
				return w.tryModel(ctx, shown[n-1])
			case slices.Contains(w.place.Models, name) || len(all) == 0:
				return w.tryModel(ctx, name)
			}
			fewer = slices.DeleteFunc(slices.Clone(all), func(name string) bool {
				return !strings.Contains(strings.ToLower(name),
					strings.ToLower(answer))
			})
			if len(fewer) == 0 || w.tty == nil && len(fewer) > 1 {
				return text.Tell("%q is not at this endpoint; it has %s", answer, strings.Join(all[:min(8, len(all))], ", "))
			}
			if len(fewer) == 1 {
				name := fewer[0]
				fewer = nil
				return w.tryModel(ctx, name)
			}
			return nil
		})
		if err != nil || fewer == nil {
			return err
		}
		shown = fewer
		w.show(shown, "")
	}
}

func (w *wizard) show(list []string, best string) {
	for i, name := range list[:min(len(list), mostShown)] {
		mark := ""
		if name == best {
			mark = "   (Enter)"
		}
		w.say("  %2d  %s%s", i+1, name, mark)
	}
	if more := len(list) - mostShown; more > 0 {
		w.say("      and %d more: type part of a name", more)
	}
}

// tryModel has a model answer as in a conversation.
func (w *wizard) tryModel(ctx context.Context, name string) error {
	w.made.Model.Name = name
	try := w.base
	try.Model.BaseURL, try.Model.APIKey, try.Model.Name = w.made.Model.BaseURL, w.made.Model.APIKey, name
	e, err := setup.Connect(ctx, try, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	w.say("  Trying %s …", name)
	o, err := e.Routes[config.PurposeAnswer][0].Try(ctx)
	var p *probe.Problem
	if errors.As(err, &p) && (p.Kind == probe.NoKey || p.Kind == probe.Key) {
		w.given.keyless = false
		return again("key", text.Tell(wordsInitUnusable, err))
	}
	if err != nil {
		return text.Tell(wordsInitUnusable, err)
	}
	w.say("  %s answers (%s).", name, cmp.Or(o.Took.Round(100*time.Millisecond), 100*time.Millisecond))
	if !o.Knows {
		w.say("  But not sensibly: asked for the capital of France in one word, it said %q.\n  Check the "+
			"chat template that the server uses and how far the model is quantised;\n  type back to choose another.", shown(o.Said))
	}
	if !o.Calls {
		w.say("  But it called no tool when it was told to: it will talk, and not remind, note or\n  look " +
			"things up reliably. Another model may; type back to choose.")
	}
	return nil
}

// unspoken are parts of the names of models that cannot converse.
var unspoken = []string{"embed", "whisper", "tts", "dall-e", "moderation", "transcribe", "rerank", "-image", "realtime",
	"sora", "davinci", "babbage", "imagen", "veo", "-ocr", "guard"}

// talkers returns the models that may converse, judging by name; all if none is left.
func talkers(all []string) []string {
	list := slices.DeleteFunc(slices.Clone(all), func(name string) bool {
		return slices.ContainsFunc(unspoken, func(part string) bool { return strings.Contains(strings.ToLower(name), part) })
	})
	if len(list) == 0 {
		return all
	}
	return list
}
