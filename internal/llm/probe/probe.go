// Package probe tries a model's endpoint the way a conversation will use it, and
// says in one sentence what stands in the way. It sends a key only to the host it
// was given for, keeps nothing, and knows no settings.
package probe

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"parley/internal/text/catalog"
)

// wordsNoAddress is said in more than one place.
const wordsNoAddress = "that is no address, so nothing was sent; one looks like https://api.openai.com/v1 or http://localhost:11434/v1"

// Place is an endpoint that was found.
type Place struct {
	Base   string    // its address, corrected where needed
	Added  string    // what was missing at the end of the address that was given; "" for nothing
	Models []string  // sorted; nil where the endpoint lists none
	Date   time.Time // of its answer, by its own clock; zero where it does not say
}

// patience bounds one request that lists or looks.
const patience = 10 * time.Second

// endings are paths that people copy along from documentation.
var endings = []string{"/chat/completions", "/completions", "/embeddings", "/responses", "/models"}

// Find looks for an OpenAI-compatible interface at an address, and below and above it
// on the same host. It makes a handful of requests and may block for patience each;
// its errors are *Problem.
func Find(ctx context.Context, address, key string) (Place, error) {
	given, err := tidy(address)
	if err != nil {
		return Place{}, err
	}
	var first error
	var silent []string // answered, but list no models
	for _, base := range candidates(given) {
		r, err := ask(ctx, http.MethodGet, base+"/models", key, nil)
		if err == nil {
			err = r.problem()
		}
		if err == nil {
			names, ok := r.models()
			if ok {
				return Place{Base: base, Added: missing(given, base), Models: names, Date: r.date}, nil
			}
			err = &Problem{Kind: Page, Filled: catalog.Fill("something answers at %s, but it is no list of models", base)}
		}
		if p, ok := errors.AsType[*Problem](err); ok && !p.elsewhere() {
			return Place{Base: base, Added: missing(given, base), Date: r.date}, err
		}
		silent = append(silent, base)
		if first == nil {
			first = err
		}
	}
	for _, base := range silent { // some list nothing and answer all the same
		if r, err := ask(ctx, http.MethodPost, base+"/chat/completions", key, []byte("{}")); err == nil && r.speaks() {
			return Place{Base: base, Added: missing(given, base), Date: r.date}, nil
		}
	}
	return Place{Base: given}, first
}

// tidy returns an address as settings have it: with a scheme, without what stands
// behind the base.
func tidy(address string) (string, error) {
	address = strings.TrimSpace(address)
	if !strings.Contains(address, "://") {
		scheme := "https://"
		if host, _, _ := strings.Cut(address, "/"); local(host) {
			scheme = "http://"
		}
		address = scheme + address
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", &Problem{Kind: Path, Filled: catalog.Fill(wordsNoAddress)}
	}
	u.RawQuery, u.Fragment = "", ""
	path := strings.TrimRight(u.Path, "/")
	for _, end := range endings {
		path = strings.TrimRight(strings.TrimSuffix(path, end), "/")
	}
	u.Path = path
	return u.String(), nil
}

// local reports whether a host is named as those of one's own network are, where
// nobody has a certificate.
func local(host string) bool {
	name := (&url.URL{Host: host}).Hostname()
	if ip, err := netip.ParseAddr(name); err == nil {
		return ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast()
	}
	return !strings.Contains(name, ".") || strings.HasSuffix(name, ".local") || strings.HasSuffix(name, ".lan")
}

// candidates returns where the interface may be, on the same host.
func candidates(given string) []string {
	u, err := url.Parse(given)
	if err != nil {
		return []string{given}
	}
	list := []string{given}
	root := *u
	root.Path = ""
	for _, path := range []string{u.Path + "/v1", "/v1", "/api/v1", "/openai/v1"} {
		if base := root.String() + path; !slices.Contains(list, base) && !strings.HasSuffix(base, "/v1/v1") {
			list = append(list, base)
		}
	}
	return list
}

// missing returns what the address lacked.
func missing(given, base string) string {
	if base == given {
		return ""
	}
	if rest, ok := strings.CutPrefix(base, given); ok {
		return rest
	}
	return base
}

// models reads a list of models in any provider's form; false when it is none.
func (r reply) models() (names []string, ok bool) {
	type model struct{ ID, Name string }
	var form struct {
		Data   []model
		Models []model
	}
	var bare []model
	switch {
	case json.Unmarshal(r.body, &bare) == nil:
	case json.Unmarshal(r.body, &form) == nil && (form.Data != nil || form.Models != nil):
		bare = append(form.Data, form.Models...)
	default:
		return nil, false
	}
	for _, m := range bare {
		name := cmp.Or(m.ID, m.Name)
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, true
}
