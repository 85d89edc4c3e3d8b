package setup

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"parley/config"
	"parley/internal/notes/code"
	"parley/internal/notes/document/pdf"
	"parley/internal/notes/index"
)

// NotesSource is the name of the folder vault.dir, NotesIndex that of the index in
// the data folder.
const (
	NotesSource = "notes"
	NotesIndex  = "vault.db"
)

// OpenVault opens the owner's folders of notes and code; nil without any. o holds what is
// not in the settings. The caller closes it.
func OpenVault(ctx context.Context, c config.Config, o index.Options) (*index.Vault, error) {
	o.Index, o.WriteDir = filepath.Join(c.DataDir, NotesIndex), c.Vault.WriteDir
	o.PDF = pdf.Pages
	o.HardLinks, o.EmbedModel = c.Vault.HardLinks == "follow", c.EmbeddingModel()
	if dir := c.Vault.Dir; dir != "" {
		o.Sources = append(o.Sources, index.Source{Name: NotesSource, Dir: dir, Kind: index.KindNotes})
	}
	for _, s := range c.Sources {
		o.Sources = append(o.Sources, index.Source{Name: s.Name, Dir: s.Dir, Kind: s.Kind})
	}
	if len(o.Sources) == 0 {
		return nil, nil
	}
	var err error
	if o.Tags, err = tags(ctx, c); err != nil {
		return nil, err
	}
	data, err := filepath.Abs(c.DataDir)
	if err != nil {
		return nil, err
	}
	o.Exclude = []string{data}
	v, err := index.Open(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("vault: %w", err)
	}
	return v, nil
}

// tags returns the program that reads code, nil for none.
func tags(ctx context.Context, c config.Config) (*code.Tags, error) {
	coded := slices.ContainsFunc(c.Sources, func(s config.Source) bool { return s.Kind == index.KindCode })
	switch {
	case !coded || c.Vault.Ctags == "off":
		return nil, nil
	case c.Vault.Ctags == "auto" || c.Vault.Ctags == "":
		return code.FindTags(ctx, ""), nil
	}
	found := code.FindTags(ctx, c.Vault.Ctags)
	if found == nil {
		return nil, fmt.Errorf("vault.ctags: %s is no universal-ctags that can be run", c.Vault.Ctags)
	}
	return found, nil
}

// SourceLink adds a path to the base address of its source, "" for none: in place of
// {path}, or else at the end; and the line in place of {line}.
func SourceLink(base, path string, line int) string {
	if base == "" {
		return ""
	}
	if !strings.Contains(base, "{path}") {
		base = strings.TrimSuffix(base, "/") + "/{path}"
	}
	before, after, _ := strings.Cut(base, "{path}")
	at := escaped(path)
	if !strings.Contains(before, "?") { // folders of the address itself
		at = strings.ReplaceAll(at, "%2F", "/")
	}
	base = before + at + strings.ReplaceAll(after, "{path}", at)
	return strings.ReplaceAll(base, "{line}", strconv.Itoa(line))
}

// escaped escapes text for any place in an address. Not every program reads "+" as a
// space.
func escaped(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }
