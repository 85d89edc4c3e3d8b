package app

import (
	"path/filepath"
	"testing"

	"parley/config"
)

// configured returns the settings of a bot that is open to everybody and answers by itself,
// in a data folder of its own, and what env says besides.
func configured(t *testing.T, env ...string) config.Config {
	t.Helper()
	cfg, err := config.Load(config.Options{Env: append([]string{
		"BOT_DATA_DIR=" + filepath.Join(t.TempDir(), "data"), "BOT_MODEL_NAME=builtin", "BOT_ACCESS_MODE=open",
		"BOT_ACCESS_OWNERS=telegram:1", "BOT_LIMITS_USER_PER_MINUTE=0",
	}, env...)})
	must(t, err)
	return cfg
}
