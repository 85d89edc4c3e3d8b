package whatif

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley/config"
	"parley/internal/text"
)

// Change turns what the owner wants to try into settings.
type Change struct {
	Base config.Config
	Load func(file string) (config.Config, error) // reads a file of settings
	Dir  string                                   // where edited playbooks are put together
}

// Apply returns the settings with changes: key=value of a setting; a file of settings; a
// folder of playbook files, or one of them that takes the place of its namesake; or a
// persona. over are the settings that differ.
func (c Change) Apply(changes []string) (next config.Config, over []string, err error) {
	next = c.Base
	slices.SortStableFunc(changes, func(a, b string) int { return rank(a) - rank(b) }) // a file has all settings
	for i, what := range changes {
		path, value, set := strings.Cut(what, "=")
		if _, known := next.Get(path); set && (known || !exists(what)) {
			err = next.Set(path, value)
		} else {
			err = c.file(&next, what, filepath.Join(c.Dir, fmt.Sprint("playbook-", i)))
		}
		if err != nil {
			return next, nil, err
		}
	}
	return next, c.Base.Diff(next), nil
}

func rank(change string) int {
	if exists(change) {
		return 0
	}
	return 1
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// file applies a file or a folder; edited is where a playbook with another file goes.
func (c Change) file(next *config.Config, name, edited string) error {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return text.Tell("%s is no setting=value, and no file: %w", name, err)
	case info.IsDir():
		next.Playbook.Dir = name
		return nil
	case filepath.Ext(name) != ".yaml" && filepath.Ext(name) != ".yml":
		next.Agent.PromptFile = name
		return nil
	}
	settings, err := isSettings(name)
	if err != nil {
		return err
	}
	if settings {
		was := *next
		if *next, err = c.Load(name); err == nil {
			next.DataDir, next.Database = was.DataDir, was.Database
		}
		return err
	}
	if next.Playbook.Dir == "" {
		return text.Tell("%s is a file of a playbook, and playbook.dir is not set", name)
	}
	if err := os.CopyFS(edited, os.DirFS(next.Playbook.Dir)); err != nil {
		return fmt.Errorf("copy the playbook: %w", err)
	}
	next.Playbook.Dir = edited
	return replace(edited, name)
}

// isSettings reports whether a file holds settings. One without keys is one of the playbook,
// unless it is called like the settings.
func isSettings(name string) (bool, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return false, err
	}
	is, known, err := config.IsSettings(string(b))
	if err != nil {
		return false, text.Tell("%s: %w", name, err)
	}
	return is && (known > 0 || filepath.Base(name) == config.DefaultFile), nil
}

// replace puts a file in the place of its namesake in a folder, or beside the others.
func replace(dir, name string) error {
	to := filepath.Join(dir, filepath.Base(name))
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && d.Name() == filepath.Base(name) {
			to = path
		}
		return err
	})
	if err != nil {
		return err
	}
	b, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	return os.WriteFile(to, b, 0o600)
}
