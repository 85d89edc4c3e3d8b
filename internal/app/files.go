package app

import (
	"context"
	"fmt"

	"parley/internal/chat"
)

// openFile fetches an attachment from the platform of its message.
func (ps *platforms) openFile(ctx context.Context, m chat.Message, f chat.File, limit int64) ([]byte, error) {
	p, ok := chat.On(ps.adapters, m.Key.Platform).(chat.Fetcher)
	if !ok {
		return nil, fmt.Errorf("%s: no files can be fetched", m.Key.Platform)
	}
	return p.Fetch(ctx, f, limit)
}
