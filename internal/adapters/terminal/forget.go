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

// Forget deletes the lines typed here and the files from answers. Nobody can tell
// whose they are, so they go when anybody of this terminal is forgotten.
func (a *Adapter) Forget(_ context.Context, user string) error {
	if !strings.HasPrefix(user, platform+":") {
		return nil
	}
	if e := a.editor.Load(); e != nil {
		e.ClearHistory()
	}
	var errs []error
	if err := os.Remove(a.o.HistoryFile); err != nil && !errors.Is(err, os.ErrNotExist) {
		errs = append(errs, fmt.Errorf("forget typed lines: %w", err))
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
