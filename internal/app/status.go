package app

import (
	"context"
	"fmt"
	"time"

	"parley/internal/command"
	"parley/internal/page"
	"parley/internal/text"
)

// statusTimeout bounds one check of the model.
const statusTimeout = 2 * time.Second

// doing returns how each part is doing, without asking anything outside the
// process.
func (v *vitals) doing(ctx context.Context) (lines []page.Line) {
	line := func(ill bool, name, format string, args ...any) {
		lines = append(lines, page.Line{Name: name, State: fmt.Sprintf(format, args...), Ill: ill})
	}
	found := v.findings()
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
	for _, p := range v.platforms.adapters {
		told(p.Platform(), "receiving")
		told(p.Platform()+" delivery", "")
	}
	if v.notes.index != nil {
		text, ill := v.notes.state()
		line(ill, "notes", "%s", text)
	}
	told("database", "ok")
	told("dead letters", "")
	told("disk", "")
	if v.chores.facts != nil {
		told("facts file", "ok")
	}
	persona := "built in"
	if v.cfg.Agent.PromptFile != "" {
		persona = v.cfg.Agent.PromptFile
	}
	line(false, "persona", "%s", persona)
	line(false, "tools", "%d", v.toolset.offered().Len())
	if len(v.rules.All()) > 0 {
		told("playbook", "ok")
	}
	lanes, waiting := v.platforms.hub.Active()
	line(false, "now", "%s at work, %s waiting", text.Many(lanes, "conversation"), text.Many(waiting, "message"))
	v.jobs.Status(line)
	line(false, "up", "%s", v.now().Sub(v.began).Round(time.Second))
	return lines
}

// parts returns how each part of the bot is, for /status.
func (v *vitals) parts(ctx context.Context) (lines []command.Line) {
	for _, l := range v.doing(ctx) {
		lines = append(lines, command.Line{Name: l.Name, State: l.State})
	}
	return lines
}
