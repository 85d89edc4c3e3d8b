package app

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/config"
	"parley/internal/app/rehearse"
	"parley/internal/llm"
)

// stage is a rehearsal's stage with access to the bot.
type stage struct {
	*rehearse.Stage
	app    *app
	script *rehearse.Script
}

// staged returns a script on its own stage with default settings. model answers; nil uses
// the script's answers.
func staged(t *testing.T, text string, model llm.Model) *stage {
	t.Helper()
	st := &stage{script: written(t, text)}
	how := rehearse.Player{Base: defaults(t), Model: model, Build: func(ctx context.Context, p rehearse.Parts) (_ *rehearse.Bot, err error) {
		if st.app, err = (Process{}).newRehearsed(ctx, p); err != nil {
			return nil, err
		}
		return st.app.rehearsed(), nil
	}}
	var err error
	st.Stage, err = rehearse.NewStage(context.Background(), st.script, t.TempDir(), how)
	must(t, err)
	t.Cleanup(st.Close)
	return st
}

// rehearsed plays a script and reports what differs.
func rehearsed(t *testing.T, script string) {
	t.Helper()
	how := rehearse.Player{Base: defaults(t), Build: (Process{}).Rehearse}
	if got := how.Play(t.Context(), written(t, script)).String(); !strings.HasPrefix(got, "ok") {
		t.Error(got)
	}
}

// written opens a script.
func written(t *testing.T, text string) *rehearse.Script {
	t.Helper()
	file := filepath.Join(t.TempDir(), "script.txt")
	must(t, os.WriteFile(file, []byte(text), 0o600))
	scripts, err := rehearse.Open([]string{file})
	must(t, err)
	return scripts[0]
}

func defaults(t *testing.T) config.Config {
	t.Helper()
	cfg, err := config.Load(config.Options{})
	must(t, err)
	return cfg
}

// built returns a bot with all its parts, whose front is open. prepare sees it before
// they are built; nil for nothing.
func built(t *testing.T, cfg config.Config, log *slog.Logger, prepare func(*app)) *app {
	t.Helper()
	a, err := Process{}.newApp(t.Context(), cfg, log, true)
	must(t, err)
	t.Cleanup(a.close)
	if prepare != nil {
		prepare(a)
	}
	must(t, a.build(t.Context()))
	must(t, a.openFront(t.Context(), nil))
	return a
}

// configured returns the settings of a bot that is open to everybody and answers by
// itself, with a data folder of its own; env adds to them.
func configured(t *testing.T, env ...string) config.Config {
	t.Helper()
	cfg, err := config.Load(config.Options{Env: append([]string{
		"BOT_DATA_DIR=" + filepath.Join(t.TempDir(), "data"), "BOT_MODEL_NAME=builtin", "BOT_ACCESS_MODE=open",
		"BOT_ACCESS_OWNERS=telegram:1", "BOT_LIMITS_USER_PER_MINUTE=0",
	}, env...)})
	must(t, err)
	return cfg
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
