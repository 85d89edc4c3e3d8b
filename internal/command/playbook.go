package command

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"parley/internal/chat"
	"parley/internal/command/gate"
	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/playbook"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// Said in more than one place.
const (
	wordsOff    = "off"
	wordsNoRule = "There is no guideline %q. /guideline list shows them."
)

// Playbook is /guideline and /journey.
type Playbook struct {
	Book   func(chat.Message) *playbook.Book // that is answered by; nil for none
	Rules  func(chat.Message) Rules
	Rows   PlaybookRows
	People PlaybookPeople
	// Session is the one a message's author is in, a new one if there is none.
	Session func(context.Context, chat.Message) (memory.Session, error)
	// Place is where the session of a message's author lives.
	Place func(chat.Message) memory.Place
	// Judge decides conditions in plain words for /guideline test; nil decides
	// none.
	Judge llm.Model
	// Begin answers a message that began a journey, with its first step.
	Begin chat.Handler
	Now   func() time.Time
}

// Rules switches guidelines on and off, by their ids; agent.Agent.
type Rules interface {
	RuleSwitches(ctx context.Context) (map[string]bool, error)
	SwitchRule(ctx context.Context, id string, on bool) error
}

// PlaybookRows is what is stored of where the playbook stands; memory.Sessions.
type PlaybookRows interface {
	LiveSession(ctx context.Context, p memory.Place) (memory.Session, bool, error)
	SaveSession(ctx context.Context, se memory.Session) error
}

// PlaybookPeople is what the playbook of an agent keeps of people; memory.People.
type PlaybookPeople interface {
	Person(ctx context.Context, id, agent string) (memory.Person, error)
	SavePersonPlaybook(ctx context.Context, id, agent string, note memory.PersonNote) error
}

func (p Playbook) commands() []gate.Command {
	rule := gate.Option{Name: "id", Help: "id of the guideline", Required: true, Suggest: p.suggestRule}
	journey := gate.Option{Name: "id", Help: "id of the journey", Required: true, Suggest: p.suggestJourney}
	return []gate.Command{
		{Name: "guideline", Help: "The rules I follow", Who: gate.Owner, Verbs: []gate.Command{
			{Name: "list", Help: "Every rule and whether it is on", Effect: gate.Reads, Run: p.with(p.listRules)},
			{Name: "show", Help: "One rule in full", Effect: gate.Reads, Options: []gate.Option{rule}, Run: p.with(p.showRule)},
			{Name: "enable", Help: "Follow it", Options: []gate.Option{rule}, Run: p.with(p.switchRule(true))},
			{Name: "disable", Help: "Do not follow it", Options: []gate.Option{rule}, Run: p.with(p.switchRule(false))},
			{Name: "test", Help: "Which rules a message would match", Effect: gate.Reads, Options: []gate.Option{{Name: "text", Help: "the message",
				Required: true}}, Run: p.with(p.testRules)},
		}},
		{Name: "journey", Help: "Step-by-step conversations", Verbs: []gate.Command{
			{Name: "list", Help: "Which there are", Effect: gate.Reads, Run: p.with(p.listJourneys)},
			{Name: "start", Help: "Begin one", Effect: gate.Works, Options: []gate.Option{journey}, Run: p.with(p.startJourney)},
			{Name: "status", Help: "Where we stand", Effect: gate.Reads, Run: p.with(p.journeyStatus)},
			{Name: "stop", Help: "Leave it", Options: []gate.Option{{Name: "id", Help: "Name of the journey; the one in front without it", Suggest: p.suggestJourney}},
				Run: p.with(p.stopJourney)},
			{Name: "draw", Help: "A picture of it", Effect: gate.Reads, Options: []gate.Option{journey}, Run: p.with(p.drawJourney)},
		}},
		p.about(),
	}
}

// bookRun is the Run of a command that needs a playbook.
type bookRun func(ctx context.Context, r gate.Request, b *playbook.Book) (chat.Answer, error)

func (p Playbook) with(run bookRun) func(context.Context, gate.Request) (chat.Answer, error) {
	return func(ctx context.Context, r gate.Request) (chat.Answer, error) {
		b := p.Book(r.Message)
		if b == nil {
			return say(ctx, "There is no playbook: set playbook.dir to a folder of YAML files.")
		}
		return run(ctx, r, b)
	}
}

func (p Playbook) suggestRule(_ context.Context, m chat.Message, typed string) []string {
	var ids []string
	if b := p.Book(m); b != nil {
		for _, g := range b.Guidelines() {
			ids = append(ids, g.ID)
		}
	}
	return beginning(ids, typed)
}

func (p Playbook) listRules(ctx context.Context, r gate.Request, b *playbook.Book) (chat.Answer, error) {
	switched, err := p.Rules(r.Message).RuleSwitches(ctx)
	if err != nil {
		return chat.Answer{}, err
	}
	const most = 120 // characters of a condition
	var s strings.Builder
	for _, g := range b.Guidelines() {
		state, on := catalog.Text(ctx, wordsOff), g.IsEnabled()
		if v, ok := switched[g.ID]; ok {
			on = v
		}
		if on {
			state = catalog.Text(ctx, wordsOn)
		}
		s.WriteString("- " + catalog.Say(ctx, "`%s` (%s, priority %d): %s", g.ID, state, g.Priority, quoted(g.Condition, most)) + "\n")
	}
	if s.Len() == 0 {
		return say(ctx, "The playbook has no guidelines.")
	}
	return chat.Answer{Text: s.String()}, nil
}

func (p Playbook) showRule(ctx context.Context, r gate.Request, b *playbook.Book) (chat.Answer, error) {
	g, err := b.Guideline(r.Args["id"])
	if err != nil {
		return say(ctx, wordsNoRule, r.Args["id"])
	}
	out, err := json.MarshalIndent(g, "", "  ")
	return chat.Answer{Text: codeBlock("json", string(out))}, err
}

func (p Playbook) switchRule(on bool) bookRun {
	words := "The guideline %s is off."
	if on {
		words = "The guideline %s is on."
	}
	return func(ctx context.Context, r gate.Request, b *playbook.Book) (chat.Answer, error) {
		g, err := b.Guideline(r.Args["id"])
		if err != nil {
			return say(ctx, wordsNoRule, r.Args["id"])
		}
		return chat.Answer{Text: catalog.Say(ctx, words, g.ID)}, p.Rules(r.Message).SwitchRule(ctx, g.ID, on)
	}
}

// testRules returns a dry run: what it works out is thrown away.
func (p Playbook) testRules(ctx context.Context, r gate.Request, b *playbook.Book) (chat.Answer, error) {
	g, err := b.Guide(ctx, p.Judge, playbook.Situation{
		Platform: r.Message.Key.Platform, Channel: r.Message.Key.Channel, User: r.Message.From.ID, Text: r.Args["text"], Now: p.Now(),
	})
	if err != nil {
		return chat.Answer{}, err
	}
	lines := append(append([]string{}, g.Why...), g.Notes...)
	if len(lines) == 0 {
		return say(ctx, "No rule would apply.")
	}
	return chat.Answer{Text: "- " + strings.Join(lines, "\n- ")}, nil
}

// stored returns where somebody stands in a session.
func stored(se memory.Session, user string) (st playbook.State) {
	st.User = user
	if se.Playbook != "" {
		st.Session = json.RawMessage(se.Playbook)
	}
	return st
}

// Variables returns the context variables of a session, a line each.
func (p Playbook) Variables(ctx context.Context, se memory.Session, m chat.Message) (lines []string) {
	b := p.Book(m)
	if b == nil {
		return nil
	}
	person, err := p.People.Person(ctx, m.From.ID, m.Agent.ID)
	if err != nil {
		return nil
	}
	st := stored(se, m.From.ID)
	if person.Playbook != "" {
		st.Person = json.RawMessage(person.Playbook)
	}
	for _, v := range b.Variables(st) {
		lines = append(lines, catalog.Say(ctx, wordsVariable, v.Name, v.Value, v.Confidence))
	}
	return lines
}

// journeyFailed says what a person can do about it.
func journeyFailed(err error) error {
	err = text.Instead(err, playbook.ErrAlreadyActive, "This journey is under way here. /journey status shows where it stands, /journey stop leaves it.")
	err = text.Instead(err, playbook.ErrNoJourney, wordsNoJourney)
	return text.Instead(err, playbook.ErrUnknownJourney, "There is no such journey. /journey list shows them.")
}
