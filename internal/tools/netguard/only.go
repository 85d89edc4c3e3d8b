package netguard

import (
	"net/http"
	"net/url"
	"slices"
)

// Only returns a client that reaches some hosts, and the server at an address that
// replaces them in tests.
func Only(hosts []string, address string) (*http.Client, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	guard := Guard{AllowHosts: append(slices.Clone(hosts), u.Hostname())}
	if guard, err = guard.Trusting(address); err != nil {
		return nil, err
	}
	return guard.Client(), nil
}
