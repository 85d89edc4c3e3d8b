// Package web holds the tools that read the internet: one page, and a search. They
// read only, and only where a netguard.Guard lets them. They do not decide whether
// a turn may: the policy of the tools does.
package web

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"golang.org/x/net/html/charset"

	"parley/internal/text"
	"parley/internal/text/urls"
	"parley/internal/tools"
	"parley/internal/tools/netguard"
)

//go:embed fetch.md
var fetchText string

const (
	maxPageBytes = 1 << 20 // of a body, after decompression
	maxPiece     = 12_000  // bytes of a page's text in one result
	fetchTimeout = 25 * time.Second
	cachedPages  = 8
	userAgent    = "Mozilla/5.0 (compatible; Parley)"
)

// Fetch returns the tool web_fetch: one GET through the guard's client, reduced
// to text. A page is fetched once in a turn, however often it is read.
func Fetch(g netguard.Guard) tools.Tool {
	f := &fetcher{client: g.Client(), guard: g}
	meta := tools.Meta{Name: "web_fetch", Words: "reads a web page",
		Description: strings.TrimSpace(fetchText), Category: tools.Web,
		ReadOnly: true, Egress: true, Trying: tools.Trying{Timeout: fetchTimeout + 5*time.Second}}
	return tools.Func(meta, f.call)
}

type fetcher struct {
	client *http.Client
	guard  netguard.Guard

	mu    sync.Mutex // guards pages
	pages []cached   // the oldest first
}

type cached struct {
	turn, url string
	page      fetched
}

type fetched struct {
	page
	url  string // after redirects
	more bool   // the body was longer than maxPageBytes
}

type fetchArgs struct {
	URL  string `json:"url" jsonschema:"full address, http or https"`
	From int    `json:"from,omitempty" jsonschema:"where to read on, as an earlier result said"`
}

func (f *fetcher) call(ctx context.Context, c tools.Call, a fetchArgs) (tools.Result, error) {
	turn, _, _ := strings.Cut(c.Key, ":")
	p, ok := f.cached(turn, a.URL)
	if !ok {
		var err error
		if c.Taint.Private {
			ctx = netguard.Private(ctx, c.Taint.Hosts)
		}
		if p, err = f.fetch(ctx, a.URL); err != nil {
			return tools.Result{}, err
		}
		f.keep(cached{turn, a.URL, p})
	}
	return p.piece(a.From), nil
}

// cached finds a page of this turn; a call outside any turn finds nothing.
func (f *fetcher) cached(turn, address string) (fetched, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.pages {
		if turn != "" && c.turn == turn && c.url == address {
			return c.page, true
		}
	}
	return fetched{}, false
}

func (f *fetcher) keep(c cached) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.pages = append(f.pages, c); len(f.pages) > cachedPages {
		f.pages = append([]cached(nil), f.pages[1:]...)
	}
}

func (f *fetcher) fetch(ctx context.Context, address string) (fetched, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	u, err := url.Parse(address)
	if err != nil {
		return fetched{}, fmt.Errorf("%w: it cannot be read", netguard.ErrForbidden)
	}
	if err := f.guard.CheckURL(u); err != nil {
		return fetched{}, err
	}
	u.Fragment = ""
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return fetched{}, errors.New("fetch: the address cannot be read")
	}
	r.Header.Set("User-Agent", userAgent)
	r.Header.Set("Accept", "text/html,application/xhtml+xml,text/*;q=0.9,application/json;q=0.8")
	resp, err := f.client.Do(r)
	if err != nil {
		return fetched{}, fetchError(ctx, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fetched{}, fmt.Errorf("the site answered with status %d", resp.StatusCode)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxPageBytes+1))
	if err != nil {
		return fetched{}, fetchError(ctx, err)
	}
	return readBody(body, resp.Header.Get("Content-Type"), resp.Request.URL)
}

// fetchError explains a failure in one sentence for models and people. It never
// reveals an address inside the network.
func fetchError(ctx context.Context, err error) error {
	var dns *net.DNSError
	switch {
	case errors.Is(err, netguard.ErrForbidden):
		return urls.Bare(err)
	case ctx.Err() != nil:
		return errors.New("the site was too slow")
	case errors.As(err, &dns):
		return errors.New("there is no site of that name")
	}
	return errors.New("the site could not be reached or sent something unreadable")
}

func readBody(body []byte, kind string, from *url.URL) (fetched, error) {
	p := fetched{url: from.String()}
	if p.more = len(body) > maxPageBytes; p.more {
		body = body[:maxPageBytes]
	}
	kind = cmp.Or(kind, http.DetectContentType(body))
	media, _, err := mime.ParseMediaType(kind)
	if err != nil {
		return fetched{}, errors.New("the site did not say what it sent")
	}
	isText := strings.HasPrefix(media, "text/") || strings.HasSuffix(media, "json") || strings.HasSuffix(media, "xml") ||
		strings.HasSuffix(media, "yaml")
	if !isText {
		return fetched{}, fmt.Errorf("this is not a text page but %s", text.Line(media))
	}
	utf, err := charset.NewReader(bytes.NewReader(body), kind)
	if err != nil {
		return fetched{}, errors.New("the page is in an unknown encoding")
	}
	if strings.Contains(media, "html") {
		if p.page, err = readPage(utf, from); err != nil {
			return fetched{}, errors.New("the page cannot be read")
		}
		return p.trimmed(), nil
	}
	raw, err := io.ReadAll(utf)
	if err != nil {
		return fetched{}, errors.New("the page cannot be read")
	}
	p.text, p.hiddenCharacters = text.Strip(string(raw))
	return p.trimmed(), nil
}

// trimmed removes the rest of a character that was cut at the end of a page.
func (p fetched) trimmed() fetched {
	if p.more {
		p.text = strings.TrimRight(p.text, "\uFFFD")
	}
	return p
}

// piece returns the part of the page that starts at byte from.
func (p fetched) piece(from int) tools.Result {
	from = min(max(from, 0), len(p.text))
	for from < len(p.text) && !utf8.RuneStart(p.text[from]) {
		from++
	}
	piece := text.ClipBytes(p.text[from:], maxPiece)
	long := from+len(piece) < len(p.text)
	var b strings.Builder
	fmt.Fprintf(&b, "Address: %s\n", p.url)
	if p.title != "" {
		fmt.Fprintf(&b, "Title: %s\n", p.title)
	}
	if p.hiddenElements+p.hiddenCharacters+p.comments > 0 {
		fmt.Fprintf(&b, "[taken out because no reader would see it: %d hidden elements, %d comments, %d characters]"+"\n", p.hiddenElements, p.comments, p.hiddenCharacters)
	}
	b.WriteString("\n" + piece)
	switch {
	case long:
		fmt.Fprintf(&b, "\n\n"+"[read on with from=%d of %d]", from+len(piece), len(p.text))
	case p.more:
		b.WriteString("\n\n" + "[the page goes on, but is too long to read]")
	}
	if !long && len(p.links) > 0 {
		b.WriteString("\n\nLinks:\n" + strings.Join(p.links, "\n"))
	}
	snippet := text.ClipBytes(p.text, 300)
	title := cmp.Or(p.title, p.url)
	return tools.Result{Content: b.String(), Untrusted: true,
		Sources: []tools.Source{{Kind: "web", ID: p.url, Title: title, URL: p.url, Snippet: snippet, Text: piece}}}
}
