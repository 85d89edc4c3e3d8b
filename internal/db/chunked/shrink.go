package chunked

import (
	"context"
	"fmt"

	"parley/internal/db/engine"
)

// Shrink gives free pages back to the disk where the file was made for that;
// elsewhere they are used again. What is free was overwritten as it was freed.
func Shrink(ctx context.Context, db *engine.DB) error {
	if db.Path() == "" {
		return nil // a server holds the database
	}
	var gradual, free int
	if err := db.QueryRowContext(ctx,
		"SELECT (SELECT auto_vacuum FROM pragma_auto_vacuum) = 2, (SELECT freelist_count FROM pragma_freelist_count)").Scan(&gradual,
		&free); err != nil {
		return fmt.Errorf("shrink the file: %w", err)
	}
	if gradual == 0 || free == 0 {
		return nil
	}
	err := Until(ctx, db, func(tx *engine.Tx) (left bool, err error) {
		// Each row that is read frees a page.
		_, err = engine.Select(tx, func(engine.Scanner) (none struct{}, _ error) { return none, nil }, "PRAGMA incremental_vacuum(16)")
		if err != nil {
			return false, err
		}
		err = tx.QueryRow("PRAGMA freelist_count").Scan(&free)
		return free > 0, err
	})
	return engine.During("shrink the file", err)
}
