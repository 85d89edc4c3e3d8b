package setup

import (
	"context"
	"fmt"
	"path/filepath"

	"parley/config"
	"parley/internal/pdf"
	"parley/internal/vault"
)

// NotesSource is the name of the folder vault.dir, NotesIndex that of the index in
// the data folder.
const (
	NotesSource = "notes"
	NotesIndex  = "vault.db"
)

// OpenVault opens the owner's folders of notes and code; nil for none. o has
// what the settings do not say. The caller closes it.
func OpenVault(ctx context.Context, c config.Config, o vault.Options) (*vault.Vault, error) {
	o.Index, o.WriteDir = filepath.Join(c.DataDir, NotesIndex), c.Vault.WriteDir
	o.PDF = pdf.Pages
	o.HardLinks, o.EmbedModel = c.Vault.HardLinks == "follow", c.EmbeddingModel()
	if dir := c.Vault.Dir; dir != "" {
		o.Sources = append(o.Sources, vault.Source{Name: NotesSource, Dir: dir, Kind: vault.KindNotes})
	}
	for _, s := range c.Sources {
		o.Sources = append(o.Sources, vault.Source{Name: s.Name, Dir: s.Dir, Kind: s.Kind})
	}
	if len(o.Sources) == 0 {
		return nil, nil
	}
	data, err := filepath.Abs(c.DataDir)
	if err != nil {
		return nil, err
	}
	o.Exclude = []string{data}
	v, err := vault.Open(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("vault: %w", err)
	}
	return v, nil
}
