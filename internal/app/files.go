package app

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"parley/internal/adapters/discord"
	"parley/internal/chat"
	"parley/internal/egress"
)

// openFile fetches an attachment from the platform of its message.
func (ps *platforms) openFile(ctx context.Context, m chat.Message, f chat.File, limit int64) ([]byte, error) {
	p, ok := chat.On(ps.adapters, m.Key.Platform).(chat.Fetcher)
	if !ok {
		return nil, fmt.Errorf("%s: no files can be fetched", m.Key.Platform)
	}
	return p.Fetch(ctx, f, limit)
}

// discordFiles reaches Discord's hosts for attachments, and the server that replaces
// Discord in tests.
func discordFiles(apiURL string) (*http.Client, error) {
	u, err := url.Parse(apiURL)
	if err != nil {
		return nil, err
	}
	guard := egress.Guard{AllowHosts: append(slices.Clone(discord.FileHosts), u.Hostname())}
	if guard, err = guard.Trusting(apiURL); err != nil {
		return nil, err
	}
	return guard.Client(), nil
}
