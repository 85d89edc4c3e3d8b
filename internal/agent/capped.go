package agent

import (
	"parley/internal/chat"
	"parley/internal/text/catalog"
	"parley/internal/tools"
)

// capped says why a turn ends that has made all its model calls without an answer: it was too
// much for one go only if something of it worked.
func (r *report) capped(p catalog.Printer) (words string, end chat.End) {
	refused := 0
	for _, c := range r.calls {
		switch tools.Class(c.Class) {
		case tools.NotAllowed, tools.Guarded, tools.Refused:
			refused++
		case "", tools.Unsure:
			return p.Text(wordsTooComplex), chat.End{Outcome: chat.Failed, Reason: chat.TooComplex}
		}
	}
	switch {
	case len(r.calls) == 0:
		return p.Text(wordsTooComplex), chat.End{Outcome: chat.Failed, Reason: chat.TooComplex}
	case refused == len(r.calls):
		return p.Text("I tried, but I may not do what this takes, so nothing was done."), chat.End{Outcome: chat.Refused, Reason: chat.NoPermission}
	}
	return p.Text("I tried, but nothing that I called for this worked, so nothing was done. Please try again later, or put it another way."),
		chat.End{Outcome: chat.Failed, Reason: chat.ToolFailed}
}
