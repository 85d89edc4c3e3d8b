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
	find, words := f.Service.Find, "Forget this: \"%s\"?"
	if atOnce(r) {
		find, words = f.Service.FindErasable, "Erase this for good, without Undo: \"%s\"?"
	}
	fact, err := find(ctx, asker(r), row(r))
	return catalog.Say(ctx, words, text.Literal(fact.Content)), noFact(err)
}

func (f Facts) forget(ctx context.Context, r gate.Request) (chat.Answer, error) {
	if atOnce(r) {
		gone, err := f.Service.Erase(ctx, asker(r), row(r))
		return chat.Answer{Text: catalog.Say(ctx, "Erased: “%s”.", text.Literal(gone.Content))}, noFact(err)
	}
	gone, err := f.Service.Forget(ctx, asker(r), row(r))
	return told(ctx, gone, gone.Note(catalog.Of(ctx))), noFact(err)
}

func askClear(ctx context.Context, r gate.Request) (string, error) {
	if atOnce(r) {
		return catalog.Text(ctx, "Shall I erase everything I remember about you here, at once and without Undo? Conversations "+
			"stay; /forget-me deletes them too."), nil
	}
	return catalog.Text(ctx, "Shall I forget everything I remember about you here? For a day you can take that back. "+
		"Conversations stay; /forget-me deletes them too."), nil
}

func (f Facts) clear(ctx context.Context, r gate.Request) (chat.Answer, error) {
	words := "Forgotten. Facts deleted: %d. They are kept a day for Undo, then erased."
	if atOnce(r) {
		words = "Erased. Facts deleted: %d."
	}
	n, gone, err := f.Rows.ClearFacts(ctx, provenance.ViewerOf(r.Message), atOnce(r))
	return told(ctx, gone, catalog.Say(ctx, words, n)), err
}
