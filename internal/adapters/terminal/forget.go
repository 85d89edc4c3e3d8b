package terminal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"parley/internal/chat"
)

var _ chat.Forgetter = (*Adapter)(nil)

// historyFile is where the lines of this terminal's person are kept: "" is nowhere.
func (a *Adapter) historyFile() string { return a.historyOf(a.from.ID) }

// historyOf is where the lines of a person are kept, by their User.ID.
func (a *Adapter) historyOf(user string) string {
	name := strings.TrimPrefix(user, platform+":")
	switch {
	case a.o.HistoryFile == "" || user == Local:
		return a.o.HistoryFile
	case !nameForm().MatchString(name):
		return ""
	}
	return a.o.HistoryFile + "-" + name
}

// Forget deletes the lines that a person typed here, and the files from answers:
// nobody can tell whose those are.
func (a *Adapter) Forget(_ context.Context, user string) error {
	if !strings.HasPrefix(user, platform+":") {
		return nil
	}
	var errs []error
	if h := a.history.Load(); h != nil && user == a.from.ID {
		errs = append(errs, h.Forget())
	} else if path := a.historyOf(user); path != "" {
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, fmt.Errorf("forget typed lines: %w", err))
		}
	}
	return errors.Join(append(errs, a.removeDownloads())...)
}

func (a *Adapter) removeDownloads() error {
	if a.o.Downloads == "" {
		return nil
	}
	entries, err := os.ReadDir(a.o.Downloads)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("forget saved files: %w", err)
	}
	for _, e := range entries {
		if !e.Type().IsRegular() {
			continue
		}
		if err := os.Remove(filepath.Join(a.o.Downloads, e.Name())); err != nil {
			return fmt.Errorf("forget saved files: %w", err)
		}
	}
	return nil
}
