package app

import (
	"context"
	"fmt"
	"time"

	"parley/internal/page"
	"parley/internal/text"
)

// statusTimeout bounds a question how the model is.
const statusTimeout = 2 * time.Second

// doing is how each part is doing, without asking anything outside the
// process.
func (a *app) doing(ctx context.Context) (lines []page.Line) {
	line := func(ill bool, name, format string, args ...any) {
		lines = append(lines, page.Line{Name: name, State: fmt.Sprintf(format, args...), Ill: ill})
	}
	found := a.findings()
	told := func(part, fine string) {
		for _, f := range found {
			if f.Part == part {
				line(true, part, "%s: %s", f.Is, f.Why)
				return
			}
		}
		if fine != "" {
			line(false, part, "%s", fine)
		}
	}
	for _, p := range a.adapters {
		told(p.Platform(), "receiving")
		told(p.Platform()+" delivery", "")
	}
	if a.vault != nil {
		text, ill := a.vaultState()
		line(ill, "notes", "%s", text)
	}
	told("database", "ok")
	told("dead letters", "")
	told("disk", "")
	if a.facts != nil {
		told("facts file", "ok")
	}
	persona := "built in"
	if a.cfg.Agent.PromptFile != "" {
		persona = a.cfg.Agent.PromptFile
	}
	line(false, "persona", "%s", persona)
	line(false, "tools", "%d", a.toolset.now().Len())
	if a.book != nil {
		told("playbook", "ok")
	}
	lanes, waiting := a.hub.Active()
	line(false, "now", "%s at work, %s waiting", many(lanes, "conversation"), many(waiting, "message"))
	a.cronStatus(line)
	line(false, "up", "%s", a.now().Sub(a.began).Round(time.Second))
	return lines
}

// modelDown is the state of a model that cannot be reached.
const modelDown = "down"

// modelState asks the model's endpoint how it is.
func (a *app) modelState(ctx context.Context) string {
	if a.model.Check == nil {
		return "built in"
	}
	began := a.now()
	if err := a.model.Check(ctx); err != nil {
		return modelDown
	}
	return fmt.Sprintf("ok, %d ms", a.now().Sub(began).Milliseconds())
}

func (a *app) cronStatus(line func(ill bool, name, format string, args ...any)) {
	a.cron.mu.Lock()
	defer a.cron.mu.Unlock()
	for _, e := range a.cron.cron.Entries() {
		for name, id := range a.cron.ids {
			if id != e.ID {
				continue
			}
			last := "not yet"
			if !e.Prev.IsZero() {
				last = text.Ago(a.now(), e.Prev)
			}
			why := a.cron.failed[name]
			if why != "" {
				last += ", failed: " + clip(why, 100)
			}
			line(why != "", "cron "+name, "last %s, next %s", last, e.Next.UTC().Format("15:04:05 UTC"))
		}
	}
}
