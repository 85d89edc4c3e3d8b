package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/tools"
)

// turn makes one answer and is thrown away afterwards. Each part does what its name
// says with the parts it points to; only what needs most of them is a method of turn.
type turn struct {
	*job
	context background
	prompt  prompt
	guide   guidance
	tools   toolrun
	asks    questions
	sources sources
	trust   trust
	links   links
	draft   draft
	journal journal
	report  report
	preview preview
}

// newTurn begins a turn for the author of m. With keep it belongs to their
// session. Nobody sees the answer grow unless w is set.
func (a *Agent) newTurn(m chat.Message, in input, keep bool) *turn {
	j := &job{a: a, m: m, w: chat.Unwatched{}, keep: keep, in: in}
	t := &turn{job: j, trust: trust{job: j}}
	t.context = background{job: j, trust: &t.trust, sources: &t.sources}
	t.prompt = prompt{job: j, context: &t.context, guide: &t.guide, tools: &t.tools, report: &t.report}
	t.guide = guidance{job: j, context: &t.context, tools: &t.tools, report: &t.report}
	t.tools = toolrun{job: j, context: &t.context, trust: &t.trust, journal: &t.journal, report: &t.report}
	t.links = links{job: j, context: &t.context, trust: &t.trust, sources: &t.sources}
	t.asks = questions{job: j, tools: &t.tools, links: &t.links, report: &t.report}
	t.sources = sources{job: j, context: &t.context, report: &t.report}
	t.draft = draft{job: j, context: &t.context, guide: &t.guide, tools: &t.tools, prompt: &t.prompt, report: &t.report}
	t.preview = preview{job: j, links: &t.links, trust: &t.trust, sources: &t.sources, guide: &t.guide}
	t.report = report{job: j, guide: &t.guide, began: a.o.Now(), well: chat.End{Outcome: chat.Answered}}
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
	t.context.added = []memory.Entry{t.context.heard()}
	if err := t.guide.ask(ctx); err != nil {
		return t.failed(ctx, err)
	}
	if t.m.Overhears() && !t.guide.Unasked { // nobody waits for an answer
		return chat.Answer{}, nil
	}
	if answer, over := t.ruledOver(ctx); over {
		return answer, nil
	}
	if t.guide.Reply != "" && len(t.guide.Run) == 0 {
		return t.finish(t.guide.Reply, t.guide.ends(chat.End{})), nil
	}
	return t.loop(ctx)
}

// load reads memory once.
func (t *turn) load(ctx context.Context) (err error) {
	set, err := t.a.o.Tools(ctx, t.m)
	if err != nil {
		return err
	}
	t.tools.set = set.ForAgent("")
	t.tools.guards = t.guide.guards()
	if err := t.trust.listen(ctx); err != nil {
		return err
	}
	if !t.m.Forwarded && !t.m.Shared && !t.m.Overhears() { // hosts in such a text were typed by or for somebody else
		t.trust.taint.Hosts = tools.TypedHosts(t.in.text)
	}
	if err = t.context.recall(ctx); err != nil {
		return err
	}
	t.context.prefetch(ctx)
	if t.m.Attempt > 0 && t.journal.store != nil {
		earlier, err := t.a.o.Store.Steps(ctx, t.m.Row)
		if err != nil {
			return err
		}
		t.journal.read(earlier)
	}
	if !t.keep {
		return nil
	}
	if t.context.owed, err = t.questioned(ctx); err != nil {
		return err
	}
	entries, err := t.context.earlier(ctx)
	if err != nil {
		return err
	}
	// A window begins with what a person said, so that no tool result lacks its call.
	if i := slices.IndexFunc(entries, func(e memory.Entry) bool { return e.Role == llm.RoleUser }); i >= 0 {
		t.context.window = entries[i:]
	}
	t.tools.offer = usedTools(t.context.window)
	t.context.remember()
	t.trust.taint.Private = t.trust.taint.Private || slices.ContainsFunc(t.context.window, t.tools.ofOurs)
	return err
}
