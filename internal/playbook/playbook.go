// Package playbook decides how to behave now: which of the owner's guidelines apply
// to a message, which step a journey is in, which context variables are known. It
// reads YAML files, keeps no state of its own but a cache of the model's verdicts,
// and makes at most one model call per message. It is not the agent: it answers
// nothing, calls no tool and writes no storage.
package playbook

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"parley/internal/llm/vector"
	"parley/internal/playbook/guard"
	"parley/internal/playbook/judge"
	"parley/internal/playbook/sheet"
	"parley/internal/text/yamldoc"
)

// Defaults of Settings.
const (
	DefaultThreshold = 0.3
	DefaultTop       = 3
)

// maxFileSize guards against files that are no playbooks, in bytes.
const maxFileSize = 4 << 20

// Options change how a playbook is loaded and used. The zero value is fine.
type Options struct {
	// Tools lists the names of all tools; a guideline that names another is a
	// mistake. nil leaves that to Check.
	Tools []string
	// Schemas are those of the arguments of tools that are known, for guards.
	Schemas map[string][]byte
	// Model is the model for the structured call, "" the configured one.
	Model string
	// Embed makes vectors of conditions and messages, for the shortlist; nil
	// goes by words alone.
	Embed vector.Embed
}

// Book is a loaded playbook. It never changes and serves many goroutines.
type Book struct {
	doc                document // merged, in the order of the files
	options            Options
	guidelines         map[string]*Guideline
	journeys           map[string]*Journey
	variables          map[string]*Variable
	replies            map[string]*Reply
	threshold          float64
	top                int
	strict, composited bool // how ready-made replies are used
	speaks             bool // a rule may, although nobody asked
	asks               bool // variables are read only from answers to the bot's questions
	fallback           string
	guards             guard.Guards
	heeded             []string // names and patterns of tools whose results matter
	index              index
	kept
}

// Load reads every *.yaml and *.yml file directly in dir, in the order of
// their names. dir "" gives an empty Book, which guides nothing. What is wrong
// with the files comes back as sheet.Mistakes, all of it.
func Load(dir string, o Options) (*Book, error) {
	return load(dir, o, kept{judge.NewCache(), newVectors()})
}

// kept survives from one version of the files to the next.
type kept struct {
	verdicts *judge.Cache
	vectors  *vectors
}

func load(dir string, o Options, k kept) (*Book, error) {
	b := &Book{options: o, kept: k, guidelines: map[string]*Guideline{}, journeys: map[string]*Journey{},
		variables: map[string]*Variable{}, replies: map[string]*Reply{}, threshold: DefaultThreshold, top: DefaultTop}
	files, err := yamlFiles(dir)
	if err != nil {
		return nil, err
	}
	var found sheet.Mistakes
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("read playbook: %w", err)
		}
		b.add(name, text, &found)
	}
	b.compile()
	if len(found) > 0 {
		found.Sort()
		return nil, found
	}
	return b, nil
}

func yamlFiles(dir string) ([]string, error) {
	if dir == "" {
		return nil, nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("read playbook: %w", err)
	}
	var files []string
	for _, e := range entries {
		if !e.IsDir() && IsFile(e.Name()) {
			files = append(files, filepath.Join(dir, e.Name()))
		}
	}
	return files, nil
}

// IsFile reports whether a file of a playbook's folder belongs to it, by its name.
func IsFile(name string) bool {
	ext := filepath.Ext(name)
	return (ext == ".yaml" || ext == ".yml") && !strings.HasPrefix(name, ".")
}

// add reads one file into the book.
func (b *Book) add(name string, text []byte, found *sheet.Mistakes) {
	src := sheet.NewSource(name, string(text), found)
	if len(text) > maxFileSize {
		src.Mistake("", "larger than %d bytes", maxFileSize)
		return
	}
	root, err := yamldoc.Parse(string(text))
	if err != nil {
		line := 0
		if e, ok := errors.AsType[*yamldoc.Error](err); ok {
			line, err = e.Line, errors.New(e.Problem)
		}
		src.Broken(line, err)
		return
	}
	if root == nil {
		return
	}
	before := b.doc.Settings
	b.doc.Settings = nil
	sheet.Read(src, root, &b.doc)
	if before != nil && b.doc.Settings != nil {
		src.Mistake("settings", "settings were given in another file already")
	}
	b.doc.Settings = cmp.Or(b.doc.Settings, before)
}

// Guidelines returns all rules, in the order of the files. Callers must not change
// them, nor what Journeys and VariableDefinitions return.
func (b *Book) Guidelines() []*Guideline { return b.doc.Guidelines }

// Guideline finds a rule; the error names the nearest one.
func (b *Book) Guideline(id string) (*Guideline, error) {
	if g, ok := b.guidelines[id]; ok {
		return g, nil
	}
	return nil, fmt.Errorf("unknown guideline %q%s", id, sheet.Suggest(id, sortedKeys(b.guidelines)))
}

// IsEnabled returns the file's enabled flag.
func (g *Guideline) IsEnabled() bool { return g.Enabled == nil || *g.Enabled }

// Journeys returns all journeys, in the order of the files.
func (b *Book) Journeys() []*Journey { return b.doc.Journeys }

// VariableDefinitions returns all variables, in the order of the files.
func (b *Book) VariableDefinitions() []*Variable { return b.doc.Variables }
