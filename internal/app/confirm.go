package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"parley/internal/agent"
	"parley/internal/app/setup"
	"parley/internal/chat"
	"parley/internal/command/gate"
	"parley/internal/memory"
	"parley/internal/text"
	"parley/internal/text/catalog"
	"parley/internal/tools"
)

// How a parked turn continues: with a yes to its calls, or with an answer to a server's
// question.
const (
	actionTool = "tool"
	actionForm = "form"
)

// errHidden: nobody is asked about a call that contains a secret.
var errHidden = text.Tell("that has a secret of my settings in it, which I may not show, so I cannot ask you about it and did nothing")

// ask turns calls that need a yes into a question.
func (f *front) ask(ctx context.Context, m chat.Message, p agent.Parked, calls []agent.Asked) (q agent.Question, err error) {
	action := gate.Action{Kind: actionTool, Items: make([]gate.Item, len(calls)), Session: p.Session, Wish: p.Wish}
	if action.Args, err = json.Marshal(p); err != nil {
		return q, err
	}
	for i, c := range calls {
		args, err := json.Marshal(c.Call)
		if err != nil {
			return q, err
		}
		action.Items[i] = gate.Item{Say: c.Say, Args: args, Also: leastRole(c.Spec), Over: c.Spec.Over && c.Form == nil}
		if c.Spec.ForTask() && !slices.Contains(p.Allowed, c.Spec.Server) {
			action.Items[i].Task = c.Spec.Server
		}
		if c.Spec.Unsettled() { // for an owner to decide, once and for all
			action.Items[i].Also = gate.Owner
			continue
		}
		if c.Spec.Server != "" && !c.Once && f.people.isOwner(ctx, tools.CallOf(m)) {
			action.Items[i].Standing = c.Spec.Name
		}
	}
	for _, item := range action.Items {
		if hidden := setup.NewRedactor(f.cfg, setup.ShortestSaid).Hide(item.Say); hidden != item.Say {
			return q, errHidden
		}
	}
	asks := memory.Asking{}
	if calls[0].Form != nil {
		action.Kind, action.Form = actionForm, calls[0].Form
		q.Answer, asks.Question, err = f.confirm.Form(ctx, m, action)
		asks.Behind, q.Asks = append(asks.Behind, calls[0].Call.Row), &asks
		return q, err
	}
	q.Answer, asks.Question, asks.Instead, err = f.confirm.Prepare(ctx, m, action)
	q.Asks = &asks
	return q, err
}

// toast returns the words shown when a button is pressed, in the presser's language.
func (f *front) toast(ctx context.Context, m chat.Message) (string, bool) {
	m.Key = f.store.Access.Place(m.Key).Key
	return f.confirm.Toast(catalog.With(ctx, f.people.speaker.Answering(ctx, m)), m)
}

// fill takes an answer to a server's question: it asks for the next field, or resumes the
// parked turn with all of them.
func (f *front) fill(ctx context.Context, m chat.Message, s gate.Settled, w chat.Reply) (chat.Answer, error) {
	var call agent.Pending
	if err := json.Unmarshal(s.Items[0].Args, &call); err != nil {
		return chat.Answer{}, fmt.Errorf("read what was asked: %w", err)
	}
	say, form, reply := f.mind.At(m).Fill(catalog.Of(ctx), call, m, s.Said)
	if form == nil {
		return f.resume(ctx, m, s, w, &reply)
	}
	next := s.Action
	var p agent.Parked
	if err := json.Unmarshal(s.Args, &p); err != nil {
		return chat.Answer{}, fmt.Errorf("read what was asked: %w", err)
	}
	next.Items, next.Form = []gate.Item{{Say: say, Args: s.Items[0].Args}}, form
	next.Session, next.Wish = p.Session, append(p.Wish, call.Row)
	answer, q, err := f.confirm.Form(ctx, m, next)
	answer.Record = &memory.Turn{
		Decision: memory.Decision{End: chat.End{Outcome: chat.Asked, Reason: chat.NeedsAnswer}},
		Settles:  &memory.Settled{Question: s.ID}, Asks: &memory.Asking{Question: q},
	}
	return answer, err
}

// resume resumes the parked turn for the person who was asked; reply is their answer to a
// server's question, nil for none.
func (f *front) resume(ctx context.Context, m chat.Message, s gate.Settled, w chat.Reply, reply *tools.Reply) (chat.Answer, error) {
	r := agent.Resumed{Question: s.ID, Reply: reply, Agreed: s.Agreed, Allowed: s.Task, Calls: make([]agent.Pending, len(s.Items))}
	err := json.Unmarshal(s.Args, &r.Parked)
	for i, item := range s.Items {
		err = errors.Join(err, json.Unmarshal(item.Args, &r.Calls[i]))
	}
	if err != nil {
		return chat.Answer{}, fmt.Errorf("read what was asked: %w", err)
	}
	switch {
	case s.Asked.IsHook():
		m = m.AsHook(s.Asked)
	case m.From.ID != s.Asked.ID:
		m.From, m.Admin = s.Asked, false
		ctx = f.people.speaker.With(ctx, s.Asked)
	}
	return f.debugging(chat.HandlerFunc(func(ctx context.Context, m chat.Message, w chat.Reply) (chat.Answer, error) {
		return f.mind.At(m).Resume(ctx, m, w, r)
	})).Handle(ctx, m, w)
}

// amendLimit bounds editing a question's message: the person who answered waits.
const amendLimit = 3 * time.Second

// amend shows in a question's message that it is settled.
func (f *front) amend(ctx context.Context, q chat.Question, text string) {
	amender, ok := chat.As[chat.Amender](chat.On(f.platforms.adapters, q.Key.Platform))
	if !ok {
		return
	}
	id, err := f.store.Questions.AskedAs(ctx, q)
	if err != nil || id == "" {
		f.log.Debug("amend a question", "id", id, "err", err)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, amendLimit)
	defer cancel()
	if err := amender.Amend(ctx, q.Key, id, text); err != nil {
		f.log.Debug("amend a question", "err", err)
	}
}

// expireQuestions ends questions nobody answered in time.
func (f *front) expireQuestions(ctx context.Context) error {
	late, err := f.store.Questions.ExpireQuestions(ctx)
	for _, q := range late {
		f.confirm.Expired(f.people.speaker.With(ctx, q.Asked), q)
	}
	f.mind.ExpireInquiries(gate.QuestionLife)
	return errors.Join(err, f.store.PruneAccess(ctx))
}
