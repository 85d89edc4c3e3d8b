package command

import (
	"context"
	"fmt"
	"strings"

	"parley/internal/chat"
	"parley/internal/command/gate"
	"parley/internal/playbook"
	"parley/internal/text/catalog"
)

// wordsNoJourney is said in more than one place.
const wordsNoJourney = "No journey is under way here. /journey list shows which there are."

func (p Playbook) suggestJourney(_ context.Context, m chat.Message, typed string) []string {
	var ids []string
	if b := p.Book(m); b != nil {
		for _, j := range b.Journeys() {
			ids = append(ids, j.ID)
		}
	}
	return beginning(ids, typed)
}

func (p Playbook) listJourneys(ctx context.Context, _ gate.Request, b *playbook.Book) (chat.Answer, error) {
	var s strings.Builder
	for _, j := range b.Journeys() {
		fmt.Fprintf(&s, "- `%s` %s: %s\n", j.ID, j.Name, j.Description)
	}
	if s.Len() == 0 {
		return say(ctx, "The playbook has no journeys.")
	}
	return chat.Answer{Text: s.String()}, nil
}

// change stores a new state in the session that is going on here, or in a new
// one.
func (p Playbook) change(ctx context.Context, m chat.Message, to func(playbook.State) (playbook.State, error)) (playbook.State, error) {
	se, err := p.Session(ctx, m)
	if err != nil {
		return playbook.State{}, err
	}
	st, err := to(stored(se, m.From.ID))
	if err != nil {
		return st, journeyFailed(err)
	}
	se.Playbook = string(st.Session)
	return st, p.Rows.SaveSession(ctx, se)
}

// startJourney begins a journey and says its first step.
func (p Playbook) startJourney(ctx context.Context, r gate.Request, b *playbook.Book) (chat.Answer, error) {
	_, err := p.change(ctx, r.Message, func(st playbook.State) (playbook.State, error) { return b.Start(st, r.Args["id"], p.Now()) })
	if err != nil {
		return chat.Answer{}, err
	}
	return p.Begin.Handle(ctx, r.Message, r.Reply)
}

func (p Playbook) stopJourney(ctx context.Context, r gate.Request, b *playbook.Book) (chat.Answer, error) {
	_, err := p.change(ctx, r.Message, func(st playbook.State) (playbook.State, error) { return b.Stop(st, r.Args["id"], p.Now()) })
	return chat.Answer{Text: catalog.Text(ctx, "We have left it.")}, err
}

// state returns where the playbook stands here.
func (p Playbook) state(ctx context.Context, m chat.Message) (playbook.State, error) {
	se, ok, err := p.Rows.LiveSession(ctx, p.Place(m))
	if err != nil || !ok {
		return playbook.State{}, err
	}
	return stored(se, m.From.ID), nil
}

func (p Playbook) journeyStatus(ctx context.Context, r gate.Request, b *playbook.Book) (chat.Answer, error) {
	st, err := p.state(ctx, r.Message)
	if err != nil {
		return chat.Answer{}, err
	}
	return standing(ctx, b, st)
}

// standing says where somebody's journeys are, the one in front first.
func standing(ctx context.Context, b *playbook.Book, st playbook.State) (chat.Answer, error) {
	list, err := b.Standings(st)
	if err != nil {
		return chat.Answer{}, err
	}
	if len(list) == 0 {
		return say(ctx, wordsNoJourney)
	}
	var all []string
	for _, at := range list {
		path := make([]string, len(at.History))
		for i, h := range at.History {
			path[i] = stepName(b, at.JourneyID, h.StepID)
		}
		all = append(all,
			catalog.Say(ctx, "**%s** is %s, at “%s”.\nThe way here: %s", at.Name, at.Status, stepName(b, at.JourneyID, at.CurrentStep),
				strings.Join(path, " → ")))
	}
	return chat.Answer{Text: strings.Join(all, "\n\n")}, nil
}

// stepName returns what people call a step, its id when the playbook has lost it.
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

func (p Playbook) drawJourney(ctx context.Context, r gate.Request, b *playbook.Book) (chat.Answer, error) {
	st, err := p.state(ctx, r.Message)
	if err != nil {
		return chat.Answer{}, err
	}
	mermaid, drawn, err := b.Draw(r.Args["id"], st)
	return chat.Answer{Text: fmt.Sprintf("%s\n%s", drawn, codeBlock("mermaid", mermaid))}, journeyFailed(err)
}
