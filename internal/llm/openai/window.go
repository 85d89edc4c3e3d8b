package openai

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"parley/internal/llm"
	"parley/internal/text"
)

// ollamaWindow is Ollama's default on a small machine; larger ones are known once the
// model is loaded.
const ollamaWindow = 4096

// Window asks the endpoint how many tokens the model takes, 0 where it does not
// say. sure is false for what may be otherwise once the model is loaded. What a
// server gives the model now counts before what the model could take.
func (c *Client) Window(ctx context.Context) (tokens int, sure bool, err error) {
	list, err := c.listed(ctx, strings.TrimRight(c.o.BaseURL, "/")+"/models")
	if err != nil {
		return 0, false, err
	}
	for _, m := range list {
		if !c.isModel(m.ID) {
			continue
		}
		if n := m.window(); n > 0 {
			return n, true, nil
		}
		if m.Owner == "library" || m.Owner == "ollama" {
			return c.ollama(ctx)
		}
	}
	u, err := url.Parse(c.o.BaseURL)
	if err == nil && strings.TrimRight(u.Path, "/") == "/v1" && u.Scheme != "https" { // others have nothing beside it
		list, _ := c.listed(ctx, c.beside("/api/v0/models")) // LM Studio: what the model was loaded with
		if i := slices.IndexFunc(list, func(l listing) bool { return c.isModel(l.ID) }); i >= 0 && list[i].window() > 0 {
			return list[i].window(), true, nil
		}
		if p, err := c.props(ctx); err == nil && p.Settings.Ctx > 0 {
			return p.Settings.Ctx, true, nil
		}
		if n, sure, err := c.ollama(ctx); err == nil && n > 0 {
			return n, sure, nil
		}
	}
	return 0, true, nil
}

// listing is a model as lists of models have it, with what each server adds.
type listing struct {
	ID    string `json:"id"`
	Owner string `json:"owned_by"`
	// vLLM
	MaxModelLen int `json:"max_model_len"`
	// OpenRouter, Groq, Mistral
	ContextLength    int `json:"context_length"`
	ContextWindow    int `json:"context_window"`
	MaxContextLength int `json:"max_context_length"`
	TopProvider      struct {
		ContextLength int `json:"context_length"`
	} `json:"top_provider"`
	// Anthropic
	MaxInput int `json:"max_input_tokens"`
	// LM Studio's own list
	Loaded int `json:"loaded_context_length"`
}

func (l listing) window() int {
	for _, n := range []int{l.Loaded, l.MaxModelLen, l.TopProvider.ContextLength, l.ContextLength, l.ContextWindow,
		l.MaxInput, l.MaxContextLength} {
		if n > 0 {
			return n
		}
	}
	return 0
}

// listed returns the list of models at an address, with everything that it says.
func (c *Client) listed(ctx context.Context, address string) ([]listing, error) {
	var body struct {
		Data []listing `json:"data"`
	}
	err := c.ask(ctx, http.MethodGet, address, nil, &body)
	return body.Data, err
}

// beside returns an address of the same server.
func (c *Client) beside(path string) string {
	return strings.TrimSuffix(strings.TrimRight(c.o.BaseURL, "/"), "/v1") + path
}

var numCtx = text.Pattern(`(?m)^\s*num_ctx\s+(\d+)`)

// ollama asks Ollama for what the model is loaded with or, before it is, for
// what its description sets.
func (c *Client) ollama(ctx context.Context) (tokens int, sure bool, err error) {
	var running struct {
		Models []struct {
			Name          string `json:"name"`
			Model         string `json:"model"`
			ContextLength int    `json:"context_length"`
		} `json:"models"`
	}
	if err := c.ask(ctx, http.MethodGet, c.beside("/api/ps"), nil, &running); err != nil {
		return 0, false, err
	}
	for _, m := range running.Models {
		if (c.isModel(m.Name) || c.isModel(m.Model)) && m.ContextLength > 0 {
			return m.ContextLength, true, nil
		}
	}
	var shown struct {
		Parameters string `json:"parameters"`
	}
	if err := c.ask(ctx, http.MethodPost, c.beside("/api/show"), map[string]string{"model": c.o.Model}, &shown); err != nil {
		return 0, false, err
	}
	if found := numCtx().FindStringSubmatch(shown.Parameters); found != nil {
		n, _ := strconv.Atoi(found[1])
		return n, false, nil
	}
	return ollamaWindow, false, nil
}

// ask sends one small request beside the interface that all speak, and reads
// its JSON.
func (c *Client) ask(ctx context.Context, method, address string, in, out any) error {
	var body io.Reader
	if in != nil {
		b, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = strings.NewReader(string(b))
	}
	req, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil {
		return err
	}
	if c.o.APIKey != "" {
		req.Header.Set("Authorization", "Bearer "+c.o.APIKey)
	}
	resp, err := c.wire.Do(req)
	if err != nil {
		return c.classify(ctx, err, nil)
	}
	defer func() { _ = resp.Body.Close() }()
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxAnswer)).Decode(out); err != nil {
		return &llm.Error{Class: llm.ErrInvalidOutput, Detail: fmt.Sprintf("not JSON: %v", err)}
	}
	return nil
}
