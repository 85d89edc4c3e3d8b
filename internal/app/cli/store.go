package cli

import (
	"context"
	"os"
	"path/filepath"

	"parley/config"
	"parley/internal/memory"
	"parley/internal/memory/datadir"
)

// openStore opens the database of the settings, beside a bot that may be running.
func openStore(ctx context.Context, cfg config.Config, o memory.Options) (*memory.Store, error) {
	o.URL = string(cfg.Database.URL)
	return memory.Open(ctx, cfg.DataDir, o)
}

// stored reports whether there is a database already. Whether a server has one is seen
// when it is opened.
func stored(cfg config.Config) bool {
	if cfg.Database.URL != "" {
		return true
	}
	_, err := os.Stat(filepath.Join(cfg.DataDir, datadir.Name))
	return err == nil
}
