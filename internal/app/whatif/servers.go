package whatif

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"parley/config"
	"parley/internal/memory"
	"parley/internal/memory/modellog"
	"parley/internal/tools"
)

// shown is a tool of a server, as models were shown it.
type shown struct{ spec tools.Spec }

func (s shown) Spec() tools.Spec { return s.spec }

// Call is never reached: what tools gave is in the record.
func (s shown) Call(context.Context, tools.Call) (tools.Result, error) {
	return tools.Result{}, errUnknown
}

// maxShown is how many requests are read for the tools of servers.
const maxShown = 300

// servers returns the tools of servers that models were shown, as the newest of them had it.
func (w *world) servers(ctx context.Context) (set tools.Set, err error) {
	if len(w.Base.MCP.Servers) == 0 || w.Tape == nil {
		return set, nil
	}
	found := map[string]tools.Tool{}
	var after int64
	for read := 0; read < maxShown; {
		list, err := w.Record.Decisions.Past(ctx, w.Since, after, page)
		if err != nil || len(list) == 0 {
			break
		}
		for _, p := range list {
			n, err := w.shown(ctx, p, found)
			if read += n; err != nil {
				return set, err
			}
		}
		after = list[len(list)-1].Row
	}
	var names []string
	for name := range found {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if set, err = set.Plus(found[name]); err != nil {
			return set, err
		}
	}
	return set, nil
}

// shown adds the tools of servers that a message's requests had.
func (w *world) shown(ctx context.Context, p memory.Past, found map[string]tools.Tool) (read int, err error) {
	calls, err := w.Tape.For(ctx, p.InboxID, p.Key, p.At)
	for _, c := range calls {
		whole, err := w.Tape.Read(ctx, c.ID)
		if errors.Is(err, modellog.ErrNone) {
			continue
		}
		if err != nil {
			return read, err
		}
		read++
		var request struct {
			Tools []struct {
				Function struct {
					Name, Description string
					Parameters        json.RawMessage
				}
			}
		}
		_ = json.Unmarshal([]byte(whole.Request), &request) // cut in its middle: it has none
		for _, t := range request.Tools {
			f := t.Function
			i := slices.IndexFunc(w.Base.MCP.Servers, func(s config.MCPServer) bool { return strings.HasPrefix(f.Name, s.Name+"__") })
			if i < 0 || tools.CheckSchema(f.Parameters) != nil {
				continue
			}
			s := w.Base.MCP.Servers[i]
			found[f.Name] = shown{tools.Spec{Parameters: f.Parameters, Meta: tools.Meta{Name: f.Name, Description: f.Description,
				Category: tools.Web, ReadOnly: true, Egress: true, Lent: tools.Lent{Server: s.Name}}}}
		}
	}
	return read, err
}
