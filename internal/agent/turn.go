package agent

import (
	"context"
	"errors"
	"fmt"

	"parley/internal/chat"
	"parley/internal/memory"
	"parley/internal/tools"
)

// turn makes one answer and is thrown away afterwards. Its parts hold what
// their names say; only what needs several of them is a method of turn.
type turn struct {
	a    *Agent
	m    chat.Message
	w    chat.Reply
	sub  *Subagent // whose turn it is; nil is the conversation's own
	keep bool      // the turn belongs to a session and leaves a transcript

	in      input
	context background
	tools   toolrun
	sources sources
	trust   trust
	journal journal
	report  report
	preview preview
}

// newTurn begins a turn for the author of m. With keep it belongs to their
// session. Nobody sees the answer grow unless w is set.
func (a *Agent) newTurn(m chat.Message, in input, keep bool) *turn {
	t := &turn{a: a, m: m, w: nobody{}, keep: keep, in: in}
	t.trust.user = m.From.ID
	t.report.began, t.report.well = a.o.Now(), chat.End{Outcome: chat.Answered}
	if keep {
		t.journal = journal{log: a.o.Log, store: a.o.Store, row: m.Row}
	}
	return t
}

// attemptsPerCall is how often a model call may be tried on the wire, at all
// models together: they are waited for by time, and this only bounds what has
// gone wrong.
const attemptsPerCall = 30

// run makes the answer. Every way out writes one audit row.
func (t *turn) run(ctx context.Context) (chat.Answer, error) {
	t.report.ledger.maxAttempts = attemptsPerCall * (t.a.o.MaxCalls + 1) // one is the playbook's
	done, err := t.attach(ctx)
	if errors.Is(err, chat.ErrStopped) {
		return note(t.in.p.Text(wordsStopped), chat.Stopped, ""), nil
	}
	if err != nil {
		return chat.Answer{}, fmt.Errorf("open files: %w", err)
	}
	defer done()
	if t.in.text == "" && t.in.files.Used == 0 {
		return note(t.in.notice, chat.Refused, chat.Invalid), nil
	}
	if err := t.load(ctx); err != nil {
		return chat.Answer{}, fmt.Errorf("load conversation: %w", err)
	}
	t.context.added = []memory.Entry{t.heard()}
	if err := t.guide(ctx); err != nil {
		return t.failed(ctx, err)
	}
	if g := t.context.guidance; g.HandOver.By != nil {
		if answer, err := t.passOn(ctx, tools.HandOver{By: g.HandOver.By, Reason: g.HandOver.For}, g.Reply); err == nil {
			return answer, nil
		}
	}
	if t.context.guidance.Reply != "" && len(t.context.guidance.Run) == 0 {
		return t.finish(t.context.guidance.Reply, t.ends(chat.End{})), nil
	}
	return t.loop(ctx)
}
