package tools

import (
	"cmp"
	"context"
	_ "embed" // descriptions
	"errors"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"parley/internal/memory/agenda"
	"parley/internal/memory/facts"
	"parley/internal/memory/provenance"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

//go:embed save_fact.md
var saveFactText string

//go:embed update_fact.md
var updateFactText string

//go:embed forget_fact.md
var forgetFactText string

//go:embed list_facts.md
var listFactsText string

// viewer returns who calls, and from where.
func viewer(c Call) provenance.Viewer {
	return provenance.Viewer{User: c.Who.ID, Key: c.Where, Guild: c.Guild, Direct: c.Direct, Operator: c.Operator, Agent: c.Memory}
}

// core returns the Meta of a tool that is always offered.
func core(name, description string, category Category) Meta {
	return Meta{Name: name, Description: strings.TrimSpace(description), Category: category, Core: true}
}

// onDemand returns a tool that is offered only when asked for: every conversation
// must stay small, because a local model reads all of it with each message.
func (m Meta) onDemand() Meta {
	m.Core = false
	return m
}

// says returns a tool that tells people in these words what it does.
func (m Meta) says(words string) Meta {
	m.Words = words
	return m
}

func (m Meta) writes() Meta {
	m.SideEffect, m.Idempotent = true, true
	return m
}

// keyed returns a tool that keeps its call's key with what it writes.
func (m Meta) keyed() Meta {
	m.Keyed = true
	return m
}

// rows returns a tool that does nothing but change rows of the bot's own database (Meta.Rows).
func (m Meta) rows() Meta {
	m.Rows = true
	return m
}

// adds returns a tool that writes and takes nothing away. again says that the same
// call a second time adds nothing.
func (m Meta) adds(again bool) Meta {
	m = m.writes()
	m.Hints = &Hints{Idempotent: again}
	return m
}

// sets returns a tool that sets a state; doing it twice has the same effect.
func (m Meta) sets() Meta {
	m = m.writes()
	m.Hints = &Hints{Destructive: true, Idempotent: true}
	return m
}

func (m Meta) reads() Meta {
	m.ReadOnly = true
	return m
}

// oneOf narrows a text argument to some values.
func oneOf(values map[string][]string) func(*jsonschema.Schema) {
	return func(s *jsonschema.Schema) {
		for name, list := range values {
			for _, v := range list {
				s.Properties[name].Enum = append(s.Properties[name].Enum, v)
			}
		}
	}
}

// invalid is a wrong argument with a sentence that explains how it should be.
func invalid(argument string, err error) error {
	return &ArgumentError{[]string{"arguments/" + argument + ": " + err.Error()}}
}

// refused turns failures that are the text argument's fault into argument errors.
func refused(err error, argument string) (Result, error) {
	for _, wrong := range []error{facts.ErrSize, agenda.ErrTaskSize, agenda.ErrLogSize} {
		if errors.Is(err, wrong) {
			return Result{}, invalid(argument, wrong)
		}
	}
	if tag := (*facts.TagError)(nil); errors.As(err, &tag) {
		return Result{}, invalid(argument, tag)
	}
	return Result{}, err
}

// FactOperations are what can be done with what is remembered. mayShare reports whether who
// calls may make the bot remember something for a whole channel or server; nil forbids it.
func FactOperations(store *facts.Store, mayShare func(context.Context, Call) bool) []Operation {
	f := factStore{store, facts.Service{Rows: store}, mayShare}
	return []Operation{f.save(), f.update(), f.forget(), f.list()}
}

// factStore is the facts, and who may decide about those of everybody in a place.
type factStore struct {
	rows     *facts.Store
	service  facts.Service
	mayShare func(context.Context, Call) bool
}

// asker returns who calls, to the facts service.
func (f factStore) asker(c Call) facts.Asker {
	return facts.Asker{Viewer: viewer(c), Admin: func(ctx context.Context) bool {
		return c.Operator || f.mayShare != nil && f.mayShare(ctx, c)
	}}
}

// factFace is what people see of an operation on facts.
func factFace(command, helpLine string, args ...Arg) Face {
	return Face{Command: command, Help: helpLine, Args: args, Private: true, Text: "content", Absent: NoFact}
}

// NoFact tells people where to find the facts there are.
func NoFact(err error) error {
	return text.Instead(err, facts.ErrNone, "There is no such fact. /facts list shows yours.")
}

// factText is the argument with what a fact says.
var factText = Arg{Name: "text", Of: "content", Help: "what to remember; #tags at its end become tags"}

// which is the number of a fact.
func (f factStore) which() Arg {
	return Arg{Name: "number", Of: "id", Help: "number of the fact", Required: true, Offer: Offered(
		func(ctx context.Context, v provenance.Viewer) ([]facts.Fact, error) {
			return f.rows.Facts(ctx, v, mostOffered, 0)
		},
		func(row facts.Fact) (int64, int64, string) { return row.RowKey(), row.Number, row.Content })}
}

// whose tells facts of one number apart.
func whose() Arg {
	return Arg{Name: "scope", Help: "whose, if several facts here have this number", Named: true}
}

// scopes are the values of an argument scope.
var scopes = map[string][]string{"scope": {"person", "channel", "guild"}}

func (f factStore) save() Operation {
	type args struct {
		Content string   `json:"content" jsonschema:"the fact, one short sentence"`
		Tags    []string `json:"tags,omitempty" jsonschema:"words without spaces; important for what must never be overlooked"`
		Type    string   `json:"type,omitempty" jsonschema:"what it is; fact if left out"`
		Scope   string   `json:"scope,omitempty" jsonschema:"person (default), or channel or guild when the person says it is for everybody here"`
	}
	meta := core("save_fact", saveFactText, Memory).adds(true).keyed().rows().says("remembers something about you")
	meta.Refine = oneOf(map[string][]string{"type": {"fact", "preference", "decision", "insight"}, "scope": scopes["scope"]})
	meta.Ask = asking(func(ctx context.Context, c Call, a args) (string, error) {
		words := map[string]string{"channel": catalog.Text(ctx, "Remember this for everybody in this channel: \"%s\"?"), "guild": catalog.Text(ctx, "Remember this for everybody on this server: \"%s\"?")}[a.Scope]
		return withRest(sentence(ctx, cmp.Or(words, "Remember this about you: \"%s\"?"), a.Content), c, len(a.Tags) > 0 || a.Type != ""), nil
	})
	meta.Own = owning(func(a args) string {
		if a.Scope == "channel" || a.Scope == "guild" {
			return "" // it is for others too
		}
		return a.Content
	})
	what := factText
	what.Long = true
	face := factFace("facts add", "Remember something", what,
		Arg{Name: "scope", Help: "for whom: you (person), or everybody here (admins only)"})
	return Declare(meta, face, func(ctx context.Context, c Call, a args) (Result, error) {
		if c.ByHand && c.Direct && a.Scope != "" && a.Scope != string(facts.ScopePerson) {
			return worded(ctx, deed{}, "Here are only you and me: say it in the channel where everybody should have it, or leave the scope out.")
		}
		saved, err := f.service.Save(ctx, f.asker(c), facts.NewFact{
			Scope: facts.Scope(a.Scope), Content: a.Content, Tags: a.Tags, Type: a.Type, Session: c.Session, MessageID: c.Message, CallKey: c.Key,
			Author: c.Author, Confidence: told(c), Origin: c.Origin, Worth: worth(c),
		})
		if tag := (*facts.TagError)(nil); errors.As(err, &tag) && len(a.Tags) > 0 {
			return refused(err, "tags")
		}
		return became(ctx, c, saved, err)
	})
}

// became says what became of a fact. Who did it by hand is told at once what may be done
// about it; who talks to a model, below its answer.
func became(ctx context.Context, c Call, saved facts.Saved, err error) (Result, error) {
	if err != nil {
		return Result{}, err
	}
	r := Result{Content: facts.Became(catalog.Of(ctx), saved)}
	if c.ByHand && (saved.Change.Kind == facts.Replaced || saved.Change.Other.ID != 0) {
		r.Data = saved.Change
	}
	return r, nil
}

// worth is how firmly a fact stands that a model saves. What the person said yes
// to is as if they had written it.
func worth(c Call) facts.Worth {
	if c.ByHand {
		return facts.Worth{}
	}
	w := facts.Worth{Rank: facts.PickedUp, Spoken: c.Said + " " + c.Who.Name, Later: true}
	switch {
	case c.Confirmed:
		return facts.Worth{Rank: facts.Kept, Later: true}
	case c.Program:
		w.Rank, w.Source = facts.Guessed, facts.FromProgram
	case c.Said == "":
		w.Rank = facts.Guessed
	case facts.AsksToKeep(c.Said):
		w.Rank = facts.Kept
	}
	return w
}

// told returns how far a fact can be trusted: less if the turn has read what others
// wrote, even after a yes.
func told(c Call) float64 {
	if c.Taint.Outside {
		return 0.5
	}
	return 1
}

func (f factStore) update() Operation {
	type args struct {
		keyed
		ID      int64  `json:"id" jsonschema:"the fact's number"`
		Content string `json:"content" jsonschema:"what is true now, one short sentence"`
		Scope   string `json:"scope,omitempty" jsonschema:"whose"`
	}
	meta := core("update_fact", updateFactText, Memory).sets().rows().says("corrects something about you")
	meta.Refine = oneOf(scopes)
	find := func(ctx context.Context, c Call, a args) (facts.Fact, error) {
		id, err := factOf(ctx, f.rows, c, named{keyed: a.keyed, ID: a.ID}, facts.Which{Scope: facts.Scope(a.Scope)})
		if err != nil {
			return facts.Fact{}, err
		}
		return f.service.Find(ctx, f.asker(c), id)
	}
	meta.Ask = asking(func(ctx context.Context, c Call, a args) (string, error) {
		old, err := find(ctx, c, a)
		return sentence(ctx, "Change what I remember from \"%s\" to \"%s\"?", old.Content, a.Content), err
	})
	what := factText
	what.Optional = true
	face := factFace("facts change", "Make it say something else", f.which(), what, whose())
	face.Form = Form{Do: "fact-change", Page: "/facts", Args: []string{"number", "text"}}
	return Declare(meta, face, func(ctx context.Context, c Call, a args) (Result, error) {
		old, err := find(ctx, c, a)
		if err != nil {
			return Result{}, err
		}
		if c.ByHand && a.Content == "" { // the button cannot know it
			return worded(ctx, deed{}, "Fact #%d says: “%s”. To change it, send /facts change %d and what is right.", old.Number, old.Content, old.Number)
		}
		w := worth(c)
		w.Explicit = c.Confirmed || c.ByHand
		if w.Rank == facts.PickedUp {
			w.Rank = facts.Kept // who corrects wants it kept
		}
		saved, err := f.service.Correct(ctx, f.asker(c), old.ID, facts.NewFact{
			Content: a.Content, Session: c.Session, MessageID: c.Message, CallKey: c.Key, Author: c.Author, Confidence: told(c),
			Origin: c.Origin, Worth: w})
		return became(ctx, c, saved, err)
	})
}

func (f factStore) forget() Operation {
	type args struct {
		named
		Scope string `json:"scope,omitempty" jsonschema:"whose"`
		When  string `json:"when,omitempty"` // people's alone
	}
	meta := core("forget_fact", forgetFactText, Memory).writes().onDemand().says("forgets something about you")
	meta.Confirm = true
	meta.Refine = func(s *jsonschema.Schema) {
		oneOf(scopes)(s)
		delete(s.Properties, "when")
	}
	atOnce := func(c Call, a args) bool { return c.ByHand && a.When == "now" }
	meant := func(ctx context.Context, c Call, a args) (int64, error) {
		return factOf(ctx, f.rows, c, a.named, facts.Which{Scope: facts.Scope(a.Scope), Erasable: atOnce(c, a)})
	}
	meta.Ask = asking(func(ctx context.Context, c Call, a args) (string, error) {
		find, words := f.service.Find, "Forget this: \"%s\"?"
		if atOnce(c, a) {
			find, words = f.service.FindErasable, "Erase this for good, without Undo: \"%s\"?"
		}
		id, err := meant(ctx, c, a)
		if err != nil {
			return "", err
		}
		fact, err := find(ctx, f.asker(c), id)
		return sentence(ctx, words, fact.Content), err
	})
	face := factFace("facts forget", "Forget it; Undo brings it back for a day", f.which(),
		Arg{Name: "when", Help: "now erases it at once, without Undo", Choices: []string{"now"}}, whose())
	face.Form = Form{Do: "fact-forget", Page: "/facts", Args: []string{"number"}}
	return Declare(meta, face, func(ctx context.Context, c Call, a args) (Result, error) {
		id, err := meant(ctx, c, a)
		if err != nil {
			return Result{}, err
		}
		if atOnce(c, a) {
			gone, err := f.service.Erase(ctx, f.asker(c), id)
			return worded(ctx, deed{gone.Heard(), err}, "Erased: “%s”.", text.Literal(gone.Content))
		}
		gone, err := f.service.Forget(ctx, f.asker(c), id)
		r, err := worded(ctx, deed{gone.Fact.Heard(), err}, "%s", gone.Note(catalog.Of(ctx)))
		r.Data = gone
		return r, err
	})
}

func (f factStore) list() Operation {
	type args struct {
		Query string `json:"query,omitempty" jsonschema:"only what fits these words"`
	}
	face := factFace("facts list", "What I remember about you here")
	face.Listed = true
	meta := core("list_facts", listFactsText, Memory).reads().says("lists what is remembered about you")
	return Declare(meta, face, func(ctx context.Context, c Call, a args) (Result, error) {
		most := 50
		if c.ByHand {
			most = AllFacts
		}
		rows := Rows{Head: catalog.Text(ctx, "What I remember:")}
		var list []facts.Fact
		var err error
		if strings.TrimSpace(a.Query) != "" {
			if list, err = f.rows.SearchFacts(ctx, viewer(c), a.Query, most); len(list) == 0 {
				rows.Head = catalog.Say(ctx, "Nothing fits “%s”. What I remember besides:", a.Query)
			}
		}
		if err == nil && len(list) == 0 {
			list, err = f.rows.Facts(ctx, viewer(c), most, 0)
		}
		if err != nil {
			return Result{}, err
		}
		r := Result{Content: catalog.Text(ctx, "I remember nothing about you here.")}
		for _, fact := range list {
			rows.Lines = append(rows.Lines, f.rows.Line(catalog.Of(ctx), fact))
			r.Origin = r.Origin.And(fact.Heard())
		}
		r.Data = rows
		return r, nil
	})
}

// AllFacts is more facts than anybody has.
const AllFacts = 1_000_000
