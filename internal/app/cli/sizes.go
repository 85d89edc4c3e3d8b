package cli

import (
	"context"
	"fmt"
	"strings"

	"parley/internal/memory"
	"parley/internal/text/catalog"
)

// shownTables is how many of the largest tables doctor names.
const shownTables = 4

// sizes shows what takes the most space in the database.
func (d *doctor) sizes(ctx context.Context, store *memory.Store) {
	list, err := store.File.Sizes(ctx)
	var words []string
	for _, t := range list[:min(len(list), shownTables)] {
		words = append(words, d.p.Say("%s %s MB (%s)", t.Table, d.p.Figure(fmt.Sprintf("%.1f", float64(t.Bytes)/(1<<20))),
			catalog.Count{N: int(t.Rows), Thing: "row"}))
	}
	d.line("largest tables", err, "%s", strings.Join(words, ", "))
}
