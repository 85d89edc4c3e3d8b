package command

import (
	"context"

	"parley/internal/chat"
	"parley/internal/command/gate"
	"parley/internal/memory/provenance"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// atOnce says that nothing is to be kept for Undo.
func atOnce(r gate.Request) bool { return r.Args["when"] == "now" }

func (f Facts) askForget(ctx context.Context, r gate.Request) (string, error) {
	find, words := f.Service.Find, wordsForgetFact
	if atOnce(r) {
		find, words = f.Service.FindErasable, wordsEraseFact
	}
	fact, err := find(ctx, asker(r), row(r))
	return catalog.Say(ctx, words, text.Literal(fact.Content)), noFact(err)
}

func (f Facts) forget(ctx context.Context, r gate.Request) (chat.Answer, error) {
	if atOnce(r) {
		gone, err := f.Service.Erase(ctx, asker(r), row(r))
		return chat.Answer{Text: catalog.Say(ctx, wordsFactErased, text.Literal(gone.Content))}, noFact(err)
	}
	gone, err := f.Service.Forget(ctx, asker(r), row(r))
	return told(ctx, gone, gone.Note(catalog.Of(ctx))), noFact(err)
}

func askClear(ctx context.Context, r gate.Request) (string, error) {
	if atOnce(r) {
		return catalog.Text(ctx, wordsEraseFacts), nil
	}
	return catalog.Text(ctx, wordsClearFacts), nil
}

func (f Facts) clear(ctx context.Context, r gate.Request) (chat.Answer, error) {
	words := wordsFactsCleared
	if atOnce(r) {
		words = wordsFactsErased
	}
	n, gone, err := f.Rows.ClearFacts(ctx, provenance.ViewerOf(r.Message), atOnce(r))
	return told(ctx, gone, catalog.Say(ctx, words, n)), err
}
