package tools

import (
	"cmp"
	"context"
	_ "embed" // descriptions
	"errors"
	"fmt"
	"parley/internal/text/catalog"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"parley/internal/chat"
	"parley/internal/notes/document"
	"parley/internal/notes/index"
	"parley/internal/text"
)

// wordsNoNotes is said in more than one place.
const wordsNoNotes = "Nothing was found in the notes."

//go:embed vault_search.md
var vaultSearchText string

//go:embed vault_read.md
var vaultReadText string

//go:embed vault_list.md
var vaultListText string

//go:embed vault_related.md
var vaultRelatedText string

//go:embed vault_write.md
var vaultWriteText string

//go:embed vault_move.md
var vaultMoveText string

//go:embed vault_create_index.md
var vaultIndexText string

// Librarian is the helper that keeps notes tidy. Only it may move notes and write
// indexes.
const Librarian = "librarian"

// Notes holds the owner's notes and code, as tools see them.
type Notes struct {
	Vault *index.Vault
	// May reports whether the caller may read and write them; nil allows everybody
	// who may talk to the bot.
	May func(context.Context, Call) bool
	// Link returns the address of a place in a source, "" for none; nil has no
	// addresses.
	Link func(source, path string, line int) string
	// Writes reports whether the caller may write them; nil allows everybody who
	// may read them.
	Writes func(context.Context, Call) bool
	// Authors stores who owns which note, and Owner recognizes the bot's owners by
	// their ids. Without Authors all notes are the owner's; without Owner
	// everybody is an owner.
	Authors Authors
	Owner   func(ctx context.Context, id string) bool
	// Sources are those that an agent draws on; nil, like a nil func, is all.
	Sources func(agent chat.Agent) []string
	Clock   Clock // for "last week"; nil is UTC
	Code    bool  // there are folders of code
}

// Limits of one result: hits, and runes of a note.
const (
	vaultHits = 6
	readRunes = 12_000
)

// NoteOperations are what can be done with notes.
func NoteOperations(n Notes) []Operation {
	return []Operation{n.search(), n.read(), n.list(), n.related(), n.write(), n.move(), n.index()}
}

// VaultTools returns the tools on notes and code.
func VaultTools(n Notes) []Tool {
	list := Tools(NoteOperations(n))
	if n.Code {
		list = append(list, n.searchCode(), n.definition(), n.references())
	}
	return list
}

// forReaders is Declare for callers who may read.
func forReaders[A any](n Notes, meta Meta, face Face, call func(context.Context, Call, A) (Result, error)) Operation {
	return Declare(meta, face, func(ctx context.Context, c Call, a A) (Result, error) {
		if n.May != nil && !n.May(ctx, c) {
			return Result{}, text.Tell(wordsNotesNot)
		}
		r, err := call(ctx, c, a)
		for wait := time.After(indexPatience); errors.Is(err, index.ErrNotReady) && !c.ByHand; {
			select {
			case <-time.After(indexPace):
				r, err = call(ctx, c, a)
				continue
			case <-wait:
			case <-ctx.Done():
			}
			break
		}
		return r, err
	})
}

// forWriters is Declare for callers who may read and write.
func forWriters[A any](n Notes, meta Meta, face Face, call func(context.Context, Call, A) (Result, error)) Operation {
	return forReaders(n, meta, face, func(ctx context.Context, c Call, a A) (Result, error) {
		if n.Writes != nil && !n.Writes(ctx, c) {
			return Result{}, text.Tell(wordsNotesNoWriter)
		}
		return call(ctx, c, a)
	})
}

// How long a question right after startup waits until the notes are read, and how
// often it checks. After that the answer says that they are still being read.
const (
	indexPatience = 3 * time.Second
	indexPace     = 50 * time.Millisecond
)

func (n Notes) search() Operation {
	type args struct {
		Query    string `json:"query" jsonschema:"a few words, a time too"`
		Tag      string `json:"tag,omitempty" jsonschema:"only notes with this tag"`
		Folder   string `json:"folder,omitempty" jsonschema:"only notes below this folder"`
		When     string `json:"when,omitempty"`     // people's alone: the model says it in its query
		Property string `json:"property,omitempty"` // so, too
	}
	meta := core("vault_search", vaultSearchText, Vault).reads().says("searches the owner's notes")
	meta.Refine = func(s *jsonschema.Schema) {
		delete(s.Properties, "when")
		delete(s.Properties, "property")
	}
	face := noteFace("notes search", "Search them",
		Arg{Name: "query", Help: "words; \"last week\", #tags and [status:open] count", Optional: true},
		Arg{Name: "when", Help: "\"last week\", \"in May\", 2026-05-04", Named: true},
		Arg{Name: "tag", Help: "a tag that they have", Named: true},
		Arg{Name: "folder", Help: "the folder that they are in", Named: true},
		Arg{Name: "property", Help: "a property that they have, such as status:open", Named: true})
	return forReaders(n, meta, face, func(ctx context.Context, c Call, a args) (Result, error) {
		if a.When != "" {
			a.Query += ` when:"` + strings.ReplaceAll(a.When, `"`, "") + `"`
		}
		if a.Property != "" {
			key, value, _ := strings.Cut(strings.Trim(a.Property, "[]"), ":")
			a.Query += " [" + strings.TrimSpace(key) + ":" + strings.TrimSpace(value) + "]"
		}
		q := noteQuery(a.Query, n.Clock.at(ctx, c.Who))
		q.Folder = cmp.Or(a.Folder, q.Folder)
		if a.Tag != "" {
			q.Tags = append(q.Tags, a.Tag)
		}
		if c.ByHand {
			return n.seen(ctx, c, q)
		}
		q.Kind, q.Limit = index.KindNotes, vaultHits
		return n.looked(ctx, c, q)
	})
}

// Found returns the hits, numbered, with their sources in the same order. kind is a
// vault's.
func (s *Shelf) Found(ctx context.Context, kind string, hits []index.Hit) (Result, error) {
	if len(hits) == 0 {
		return Result{Content: s.nothing(ctx, kind)}, nil
	}
	r := Result{Private: true}
	var b strings.Builder
	for i, h := range hits {
		src := s.n.source(sourceKind(kind), h)
		r.Sources = append(r.Sources, src)
		fmt.Fprintf(&b, "[%d] %s — %s\n%s\n\n", i+1, src.Title, src.Path, strings.TrimSpace(h.Text))
		for _, path := range append(h.Quoted, h.Path) {
			if err := s.mark(ctx, &r, index.Entry{Source: h.Source, Path: path, Kind: kind}); err != nil {
				return Result{}, err
			}
		}
	}
	r.Content = strings.TrimSpace(b.String())
	return r, nil
}

// nothing says that a search found nothing, and where it looked.
func (s *Shelf) nothing(ctx context.Context, kind string) string {
	if kind != index.KindCode {
		return catalog.Text(ctx, wordsNoNotes)
	}
	var names []string
	for _, src := range s.n.Vault.Status().Sources {
		if src.Kind == kind && (s.from == nil || slices.Contains(s.from, src.Name)) {
			names = append(names, src.Name)
		}
	}
	return catalog.Say(ctx, "Nothing was found in the folders of code (%s). The notes were not searched.", strings.Join(names, ", "))
}

// sourceKind returns the name of a vault's kind in citations.
func sourceKind(kind string) string {
	if kind == index.KindCode {
		return "code"
	}
	return "note"
}

// source returns the citation of a hit: path#heading for notes, path:line for code.
func (n Notes) source(kind string, h index.Hit) Source {
	s := Source{Kind: kind, Title: h.Title, Path: h.Path, Snippet: h.Snippet, Text: h.Text, Score: h.Score}
	switch {
	case kind == "code":
		s.Path = fmt.Sprintf("%s:%d", h.Path, h.Line)
	case h.Page > 0:
		s.Path += "#" + strings.TrimPrefix(headingOf(h)+", ", ", ") + document.PageMark(h.Page)
	case headingOf(h) != "":
		s.Path += "#" + h.Heading
	}
	s.ID = h.Source + "/" + s.Path
	if n.Link != nil {
		s.URL = n.Link(h.Source, h.Path, h.Line)
		if h.Page > 0 && strings.EqualFold(path.Ext(h.Path), ".pdf") && strings.HasPrefix(s.URL, "http") && !strings.Contains(s.URL, "#") {
			s.URL += fmt.Sprintf("#page=%d", h.Page) // which browsers understand
		}
	}
	return s
}

// headingOf returns a hit's heading, "" if its title says the same.
func headingOf(h index.Hit) string {
	if h.Heading == h.Title {
		return ""
	}
	return h.Heading
}

func (n Notes) read() Operation {
	type args struct {
		Path    string `json:"path" jsonschema:"the note's title or path"`
		Heading string `json:"heading,omitempty" jsonschema:"only the section below this heading"`
	}
	meta := core("vault_read", vaultReadText, Vault).reads().says("reads a note")
	return forReaders(n, meta, noteFace("notes show", "Show one", n.which("path")), func(ctx context.Context, c Call, a args) (Result, error) {
		shelf, err := n.Shelf(ctx, c)
		if err != nil {
			return Result{}, err
		}
		part := index.Part{Path: a.Path, Heading: a.Heading}
		d, err := shelf.Read(ctx, part)
		if path, heading, ok := strings.Cut(a.Path, "#"); ok && a.Heading == "" && errors.Is(err, index.ErrNotFound) {
			part.Path, part.Heading = path, heading
			d, err = shelf.Read(ctx, part)
		}
		if err != nil {
			return Result{}, err
		}
		if c.ByHand {
			return Result{Content: fmt.Sprintf("**%s** — %s\n\n%s", d.Title, d.Path, text.Shorten(d.Text, maxNote))}, nil
		}
		body := text.Clip(d.Text, readRunes)
		if len(body) < len(d.Text) {
			body += wordsCut
		}
		s := n.source(sourceKind(d.Kind), index.Hit{Source: d.Source, Path: d.Path, Title: d.Title, Heading: part.Heading,
			Line: d.Line, Snippet: text.Clip(d.Text, 500), Text: body, Score: 1})
		if d.Pages > 1 {
			body = fmt.Sprintf("(%d pages; the heading \"page 3\" reads one)\n", d.Pages) + body
		}
		return Result{Content: fmt.Sprintf("[1] %s — %s\n%s", s.Title, s.Path, body), Private: true, Sources: []Source{s}}, nil
	})
}

func (n Notes) list() Operation {
	type args struct {
		Folder string `json:"folder,omitempty" jsonschema:"only notes below this folder"`
	}
	meta := core("vault_list", vaultListText, Vault).reads().onDemand().says("lists the owner's notes")
	return forReaders(n, meta, noteFace("notes recent", "The latest"), func(ctx context.Context, c Call, a args) (Result, error) {
		s, err := n.Shelf(ctx, c)
		if err != nil {
			return Result{}, err
		}
		most := 50
		if c.ByHand {
			most = notesListed
		}
		list, err := n.Vault.List(ctx, a.Folder, s.hidden(), maxListed)
		if err == nil {
			list, err = s.Listed(ctx, list, most)
		}
		return Result{Content: catalog.Text(ctx, wordsNoNotes), Data: Rows{Lines: entryLines(list)}}, err
	})
}

func (n Notes) related() Operation {
	type args struct {
		Path string `json:"path" jsonschema:"the note's title or path"`
	}
	meta := core("vault_related", vaultRelatedText, Vault).reads().onDemand().says("finds what belongs to a note")
	face := noteFace("notes related", "What belongs to one: notes that link to it, that it links to, and that are like it", n.which("path"))
	return forReaders(n, meta, face, func(ctx context.Context, c Call, a args) (Result, error) {
		s, err := n.Shelf(ctx, c)
		if err != nil {
			return Result{}, err
		}
		e, r, err := s.Related(ctx, a.Path)
		if err != nil {
			return Result{}, err
		}
		return Result{Content: relatedLines(catalog.Of(ctx), e, r)}, nil
	})
}

// relatedLines are what belongs to a note, as people read it.
func relatedLines(p catalog.Printer, e index.Entry, r index.Related) string {
	var b strings.Builder
	for _, l := range []struct {
		words string
		list  []index.Entry
	}{{"Linked from:", r.Linking}, {"Links to:", r.Linked}, {"About the same:", r.Near}} {
		if len(l.list) > 0 {
			b.WriteString("\n\n" + p.Text(l.words) + "\n" + EntryLines(l.list))
		}
	}
	if b.Len() == 0 {
		return p.Say("Nothing links to “%s”, and no other note is like it.", e.Title)
	}
	return fmt.Sprintf("**%s** — %s", e.Title, e.Path) + b.String()
}

// EntryLines are notes as people read them.
func EntryLines(list []index.Entry) string { return strings.Join(entryLines(list), "\n") }

func entryLines(list []index.Entry) []string {
	lines := make([]string, len(list))
	for i, e := range list {
		lines[i] = fmt.Sprintf("- %s — %s (%s)", e.Title, e.Path, e.Modified.Format("2006-01-02 15:04"))
	}
	return lines
}

func (n Notes) write() Operation {
	type args struct {
		Path    string `json:"path" jsonschema:"file name such as ideas.md, or a folder and a name"`
		Mode    string `json:"mode,omitempty" jsonschema:"create a new note (default), append, or replace_section"`
		Heading string `json:"heading,omitempty" jsonschema:"with replace_section: below which heading"`
		Title   string `json:"title,omitempty" jsonschema:"title of a new note"`
		Content string `json:"content" jsonschema:"the text, Markdown"`
	}
	meta := core("vault_write", vaultWriteText, Vault).writes().onDemand().says("writes a note")
	meta.Idempotent = false // appending twice writes twice: the turn's journal prevents it
	meta.Refine = oneOf(map[string][]string{"mode": {index.ModeCreate, index.ModeAppend, index.ModeReplaceSection}})
	meta.Ask = about("Write the note %s (%s) with this text: \"%s\"?", func(a args) []string {
		return []string{withSuffix(a.Path), strings.TrimSpace(cmp.Or(a.Mode, index.ModeCreate) + " " +
			strings.TrimSpace(a.Title+" "+a.Heading)), a.Content}
	})
	return forWriters(n, meta, Face{Private: true}, func(ctx context.Context, c Call, a args) (Result, error) {
		if strings.TrimSpace(a.Content) == "" {
			return Result{}, invalid("content", errors.New("must not be blank: ask the person what to write"))
		}
		note := index.Note{Path: withSuffix(a.Path), Mode: a.Mode, Heading: a.Heading, Title: a.Title, Content: a.Content}
		if note.Mode == "" {
			note.Mode = index.ModeCreate
		}
		s, err := n.Shelf(ctx, c)
		if err != nil {
			return Result{}, err
		}
		if note.Mode != index.ModeCreate {
			if note.Path, err = s.target(ctx, a.Path); err != nil {
				return Result{}, err
			}
			note.Path = withSuffix(note.Path)
		}
		w, err := s.put(ctx, note)
		if errors.Is(err, index.ErrExists) && a.Mode == "" { // "write a note about X" again
			note.Mode = index.ModeAppend
			w, err = s.put(ctx, note)
		}
		return written(ctx, w, err)
	})
}

// withSuffix adds .md to a name that has no suffix at all.
func withSuffix(name string) string {
	if path.Ext(name) == "" && !strings.HasSuffix(name, "/") {
		name += ".md"
	}
	return name
}

// written reports what was written, or only the error.
func written(ctx context.Context, w index.Written, err error) (Result, error) {
	if err != nil {
		return Result{}, err
	}
	words := "The note %s was updated."
	if w.Action == index.Created {
		words = "The note %s was created."
	}
	return Result{Content: fmt.Sprintf(words, w.Path), Private: true, Data: Wrote(ctx, w)}, nil
}

func (n Notes) move() Operation {
	type args struct {
		From string `json:"from" jsonschema:"the note's path now"`
		To   string `json:"to" jsonschema:"its path then"`
	}
	meta := core("vault_move", vaultMoveText, Vault).writes().onDemand().says("moves a note and keeps the links to it")
	meta.Idempotent, meta.Scope = false, []string{Librarian}
	meta.Ask = about("Move the note %s to %s?", func(a args) []string { return []string{a.From, a.To} })
	face := noteFace("notes move", "Give one another name or folder; every link to it is kept", n.which("from"),
		Arg{Name: "to", Help: "the new name, or a folder and a name"})
	return forWriters(n, meta, face, func(ctx context.Context, c Call, a args) (Result, error) {
		s, err := n.Shelf(ctx, c)
		if err != nil {
			return Result{}, err
		}
		m, err := s.Move(ctx, a.From, a.To)
		if err != nil {
			return Result{}, err
		}
		d := Moved(ctx, m)
		return Result{Content: d.Note, Data: d}, nil
	})
}

func (n Notes) index() Operation {
	type link struct {
		Path string `json:"path" jsonschema:"the note's path"`
		Line string `json:"line,omitempty" jsonschema:"one line about it"`
	}
	type args struct {
		Path  string `json:"path" jsonschema:"path of the index note, such as topic/index.md"`
		Title string `json:"title" jsonschema:"its title"`
		Notes []link `json:"notes" jsonschema:"the notes it links, in order"`
	}
	meta := core("vault_create_index", vaultIndexText, Vault).writes().onDemand().says("writes a note that lists others")
	meta.Idempotent, meta.Scope = false, []string{Librarian}
	meta.Ask = asking(func(ctx context.Context, c Call, a args) (string, error) {
		return sentence(ctx, "Write the index note %s with these notes?", a.Path) + "\n" + Listed(c.Args), nil
	})
	meta.Refine = func(s *jsonschema.Schema) { one := 1; s.Properties["notes"].MinItems = &one }
	return forWriters(n, meta, Face{Private: true}, func(ctx context.Context, c Call, a args) (Result, error) {
		s, err := n.Shelf(ctx, c)
		if err != nil {
			return Result{}, err
		}
		var b strings.Builder
		for _, l := range a.Notes {
			d, err := s.Read(ctx, index.Part{Path: l.Path})
			if err != nil {
				return Result{}, err
			}
			fmt.Fprintf(&b, "- [[%s|%s]]", strings.TrimSuffix(d.Path, ".md"), d.Title)
			if l.Line != "" {
				b.WriteString(" — " + strings.Join(strings.Fields(l.Line), " "))
			}
			b.WriteString("\n")
		}
		w, err := s.put(ctx, index.Note{Path: a.Path, Mode: index.ModeCreate, Title: a.Title, Content: b.String()})
		if errors.Is(err, index.ErrExists) {
			w, err = s.put(ctx, index.Note{Path: a.Path, Mode: index.ModeReplaceSection, Heading: a.Title, Content: b.String()})
		}
		return written(ctx, w, err)
	})
}

// LibrarianTools returns the librarian's tools. The first ones only read; it plans
// with those.
func LibrarianTools() (plan, do []string) {
	plan = []string{"vault_search", "vault_read", "vault_list", "vault_related"}
	return plan, append(slices.Clone(plan), "vault_write", "vault_move", "vault_create_index")
}
