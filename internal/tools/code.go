package tools

import (
	"context"
	_ "embed" // descriptions

	"parley/internal/notes/index"
	"parley/internal/text/catalog"
)

//go:embed find_references.md
var findReferencesText string

//go:embed find_definition.md
var findDefinitionText string

//go:embed search_code.md
var searchCodeText string

func (n Notes) searchCode() Operation {
	type args struct {
		Query  string `json:"query" jsonschema:"names or words that stand in the code"`
		Folder string `json:"folder,omitempty" jsonschema:"only files below this folder"`
	}
	meta := core("search_code", searchCodeText, Code).reads().says("searches the owner's code")
	return forReaders(n, meta, Face{Private: true}, func(ctx context.Context, c Call, a args) (Result, error) {
		return n.looked(ctx, c, index.Query{Text: a.Query, Kind: index.KindCode, Folder: a.Folder, Limit: vaultHits})
	})
}

func (n Notes) definition() Operation {
	type args struct {
		Name string `json:"name" jsonschema:"the name, or Type.Method"`
	}
	meta := core("find_definition", findDefinitionText, Code).reads().onDemand().says("finds where something is defined in code")
	return forReaders(n, meta, Face{Private: true}, func(ctx context.Context, c Call, a args) (Result, error) {
		s, err := n.Shelf(ctx, c)
		if err != nil {
			return Result{}, err
		}
		hits, err := n.Vault.Definition(ctx, a.Name)
		if err == nil {
			hits, err = sift(ctx, s, hits, inFile)
		}
		if err != nil {
			return Result{}, err
		}
		return s.Found(ctx, index.KindCode, hits[:min(len(hits), vaultHits)])
	})
}

func (n Notes) references() Operation {
	type args struct {
		Name string `json:"name" jsonschema:"the name, or Type.Method"`
	}
	meta := core("find_references", findReferencesText, Code).reads().onDemand().says("finds where something is used in code")
	return forReaders(n, meta, Face{Private: true}, func(ctx context.Context, c Call, a args) (Result, error) {
		s, err := n.Shelf(ctx, c)
		if err != nil {
			return Result{}, err
		}
		hits, total, err := n.Vault.References(ctx, a.Name, maxUses)
		if all := len(hits); err == nil {
			hits, err = sift(ctx, s, hits, inFile)
			if len(hits) < all {
				total = len(hits) // of the others nothing is said
			}
		}
		if err != nil {
			return Result{}, err
		}
		r, err := s.Found(ctx, index.KindCode, hits)
		if more := total - len(hits); more > 0 {
			r.Content += "\n\n" + catalog.Say(ctx, "… and %d more uses.", more)
		}
		return r, err
	})
}

func inFile(h index.Hit) index.Entry { return index.Entry{Source: h.Source, Path: h.Path} }

// maxUses is how many uses of a name are shown.
const maxUses = 20
