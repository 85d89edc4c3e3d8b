package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"parley/internal/memory"
	"parley/internal/playbook"
	"parley/internal/rehearse"
	"parley/internal/tape"
)

// rules owns the playbook, which may change in its folder at any time.
type rules struct {
	*base
	models *models
	source *playbook.Source // nil for none
	// schemas are those of the built-in tools, which guards are checked against.
	schemas map[string][]byte

	mu    sync.Mutex // guards wrong
	wrong string     // with the files, "" for nothing
}

// open reads the playbook; a mistake in it keeps the bot from starting,
// while a later one leaves the last good book in force.
func (r *rules) open(context.Context) error {
	if r.cfg.Playbook.Dir == "" {
		return nil
	}
	if _, err := os.Stat(r.cfg.Playbook.Dir); err != nil {
		return fmt.Errorf("playbook.dir: %w", err)
	}
	var err error
	r.source, err = playbook.Open(r.cfg.Playbook.Dir, playbook.Options{Embed: r.models.embeds(), Schemas: r.schemas})
	return err
}

// book returns the playbook in force, nil for none.
func (r *rules) book() *playbook.Book {
	if r.source == nil {
		return nil
	}
	b, err := r.source.Book(r.now())
	if errors.Is(err, context.Canceled) {
		return b
	}
	switch news := r.note(err); {
	case news && err != nil:
		r.log.Warn("the last good playbook stays in force", "err", err)
	case news:
		r.log.Info("the playbook is in force as it is in its folder")
	}
	return b
}

// note remembers what is wrong with the playbook's files; nil clears it. It logs
// changes only.
func (r *rules) note(err error) (news bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	before := r.wrong
	r.wrong = ""
	if err != nil {
		r.wrong = err.Error()
	}
	return r.wrong != before
}

// problem returns what is wrong with the playbook's files, "" for nothing.
func (r *rules) problem() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.wrong
}

// follow checks the playbook's files even when no messages arrive.
func (r *rules) follow(context.Context) error {
	r.book()
	return nil
}

// checkVariable explains why the playbook does not accept a value.
func (r *rules) checkVariable(name string, value any) error {
	b := r.book()
	if b == nil {
		return errors.New("there is no playbook")
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return err
	}
	_, err = b.SetVariable(playbook.State{}, playbook.Value{Name: name, Value: raw, Source: "tool"})
	return err
}

// capture writes rehearsals from what was said, into the data folder.
func (r *rules) capture(said rehearse.Said, kept *tape.Tape) rehearse.Capture {
	return rehearse.Capture{Rows: said, Book: r.book, Dir: filepath.Join(r.cfg.DataDir, "rehearsals"), Playbook: r.cfg.Playbook.Dir, Came: came(kept)}
}

// came reads what models answered for a decision: words for the person, and verdicts.
func came(kept *tape.Tape) func(context.Context, memory.Decision) ([]rehearse.Came, error) {
	return func(ctx context.Context, d memory.Decision) (list []rehearse.Came, err error) {
		calls, err := kept.For(ctx, d.InboxID, d.Key, d.At)
		for _, c := range calls {
			whole, err := kept.Read(ctx, c.ID)
			switch {
			case errors.Is(err, tape.ErrNone): // it was forgotten meanwhile
				return nil, nil
			case err != nil:
				return nil, err
			case whole.Reply != nil && (whole.Form == "" || whole.Form == rehearse.Verdicts):
				list = append(list, rehearse.Came{Message: *whole.Reply, Judged: whole.Form != ""})
			}
		}
		return list, err
	}
}
