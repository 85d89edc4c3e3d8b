package agent

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/playbook"
	"parley/internal/text"
	"parley/internal/text/catalog"
	"parley/internal/tools"
	"parley/internal/tools/elicit"
)

// How long a question may be, in runes: about one call, and in all. More does not fit into
// one message on every platform, and a call that cannot be shown in full is not run. The
// question of a built-in tool may span messages if nothing else is asked.
const (
	maxAsked    = 1500
	maxAskAll   = 1700
	maxAskedOwn = 8000
)

// questions puts the calls that need a yes to the person.
type questions struct {
	*job
	tools  *toolrun
	links  *links
	report *report
	// waits are calls of subagents that need a yes; in a subagent's turn, its own.
	waits []Waiting
	// wish lists the inbox rows of what led to the question that this turn is the answer to.
	wish []int64
}

// within notes the journey that calls are made in, and the step that makes them.
func (qs *questions) within(list []Asked) {
	book := qs.a.o.Book()
	if book == nil || !qs.keep {
		return
	}
	front, err := book.Front(playbook.State{User: qs.m.From.ID, Session: raw(qs.tools.context.session.Playbook)})
	if err != nil {
		qs.a.o.Log.Warn("the journey of a question", "err", err)
	}
	for i := range list {
		c := &list[i].Call
		if c.Journey == "" {
			c.Journey = front
		}
	}
}

// asksFor returns how many runes a question takes in a list.
func asksFor(say string) int { return utf8.RuneCountInString(say) + 4*(1+strings.Count(say, "\n")) }

// over reports whether a yes to a tool's calls must come from somebody over the person.
func (qs *questions) over(tool string) bool {
	spec, _ := qs.tools.set.Lookup(tool)
	return spec.Over
}

// mixed reports whether a call and those already asked about need the yes of different people.
func (qs *questions) mixed(c llm.ToolCall, asked []string) bool {
	return slices.ContainsFunc(asked, func(tool string) bool { return qs.over(tool) != qs.over(c.Name) })
}

// askable refuses the calls that nobody can be asked about.
func (qs *questions) askable(calls []llm.ToolCall, outcomes []tools.Outcome) []tools.Outcome {
	room, asked := maxAskAll, []string(nil)
	for _, w := range qs.waits {
		room, asked = room-asksFor(w.Say), append(asked, w.Call.Tool)
	}
	first := firstInquiry(outcomes)
	for i, o := range outcomes {
		if o.Class != tools.NeedsYes {
			continue
		}
		n, limit := asksFor(qs.question(calls[i], o)), maxAsked
		if spec, _ := qs.tools.set.Lookup(calls[i].Name); spec.Confirm && spec.Server == "" && o.Question != "" {
			limit = maxAskedOwn
		}
		switch {
		case first >= 0: // one question at a time
			o = unasked(o, wordsTooManyToAsk)
		case qs.a.o.Confirm == nil:
			o = unasked(o, wordsNoConfirm)
		case qs.sub != nil && qs.tools.set.ForAgent("").Only(calls[i].Name).Len() == 0: // the conversation may not make it either
			o = unasked(o, "Nothing was done: this needs the person's yes, and you cannot ask them. Leave it, and say so in your answer.")
		case qs.mixed(calls[i], asked):
			o = unasked(o, wordsTooManyToAsk)
		case n > limit:
			o = unasked(o, fmt.Sprintf("Not done: the person must agree to this and has to see all of it, and it has %d characters, of "+
				"which one message holds %d. Make it shorter, or do it in parts.", n, limit))
			qs.report.deeds = append(qs.report.deeds, tools.Deed{Note: qs.in.p.Say("_Not done: %s. You would have to agree to it, and it is too long to be shown whole._", strings.ReplaceAll(calls[i].Name, "_", " "))})
		case min(n, maxAsked) > room:
			o = unasked(o, wordsTooManyToAsk)
		default:
			room -= min(n, maxAsked)
			asked = append(asked, calls[i].Name)
			if qs.sub != nil {
				o.Result.Content = "Not done yet: this needs the person's yes, and they are asked when you are finished. Do not " +
					"call it again. Go on with what does not depend on it, and say in your answer what waits."
				qs.waits = append(qs.waits, Waiting{qs.question(calls[i], o), qs.pending(calls[i], o), len(o.Far) > 0})
			}
		}
		outcomes[i] = o
	}
	return outcomes
}

func (qs *questions) pending(c llm.ToolCall, o tools.Outcome) Pending {
	made, step := qs.tools.call(c), qs.tools.steps[c.ID]
	return Pending{Journey: step.Journey, Step: step.Step,
		Tool: c.Name, Args: string(o.Args), Key: made.Key, CallID: c.ID, Row: qs.m.Row, Message: made.Message, Origin: made.Origin}
}

// takeUp makes the calls that a subagent handed up wait as the turn's own. Those that no
// longer fit into one question are dropped, and the model is told.
func (qs *questions) takeUp(c llm.ToolCall, list []Waiting) {
	room := maxAskAll
	for _, w := range qs.waits {
		room -= asksFor(w.Say)
	}
	for i, w := range list {
		w.Call.CallID, w.Call.Row = fmt.Sprintf("%s/%d", c.ID, i+1), qs.m.Row
		state, class := tools.Pending, tools.NeedsYes
		if n := asksFor(w.Say); n > room || i > 0 && qs.over(w.Call.Tool) != qs.over(list[0].Call.Tool) {
			state, class = tools.Failed, tools.NotAllowed
		} else {
			room -= n
			qs.waits = append(qs.waits, w)
		}
		qs.report.calls = append(qs.report.calls, memory.CallRecord{
			CallID: w.Call.CallID, Name: text.Clip(w.Call.Tool, 64), Arguments: w.Call.Args, Status: string(state), Class: string(class),
		})
	}
}

func unasked(o tools.Outcome, why string) tools.Outcome {
	o.State, o.Class, o.Result.Content = tools.Failed, tools.NotAllowed, why
	return o
}

// question returns what the person is asked about a call: the tool's own words and values,
// unchanged. Only in a guard's reason are made-up addresses defused.
func (qs *questions) question(c llm.ToolCall, o tools.Outcome) string {
	say := o.Question
	if say == "" {
		say = qs.in.p.Say("Do this: %s?", strings.ReplaceAll(c.Name, "_", " ")) + "\n" + tools.Listed(o.Args)
	}
	return strings.TrimSpace(qs.links.defanged(o.Because) + "\n" + strings.TrimSpace(say))
}

// Fill takes what a person has said to a question of a tool server; see
// elicit.Open.
func (a *Agent) Fill(p catalog.Printer, c Pending, m chat.Message, said chat.Said) (say string, form *chat.Form, reply tools.Reply) {
	return a.inquiries.Fill(p, c.Inquiry, m.Direct, said)
}

// ExpireInquiries tells servers whose question has waited for life that nobody answers.
func (a *Agent) ExpireInquiries(life time.Duration) { a.inquiries.Expire(life) }

// firstInquiry returns the index of the first outcome that is a server's question; -1 for
// none.
func firstInquiry(outcomes []tools.Outcome) int {
	for i, o := range outcomes {
		if o.Class == tools.NeedsInput {
			return i
		}
	}
	return -1
}

// inquired returns the question of a server among outcomes, for the person.
func (qs *questions) inquired(calls []llm.ToolCall, outcomes []tools.Outcome) []Asked {
	i := firstInquiry(outcomes)
	if i < 0 {
		return nil
	}
	asks, ok := outcomes[i].Result.Data.(tools.Inquiry)
	if !ok {
		return nil
	}
	q := elicit.New(asks)
	say, form := q.Ask(qs.in.p, qs.m.Direct)
	spec, _ := qs.tools.set.Lookup(calls[i].Name)
	c := qs.tools.call(calls[i])
	p := Pending{Tool: calls[i].Name, Args: string(outcomes[i].Args), Key: c.Key, CallID: calls[i].ID, Row: qs.m.Row,
		Message: c.Message, Origin: c.Origin, Inquiry: qs.a.inquiries.Add(q)}
	if was, ok := qs.tools.agreed[calls[i].ID]; ok {
		p.CallID, p.Row, p.Journey, p.Step = was.CallID, was.Row, was.Journey, was.Step
	}
	return []Asked{{Say: say, Spec: spec, Call: p, Form: form}}
}
