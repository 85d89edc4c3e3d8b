package app

import (
	"context"
	"slices"
	"sync"
	"time"

	"parley/config"
	"parley/internal/agent/dispatch"
	"parley/internal/app/setup"
	"parley/internal/chat/routing"
	"parley/internal/tools"
)

// mind owns the agents and the runner of their tools. Parts made before the agents reach
// them through mind.
type mind struct {
	*base
	dispatch.Minds
	roster *routing.Roster // nil until opened
	own    *dispatch.Mind  // answers where no other agent does
	name   string          // of the model at startup
	known  map[string]known
	runner *tools.Runner

	choosing sync.Mutex // guards chosen, and putting it in force
	chosen   string     // the row of modelSetting, as last read
}

// modelSetting is the row of the model chosen from the chat.
const modelSetting = "model.name"

// modelName returns the chosen model if it still exists, else the endpoint's own.
func (m *mind) modelName(ctx context.Context, e setup.Endpoint) (string, error) {
	name, err := m.store.Settings.Setting(ctx, modelSetting)
	if err == nil {
		m.chosen = name
	}
	if name == "" || err != nil {
		return e.Name, err
	}
	if !e.Free && !slices.ContainsFunc(e.Routes[config.PurposeAnswer], func(e *setup.Engine) bool { return e.Name == name }) {
		m.log.Warn("the model that was chosen with /model set is none of those that answer; the first of them does", "chosen",
			name, "first", e.Name)
		return e.Name, nil
	}
	return name, nil
}

// choose makes another model answer from now on, also after restarts.
func (m *mind) choose(ctx context.Context, name string) (conversations int, err error) {
	n, err := m.store.Sessions.SuspendAll(ctx)
	if err != nil {
		return 0, err
	}
	m.choosing.Lock()
	defer m.choosing.Unlock()
	if err := m.store.Settings.SetSetting(ctx, modelSetting, name); err != nil {
		return 0, err
	}
	m.chosen = name
	m.answerWith(name)
	return int(n), nil
}

func (m *mind) answerWith(name string) {
	m.Each(func(one *dispatch.Mind) {
		if one.Follows {
			one.SetModel(name)
		}
	})
}

// refresh applies a model chosen in another process.
func (m *mind) refresh(ctx context.Context, e setup.Endpoint) error {
	m.choosing.Lock()
	defer m.choosing.Unlock()
	chosen, err := m.store.Settings.Setting(ctx, modelSetting)
	if err != nil || chosen == m.chosen {
		return err
	}
	name, err := m.modelName(ctx, e)
	if err == nil {
		m.answerWith(name)
	}
	return err
}

// close gives running tools a moment to finish.
func (m *mind) close() {
	if m.runner == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = m.runner.Wait(ctx) // the tool dies with the process
}
