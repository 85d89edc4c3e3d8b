package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"parley/internal/admin"
	"parley/internal/chat"
	"parley/internal/memory"
	"parley/internal/playbook"
	"parley/internal/text"
)

// playbookCommands are guideline and journey.
func (a *app) playbookCommands() []admin.Command {
	rule := admin.Option{Name: "id", Help: "id of the guideline", Required: true, Suggest: a.suggestRule}
	journey := admin.Option{Name: "id", Help: "id of the journey", Required: true, Suggest: a.suggestJourney}
	return []admin.Command{
		{Name: "guideline", Help: "The rules I follow", Who: admin.Owner, Verbs: []admin.Command{
			{Name: "list", Help: "Every rule and whether it is on", Run: a.withBook(a.runRuleList)},
			{Name: "show", Help: "One rule in full", Options: []admin.Option{rule}, Run: a.withBook(a.runRuleShow)},
			{Name: "enable", Help: "Follow it", Options: []admin.Option{rule}, Run: a.withBook(a.switchRule(true))},
			{Name: "disable", Help: "Do not follow it", Options: []admin.Option{rule}, Run: a.withBook(a.switchRule(false))},
			{Name: "test", Help: "Which rules a message would meet", Options: []admin.Option{{Name: "text", Help: "the message", Required: true}}, Run: a.withBook(a.runRuleTest)},
		}},
		{Name: "journey", Help: "Step-by-step conversations", Verbs: []admin.Command{
			{Name: "list", Help: "Which there are", Run: a.withBook(a.runJourneyList)},
			{Name: "start", Help: "Begin one", Options: []admin.Option{journey}, Run: a.withBook(a.runJourneyStart)},
			{Name: "status", Help: "Where we stand", Run: a.withBook(a.runJourneyStatus)},
			{Name: "stop", Help: "Leave it", Run: a.withBook(a.runJourneyStop)},
			{Name: "draw", Help: "A picture of it", Options: []admin.Option{journey}, Run: a.withBook(a.runJourneyDraw)},
		}},
	}
}

type bookRun func(ctx context.Context, r admin.Request, b *playbook.Book) (chat.Answer, error)

// withBook answers for a command that needs a playbook.
func (a *app) withBook(run bookRun) func(context.Context, admin.Request) (chat.Answer, error) {
	return func(ctx context.Context, r admin.Request) (chat.Answer, error) {
		b := a.bookNow()
		if b == nil {
			return chat.Answer{Text: wordsNoPlaybook}, nil
		}
		return run(ctx, r, b)
	}
}

func (a *app) suggestRule(_ context.Context, _ chat.Message, prefix string) (ids []string) {
	if b := a.bookNow(); b != nil {
		for _, g := range b.Guidelines() {
			if strings.HasPrefix(g.ID, prefix) {
				ids = append(ids, g.ID)
			}
		}
	}
	return ids
}

func (a *app) suggestJourney(_ context.Context, _ chat.Message, prefix string) (ids []string) {
	if b := a.bookNow(); b != nil {
		for _, j := range b.Journeys() {
			if strings.HasPrefix(j.ID, prefix) {
				ids = append(ids, j.ID)
			}
		}
	}
	return ids
}

func (a *app) runRuleList(ctx context.Context, _ admin.Request, b *playbook.Book) (chat.Answer, error) {
	switched, err := a.agent.RuleSwitches(ctx)
	if err != nil {
		return chat.Answer{}, err
	}
	var s strings.Builder
	for _, g := range b.Guidelines() {
		on := g.Enabled == nil || *g.Enabled
		if v, ok := switched[g.ID]; ok {
			on = v
		}
		state := "on"
		if !on {
			state = "off"
		}
		fmt.Fprintf(&s, "- `%s` (%s, priority %d): `%s`\n", g.ID, state, g.Priority, strings.ReplaceAll(clip(g.Condition, 120), "`", "'"))
	}
	if s.Len() == 0 {
		s.WriteString("The playbook has no guidelines.")
	}
	return chat.Answer{Text: s.String()}, nil
}

func (a *app) runRuleShow(_ context.Context, r admin.Request, b *playbook.Book) (chat.Answer, error) {
	g, err := b.Guideline(r.Args["id"])
	if err != nil {
		return chat.Answer{Text: fmt.Sprintf(wordsNoRule, r.Args["id"])}, nil
	}
	out, err := json.MarshalIndent(g, "", "  ")
	if err != nil {
		return chat.Answer{}, err
	}
	return chat.Answer{Text: codeBlock("json", string(out))}, nil
}

func (a *app) switchRule(on bool) bookRun {
	return func(ctx context.Context, r admin.Request, b *playbook.Book) (chat.Answer, error) {
		g, err := b.Guideline(r.Args["id"])
		if err != nil {
			return chat.Answer{Text: fmt.Sprintf(wordsNoRule, r.Args["id"])}, nil
		}
		text := fmt.Sprintf(wordsRuleOff, g.ID)
		if on {
			text = fmt.Sprintf(wordsRuleOn, g.ID)
		}
		return chat.Answer{Text: text}, a.agent.SwitchRule(ctx, g.ID, on)
	}
}

// runRuleTest is a dry run: what it works out is thrown away.
func (a *app) runRuleTest(ctx context.Context, r admin.Request, b *playbook.Book) (chat.Answer, error) {
	judge := a.model.Model
	if a.model.List == nil {
		judge = nil // the built-in responder judges nothing
	}
	g, err := b.Guide(ctx, judge, playbook.Situation{
		Platform: r.Message.Key.Platform, Channel: r.Message.Key.Channel, User: r.Message.From.ID, Text: r.Args["text"], Now: a.now(),
	})
	if err != nil {
		return chat.Answer{}, err
	}
	lines := append(append([]string{}, g.Why...), g.Notes...)
	if len(lines) == 0 {
		return chat.Answer{Text: "No rule would apply."}, nil
	}
	return chat.Answer{Text: "- " + strings.Join(lines, "\n- ")}, nil
}

func (a *app) runJourneyList(_ context.Context, _ admin.Request, b *playbook.Book) (chat.Answer, error) {
	var s strings.Builder
	for _, j := range b.Journeys() {
		fmt.Fprintf(&s, "- `%s` %s: %s\n", j.ID, j.Name, j.Description)
	}
	if s.Len() == 0 {
		s.WriteString("The playbook has no journeys.")
	}
	return chat.Answer{Text: s.String()}, nil
}

// changeJourney stores a new state in the session that is going on here, or in
// a new one.
func (a *app) changeJourney(ctx context.Context, m chat.Message, change func(playbook.State) (playbook.State, error)) (playbook.State, error) {
	se, err := a.agent.Session(ctx, m)
	if err != nil {
		return playbook.State{}, err
	}
	st := playbook.State{}
	if se.Playbook != "" {
		st.Session = json.RawMessage(se.Playbook)
	}
	if st, err = change(st); err != nil {
		return st, err
	}
	se.Playbook = string(st.Session)
	return st, a.store.SaveSession(ctx, se)
}

func (a *app) runJourneyStart(ctx context.Context, r admin.Request, b *playbook.Book) (chat.Answer, error) {
	st, err := a.changeJourney(ctx, r.Message, func(st playbook.State) (playbook.State, error) {
		return b.Start(st, r.Args["id"], a.now())
	})
	if err != nil {
		return journeyFailed(err)
	}
	said, err := standing(b, st)
	return chat.Answer{Text: said}, err
}

// journeyFailed says what a person can do about it.
func journeyFailed(err error) (chat.Answer, error) {
	err = text.Instead(err, playbook.ErrAlreadyActive, wordsJourneyOn)
	err = text.Instead(err, playbook.ErrNoJourney, wordsNoJourney)
	return chat.Answer{}, text.Instead(err, playbook.ErrUnknownJourney, wordsNoSuchJourney)
}

func (a *app) runJourneyStop(ctx context.Context, r admin.Request, b *playbook.Book) (chat.Answer, error) {
	if _, err := a.changeJourney(ctx, r.Message, func(st playbook.State) (playbook.State, error) { return b.Stop(st, a.now()) }); err != nil {
		return journeyFailed(err)
	}
	return chat.Answer{Text: "We have left it."}, nil
}

func (a *app) bookState(ctx context.Context, m chat.Message) (playbook.State, error) {
	se, ok, err := a.store.LiveSession(ctx, a.placeOf(m))
	if err != nil || !ok || se.Playbook == "" {
		return playbook.State{}, err
	}
	return playbook.State{Session: json.RawMessage(se.Playbook)}, nil
}

func (a *app) runJourneyStatus(ctx context.Context, r admin.Request, b *playbook.Book) (chat.Answer, error) {
	st, err := a.bookState(ctx, r.Message)
	if err != nil {
		return chat.Answer{}, err
	}
	said, err := standing(b, st)
	return chat.Answer{Text: said}, err
}

// standing says where a journey is.
func standing(b *playbook.Book, st playbook.State) (string, error) {
	at, ok, err := b.Status(st)
	if err != nil || !ok {
		return wordsNoJourney, err
	}
	path := make([]string, len(at.History))
	for i, h := range at.History {
		path[i] = stepName(b, at.JourneyID, h.StepID)
	}
	return fmt.Sprintf(wordsStanding, at.Name, at.Status, stepName(b, at.JourneyID, at.CurrentStep), strings.Join(path, " → ")), nil
}

// stepName is what people call a step, its id when the playbook has lost it.
func stepName(b *playbook.Book, journey, step string) string {
	for _, j := range b.Journeys() {
		for _, s := range j.Steps {
			if j.ID == journey && s.ID == step {
				return s.Name
			}
		}
	}
	return step
}

func (a *app) runJourneyDraw(ctx context.Context, r admin.Request, b *playbook.Book) (chat.Answer, error) {
	st, err := a.bookState(ctx, r.Message)
	if err != nil {
		return chat.Answer{}, err
	}
	mermaid, drawn, err := b.Draw(r.Args["id"], st)
	if err != nil {
		return journeyFailed(err)
	}
	return chat.Answer{Text: drawn + "\n" + codeBlock("mermaid", mermaid)}, nil
}

// variables are the context variables of a session, a line each.
func (a *app) variables(ctx context.Context, se memory.Session, m chat.Message) (lines []string) {
	b := a.bookNow()
	if b == nil {
		return nil
	}
	person, err := a.store.Person(ctx, m.From.ID)
	if err != nil {
		return nil
	}
	st := playbook.State{}
	if se.Playbook != "" {
		st.Session = json.RawMessage(se.Playbook)
	}
	if person.Playbook != "" {
		st.Person = json.RawMessage(person.Playbook)
	}
	for _, v := range b.Variables(st) {
		lines = append(lines, fmt.Sprintf("%s: %s (confidence %.2f)", v.Name, v.Value, v.Confidence))
	}
	return lines
}
