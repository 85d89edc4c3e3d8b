package platform

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"parley/internal/text"
	"parley/internal/text/catalog"
	"parley/internal/text/urls"
)

// askWait bounds each request.
const askWait = 10 * time.Second

// maxReply bounds what is read of a platform's answer, in bytes.
const maxReply = 1 << 20

// errToken: the platform does not know the token.
var errToken = text.Tell("the token is refused")

// get asks a platform once and reads a JSON answer. Its errors show no address, which may
// have the token in it.
func get(ctx context.Context, address, authorization string, into any) (date time.Time, err error) {
	ctx, cancel := context.WithTimeout(ctx, askWait)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return date, text.Tell("the address cannot be used")
	}
	if authorization != "" {
		req.Header.Set("Authorization", authorization)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return date, text.Tell("cannot be reached, check the network and any proxy: %w", urls.Bare(err))
	}
	defer func() { _ = resp.Body.Close() }()
	date, _ = http.ParseTime(resp.Header.Get("Date")) // zero when it does not say
	switch {
	case resp.StatusCode == http.StatusUnauthorized, resp.StatusCode == http.StatusForbidden, resp.StatusCode == http.StatusNotFound:
		return date, errToken
	case resp.StatusCode != http.StatusOK:
		return date, text.Tell("answered with status %d, try again later", resp.StatusCode)
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxReply)).Decode(into); err != nil {
		return date, text.Tell("did not answer as expected, check its api_url")
	}
	return date, nil
}

// explain adds the platform to an error of get, and how to fix a refused token.
func explain(err error, platform, hint string) error {
	if errors.Is(err, errToken) && hint != "" {
		return text.Tell("%s does not know this token: %s", platform, catalog.Words(hint))
	}
	return text.Tell("%s: %w", platform, err)
}
