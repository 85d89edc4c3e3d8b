package rehearse

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"parley/internal/llm"
)

// Verdicts is the schema of the calls that judge: the playbook's conditions, and
// answers.
const Verdicts = "verdicts"

// prompter is the model of a rehearsal: it answers from the script of this act, or
// asks a real model, and remembers its requests.
type prompter struct {
	real llm.Model // answers instead of the script; nil for none

	mu       sync.Mutex // guards the rest
	waiting  []line     // answers of this act not given yet
	asked    []llm.Request
	recorded []line
	problem  string
}

// begin sets the answers of a new act.
func (p *prompter) begin(answers []line) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiting, p.asked, p.recorded, p.problem = slices.Clone(answers), nil, nil, ""
}

// took returns the requests and recorded answers of this act, and what was wrong with the
// script.
func (p *prompter) took() (asked []llm.Request, recorded []line, problem string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.problem == "" && len(p.waiting) > 0 {
		l := p.waiting[0]
		p.problem = fmt.Sprintf("the model was never asked for line %d: %s", l.n, l)
	}
	return p.asked, p.recorded, p.problem
}

// Complete implements llm.Model.
func (p *prompter) Complete(ctx context.Context, r llm.Request, onText func(string)) (llm.Response, error) {
	if ctx.Err() != nil {
		return llm.Response{}, context.Cause(ctx)
	}
	if r.Schema != nil && r.Schema.Name != Verdicts {
		return p.summary()
	}
	if p.real != nil {
		return p.record(ctx, r)
	}
	if r.Spend != nil {
		if err := r.Spend(); err != nil {
			return llm.Response{}, err
		}
	}
	l, ok := p.next(r)
	if !ok {
		return llm.Response{}, &llm.Error{Class: llm.ErrBadRequest, Detail: "the script has no answer"}
	}
	if fault := l.fault(); fault != nil {
		return llm.Response{}, &llm.Error{Class: fault, Detail: "as the script has it"}
	}
	resp := llm.Response{Finish: llm.FinishStop, Model: Rehearsed, Message: llm.Message{Role: llm.RoleAssistant, Content: l.text}}
	if l.mark == "!" {
		resp.Finish, resp.Message.Content = llm.FinishToolCalls, ""
		for i, call := range strings.Split(l.text, "\n") {
			name, args, _ := strings.Cut(call, " ")
			resp.Message.ToolCalls = append(resp.Message.ToolCalls, llm.ToolCall{ID: fmt.Sprintf("call_%d_%d", l.n, i), Name: name, Args: args})
		}
	} else if onText != nil {
		onText(l.text)
	}
	return resp, nil
}

// summary returns the summary that the act has. Without one the agent goes on as it
// does when the model is down.
func (p *prompter) summary() (llm.Response, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.IndexFunc(p.waiting, func(l line) bool { return l.mark == "sum" })
	if i < 0 {
		return llm.Response{}, &llm.Error{Class: llm.ErrUnavailable, Detail: "the script has no summary"}
	}
	text := p.waiting[i].text
	p.waiting = slices.Delete(p.waiting, i, i+1)
	return llm.Response{Finish: llm.FinishStop, Model: Rehearsed, Message: llm.Message{Role: llm.RoleAssistant, Content: text}}, nil
}

// next takes the answer for a request from the act: verdicts and words wait in
// separate queues, and one line of failures is several answers.
func (p *prompter) next(r llm.Request) (line, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = append(p.asked, r)
	i := slices.IndexFunc(p.waiting, func(l line) bool { return l.mark != "sum" && (l.mark == "judge") == (r.Schema != nil) })
	if i < 0 {
		if p.problem == "" {
			p.problem = "the model was asked for words, and the script has none: add = WORDS, ! TOOL {…} or x FAILURE"
			if r.Schema != nil {
				p.problem = "the model was asked to judge, and the script does not say how: add judge {…}; the question was\n" +
					r.Messages[len(r.Messages)-1].Content
			}
		}
		return line{}, false
	}
	l := p.waiting[i]
	first, rest, more := strings.Cut(l.text, " ")
	if l.mark == "x" && more {
		p.waiting[i].text, l.text = rest, first
		return l, true
	}
	p.waiting = slices.Delete(p.waiting, i, i+1)
	return l, true
}

// fault returns how an answer fails; nil when it does not.
func (l line) fault() error {
	name, ok := strings.CutPrefix(l.text, "x ")
	if l.mark == "x" || l.mark == "judge" && ok {
		return faults[name]
	}
	return nil
}

// record asks the real model and keeps its answer as lines of a script.
func (p *prompter) record(ctx context.Context, r llm.Request) (llm.Response, error) {
	resp, err := p.real.Complete(ctx, r, nil)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = append(p.asked, r)
	l := line{mark: "=", text: resp.Message.Content}
	switch {
	case err != nil:
		l = line{mark: "x", text: "503"}
		for _, name := range slices.Sorted(maps.Keys(faults)) {
			if errors.Is(err, faults[name]) {
				l.text = name
			}
		}
	case len(resp.Message.ToolCalls) > 0:
		var calls []string
		for _, c := range resp.Message.ToolCalls {
			calls = append(calls, c.Name+" "+strings.Join(strings.Fields(c.Args), " "))
		}
		l = line{mark: "!", text: strings.Join(calls, "\n")}
	}
	if r.Schema != nil {
		l.text = strings.TrimPrefix(l.String(), "= ")
		l.mark = "judge"
	}
	p.recorded = append(p.recorded, l)
	return resp, err
}

// faults are the failures that a script can give its model.
var faults = map[string]error{
	"400": llm.ErrBadRequest, "401": llm.ErrAuth, "404": llm.ErrModelNotFound, "429": llm.ErrRateLimited,
	"500": llm.ErrUnavailable, "503": llm.ErrUnavailable, "quota": llm.ErrQuota, "filter": llm.ErrFiltered,
	"overflow": llm.ErrContextOverflow, "invalid": llm.ErrInvalidOutput,
}
