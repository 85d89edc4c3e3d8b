package app

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"parley/config"
	"parley/internal/app/rehearse"
	"parley/internal/llm"
)

// stage is one of a rehearsal, with a look behind it.
type stage struct {
	*rehearse.Stage
	app    *app
	script *rehearse.Script
}

// staged returns a script on a stage of its own, with the default settings. model
// answers in it; with nil it is the script that does.
func staged(t *testing.T, text string, model llm.Model) *stage {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "script.txt")
	must(t, os.WriteFile(file, []byte(text), 0o600))
	scripts, err := rehearse.Open([]string{file})
	must(t, err)
	st := &stage{script: scripts[0]}
	how := rehearse.Player{Model: model, Build: func(ctx context.Context, p rehearse.Parts) (_ *rehearse.Bot, err error) {
		if st.app, err = (Process{}).newRehearsed(ctx, p); err != nil {
			return nil, err
		}
		return st.app.rehearsed(), nil
	}}
	how.Base, err = config.Load(config.Options{})
	must(t, err)
	st.Stage, err = rehearse.NewStage(context.Background(), st.script, dir, how)
	must(t, err)
	t.Cleanup(st.Close)
	return st
}
