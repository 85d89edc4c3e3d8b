package mcp

import (
	"context"
	"fmt"
	"math"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/internal/text"
)

// progress shows whoever waits for a call how far its server says to be. What
// reports of no call, or too late, is ignored.
func (r *remote) progress(_ context.Context, n *sdk.ProgressNotificationClientRequest) {
	if o := r.calls.named(n.Params.ProgressToken); o != nil && o.person.Status != nil {
		o.person.Status(fmt.Sprintf("_%s:_ %s", text.Literal(r.server.Name), howFar(n.Params)))
	}
}

// howFar is a server's report in a line.
func howFar(p *sdk.ProgressNotificationParams) string {
	share := ""
	if p.Total > 0 && p.Progress >= 0 && p.Progress <= p.Total {
		share = fmt.Sprintf("%.0f %%", math.Floor(100*p.Progress/p.Total))
	}
	said := text.Literal(text.Shorten(p.Message, 200))
	switch {
	case said == "" && share == "":
		return fmt.Sprintf("step %v", p.Progress)
	case said == "":
		return share
	case share == "":
		return said
	}
	return said + " (" + share + ")"
}
