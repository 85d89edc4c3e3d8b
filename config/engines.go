package config

import (
	"reflect"
	"slices"
	"strings"
	"sync"
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
func Purposes() []string { return slices.Clone(purposes()) }

var purposes = sync.OnceValue(func() (list []string) {
	for _, f := range fields(reflect.TypeFor[Routes]()) {
		list = append(list, f.Tag.Get("yaml"))
	}
	return list
})

// routeOf returns what Routes or ResidentRoutes set for a purpose, nil for nothing.
func routeOf(routes any, purpose string) []string {
	v := reflect.ValueOf(routes)
	field, ok := fieldNamed(v, purpose)
	if !ok {
		return nil
	}
	return v.FieldByIndex(field.Index).Interface().([]string)
}

// Route returns the models for a purpose, as set or by default; nil for none. Without a
// list of models it returns names at the single endpoint; "" is model.name.
func (c Config) Route(purpose string) []string {
	if len(c.Models) == 0 {
		return c.oneEndpoint(purpose)
	}
	switch route := routeOf(c.Routes, purpose); {
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

// oneEndpoint is Route for model.*, the single endpoint.
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

// engines checks the routes: they name existing models, each once, and nothing else sets
// the same.
func (c *Config) engines(fail fail) {
	var names []string
	for _, e := range c.Models {
		names = append(names, e.Name)
	}
	c.each(func(s *Setting) {
		if !s.names {
			return
		}
		route := s.value.Interface().([]string)
		for i, name := range route {
			if !slices.Contains(names, name) {
				e := wrong(wordsNoneOf, name, "models")
				if len(names) > 0 {
					e.hint(wordsDidYouMean, Closest(name, names))
				}
				fail(s.Path, e)
			} else if slices.Contains(route[:i], name) {
				fail(s.Path, wrong("names %q twice", name))
			}
		}
	})
	c.oneWay(fail)
	c.sameVectors(fail)
}

// oneWay rejects settings that say the same thing twice: naming both is better than
// guessing.
func (c *Config) oneWay(fail fail) {
	var changed []string // settings of model that models replace
	if len(c.Models) > 0 {
		changed = Default().Diff(*c)
	}
	c.each(func(s *Setting) {
		now := ""
		switch {
		case s.instead != "" && !s.value.IsZero():
			now = c.route(s)
		case s.instead == "" && strings.HasPrefix(s.Path, "model.") && !s.beside && slices.Contains(changed, s.Path):
			now = "models"
		}
		if now != "" {
			fail(s.Path, wrong("is set, and so is %s", now).hint("remove one of them"))
		}
	})
}

// route names what is set instead of a model's name: its route, or models; "" for neither.
func (c *Config) route(s *Setting) string {
	path := s.instead
	if i := strings.LastIndex(s.Path, "]."); i >= 0 { // in a list, the route is in the same section
		path = s.Path[:i+2] + path
	}
	if route, ok := c.find(path); ok && route.value.Len() > 0 {
		return path
	}
	if len(c.Models) > 0 {
		return "models"
	}
	return ""
}

// sameVectors rejects a route over different embedding models.
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
