package openai

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"parley/internal/llm"
)

// Models lists the models of the endpoint, sorted.
func (c *Client) Models(ctx context.Context) ([]string, error) {
	ctx, watch := watched(ctx, c.o.Timeout, c.o.Total)
	defer watch.stop()
	list, err := c.api.ListModels(ctx)
	if err != nil {
		return nil, c.classify(ctx, err, nil)
	}
	names := make([]string, len(list.Models))
	for i, m := range list.Models {
		names[i] = m.ID
	}
	slices.Sort(names)
	return names, nil
}

// Check checks that the endpoint answers and has the model. It returns nil, or an
// llm.Error whose text explains what to do. Endpoints without a model list pass.
func (c *Client) Check(ctx context.Context) error {
	names, err := c.Models(ctx)
	if err != nil {
		if e, ok := errors.AsType[*llm.Error](err); ok && (e.Status == http.StatusNotFound || e.Status == http.StatusMethodNotAllowed) {
			return nil
		}
		return err
	}
	if len(names) == 0 || slices.ContainsFunc(names, c.isModel) {
		return nil
	}
	return &llm.Error{Class: llm.ErrModelNotFound, Detail: fmt.Sprintf(
		"%q is not at this endpoint; it has %s. With Ollama: ollama pull %s", c.o.Model, strings.Join(names[:min(len(names), 8)], ", "),
		c.o.Model)}
}

// isModel compares names as Ollama and Gemini spell them.
func (c *Client) isModel(name string) bool {
	return name == c.o.Model || name == c.o.Model+":latest" || strings.TrimPrefix(name, "models/") == c.o.Model
}

// probeTimeout is short: the probe decides what a start without settings does.
const probeTimeout = 500 * time.Millisecond

// Probe looks for an endpoint that nobody configured, such as Ollama's, and
// returns its models; ok is false when nothing answers. It waits half a second
// at most, and not at all when nothing listens.
func Probe(ctx context.Context, baseURL string) (models []string, ok bool) {
	u, err := url.Parse(baseURL)
	if err != nil {
		return nil, false
	}
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", u.Host)
	if err != nil {
		return nil, false
	}
	_ = conn.Close()
	c, err := New(Options{BaseURL: baseURL, Timeout: probeTimeout})
	if err != nil {
		return nil, false
	}
	models, err = c.Models(ctx)
	return models, err == nil
}
