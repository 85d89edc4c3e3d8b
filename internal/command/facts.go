package command

import (
	"context"
	"fmt"
	"strings"
	"time"

	"parley/internal/chat"
	"parley/internal/command/gate"
	"parley/internal/memory"
	"parley/internal/memory/facts"
	"parley/internal/memory/provenance"
	"parley/internal/text/catalog"
	"parley/internal/tools"
)

// Said in more than one place.
const (
	helpPageNumber = "page number"
	wordsNoFacts   = "I remember nothing about you here."
)

// Facts is /facts.
type Facts struct {
	Rows  *facts.Store
	Steps Steps
	// MayShare reports whether who calls may decide about the facts of everybody in a place.
	MayShare func(context.Context, tools.Call) bool
	// Location is where a person's clock is.
	Location func(context.Context, chat.User) *time.Location
	// Ask asks a question; gate.Confirmations.Ask.
	Ask func(ctx context.Context, m chat.Message, text string, a gate.Action) (chat.Answer, error)
	// File does something about the owner's facts file ("accept", "undo", or ""
	// to look) and says what came of it; nil without a file.
	File func(ctx context.Context, do string) (string, error)
}

// Steps are what was begun for a message, by its row, so that a kill does not have it done
// twice; memory.Store.
type Steps interface {
	SaveSteps(ctx context.Context, row int64, steps []memory.Step) (wait func() error)
	Steps(ctx context.Context, row int64) ([]memory.Step, error)
}

func (f Facts) command() gate.Command {
	all := tools.FactOperations(f.Rows, f.MayShare)
	list, forget := operated(all, "facts list"), operated(all, "facts forget")
	which, now, scope := forget.Options[0], forget.Options[1], forget.Options[2]
	list.Run = f.list(tools.Operated(all, "facts list"))
	verbs := []gate.Command{
		list,
		{Name: "search", Help: "Find facts by words, tag and date", Effect: gate.Reads, Run: f.search, Options: []gate.Option{
			{Name: "text", Help: "what to look for"}, {Name: "tag", Help: "only with this tag, such as work", Named: true},
			{Name: "since", Help: "only from this day on: a date such as 2026-05-31, a month such as 2026-05, today, yesterday", Named: true}, {Name: "before", Help: "only from before this day", Named: true},
			{Name: "page", Help: helpPageNumber, Kind: gate.Number, Named: true},
		}},
		operated(all, "facts add"),
		operated(all, "facts change"),
		{Name: "keep", Help: "Say that it is right", Run: f.keep, Options: []gate.Option{which, {Name: "not", Help: "number of the fact that is wrong, and is forgotten", Kind: gate.Number, Row: true}, scope}},
		{Name: "undo", Help: "Take back what was done to a fact, for a day", Run: f.undo, Options: []gate.Option{f.undoable()}},
		{Name: "learned", Help: "What I learned without being asked, to keep, change or forget", Effect: gate.Reads, Run: f.learned, Options: []gate.Option{{Name: "page",
			Help: helpPageNumber, Kind: gate.Number}}},
		f.broughtVerb(),
		{Name: "digest", Help: "When I tell you what I learned", Run: f.digest, Options: []gate.Option{{Name: "when", Help: "never, each morning, or when a conversation ends",
			Choices: facts.Digests, Required: true}}},
		{Name: "important", Help: "Never overlook it", Run: f.important, Options: []gate.Option{which,
			{Name: "state", Help: "off takes it back", Kind: gate.Switch}, scope}},
		forget,
		{Name: "history", Help: "Where it comes from and what it said before", Effect: gate.Reads,
			Run: f.history, Options: []gate.Option{which, scope}},
		{Name: "export", Help: "As a Markdown file", Effect: gate.Reads, Run: f.export},
		{Name: "clear", Help: "Forget everything about you here", Run: f.clear, Confirm: askClear, Options: []gate.Option{now}},
	}
	if f.File != nil {
		verbs = append(verbs, gate.Command{Name: "file", Help: "The facts file: accept it as it is, or undo what it did", Effect: gate.ReadsBare, Who: gate.Owner, Run: f.file,
			Options: []gate.Option{{Name: "do", Help: "empty shows its state", Choices: []string{"accept", "undo"}}}})
	}
	return gate.Command{Name: "facts", Help: "What I remember about you", First: 5, Effect: gate.Reads,
		Private: true, Run: list.Run, Verbs: verbs}
}

// asker returns a command's author, to the facts service.
func (f Facts) asker(r gate.Request) (facts.Service, facts.Asker) {
	return facts.Service{Rows: f.Rows}, facts.Asker{Viewer: provenance.ViewerOf(r.Message),
		Admin: func(context.Context) bool { return r.Role >= gate.Admin }}
}

// list returns what lays out the facts that o lists. Where others read along it is not all.
func (f Facts) list(o tools.Operation) func(context.Context, gate.Request) (chat.Answer, error) {
	return func(ctx context.Context, r gate.Request) (chat.Answer, error) {
		result, err := o.Do(ctx, callOf(r), nil)
		if err != nil {
			return chat.Answer{}, err
		}
		answer, err := factPage(ctx, r, result)
		if err == nil {
			more, e := f.waitBrought(ctx, r.Message.From, provenance.ViewerOf(r.Message))
			answer.Text, err = answer.Text+more, e
		}
		return answer, err
	}
}

// factPage is the page of a list of facts that was asked for.
func factPage(ctx context.Context, r gate.Request, result tools.Result) (chat.Answer, error) {
	rows, _ := result.Data.(tools.Rows)
	page, n := max(r.Number("page", 1), 1), len(rows.Lines)
	from, to := (page-1)*listPage, min(page*listPage, n)
	switch pages := (n + listPage - 1) / listPage; {
	case n == 0:
		return chat.Answer{Text: result.Content}, nil
	case page > pages && pages > 1:
		return say(ctx, "There are only %d pages.", pages)
	case page > pages:
		return say(ctx, "There is only one page: /facts list shows it.")
	}
	answer := chat.Answer{Text: strings.Join(rows.Lines[from:to], "\n"), Buttons: paged(ctx, "/facts list", page, to < n)}
	if !r.Message.Direct {
		answer.Text += "\n" + catalog.Text(ctx, "(This is what I use here; in a direct chat I show the rest.)")
	}
	return answer, nil
}

// paged are the buttons to the pages before and behind one; nil is none. A
// command that is too long for a button has none.
func paged(ctx context.Context, command string, page int, more bool) [][]chat.Button {
	var buttons []chat.Button
	if page > 1 {
		buttons = append(buttons, chat.Button{Label: catalog.Text(ctx, "« Back"), Data: fmt.Sprintf("%s page:%d", command, page-1)})
	}
	if more {
		buttons = append(buttons, chat.Button{Label: catalog.Text(ctx, "More »"), Data: fmt.Sprintf("%s page:%d", command, page+1)})
	}
	if len(buttons) == 0 || len(buttons[0].Data) > maxButton {
		return nil
	}
	return [][]chat.Button{buttons}
}

func (f Facts) important(ctx context.Context, r gate.Request) (chat.Answer, error) {
	on, words := true, "I will never overlook this (#%d): %s"
	if r.Args["state"] == "off" {
		on, words = false, "No longer important (#%d): %s"
	}
	id, err := f.meant(ctx, r, "number")
	if err != nil {
		return chat.Answer{}, err
	}
	service, who := f.asker(r)
	fact, err := service.Mark(ctx, who, id, on)
	return chat.Answer{Text: catalog.Say(ctx, words, fact.Number, fact.Content)}, tools.NoFact(err)
}

// meant returns the key of the fact that an option names.
func (f Facts) meant(ctx context.Context, r gate.Request, option string) (int64, error) {
	id, err := row(r, option, func(number int64) (int64, error) {
		return f.Rows.Meant(ctx, provenance.ViewerOf(r.Message), facts.Which{Number: number, Scope: facts.Scope(r.Args["scope"])})
	})
	return id, tools.NoFact(err)
}

func (f Facts) history(ctx context.Context, r gate.Request) (chat.Answer, error) {
	id, err := f.meant(ctx, r, "number")
	if err != nil {
		return chat.Answer{}, err
	}
	fact, before, err := f.Rows.FactHistory(ctx, provenance.ViewerOf(r.Message), id)
	if err != nil {
		return chat.Answer{}, tools.NoFact(err)
	}
	return chat.Answer{Text: f.whole(ctx, fact, before, f.Location(ctx, r.Message.From))}, nil
}

// whole tells all about a fact, with the times of a place.
func (c Facts) whole(ctx context.Context, f facts.Fact, before []facts.Earlier, loc *time.Location) string {
	stamp := func(t time.Time) string { return t.In(loc).Format("2006-01-02 15:04 MST") }
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n- %s", c.Rows.Line(catalog.Of(ctx), f), catalog.Say(ctx, "%s, by %s, since %s, %s", f.Type, f.Author,
		stamp(f.ValidFrom), f.Rank))
	if f.Confidence < 1 {
		b.WriteString(catalog.Say(ctx, ", %.0f %% sure", 100*f.Confidence))
	}
	b.WriteString("\n- " +
		catalog.Say(ctx, "first remembered %s, in %s, fetched for %s", stamp(f.Created), f.Key, catalog.Many(ctx, f.Uses, "answer")))
	if f.Quote != "" {
		b.WriteString("\n- " + catalog.Say(ctx, "in your words: “%s”", f.Quote))
	}
	for _, e := range before {
		b.WriteString("\n- " + catalog.Say(ctx, "until %s: %s", stamp(e.Until), e.Content))
	}
	return b.String()
}

func (f Facts) export(ctx context.Context, r gate.Request) (chat.Answer, error) {
	v := provenance.ViewerOf(r.Message)
	list, err := f.Rows.Facts(ctx, v, tools.AllFacts, 0)
	if err != nil {
		return chat.Answer{}, err
	}
	if len(list) == 0 {
		return say(ctx, wordsNoFacts)
	}
	return chat.Answer{Text: catalog.Say(ctx, "What I remember about you here, as a file (facts: %d).", len(list)), Files: []chat.File{
		{Name: "facts.md", MIME: "text/markdown", Data: []byte(facts.Render(v.User, facts.Records(list), nil, r.Message.At))},
	}}, nil
}

func (f Facts) file(ctx context.Context, r gate.Request) (chat.Answer, error) {
	said, err := f.File(ctx, r.Args["do"])
	return chat.Answer{Text: said}, err
}
