package config

import (
	"fmt"
	"slices"
	"strings"
)

// Purposes of models, as routes name them.
const (
	PurposeAnswer        = "answer"
	PurposePlaybook      = "playbook"
	PurposeSummary       = "summary"
	PurposeLibrarian     = "librarian"
	PurposeEmbedding     = "embedding"
	PurposeTranscription = "transcription"
)

// Purposes lists them in the order of Routes.
func Purposes() []string {
	return []string{PurposeAnswer, PurposePlaybook, PurposeSummary, PurposeLibrarian, PurposeEmbedding, PurposeTranscription}
}

// Route returns the models for a purpose, as set or by default; nil for none.
// Without a list of models it returns names at the one endpoint: "" is the model of
// the settings.
func (c Config) Route(purpose string) []string {
	if len(c.Models) == 0 {
		return c.oneEndpoint(purpose)
	}
	set := map[string][]string{
		PurposeAnswer: c.Routes.Answer, PurposePlaybook: c.Routes.Playbook, PurposeSummary: c.Routes.Summary,
		PurposeLibrarian: c.Routes.Librarian, PurposeEmbedding: c.Routes.Embedding, PurposeTranscription: c.Routes.Transcription,
	}
	switch route := set[purpose]; {
	case len(route) > 0:
		return route
	case purpose == PurposeEmbedding || purpose == PurposeTranscription:
		return nil
	case purpose != PurposeAnswer:
		return c.Route(PurposeAnswer)
	}
	names := make([]string, len(c.Models))
	for i, e := range c.Models {
		names[i] = e.Name
	}
	return names
}

// oneEndpoint is Route for model.*, the only endpoint.
func (c Config) oneEndpoint(purpose string) []string {
	only := func(name string) []string {
		if name == "" {
			return nil
		}
		return []string{name}
	}
	first := func(name string) []string { return append(only(name), "") }
	switch purpose {
	case PurposePlaybook:
		return first(c.Model.PlaybookName)
	case PurposeLibrarian:
		return first(c.Vault.LibrarianModel)
	case PurposeEmbedding:
		return only(c.Model.Embedding)
	case PurposeTranscription:
		return only(c.Model.Transcription)
	}
	return []string{""}
}

// EmbeddingModel returns the model that makes vectors, "" for none.
func (c Config) EmbeddingModel() string {
	if c.Encoder != nil {
		return c.Encoder.Model
	}
	route := c.Route(PurposeEmbedding)
	if len(route) == 0 || len(c.Models) == 0 {
		return c.Model.Embedding
	}
	e, _ := c.Engine(route[0])
	return e.Model
}

// Engine returns one of Models by its name.
func (c Config) Engine(name string) (Engine, bool) {
	i := slices.IndexFunc(c.Models, func(e Engine) bool { return e.Name == name })
	if i < 0 {
		return Engine{}, false
	}
	return c.Models[i], true
}

// engines checks the list of models and the routes over it: each purpose is set in
// only one way, and routes name models that exist.
func (c *Config) engines(fail fail) {
	c.oneWay(fail)
	routes := map[string][]string{}
	for _, s := range []struct {
		name  string
		route []string
	}{
		{"answer", c.Routes.Answer}, {"playbook", c.Routes.Playbook}, {"summary", c.Routes.Summary}, {"librarian", c.Routes.Librarian},
		{"embedding", c.Routes.Embedding}, {"transcription", c.Routes.Transcription},
	} {
		routes["routes."+s.name] = s.route
	}
	for i, s := range c.Subagents {
		routes[fmt.Sprintf("subagents[%d].route", i)] = s.Route
	}
	for i, r := range c.Agents {
		at := fmt.Sprintf("agents[%d].routes.", i)
		routes[at+"answer"], routes[at+"playbook"], routes[at+"summary"] = r.Routes.Answer, r.Routes.Playbook, r.Routes.Summary
	}
	var names []string
	for _, e := range c.Models {
		names = append(names, e.Name)
	}
	for path, route := range routes {
		for i, name := range route {
			if !slices.Contains(names, name) {
				e := wrong(wordsNoneOf, name, "models")
				if len(names) > 0 {
					e.hint(wordsDidYouMean, Closest(name, names))
				}
				fail(path, e)
			} else if slices.Contains(route[:i], name) {
				fail(path, wrong("names %q twice", name))
			}
		}
	}
	c.sameVectors(fail)
}

// oneWay refuses settings that say the same thing twice: an error that names both is
// better than a guess.
func (c *Config) oneWay(fail fail) {
	both := func(old, now string) {
		fail(old, wrong("is set, and so is %s", now).hint("remove one of them"))
	}
	for _, s := range []struct {
		old, now string
		set      bool
	}{
		{"model.playbook_name", "routes.playbook", c.Model.PlaybookName != "" && len(c.Routes.Playbook) > 0},
		{"model.transcription", "routes.transcription", c.Model.Transcription != "" && len(c.Routes.Transcription) > 0},
		{"model.embedding", "routes.embedding", c.Model.Embedding != "" && len(c.Routes.Embedding) > 0},
		{"model.embedding_url", "routes.embedding", c.Model.EmbeddingURL != "" && len(c.Routes.Embedding) > 0},
		{"vault.librarian_model", "routes.librarian", c.Vault.LibrarianModel != "" && len(c.Routes.Librarian) > 0},
	} {
		if s.set {
			both(s.old, s.now)
		}
	}
	for i, s := range c.Subagents {
		if s.Model != "" && len(s.Route) > 0 {
			both(fmt.Sprintf("subagents[%d].model", i), fmt.Sprintf("subagents[%d].route", i))
		}
	}
	if len(c.Models) == 0 {
		return
	}
	usual := Default()
	usual.Model.Timeout, usual.Model.RetryFor, usual.Model.Retries = c.Model.Timeout, c.Model.RetryFor, c.Model.Retries
	usual.Model.Stream, usual.Model.Required = c.Model.Stream, c.Model.Required
	for _, path := range usual.Diff(*c) {
		if strings.HasPrefix(path, "model.") && !c.routed(path) {
			both(path, "models")
		}
	}
	if c.Vault.LibrarianModel != "" && len(c.Routes.Librarian) == 0 {
		both("vault.librarian_model", "models")
	}
	for i, s := range c.Subagents {
		if s.Model != "" && len(s.Route) == 0 {
			both(fmt.Sprintf("subagents[%d].model", i), "models")
		}
	}
}

// routed reports whether a conflict of a setting with its route was reported.
func (c *Config) routed(path string) bool {
	return path == "model.playbook_name" && len(c.Routes.Playbook) > 0 ||
		path == "model.transcription" && len(c.Routes.Transcription) > 0 ||
		path == "model.embedding" && len(c.Routes.Embedding) > 0
}

// sameVectors refuses a route with different embedding models.
func (c *Config) sameVectors(fail fail) {
	if len(c.Routes.Embedding) == 0 {
		return
	}
	first, _ := c.Engine(c.Routes.Embedding[0])
	for _, name := range c.Routes.Embedding[1:] {
		if e, ok := c.Engine(name); ok && e.Model != first.Model {
			fail("routes.embedding", wrong("has %s and %s, which are different models", first.Name, e.Name).hint("vectors of different models cannot be compared: name one, or the same model at several endpoints"))
		}
	}
}
