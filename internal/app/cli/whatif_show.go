package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"parley/config"
	"parley/internal/app/rehearse"
	"parley/internal/app/whatif"
	"parley/internal/memory"
	"parley/internal/memory/modellog"
	"parley/internal/playbook"
	"parley/internal/text"
)

// Bounds of what is printed of one difference, in characters.
const (
	maxSaidShown = 200
	maxTextShown = 1500
)

// tell prints a difference.
func (r *report) tell(b *strings.Builder, d whatif.Difference) {
	var kinds []string
	for _, k := range d.Kinds {
		kinds = append(kinds, string(k))
	}
	fmt.Fprintf(b, "\n[%.*s] %s  %s  %s  %s\n", shortest, d.ID, strings.Join(kinds, ", "), d.At.Format("2006-01-02 15:04"), d.Place, d.Person)
	fmt.Fprintf(b, "  > %s\n", text.Shorten(d.Said, maxSaidShown))
	both := func(what string, before, after []string) {
		if !slices.Equal(before, after) {
			fmt.Fprintf(b, "  %s\n    - %s\n    + %s\n", what, none(before), none(after))
		}
	}
	both("guards", d.Before.Ruled(), d.After.Ruled())
	cut := func(args string) string { return text.Shorten(args, maxSaidShown) }
	both("tools", d.Before.Made(cut), d.After.Made(cut))
	both("ends", []string{d.Before.Ended}, []string{d.After.Ended})
	both("rules", d.Before.Rules, d.After.Rules)
	if len(d.After.Models) > 0 {
		both("model", d.Before.Models, d.After.Models)
	}
	if slices.Contains(d.Kinds, whatif.Words) {
		was, is := whatif.Marked(text.Shorten(d.Before.Text, maxTextShown), text.Shorten(d.After.Text, maxTextShown))
		fmt.Fprintf(b, "  text\n    - %s\n    + %s\n", whatif.Show(was, "[-", "-]"), whatif.Show(is, "{+", "+}"))
	}
	if d.After.Again > 0 {
		fmt.Fprintf(b, "  would ask again: %s; what follows supposes the answers of then\n", text.Many(d.After.Again, "request"))
	}
	if d.After.Unknown != "" {
		fmt.Fprintf(b, "  ends here, for the record does not tell %s\n", text.Shorten(d.After.Unknown, maxSaidShown))
	}
	if before, after := text.Money(d.Before.Money, r.currency), text.Money(d.After.Money, r.currency); before != after {
		both("money", []string{before}, []string{after})
	}
}

func none(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, "; ")
}

// judge returns what writes a rehearsal where the owner has judged a difference; "" for none.
func (c WhatIf) judge(cfg config.Config, rows *memory.Store, tape *modellog.Tape) func(whatif.Difference) (string, error) {
	if len(c.Good)+len(c.Bad) == 0 {
		return func(whatif.Difference) (string, error) { return "", nil }
	}
	r := report{WhatIf: c}
	capture := rehearse.Capture{Rows: rows, Dir: filepath.Join(cfg.DataDir, "rehearsals"), Came: rehearse.Kept(tape),
		Rules: func(string) (*playbook.Book, string) { return nil, cfg.Playbook.Dir }}
	return func(d whatif.Difference) (string, error) {
		ctx := context.Background()
		switch {
		case r.has(c.Bad, d.ID):
			return capture.Wanting(ctx, d.ID, "as it was", d.Wish(false))
		case r.has(c.Good, d.ID):
			return capture.Wanting(ctx, d.ID, "as "+strings.Join(c.Change, " ")+" would have it", d.Wish(true))
		}
		return "", nil
	}
}
