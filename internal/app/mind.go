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
	"parley/internal/memory"
	"parley/internal/tools"
)

// mind owns the agents and the runner of their tools. Parts that exist before the
// agents refer to them through mind.
type mind struct {
	*base
	store *memory.Store
	dispatch.Minds
	roster *routing.Roster // nil until it is open
	own    *dispatch.Mind  // which answers where no agent of the settings does
	name   string          // of the model it begins with
	known  map[string]known
	runner *tools.Runner

	choosing sync.Mutex // guards chosen; held until what it says is done
	chosen   string     // the row of modelSetting, as it was read last
}

// modelSetting is the row of a model chosen from the chat.
const modelSetting = "model.name"

// modelName returns the chosen model if it still exists, otherwise the endpoint's
// own.
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

// choose makes another model answer from now on, restarts included.
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

// refresh makes a model answer that was chosen in another process.
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

// close waits a little for tools that still run.
func (m *mind) close() {
	if m.runner == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = m.runner.Wait(ctx) // an abandoned tool dies with the process
}
