package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"parley/internal/chat"
	"parley/internal/command/gate"
	"parley/internal/notes/document"
	"parley/internal/notes/index"
	"parley/internal/text"
	"parley/internal/text/catalog"
	"parley/internal/tools"
)

// Said in more than one place.
const (
	helpNotePath = "its title, or its path"
	wordsNoNotes = "Nothing was found in the notes."
)

// Notes is /notes and /librarian.
type Notes struct {
	// Shelf is the notes as a message's author may read them where it was
	// written; nil without notes.
	Shelf func(context.Context, chat.Message) (Shelf, error)
	// Desk is the same for changing them; its error says who may. nil where there
	// is no folder to write to.
	Desk  func(context.Context, chat.Message) (Desk, error)
	Index Index
	// Code finds names in folders of code; nil where there are none.
	Code  Code
	State func(p catalog.Printer) string // how the index is, in a sentence
	Owner bool                           // they are for the owner alone
	Clock tools.Clock                    // the time where somebody is
	// Tidy has the librarian plan a job and asks about the plan; nil where there
	// is no folder to write to.
	Tidy    func(ctx context.Context, m chat.Message, task string) (chat.Answer, error)
	BuiltIn bool // only the built-in responder, which tidies nothing
}

// Shelf is the notes that one person may read; tools.Shelf.
type Shelf interface {
	Search(ctx context.Context, q index.Query) ([]index.Hit, error)
	Read(ctx context.Context, p index.Part) (index.Document, error)
	// Listed keeps of a list what the person may read.
	Listed(ctx context.Context, list []index.Entry, limit int) ([]index.Entry, error)
	Related(ctx context.Context, name string) (index.Entry, index.Related, error)
}

// Index lists all notes, whoever may read them; index.Vault.
type Index interface {
	List(ctx context.Context, folder string, limit int) ([]index.Entry, error)
	Titles(ctx context.Context, prefix string, limit int) ([]index.Entry, error)
	Skipped(ctx context.Context, limit int) ([]index.Entry, error)
}

// Bounds of what is looked at to list what somebody may read, of a list, and of
// a note and a passage that are shown, in characters.
const (
	maxLooked    = 1000
	maxListed    = 20
	maxNote      = 6000
	maxSnippet   = 200
	maxSuggested = 90 // bytes of a title that is completed; Discord takes 100 characters
)

func (n Notes) commands() []gate.Command {
	who := gate.Member
	if n.Owner {
		who = gate.Owner
	}
	notes := gate.Command{Name: "notes", Help: "My owner's notes", Effect: gate.Reads, Who: who,
		Private: true, Run: n.recent, Verbs: []gate.Command{
			{Name: "search", Help: "Search them", Effect: gate.Reads, Run: n.search, Options: searchOptions},
			{Name: "show", Help: "Show one", Effect: gate.Reads, Run: n.show, Options: []gate.Option{{Name: "path",
				Help: helpNotePath, Required: true, Suggest: n.suggest}}},
			{Name: "recent", Help: "The latest", Effect: gate.Reads, Run: n.recent},
			{Name: "status", Help: "How the search index is, and which files are not in it", Effect: gate.Reads, Run: n.status},
			{Name: "related", Help: "What belongs to one: notes that link to it, that it links to, and that are like it", Effect: gate.Reads, Run: n.related, Options: []gate.Option{{Name: "path",
				Help: helpNotePath, Required: true, Suggest: n.suggest}}},
		}}
	notes.Verbs = append(notes.Verbs, n.desk()...)
	if n.Shelf == nil {
		notes.Run = func(ctx context.Context, _ gate.Request) (chat.Answer, error) {
			return say(ctx, "There are no notes: set vault.dir to a folder of Markdown notes, and start me again.")
		}
		for i := range notes.Verbs {
			notes.Verbs[i].Run = notes.Run
		}
	}
	all := []gate.Command{notes}
	if n.Code != nil || n.Shelf == nil {
		all = append(all, n.code(who))
	}
	if n.Tidy == nil {
		return all
	}
	return append(all, gate.Command{Name: "librarian", Help: "Let the librarian tidy the notes I wrote", Effect: gate.Works, Who: who,
		Options: []gate.Option{{Name: "task", Help: "what to tidy"}}, Run: n.tidy})
}

// noNote says how to find those there are.
func noNote(err error) error {
	return text.Instead(err, index.ErrNotFound, "There is no such note. /notes search finds one by its words, /notes shows the latest.")
}

func (n Notes) show(ctx context.Context, r gate.Request) (chat.Answer, error) {
	s, err := n.Shelf(ctx, r.Message)
	if err != nil {
		return chat.Answer{}, err
	}
	d, err := s.Read(ctx, index.Part{Path: r.Args["path"]})
	if path, heading, ok := strings.Cut(r.Args["path"], "#"); ok && errors.Is(err, index.ErrNotFound) {
		d, err = s.Read(ctx, index.Part{Path: path, Heading: heading})
	}
	if err != nil {
		return which(ctx, err, "/notes show ")
	}
	return chat.Answer{Text: fmt.Sprintf("**%s** — %s\n\n%s", d.Title, d.Path, text.Shorten(d.Text, maxNote))}, nil
}

// listed returns what a message's author may read of a list.
func (n Notes) listed(ctx context.Context, m chat.Message, all func() ([]index.Entry, error)) ([]index.Entry, error) {
	s, err := n.Shelf(ctx, m)
	if err != nil {
		return nil, err
	}
	list, err := all()
	if err != nil {
		return nil, err
	}
	return s.Listed(ctx, list, maxListed)
}

func (n Notes) recent(ctx context.Context, r gate.Request) (chat.Answer, error) {
	list, err := n.listed(ctx, r.Message, func() ([]index.Entry, error) { return n.Index.List(ctx, "", maxLooked) })
	if err != nil {
		return chat.Answer{}, noNote(err)
	}
	if len(list) == 0 {
		return say(ctx, wordsNoNotes)
	}
	return chat.Answer{Text: tools.EntryLines(list)}, nil
}

// status says how the index is, and which files are not found, or not whole.
func (n Notes) status(ctx context.Context, r gate.Request) (chat.Answer, error) {
	list, err := n.listed(ctx, r.Message, func() ([]index.Entry, error) { return n.Index.Skipped(ctx, maxLooked) })
	if err != nil && !errors.Is(err, index.ErrNotReady) {
		return chat.Answer{}, err
	}
	lines := []string{n.State(catalog.Of(ctx))}
	for _, e := range list {
		if e.Skipped != "" {
			lines = append(lines, catalog.Say(ctx, "- not searched: %s, which is %s", e.Path, catalog.Words(e.Skipped)))
		} else {
			lines = append(lines, catalog.Say(ctx, "- searched in part: %s, without %s", e.Path, document.Left(catalog.Of(ctx), e.Partly)))
		}
	}
	return chat.Answer{Text: strings.Join(lines, "\n")}, nil
}

func (n Notes) suggest(ctx context.Context, m chat.Message, typed string) (paths []string) {
	if n.Shelf == nil {
		return nil
	}
	list, err := n.listed(ctx, m, func() ([]index.Entry, error) { return n.Index.Titles(ctx, typed, maxLooked) })
	if err != nil {
		return nil // nothing to suggest while it is indexed
	}
	times := map[string]int{}
	for _, e := range list {
		times[strings.ToLower(e.Title)]++
	}
	for _, e := range list {
		if times[strings.ToLower(e.Title)] > 1 || len(e.Title) > maxSuggested {
			e.Title = e.Path
		}
		paths = append(paths, e.Title)
	}
	return paths
}

// tidy asks about the plan, as the model's own call does.
func (n Notes) tidy(ctx context.Context, r gate.Request) (chat.Answer, error) {
	if n.BuiltIn {
		return say(ctx, "The librarian needs a language model, and none is connected. /notes works without one.")
	}
	return n.Tidy(ctx, r.Message, cmp.Or(r.Args["task"], "Tidy the notes in your folder: names, places, an index."))
}
