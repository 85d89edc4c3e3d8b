package cli

import (
	"context"
	"fmt"

	"parley/internal/adapters/terminal"
	"parley/internal/command/gate"
	"parley/internal/memory"
	"parley/internal/text"
)

// Pair handles requests for access.
type Pair struct {
	List    pairListCmd    `cmd:"" help:"Who waits to be let in."`
	Approve pairApproveCmd `cmd:"" help:"Let in the person with a code."`
	Drop    pairDropCmd    `cmd:"" help:"Reject somebody who is waiting."`
}

// gateOf opens the gate of a data folder for the owner at the machine.
func gateOf(ctx context.Context, f *Flags, do func(*gate.Gate) error) error {
	cfg, err := f.Load()
	if err != nil {
		return err
	}
	return withStore(ctx, f, func(store *memory.Store) error {
		gate, err := gate.NewGate(gate.GateOptions{IDs: f.IDs, Mode: cfg.Access.Mode, Owners: cfg.Access.Owners,
			Allow: cfg.Access.Allow, Rows: store.Access, Place: store.Access.Place})
		if err != nil {
			return err
		}
		return do(gate)
	})
}

type pairListCmd struct{}

// Run lists who waits.
func (pairListCmd) Run(ctx context.Context, f *Flags, s *Streams) error {
	return gateOf(ctx, f, func(g *gate.Gate) error {
		waiting, err := g.Waiting(ctx)
		if err != nil {
			return err
		}
		for _, u := range waiting {
			fmt.Fprintf(seen{s.Out}, "%s  %s\n", u.ID, u.Name)
		}
		if len(waiting) == 0 {
			fmt.Fprintln(s.Err, Speaks().Text("nobody waits to be let in"))
		}
		return nil
	})
}

type pairApproveCmd struct {
	Code string `arg:"" help:"The code the person was given."`
}

// Run lets a person in.
func (c pairApproveCmd) Run(ctx context.Context, f *Flags, s *Streams) error {
	return gateOf(ctx, f, func(g *gate.Gate) error {
		who, err := g.Approve(ctx, c.Code, terminal.Local)
		if err != nil {
			return text.Instead(err, gate.ErrCode, "there is no such code, or it was used or has expired; bot pair list shows who waits")
		}
		fmt.Fprintln(seen{s.Out}, Speaks().Say("%s (%s) may talk to the bot now", who.ID, who.Name))
		return nil
	})
}

type pairDropCmd struct {
	ID string `arg:"" name:"id" help:"Who waits, as bot pair list shows them."`
}

// Run rejects a request.
func (c pairDropCmd) Run(ctx context.Context, f *Flags, s *Streams) error {
	return gateOf(ctx, f, func(g *gate.Gate) error {
		ok, err := g.Drop(ctx, c.ID)
		switch {
		case err != nil:
			return err
		case !ok:
			return text.Tell("%s does not wait to be let in; bot pair list shows who does", c.ID)
		}
		fmt.Fprintln(seen{s.Out}, Speaks().Say("%s waits no more", c.ID))
		return nil
	})
}
