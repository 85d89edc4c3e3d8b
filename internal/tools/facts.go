package tools

import (
	"cmp"
	"context"
	_ "embed" // descriptions
	"errors"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"parley/internal/memory"
	"parley/internal/memory/agenda"
	"parley/internal/memory/facts"
	"parley/internal/memory/provenance"
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

// asker returns who calls, to the facts service. mayShare says whether they may make
// the bot remember something for everybody in a place; nil is no.
func asker(c Call, mayShare func(context.Context, Call) bool) facts.Asker {
	a := facts.Asker{Viewer: viewer(c)}
	if mayShare != nil {
		a.Admin = func(ctx context.Context) bool { return mayShare(ctx, c) }
	}
	return a
}

// SaveFact returns the tool save_fact. mayShare says whether who calls may make the
// bot remember something for a whole channel or server; nil forbids it.
func SaveFact(store *memory.Store, mayShare func(context.Context, Call) bool) Tool {
	type args struct {
		Content string   `json:"content" jsonschema:"the fact, one short sentence"`
		Tags    []string `json:"tags,omitempty" jsonschema:"words without spaces; important for what must never be overlooked"`
		Type    string   `json:"type,omitempty" jsonschema:"what it is; fact if left out"`
		Scope   string   `json:"scope,omitempty" jsonschema:"person (default), or channel or guild when the person says it is for everybody here"`
	}
	meta := core("save_fact", saveFactText, Memory).adds(true)
	meta.Refine = oneOf(map[string][]string{"type": {"fact", "preference", "decision", "insight"}, "scope": {"person", "channel", "guild"}})
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
	return Func(meta, func(ctx context.Context, c Call, a args) (Result, error) {
		f := facts.NewFact{
			Scope: facts.Scope(a.Scope), Content: a.Content, Tags: a.Tags, Type: a.Type, Session: c.Session, MessageID: c.Message, CallKey: c.Key,
			Confidence: told(c), Origin: c.Origin, Worth: worth(c),
		}
		saved, err := facts.Service{Rows: store}.Save(ctx, asker(c, mayShare), f)
		if tag := (*facts.TagError)(nil); errors.As(err, &tag) && len(a.Tags) > 0 {
			return refused(err, "tags")
		}
		if err != nil {
			return refused(err, "content")
		}
		return Result{Content: facts.Became(catalog.Of(ctx), saved), Private: true}, nil
	})
}

// worth is how firmly a fact stands that a model saves. What the person said yes
// to is as if they had written it.
func worth(c Call) facts.Worth {
	w := facts.Worth{Rank: facts.PickedUp, Spoken: c.Said + " " + c.Who.Name, Later: true}
	switch {
	case c.Confirmed:
		return facts.Worth{Rank: facts.Kept, Later: true}
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

// UpdateFact returns the tool update_fact.
func UpdateFact(store *memory.Store, mayShare func(context.Context, Call) bool) Tool {
	type args struct {
		ID      int64  `json:"id" jsonschema:"the fact's number"`
		Content string `json:"content" jsonschema:"what is true now, one short sentence"`
	}
	meta := core("update_fact", updateFactText, Memory).sets()
	meta.Ask = asking(func(ctx context.Context, c Call, a args) (string, error) {
		f, err := facts.Service{Rows: store}.Find(ctx, asker(c, mayShare), a.ID)
		return sentence(ctx, "Change what I remember from \"%s\" to \"%s\"?", f.Content, a.Content), err
	})
	return Func(meta, func(ctx context.Context, c Call, a args) (Result, error) {
		w := worth(c)
		w.Explicit = c.Confirmed
		if w.Rank == facts.PickedUp {
			w.Rank = facts.Kept // who corrects wants it kept
		}
		saved, err := facts.Service{Rows: store}.Correct(ctx, asker(c, mayShare), a.ID, facts.NewFact{
			Content: a.Content, Session: c.Session, MessageID: c.Message, CallKey: c.Key, Confidence: told(c), Origin: c.Origin,
			Worth: w})
		if err != nil {
			return refused(err, "content")
		}
		return Result{Content: facts.Became(catalog.Of(ctx), saved), Private: true}, nil
	})
}

// ForgetFact returns the tool forget_fact.
func ForgetFact(store *memory.Store, mayShare func(context.Context, Call) bool) Tool {
	meta := core("forget_fact", forgetFactText, Memory).writes().onDemand()
	meta.Confirm = true
	meta.Ask = asking(func(ctx context.Context, c Call, a named) (string, error) {
		id, err := factOf(ctx, store, c, a)
		if err != nil {
			return "", err
		}
		f, err := facts.Service{Rows: store}.Find(ctx, asker(c, mayShare), id)
		return sentence(ctx, "Forget this: \"%s\"?", f.Content), err
	})
	return Func(meta, func(ctx context.Context, c Call, a named) (Result, error) {
		id, err := factOf(ctx, store, c, a)
		if err != nil {
			return Result{}, err
		}
		gone, err := facts.Service{Rows: store}.Forget(ctx, asker(c, mayShare), id)
		r, err := worded(ctx, deed{gone.Fact.Heard(), err}, "Forgotten: “%s”. It is kept a day for Undo, then erased.", gone.Fact.Content)
		if err == nil {
			r.Data = gone
		}
		return r, err
	})
}

// ListFacts returns the tool list_facts.
func ListFacts(store *memory.Store) Tool {
	type args struct {
		Query string `json:"query,omitempty" jsonschema:"only what fits these words"`
	}
	return Func(core("list_facts", listFactsText, Memory).reads(), func(ctx context.Context, c Call, a args) (Result, error) {
		const most = 50
		title := catalog.Text(ctx, "What I remember:")
		var list []facts.Fact
		var err error
		if strings.TrimSpace(a.Query) != "" {
			if list, err = store.SearchFacts(ctx, viewer(c), a.Query, most); len(list) == 0 {
				title = catalog.Say(ctx, "Nothing fits “%s”. What I remember besides:", a.Query)
			}
		}
		if err == nil && len(list) == 0 {
			list, err = store.Facts(ctx, viewer(c), most, 0)
		}
		if err != nil {
			return Result{}, err
		}
		if len(list) == 0 {
			return Result{Content: catalog.Text(ctx, "I remember nothing about you here.")}, nil
		}
		r, lines := Result{Private: true}, make([]string, len(list))
		for i, f := range list {
			lines[i] = store.Line(catalog.Of(ctx), f)
			r.Origin = r.Origin.And(f.Heard())
		}
		r.Content = title + "\n" + strings.Join(lines, "\n")
		return r, nil
	})
}
