package command

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"parley/internal/chat"
	"parley/internal/command/gate"
	"parley/internal/notes/document"
	"parley/internal/notes/index"
	"parley/internal/text/catalog"
	"parley/internal/tools"
)

// Notes is /notes and /librarian.
type Notes struct {
	// View is the notes; its Vault is nil without any.
	View   tools.Notes
	Writes bool                           // there is a folder to write to
	State  func(p catalog.Printer) string // how the index is, in a sentence
	Owner  bool                           // they are for the owner alone
	// Tidy has the librarian plan a job and asks about the plan; nil where there
	// is no folder to write to.
	Tidy    func(ctx context.Context, m chat.Message, task string) (chat.Answer, error)
	BuiltIn bool // only the built-in responder, which tidies nothing
}

// shelf returns the notes as a message's author may read them where it was written.
func (n Notes) shelf(ctx context.Context, m chat.Message) (*tools.Shelf, error) {
	return n.View.Shelf(ctx, tools.CallOf(m))
}

// Bounds of what is looked at to list what somebody may read, of a list, and of code and
// passages that are shown, in characters.
const (
	maxLooked  = 1000
	maxListed  = 20
	maxNote    = 6000
	maxSnippet = 200
)

func (n Notes) commands() []gate.Command {
	who := gate.Member
	if n.Owner {
		who = gate.Owner
	}
	ops := tools.NoteOperations(n.View)
	recent, show := operated(ops, "notes recent"), orWhich(operated(ops, "notes show"), "/notes show ")
	notes := gate.Command{Name: "notes", Help: "My owner's notes", Effect: gate.Reads, Who: who,
		Private: true, Run: recent.Run, Verbs: []gate.Command{
			operated(ops, "notes search"), show, recent,
			{Name: "status", Help: "How the search index is, and which files are not in it", Effect: gate.Reads, Run: n.status},
			orWhich(operated(ops, "notes related"), "/notes related "),
		}}
	if n.Writes || n.View.Vault == nil {
		note := show.Options[0]
		notes.Verbs = append(notes.Verbs, orWhich(operated(ops, "notes move"), ""), // the new name would not fit a button
			gate.Command{Name: "undo", Help: "Take my last move back", Run: n.undo},
			gate.Command{Name: "restore", Help: "Give one an earlier text again; without a version, list them", Run: n.restore,
				Options: []gate.Option{note, {Name: "version", Help: "which version; 1 is the newest",
					Choices: strings.Fields("1 2 3 4 5 6 7 8 9 10")},
					{Name: "mark", Help: "which version, as a button names it", Named: true, Hidden: true}}})
	}
	if n.View.Vault == nil {
		notes.Run = func(ctx context.Context, _ gate.Request) (chat.Answer, error) {
			return say(ctx, "There are no notes: set vault.dir to a folder of Markdown notes, and start me again.")
		}
		for i := range notes.Verbs {
			notes.Verbs[i].Run = notes.Run
		}
	}
	all := []gate.Command{notes}
	if n.View.Code || n.View.Vault == nil {
		all = append(all, n.code(who))
	}
	if n.Tidy == nil {
		return all
	}
	return append(all, gate.Command{Name: "librarian", Help: "Let the librarian tidy the notes I wrote", Effect: gate.Works, Who: who,
		Options: []gate.Option{{Name: "task", Help: "what to tidy"}}, Run: n.tidy})
}

// status says how the index is, and which files are not found, or not whole.
func (n Notes) status(ctx context.Context, r gate.Request) (chat.Answer, error) {
	s, err := n.shelf(ctx, r.Message)
	if err != nil {
		return chat.Answer{}, err
	}
	list, err := n.View.Vault.Skipped(ctx, maxLooked)
	if err == nil {
		list, err = s.Listed(ctx, list, maxListed)
	}
	if err != nil && !errors.Is(err, index.ErrNotReady) {
		return chat.Answer{}, err
	}
	lines := []string{n.State(catalog.Of(ctx))}
	if r.Role < gate.Owner { // who is told of what they may read, and of nothing else
		documents, sections, err := s.Counts(ctx)
		if err != nil && !errors.Is(err, index.ErrNotReady) {
			return chat.Answer{}, err
		}
		lines = []string{catalog.Say(ctx, "%s, %s, %s", catalog.Words(n.View.Vault.Status().State),
			catalog.Count{N: documents, Thing: "document"}, catalog.Count{N: sections, Thing: "section"})}
	}
	for _, e := range list {
		if e.Skipped != "" {
			lines = append(lines, catalog.Say(ctx, "- not searched: %s, which is %s", e.Path, catalog.Words(e.Skipped)))
		} else {
			lines = append(lines, catalog.Say(ctx, "- searched in part: %s, without %s", e.Path, document.Left(catalog.Of(ctx), e.Partly)))
		}
	}
	return chat.Answer{Text: strings.Join(lines, "\n")}, nil
}

// tidy asks about the plan, as the model's own call does.
func (n Notes) tidy(ctx context.Context, r gate.Request) (chat.Answer, error) {
	if n.BuiltIn {
		return say(ctx, "The librarian needs a language model, and none is connected. /notes works without one.")
	}
	return n.Tidy(ctx, r.Message, cmp.Or(r.Args["task"], "Tidy the notes in your folder: names, places, an index."))
}
