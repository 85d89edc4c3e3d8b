package web

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"parley/internal/text"
	"parley/internal/tools"
	"parley/internal/tools/netguard"
)

//go:embed search.md
var searchText string

const (
	maxSearchBytes = 1 << 20
	searchTimeout  = 15 * time.Second
	maxHits        = 10
	braveURL       = "https://api.search.brave.com/res/v1/web/search"
)

// Search is a search service.
type Search struct {
	Kind string // "searxng" or "brave"
	URL  string // of the SearXNG server; "" is Brave's own for brave
	Key  string // Brave's; sent to URL only
}

// Searching returns the tool web_search. The service's host may be on a private
// network, because an operator configured it. It fails when s is not usable.
func Searching(s Search) (tools.Tool, error) {
	if s.Kind == "brave" && s.URL == "" {
		s.URL = braveURL
	}
	guard, err := netguard.Guard{}.Trusting(s.URL)
	if err != nil {
		return nil, fmt.Errorf("web search: %w", err)
	}
	base, err := url.Parse(s.URL)
	if err != nil {
		return nil, fmt.Errorf("web search: %w", err)
	}
	if s.Kind == "searxng" {
		base = base.JoinPath("search")
	} else if s.Kind != "brave" {
		return nil, fmt.Errorf("web search: unknown kind %q", s.Kind)
	}
	f := searcher{guard.Client(), base, s}
	meta := tools.Meta{Name: "web_search", Words: "searches the web",
		Description: strings.TrimSpace(searchText), Category: tools.Web,
		ReadOnly: true, Trying: tools.Trying{Timeout: searchTimeout}}
	return tools.Func(meta, f.call), nil
}

type searcher struct {
	client *http.Client
	base   *url.URL
	search Search
}

type searchArgs struct {
	Query string `json:"query" jsonschema:"a few words"`
	Count int    `json:"count,omitempty" jsonschema:"how many results, 1 to 10; 5 when left out"`
}

type hit struct {
	Title       string `json:"title"`
	URL         string `json:"url"`
	Content     string `json:"content"`     // SearXNG
	Description string `json:"description"` // Brave
}

func (s searcher) call(ctx context.Context, _ tools.Call, a searchArgs) (tools.Result, error) {
	query, _ := text.Strip(strings.TrimSpace(a.Query))
	if query == "" || len(query) > 400 {
		return tools.Result{}, &tools.ArgumentError{Problems: []string{"arguments/query: must have 1 to 400 characters"}}
	}
	if a.Count <= 0 {
		a.Count = 5
	}
	hits, err := s.ask(ctx, query)
	if err != nil {
		return tools.Result{}, err
	}
	return present(hits, min(a.Count, maxHits)), nil
}

func (s searcher) ask(ctx context.Context, query string) ([]hit, error) {
	u := *s.base
	values := u.Query()
	values.Set("q", query)
	if s.search.Kind == "searxng" {
		values.Set("format", "json")
	} else {
		values.Set("count", strconv.Itoa(maxHits))
	}
	u.RawQuery = values.Encode()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, errors.New("the search service's address cannot be read")
	}
	r.Header.Set("Accept", "application/json")
	r.Header.Set("User-Agent", userAgent)
	if s.search.Kind == "brave" {
		r.Header.Set("X-Subscription-Token", s.search.Key)
	}
	resp, err := s.client.Do(r)
	if err != nil {
		return nil, errors.New("the search service could not be reached")
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the search service answered with status %d", resp.StatusCode)
	}
	var answer struct {
		Results []hit `json:"results"` // SearXNG
		Web     struct {
			Results []hit `json:"results"`
		} `json:"web"` // Brave
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxSearchBytes)).Decode(&answer); err != nil {
		return nil, errors.New("the search service sent something unreadable")
	}
	return append(answer.Results, answer.Web.Results...), nil
}

func present(hits []hit, count int) tools.Result {
	r := tools.Result{Untrusted: true}
	var b strings.Builder
	for _, h := range hits {
		u, err := url.Parse(h.URL)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || len(h.URL) > 1000 {
			continue
		}
		title, snippet := plainText(h.Title, 200), plainText(h.Content+h.Description, 400)
		fmt.Fprintf(&b, "%s\n%s\n%s\n\n", title, h.URL, snippet)
		r.Sources = append(r.Sources, tools.Source{Kind: "web", ID: h.URL, Title: title, URL: h.URL, Snippet: snippet, Text: snippet})
		if len(r.Sources) == count {
			break
		}
	}
	if r.Content = strings.TrimSpace(b.String()); r.Content == "" {
		r.Content = "Nothing was found."
	}
	return r
}

// plainText removes markup from a snippet; services highlight the words they found.
func plainText(s string, limit int) string {
	p, err := readPage(strings.NewReader(s), &url.URL{})
	if err == nil {
		s = p.text
	}
	return text.ClipBytes(strings.Join(strings.Fields(s), " "), limit)
}
