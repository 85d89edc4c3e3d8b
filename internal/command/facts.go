package command

import (
	"context"
	"fmt"
	"strings"
	"time"

	"parley/internal/chat"
	"parley/internal/command/gate"
	"parley/internal/memory/facts"
	"parley/internal/memory/provenance"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// Said in more than one place.
const (
	helpPageNumber = "page number"
	helpFactText   = "what to remember; #tags at its end become tags"
	wordsNoFacts   = "I remember nothing about you here."
)

// Facts is /facts.
type Facts struct {
	Rows FactRows
	Find FactFinder
	// Service changes facts, as it does for the model's tools.
	Service facts.Service
	// Location is where a person's clock is.
	Location func(context.Context, chat.User) *time.Location
	// SetDigest stores when somebody hears what was learned.
	SetDigest func(ctx context.Context, user, when string) error
	// File does something about the owner's facts file ("accept", "undo", or ""
	// to look) and says what came of it; nil without a file.
	File func(ctx context.Context, do string) (string, error)
}

// FactRows reads the facts that are stored, as far as somebody can see them;
// facts.Store.
type FactRows interface {
	facts.Reader
	Facts(ctx context.Context, v provenance.Viewer, limit, offset int) ([]facts.Fact, error)
	// Undoables are the changes that the viewer can take back, the newest first.
	Undoables(ctx context.Context, v provenance.Viewer, limit int) ([]facts.Change, error)
	// ClearFacts forgets all that the viewer can see about themselves, or erases it.
	ClearFacts(ctx context.Context, v provenance.Viewer, erase bool) (int64, facts.Change, error)
}

// FactFinder finds facts, and what was done to them; facts.Store.
type FactFinder interface {
	CountFacts(ctx context.Context, v provenance.Viewer) (int, error)
	FindFacts(ctx context.Context, v provenance.Viewer, q facts.Query) ([]facts.Fact, error)
	Learned(ctx context.Context, v provenance.Viewer, q facts.Query) ([]facts.Change, error)
	// Line is a fact in a list.
	Line(p catalog.Printer, f facts.Fact) string
}

func (f Facts) command() gate.Command {
	now := gate.Option{Name: "when", Help: "now erases it at once, without Undo", Choices: []string{"now"}}
	verbs := []gate.Command{
		{Name: "list", Help: "What I remember about you here", Effect: gate.Reads, Run: f.list, Options: []gate.Option{{Name: "page",
			Help: helpPageNumber, Kind: gate.Number}}},
		{Name: "search", Help: "Find facts by words, tag and date", Effect: gate.Reads, Run: f.search, Options: []gate.Option{
			{Name: "text", Help: "what to look for"}, {Name: "tag", Help: "only with this tag, such as work", Named: true},
			{Name: "since", Help: "only from this day on: a date such as 2026-05-31, a month such as 2026-05, today, yesterday", Named: true}, {Name: "before", Help: "only from before this day", Named: true},
			{Name: "page", Help: helpPageNumber, Kind: gate.Number, Named: true},
		}},
		{Name: "add", Help: "Remember something", Run: f.add, Options: []gate.Option{
			{Name: "text", Help: helpFactText, Required: true, Long: true},
			{Name: "scope", Help: "for whom: you (person), or everybody here (admins only)", Choices: []string{"person", "channel", "guild"}},
		}},
		{Name: "change", Help: "Make it say something else", Run: f.change,
			Options: []gate.Option{f.which(), {Name: "text", Help: helpFactText}}},
		{Name: "keep", Help: "Say that it is right", Run: f.keep, Options: []gate.Option{f.which(), {Name: "not", Help: "number of the fact that is wrong, and is forgotten", Kind: gate.Number}}},
		{Name: "undo", Help: "Take back what was done to a fact, for a day", Run: f.undo, Options: []gate.Option{f.undoable()}},
		{Name: "learned", Help: "What I learned without being asked, to keep, change or forget", Effect: gate.Reads, Run: f.learned, Options: []gate.Option{{Name: "page",
			Help: helpPageNumber, Kind: gate.Number}}},
		{Name: "digest", Help: "When I tell you what I learned", Run: f.digest, Options: []gate.Option{{Name: "when", Help: "never, each morning, or when a conversation ends",
			Choices: facts.Digests, Required: true}}},
		{Name: "important", Help: "Never overlook it", Run: f.important, Options: []gate.Option{f.which(),
			{Name: "state", Help: "off takes it back", Kind: gate.Switch}}},
		{Name: "forget", Help: "Forget it; Undo brings it back for a day", Run: f.forget, Confirm: f.askForget,
			Options: []gate.Option{f.which(), now}},
		{Name: "history", Help: "Where it comes from and what it said before", Effect: gate.Reads,
			Run: f.history, Options: []gate.Option{f.which()}},
		{Name: "export", Help: "As a Markdown file", Effect: gate.Reads, Run: f.export},
		{Name: "clear", Help: "Forget everything about you here", Run: f.clear, Confirm: askClear, Options: []gate.Option{now}},
	}
	if f.File != nil {
		verbs = append(verbs, gate.Command{Name: "file", Help: "The facts file: accept it as it is, or undo what it did", Effect: gate.ReadsBare, Who: gate.Owner, Run: f.file,
			Options: []gate.Option{{Name: "do", Help: "empty shows its state", Choices: []string{"accept", "undo"}}}})
	}
	return gate.Command{Name: "facts", Help: "What I remember about you", First: 5, Effect: gate.Reads,
		Private: true, Run: f.list, Verbs: verbs}
}

// asker returns a command's author, to the facts service.
func asker(r gate.Request) facts.Asker {
	return facts.Asker{Viewer: provenance.ViewerOf(r.Message), Admin: func(context.Context) bool { return r.Role >= gate.Admin }}
}

// noFact says where to find those there are.
func noFact(err error) error {
	return text.Instead(err, facts.ErrNone, "There is no such fact. /facts list shows yours.")
}

func (f Facts) list(ctx context.Context, r gate.Request) (chat.Answer, error) {
	page := max(r.Number("page", 1), 1)
	list, err := f.Rows.Facts(ctx, provenance.ViewerOf(r.Message), listPage+1, (page-1)*listPage)
	if err != nil {
		return chat.Answer{}, err
	}
	if len(list) == 0 {
		return f.noSuchPage(ctx, r)
	}
	lines := make([]string, 0, listPage)
	for _, fact := range list[:min(len(list), listPage)] {
		lines = append(lines, f.Find.Line(catalog.Of(ctx), fact))
	}
	answer := chat.Answer{Text: strings.Join(lines, "\n"), Buttons: paged(ctx, "/facts list", page, len(list) > listPage)}
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

// noSuchPage says how many pages of facts there are.
func (f Facts) noSuchPage(ctx context.Context, r gate.Request) (chat.Answer, error) {
	n, err := f.Find.CountFacts(ctx, provenance.ViewerOf(r.Message))
	if err != nil || n == 0 {
		return chat.Answer{Text: catalog.Text(ctx, wordsNoFacts)}, err
	}
	if pages := (n + listPage - 1) / listPage; pages > 1 {
		return say(ctx, "There are only %d pages.", pages)
	}
	return say(ctx, "There is only one page: /facts list shows it.")
}

func (f Facts) add(ctx context.Context, r gate.Request) (chat.Answer, error) {
	fact := facts.NewFact{Content: r.Args["text"], Scope: facts.Scope(r.Args["scope"]), MessageID: r.Message.ID, Origin: passedOn(r)}
	if r.Message.Direct && fact.Scope != "" && fact.Scope != facts.ScopePerson {
		return say(ctx, "Here are only you and me: say it in the channel where everybody should have it, or leave the scope out.")
	}
	saved, err := f.Service.Save(ctx, asker(r), fact)
	return changed(ctx, saved), err
}

// changed says what became of a fact, with the way back where something else went.
func changed(ctx context.Context, saved facts.Saved) chat.Answer {
	if c := saved.Change; c.Kind == facts.Replaced || c.Other.ID != 0 {
		return told(ctx, c, c.Note(catalog.Of(ctx)))
	}
	return chat.Answer{Text: facts.Became(catalog.Of(ctx), saved)}
}

// told says something of a change, with what may be done about it.
func told(ctx context.Context, c facts.Change, words string) chat.Answer {
	answer := chat.Answer{Text: words}
	if buttons := c.Buttons(catalog.Of(ctx)); len(buttons) > 0 {
		answer.Buttons = [][]chat.Button{buttons}
	}
	return answer
}

func (f Facts) important(ctx context.Context, r gate.Request) (chat.Answer, error) {
	on, words := true, "I will never overlook this (#%d): %s"
	if r.Args["state"] == "off" {
		on, words = false, "No longer important (#%d): %s"
	}
	fact, err := f.Service.Mark(ctx, asker(r), row(r), on)
	return chat.Answer{Text: catalog.Say(ctx, words, fact.ID, fact.Content)}, noFact(err)
}

func (f Facts) history(ctx context.Context, r gate.Request) (chat.Answer, error) {
	fact, before, err := f.Rows.FactHistory(ctx, provenance.ViewerOf(r.Message), row(r))
	if err != nil {
		return chat.Answer{}, noFact(err)
	}
	return chat.Answer{Text: f.whole(ctx, fact, before, f.Location(ctx, r.Message.From))}, nil
}

// whole tells all about a fact, with the times of a place.
func (c Facts) whole(ctx context.Context, f facts.Fact, before []facts.Earlier, loc *time.Location) string {
	stamp := func(t time.Time) string { return t.In(loc).Format("2006-01-02 15:04 MST") }
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n- %s", c.Find.Line(catalog.Of(ctx), f), catalog.Say(ctx, "%s, by %s, since %s, %s", f.Type, f.Author,
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
	const most = 1_000_000
	v := provenance.ViewerOf(r.Message)
	list, err := f.Rows.Facts(ctx, v, most, 0)
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
