package cli

import (
	"context"
	"fmt"
	"strings"

	"parley/internal/memory"
	"parley/internal/text"
)

// shownTables is how many of the largest tables doctor names.
const shownTables = 4

// sizes shows what takes the most space in the database.
func (d *doctor) sizes(ctx context.Context, store *memory.Store) {
	list, err := store.Sizes(ctx)
	var words []string
	for _, t := range list[:min(len(list), shownTables)] {
		words = append(words, fmt.Sprintf("%s %.1f MB (%s)", t.Table, float64(t.Bytes)/(1<<20), text.Many(int(t.Rows), "row")))
	}
	d.line("largest tables", err, strings.Join(words, ", "))
}
