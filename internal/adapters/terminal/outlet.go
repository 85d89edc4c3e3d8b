package terminal

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"

	"parley/internal/chat"
)

// pace is how often a growing answer is drawn: often enough to look alive.
const pace = 30 * time.Millisecond

// Split returns text whole: a terminal has no longest message.
func (a *Adapter) Split(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}

// Typing shows how long the answer takes, on a terminal, until it begins.
func (a *Adapter) Typing(_ context.Context, _ chat.Message) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.o.TTY && len(a.pending) > 0 {
		a.screen.work()
	}
	return nil
}

// Watch implements chat.Watcher.
func (a *Adapter) Watch(m chat.Message, tools []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.o.TTY && a.pending[m.ID] {
		a.screen.busy.tools = oneLine(strings.Join(tools, ", "))
	}
}

// tick shows the time that passes, and fits the answer to the window.
func (a *Adapter) tick() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.screen.tick()
}

// Preview prints what text has gained since the last call, on a terminal only. It
// has no ids.
func (a *Adapter) Preview(_ context.Context, m chat.Message, _, text string) (string, time.Duration, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.o.TTY || !a.pending[m.ID] {
		return "", pace, nil
	}
	return "", pace, a.screen.grow(strings.Trim(clean(text), "\n"))
}

// Send prints one answer and a newline. It fails only when Out cannot be written,
// which is permanent.
func (a *Adapter) Send(_ context.Context, p chat.Part) (id string, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	id = uuid.NewString()
	write := func() { err = a.show(p, id) }
	switch {
	case a.o.JSON:
		err = a.collect(p, id)
	case a.redraw != nil && !a.busy.Load():
		a.redraw(write)
	default:
		write()
	}
	if err != nil {
		return "", &chat.GoneError{Err: fmt.Errorf("terminal: write: %w", err)}
	}
	return id, nil
}

// show prints a part, with its files and choices below it.
func (a *Adapter) show(p chat.Part, id string) error {
	var below []string
	for _, f := range p.Files {
		below = append(below, a.tellSaved(f))
	}
	if len(p.Buttons) > 0 {
		below = append(below, a.choose(p.Buttons, id))
	}
	return a.screen.finish(strings.Trim(clean(p.Text), "\n"), below)
}

// choose offers numbered choices, and returns them with one row of buttons per line.
func (a *Adapter) choose(rows [][]chat.Button, id string) string {
	a.offered, a.offerID = nil, id
	var lines []string
	for _, row := range rows {
		var choices []string
		for _, b := range row {
			if b.URL != "" {
				choices = append(choices, oneLine(b.Label)+": "+oneLine(b.URL))
				continue
			}
			a.offered = append(a.offered, b)
			choices = append(choices, fmt.Sprintf("%d) %s", len(a.offered), oneLine(b.Label)))
		}
		lines = append(lines, strings.Join(choices, "  "))
	}
	return strings.Join(lines, "\n")
}

func (a *Adapter) tellSaved(f chat.File) string {
	name, path := a.save(f)
	switch {
	case a.o.Downloads == "":
		return fmt.Sprintf("[file %s, %d bytes]", name, len(f.Data))
	case path == "":
		return fmt.Sprintf("[file %s, %d bytes, could not be saved]", name, len(f.Data))
	}
	return fmt.Sprintf("[file %s, %d bytes, saved as %s]", name, len(f.Data), path)
}

// save writes a file of an answer under a name that is free, if there is a folder
// for them. path is "" when it is not saved.
func (a *Adapter) save(f chat.File) (name, path string) {
	name = oneLine(filepath.Base(filepath.Clean("/" + f.Name)))
	if name == "/" || name == "" {
		name = "file"
	}
	if a.o.Downloads == "" {
		return name, ""
	}
	path, err := create(a.o.Downloads, name, f.Data)
	if err != nil {
		a.o.Log.Error("file not saved", "name", name, "err", err)
		return name, ""
	}
	return name, path
}

// create never replaces a file: a second notes.md becomes notes-2.md.
func create(dir, name string, data []byte) (string, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	ext := filepath.Ext(name)
	stem := strings.TrimSuffix(name, ext)
	for n := 1; ; n++ {
		path := filepath.Join(dir, name)
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if os.IsExist(err) && n < 1000 {
			name = fmt.Sprintf("%s-%d%s", stem, n+1, ext)
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = f.Write(data)
		if e := f.Close(); err == nil {
			err = e
		}
		return path, err
	}
}
