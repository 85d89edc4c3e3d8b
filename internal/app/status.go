package app

import (
	"context"
	"time"

	"parley/internal/app/console"
	"parley/internal/command"
	"parley/internal/command/health"
	"parley/internal/memory/datadir"
	"parley/internal/text/catalog"
)

// Said in more than one place.
const (
	wordsReceiving = "receiving"
	wordsOK        = "ok"
	wordsPlaces    = "places"
)

// statusTimeout bounds one check of the model.
const statusTimeout = 2 * time.Second

// doing returns the state of each part without asking anything outside the process.
func (v *vitals) doing(ctx context.Context) (lines []console.Line) {
	p := catalog.Of(ctx)
	line := func(ill bool, name, format string, args ...any) {
		lines = append(lines, console.Line{Name: p.Text(name), State: p.Say(format, args...), Ill: ill})
	}
	found := v.findings()
	told := func(part, fine string) {
		for _, f := range found {
			if f.Part == part {
				line(true, part, "%s: %s", catalog.Words(f.Is.String()), f.Why)
				return
			}
		}
		if fine != "" {
			line(false, part, "%s", catalog.Words(fine))
		}
	}
	for _, a := range v.platforms.adapters {
		told(a.Platform(), wordsReceiving)
		for _, one := range health.Shards(a) {
			told(a.Platform()+" "+one.Name(), wordsReceiving)
		}
		told(a.Platform()+" delivery", "")
	}
	if v.notes.index != nil {
		text, ill := v.notes.state(p)
		line(ill, wordsNotes, "%s", text)
	}
	told("database", wordsOK)
	if url := string(v.cfg.Database.URL); url != "" {
		line(false, "PostgreSQL", "%s", datadir.Where(v.cfg.DataDir, url))
	}
	told("clock", "")
	told(wordsPlaces, "")
	told("dead letters", "")
	told("disk", "")
	if v.chores.facts != nil {
		told("facts file", wordsOK)
	}
	persona := p.Text(wordsBuiltIn)
	if v.cfg.Agent.PromptFile != "" {
		persona = v.cfg.Agent.PromptFile
	}
	line(false, "persona", "%s", persona)
	line(false, "tools", "%d", v.toolset.offered().Len())
	if len(v.rules.All()) > 0 {
		told("playbook", wordsOK)
	}
	lanes, waiting := v.platforms.hub.Active()
	line(false, "now", "%s at work, %s waiting", catalog.Count{N: lanes, Thing: "conversation"}, catalog.Count{N: waiting, Thing: "message"})
	v.jobs.Status(p, line)
	line(false, "up", "%s", v.now().Sub(v.began).Round(time.Second))
	return lines
}

// parts is doing for /status.
func (v *vitals) parts(ctx context.Context) (lines []command.Line) {
	for _, l := range v.doing(ctx) {
		lines = append(lines, command.Line{Name: l.Name, State: l.State})
	}
	return lines
}
