package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"parley/config"
	"parley/internal/app/whatif"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// WhatIf tells what a change would have changed.
type WhatIf struct {
	History string   `help:"How far back." default:"30d" placeholder:"30d"`
	Place   string   `help:"Only this conversation, such as telegram:-100 or discord:12/34." placeholder:"PLACE"`
	Person  string   `help:"Only messages of this person, such as telegram:42." placeholder:"ID"`
	Offline bool     `help:"Ask no model: say where one would be asked again."`
	Budget  float64  `help:"Most money for what models are asked, in limits.currency; 0 is no bound." placeholder:"MONEY"`
	Calls   int      `help:"Most requests to models; 0 is no bound." default:"200" placeholder:"N"`
	Limit   int      `help:"How many differences are shown, those that matter most first; 0 is all." default:"20" placeholder:"N"`
	JSON    bool     `name:"json" help:"Print every difference as a line of JSON, in the order of time, and the sums last."`
	Good    []string `help:"Answers, by their number in brackets, that the change makes better: a rehearsal is written that wants them so." placeholder:"ID"`
	Bad     []string `help:"Answers that it makes worse: a rehearsal is written that wants them as they are." placeholder:"ID"`
	Fine    []string `help:"Answers whose difference does not matter: it is not shown." placeholder:"ID"`
	Change  []string `arg:"" name:"change" help:"setting=value; a file of settings; a folder of playbook files, or one of them; or a persona."`
}

// Run runs past messages again with the change, apart from the bot, which may be running.
func (c WhatIf) Run(ctx context.Context, f *Flags, cfg config.Config, s *Streams, b *Bot) (err error) {
	length, err := span(c.History)
	if err != nil {
		return err
	}
	if !stored(cfg) {
		return text.Tell("there is no history: %s has no database", cfg.DataDir)
	}
	dir, err := os.MkdirTemp("", whatif.Folder)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	next, over, err := c.change(f, cfg, dir)
	if err != nil {
		return err
	}
	p := newProgress(s)
	o := whatif.Options{Base: cfg, Changed: next, Over: over, Build: b.WhatIf, Seen: p.of(runAgain),
		Pick: whatif.Pick{Since: time.Now().Add(-length), Place: c.Place, Person: c.Person}}
	shut, err := o.Copies(ctx, cfg, dir, p.of(copying))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, shut()) }()
	o.Asking = &whatif.Asking{Offline: c.Offline, Calls: c.Calls, Money: c.Budget, Wait: cfg.Model.Timeout}
	paid := filepath.Join(cfg.DataDir, whatif.Paid)
	if err := o.Asking.Open(paid); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, o.Asking.Close()) }()
	out := report{WhatIf: c, out: seen{s.Out}, currency: cfg.Limits.Currency, judge: c.judge(cfg, o.Record, o.Tape)}
	o.Found = out.found
	tally, err := whatif.Run(ctx, o)
	p.end()
	if err != nil {
		return err
	}
	return errors.Join(out.end(tally, o.Asking), o.Asking.Settle(tally, paid))
}

func runAgain(done, of int64) catalog.Phrase {
	return catalog.Fill("running messages again: %d of %d", done, of)
}

// change returns the settings with the change.
func (c WhatIf) change(f *Flags, cfg config.Config, dir string) (config.Config, []string, error) {
	change := whatif.Change{Base: cfg, Dir: dir, Load: func(file string) (config.Config, error) {
		flags := *f
		flags.Config = file
		return flags.Load()
	}}
	next, over, err := change.Apply(slices.Clone(c.Change))
	if err == nil {
		err = next.Validate(f.IDs)
	}
	return next, over, err
}

// report prints differences.
type report struct {
	WhatIf
	out      seen
	currency string
	list     []whatif.Difference // the first of them
	more     int
	judge    func(whatif.Difference) (string, error)
	written  []string // rehearsals
}

// found takes a difference.
func (r *report) found(d whatif.Difference) error {
	script, err := r.judge(d)
	if err != nil {
		return err
	}
	if script != "" {
		r.written = append(r.written, script)
	}
	if r.has(r.Fine, d.ID) {
		return nil
	}
	if r.JSON {
		return json.NewEncoder(r.out).Encode(d)
	}
	at, _ := slices.BinarySearchFunc(r.list, d, whatif.Difference.Order)
	r.list = slices.Insert(r.list, at, d)
	if r.Limit > 0 && len(r.list) > r.Limit {
		r.list, r.more = r.list[:r.Limit], r.more+1
	}
	return nil
}

func (r *report) has(ids []string, id string) bool {
	return slices.ContainsFunc(ids, func(short string) bool { return len(short) >= shortest && strings.HasPrefix(id, short) })
}

// shortest is how much of an answer's id is shown, and enough to name it.
const shortest = 8

// end prints the sums, and what was kept for the end.
func (r *report) end(t whatif.Tally, asked *whatif.Asking) error {
	calls, money := asked.Spent()
	if r.JSON {
		return json.NewEncoder(r.out).Encode(map[string]any{"sums": t, "asked": calls, "asked_money": money, "rehearsals": r.written})
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s run again, %d unchanged", text.Many(t.Messages, "message"), t.Unchanged)
	if t.Skipped > 0 {
		fmt.Fprintf(&b, "; of %d the record does not have everything", t.Skipped)
	}
	b.WriteString("\n")
	for _, k := range whatif.Kinds {
		if n := t.Kinds[k]; n > 0 {
			fmt.Fprintf(&b, "%6d %s\n", n, k)
		}
	}
	fmt.Fprintf(&b, "money: %s as it is, %s changed; time: %v, %v\n", text.Money(t.Money[0], r.currency),
		text.Money(t.Money[1], r.currency), t.Took[0].Round(time.Millisecond), t.Took[1].Round(time.Millisecond))
	if calls > 0 {
		fmt.Fprintf(&b, "%s asked for this, %s\n", text.Many(calls, "request"), text.Money(money, r.currency))
	}
	if asked.Failed != nil {
		fmt.Fprintf(&b, "a model did not answer: %v\n", asked.Failed)
	}
	for _, d := range r.list {
		r.tell(&b, d)
	}
	if r.more > 0 {
		fmt.Fprintf(&b, "\n%d more: --limit 0 shows all\n", r.more)
	}
	if len(r.list) > 0 {
		b.WriteString("\nThe number in brackets is the answer's: /trace NUMBER shows it, --good, --bad and --fine judge it.\n")
	}
	for _, script := range r.written {
		fmt.Fprintf(&b, "rehearsal: %s\n", script)
	}
	_, err := r.out.Write([]byte(b.String()))
	return err
}
