package discord

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"parley/internal/chat"
	"parley/internal/text/urls"
)

// FileHosts are where Discord keeps attachments.
var FileHosts = []string{"cdn.discordapp.com", "media.discordapp.net"}

// Fetch implements chat.Fetcher. The address of an attachment is signed, so it
// stays out of every error; the signature expires after a day.
func (a *Adapter) Fetch(ctx context.Context, f chat.File, limit int64) ([]byte, error) {
	switch {
	case a.o.Files == nil:
		return nil, errors.New("discord: no client for attachments")
	case f.Size > limit:
		return nil, chat.ErrFileTooLarge
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, f.Ref, nil)
	if err != nil || !a.serves(req.URL) {
		return nil, errors.New("discord: not the address of an attachment")
	}
	resp, err := a.o.Files.Do(req)
	if err != nil {
		return nil, fmt.Errorf("discord: download attachment: %w", urls.Bare(err))
	}
	defer func() { _ = resp.Body.Close() }()
	switch resp.StatusCode {
	case http.StatusOK:
		return chat.ReadFile(resp.Body, limit)
	case http.StatusForbidden, http.StatusNotFound, http.StatusGone:
		return nil, chat.ErrFileGone
	}
	return nil, fmt.Errorf("discord: download attachment: status %d", resp.StatusCode)
}

// serves reports whether attachments come from this host: one of Discord's, or
// the server that replaces Discord in tests.
func (a *Adapter) serves(u *url.URL) bool {
	if api, err := url.Parse(a.api); err == nil && u.Host == api.Host {
		return true
	}
	return u.Scheme == "https" && slices.Contains(FileHosts, u.Host)
}
