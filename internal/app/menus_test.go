package app

import (
	"context"
	"errors"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/memory"
)

// shower is a platform that shows menus.
type shower struct {
	asked int // how often it had to look what it shows
	fails error
}

func (s *shower) Register(_ context.Context, m chat.Menu) error {
	if !m.Known {
		s.asked++
	}
	return s.fails
}

// TestMenusAreAskedAboutOnce: a start that changes nothing asks a platform nothing; another
// menu, owner, token, program or day does, and so does what failed or was not seen by all.
func TestMenusAreAskedAboutOnce(t *testing.T) {
	t.Parallel()
	st := staged(t, "-- talk --\n", nil)
	ps, p := st.app.platforms, &shower{}
	menu := chat.Menu{Commands: []chat.MenuCommand{{Name: "undo", Help: "Undo"}}, Owners: []string{"telegram:1"}}
	for _, step := range []struct {
		name   string
		change func()
		asks   bool
	}{
		{"the first start", func() {}, true},
		{"the same", func() {}, false},
		{"another help", func() { menu.Commands[0].Help = "Both" }, true},
		{"another owner", func() { menu.Owners = append(menu.Owners, "telegram:2") }, true},
		{"the same again", func() {}, false},
		{"another token", func() { ps.cfg.Telegram.Token = "5:other" }, true},
		{"another program", func() { ps.process.Version = "next" }, true},
		{"an hour later", func() { st.Advance(time.Hour) }, false},
		{"a day later", func() { st.Advance(introduced) }, true},
		{"a failure", func() { menu.About, p.fails = "Undo", errors.New("away") }, true},
		{"after a failure", func() { p.fails = chat.ErrUnseen }, true},
		{"an owner without a chat", func() {}, true},
		{"who has one now", func() { p.fails = nil }, true},
		{"and the same", func() {}, false},
		{"a failure of what is known", func() { p.fails = errors.New("away") }, false},
	} {
		step.change()
		before := p.asked
		err := ps.register(t.Context(), "telegram", p, menu)
		if asked := p.asked > before; asked != step.asks {
			t.Errorf("%s: asked %v", step.name, asked)
		}
		if away := p.fails != nil && !errors.Is(p.fails, chat.ErrUnseen); away != (err != nil) {
			t.Errorf("%s: %v", step.name, err)
		}
	}
	if had, err := ps.store.Settings.Setting(t.Context(), memory.Menus+"telegram"); err != nil || had == "" {
		t.Errorf("%q, %v", had, err)
	}
}
