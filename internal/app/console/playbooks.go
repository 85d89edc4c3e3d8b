package console

import (
	"context"

	"parley/internal/playbook"
)

// Book returns the playbook of an agent in force, nil for none; a nil agent is the bot's
// own.
func (w Window) Book(ctx context.Context, of *Agent) (*Playbook, error) {
	r := w.book(of)
	if r == nil {
		return nil, nil
	}
	b := r.Book()
	if b == nil {
		return nil, nil
	}
	switched, err := w.switches(of).RuleSwitches(ctx)
	if err != nil {
		return nil, err
	}
	view := &Playbook{Problem: r.Problem()}
	for _, g := range b.Guidelines() {
		on := g.IsEnabled()
		if v, ok := switched[g.ID]; ok {
			on = v
		}
		view.Rules = append(view.Rules, Rule{ID: g.ID, When: g.Condition, Then: g.Action, Canned: g.Canned, Reply: g.Reply,
			Priority: g.Priority, Off: !on})
	}
	for _, j := range b.Journeys() {
		view.Journeys = append(view.Journeys, pageJourney(j))
	}
	return view, nil
}

// Switch turns a rule of an agent on or off; known is false where it has no such rule.
func (w Window) Switch(ctx context.Context, of *Agent, id string, on bool) (known bool, err error) {
	book, err := w.Book(ctx, of)
	if book == nil || err != nil {
		return false, err
	}
	for _, r := range book.Rules {
		if r.ID == id {
			return true, w.switches(of).SwitchRule(ctx, id, on)
		}
	}
	return false, nil
}

func (w Window) switches(of *Agent) Switches {
	if of == nil {
		return w.Switches("")
	}
	return w.Switches(of.Memory)
}

func pageJourney(j *playbook.Journey) Journey {
	view := Journey{ID: j.ID, Name: j.Name, Description: j.Description, Trigger: j.Trigger, Start: j.InitialStep}
	for _, s := range j.Steps {
		step := Step{ID: s.ID, Name: s.Name, Description: s.Description, End: s.IsTerminal}
		for _, t := range s.Transitions {
			step.To = append(step.To, Arrow{To: t.ToStep, When: t.Condition})
		}
		view.Steps = append(view.Steps, step)
	}
	return view
}
