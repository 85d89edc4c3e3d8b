// Package catalog says the words for people in their language. It holds one
// catalog a language, keyed by the English words as they stand where they are
// said. It does not know people, and translates nothing by itself.
package catalog

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/leonelquinteros/gotext"
	"golang.org/x/text/language"

	"parley/internal/text"
)

//go:embed catalogs/*.po
var files embed.FS

// English is the tag of the language that the words are written in.
const English = "en"

// Printer says words in one language. The zero Printer speaks English. Printers
// are compared with ==, and are safe for many goroutines.
type Printer struct{ c *catalog }

// catalog is one language.
type catalog struct {
	tag  string
	head func() *gotext.Po // only the head of the file

	mu   sync.Mutex // guards the rest
	all  *gotext.Po // the whole file, once it was needed
	used bool       // since the last Rest
}

// words returns the whole file. It is read only when needed: most bots speak one language.
func (c *catalog) words() *gotext.Po {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.used = true; c.all == nil {
		c.all = parsed(c.file())
	}
	return c.all
}

// Rest frees the languages that were not used since the last call.
func Rest() {
	for _, c := range catalogs() {
		c.mu.Lock()
		if !c.used {
			c.all = nil
		}
		c.used = false
		c.mu.Unlock()
	}
}

// Borrow is for callers that read all languages once. done frees those that were not loaded
// before; later uses load them again.
func Borrow() (done func()) {
	var fresh []*catalog
	for _, c := range catalogs() {
		c.mu.Lock()
		if c.all == nil {
			fresh = append(fresh, c)
		}
		c.mu.Unlock()
	}
	return func() {
		for _, c := range fresh {
			c.mu.Lock()
			c.all = nil
			c.mu.Unlock()
		}
	}
}

func (c *catalog) file() []byte {
	b, err := files.ReadFile("catalogs/" + c.tag + ".po")
	if err != nil {
		panic(err) // it was listed
	}
	return b
}

func parsed(b []byte) *gotext.Po {
	po := gotext.NewPo()
	po.Parse(b)
	return po
}

func newCatalog(tag string) *catalog {
	c := &catalog{tag: tag}
	c.head = sync.OnceValue(func() *gotext.Po {
		head, _, _ := bytes.Cut(c.file(), []byte("\n\n"))
		return parsed(head)
	})
	return c
}

// catalogs are all files, in the order of their names.
var catalogs = sync.OnceValue(func() (all []*catalog) {
	list, err := files.ReadDir("catalogs")
	if err != nil {
		panic(err) // it is embedded
	}
	for _, f := range list {
		all = append(all, newCatalog(strings.TrimSuffix(f.Name(), ".po")))
	}
	return all
})

// Printers returns one for each language there is, English first.
func Printers() []Printer {
	all := []Printer{{}}
	for _, c := range catalogs() {
		all = append(all, Printer{c})
	}
	return all
}

// For returns the printer of a language tag such as "de", "pt-BR" or
// "zh_Hans-CN"; known is false, and the printer English, for "" and for a
// language without a catalog.
func For(tag string) (p Printer, known bool) {
	base, _, _ := strings.Cut(strings.ToLower(tag), "-")
	base, _, _ = strings.Cut(base, "_")
	for _, p := range Printers() {
		if p.Tag() == base {
			return p, true
		}
	}
	return Printer{}, false
}

// Accepted returns the printer of the first known language in a browser's list, such as
// "de-AT,de;q=0.9,en;q=0.8"; English if none is known.
func Accepted(list string) Printer {
	tags, _, err := language.ParseAcceptLanguage(list)
	if err != nil { // it is no list, and English is understood, too
		return Printer{}
	}
	for _, tag := range tags {
		if p, known := For(tag.String()); known {
			return p
		}
	}
	return Printer{}
}

// Named returns the printer of a language by its tag, its own name or its
// English name, in any case.
func Named(name string) (p Printer, known bool) {
	name = strings.TrimSpace(name)
	for _, p := range Printers() {
		if strings.EqualFold(name, p.Name()) || strings.EqualFold(name, p.EnglishName()) {
			return p, true
		}
	}
	return For(name)
}

// Tag returns the tag of the language: "en", "de".
func (p Printer) Tag() string {
	if p.c == nil {
		return English
	}
	return p.c.tag
}

// Name is what the language calls itself.
func (p Printer) Name() string { return p.header("X-Name", "English") }

// EnglishName is what the language is called in English.
func (p Printer) EnglishName() string { return p.header("X-English-Name", "English") }

func (p Printer) header(name, english string) string {
	if p.c == nil {
		return english
	}
	return p.c.head().Headers.Get(name)
}

// Text returns words as they are, without filling anything in.
func (p Printer) Text(words string) string {
	if p.c == nil || words == "" { // "" is the head of the file
		return words
	}
	return p.c.words().Get(words, []any(nil)...) // vet takes it for a format
}

// Has reports whether words are translated; English has all.
func (p Printer) Has(words string) bool {
	return p.c == nil || words != "" && p.c.words().IsTranslated(words)
}

// Say formats words as fmt.Sprintf does. A Phrase among the arguments is translated, too,
// and so are an error's words for people.
func (p Printer) Say(words string, args ...any) string {
	if p.c == nil {
		return fmt.Sprintf(words, args...)
	}
	return fmt.Sprintf(p.Text(words), p.all(args)...)
}

// Phrase is an argument with words of its own; String says them in English.
type Phrase interface {
	fmt.Stringer
	In(p Printer) string
}

// all returns translated arguments; the list itself if none has words.
func (p Printer) all(args []any) []any {
	said := args
	for i, a := range args {
		var in string
		switch a := a.(type) {
		case Phrase:
			in = a.In(p)
		case error:
			in = p.clause(a)
		default:
			continue
		}
		if &said[0] == &args[0] {
			said = slices.Clone(args)
		}
		said[i] = in
	}
	return said
}

// Sentence returns what people are told of an error, as text.ForPeople does.
func (p Printer) Sentence(err error) (sentence string, ok bool) {
	var e *text.Error
	if !errors.As(err, &e) {
		return "", false
	}
	return text.Sentence(p.clause(e)), true
}

// Told returns an error as an argument of Say that can be stored.
func Told(err error) Phrase { return told{err} }

type told struct{ err error }

func (t told) String() string      { return t.err.Error() }
func (t told) In(p Printer) string { return p.clause(t.err) }

// worded is an error that returns its format and arguments: text.Error, and wrappers of it.
type worded interface {
	Words() (format string, args []any)
}

// clauses returns the texts of joined errors, one per line.
func (p Printer) clauses(errs []error) string {
	said := make([]string, len(errs))
	for i, err := range errs {
		said[i] = p.clause(err)
	}
	return strings.Join(said, "\n")
}

// clause returns an error's text, translated if it, or the error it wraps unchanged, has
// words for people.
func (p Printer) clause(err error) string {
	e, ok := err.(worded)
	inner := errors.Unwrap(err)
	if joined, several := err.(interface{ Unwrap() []error }); several && p.c != nil &&
		errors.Join(joined.Unwrap()...).Error() == err.Error() {
		return p.clauses(joined.Unwrap())
	}
	if said, phrase := err.(Phrase); phrase {
		return said.In(p)
	} else if !ok && inner != nil && inner.Error() == err.Error() {
		return p.clause(inner)
	}
	if !ok || p.c == nil {
		return err.Error()
	}
	words, args := e.Words()
	if len(args) == 0 {
		return strings.ReplaceAll(p.Text(words), "%%", "%")
	}
	return fmt.Sprintf(strings.ReplaceAll(p.Text(words), "%w", "%v"), p.all(args)...)
}

type printerKey struct{}

// With returns a context in which people are spoken to with p.
func With(ctx context.Context, p Printer) context.Context {
	return context.WithValue(ctx, printerKey{}, p)
}

// Of returns the printer of a context; English without one.
func Of(ctx context.Context) Printer {
	p, _ := ctx.Value(printerKey{}).(Printer)
	return p
}

type chosenKey struct{}

// Chosen returns a context whose language the person chose, as opposed to one derived from
// where or what they write.
func Chosen(ctx context.Context) context.Context {
	return context.WithValue(ctx, chosenKey{}, true)
}

// IsChosen reports whether somebody chose the language of a context.
func IsChosen(ctx context.Context) bool {
	chosen, _ := ctx.Value(chosenKey{}).(bool)
	return chosen
}

// Say is Of(ctx).Say.
func Say(ctx context.Context, words string, args ...any) string {
	return Of(ctx).Say(words, args...)
}

// Text is Of(ctx).Text.
func Text(ctx context.Context, words string) string { return Of(ctx).Text(words) }

// Sentence is Of(ctx).Sentence.
func Sentence(ctx context.Context, err error) (sentence string, ok bool) {
	return Of(ctx).Sentence(err)
}
