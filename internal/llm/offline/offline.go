// Package offline is the built-in responder: what answers when no model is
// connected. It understands a small, documented set of plain sentences, turns
// them into the tool calls a model would make, and says the rest of the time
// what it is. It never pretends to reason, and it is not a model.
package offline

import (
	"context"
	"slices"
	"strings"
	"sync"

	"parley/internal/llm"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// Name is the model name under which it goes.
const Name = "builtin"

// Model answers without a model. The zero Model is ready; it never blocks, and
// calls it makes are only of tools the request offers.
type Model struct {
	// Why says in a sentence what keeps a real model from answering; "" is that
	// none is connected, with how to connect one.
	Why string
	// Sure makes it the free lane beside a real model: it does only what a whole sentence
	// asks for in so many words, and answers sums and what its own calls gave. For all else
	// Complete fails with llm.ErrNone, and the model is asked.
	Sure bool
	// Tells lets it say what the calls of a model gave, too, when that cannot go on.
	Tells bool
}

// Takes reports whether the free lane answers the last of some messages, of somebody who
// speaks a language, if it has every tool.
func Takes(messages []llm.Message, tag string) bool {
	return talk{messages: conversation(messages), tools: everything(), speaks: tag, sure: true}.fits()
}

// conversation is a request without the system's messages, one of which stands between what
// was said before and what is said now.
func conversation(messages []llm.Message) (all []llm.Message) {
	for _, m := range messages {
		if m.Role != llm.RoleSystem {
			all = append(all, m)
		}
	}
	return all
}

// everything names all tools that sentences may ask for.
var everything = sync.OnceValue(func() (all []string) {
	for _, b := range books() {
		for _, p := range b.phrases {
			if !slices.Contains(answers, p.does) && !slices.Contains(all, p.does) {
				all = append(all, p.does)
			}
		}
	}
	return all
})

// Complete implements llm.Model.
func (m Model) Complete(ctx context.Context, r llm.Request, onText func(string)) (llm.Response, error) {
	if ctx.Err() != nil {
		return llm.Response{}, context.Cause(ctx)
	}
	if r.Spend != nil {
		if err := r.Spend(); err != nil {
			return llm.Response{}, err
		}
	}
	resp := llm.Response{Model: Name, Rote: true, Finish: llm.FinishStop, Message: llm.Message{Role: llm.RoleAssistant}}
	if r.Schema != nil {
		return resp, &llm.Error{Class: llm.ErrNone, Detail: "the built-in responder cannot judge or sum up"}
	}
	p := catalog.Of(ctx)
	talk := talk{messages: conversation(r.Messages), tools: offered(r), speaks: p.Tag(), sure: m.Sure}
	if m.Sure && !talk.mine(m.Tells) && !talk.fits() {
		return resp, errElse
	}
	if last := r.Messages[len(r.Messages)-1]; last.Role == llm.RoleTool {
		resp.Message.Content = told(p, talk)
	} else if a, ok := talk.said(); ok && !(a.loose && guided(p, r) != "") {
		calls, text := m.answer(in(p, a), a)
		if calls != nil {
			resp.Finish, resp.Message.ToolCalls = llm.FinishToolCalls, calls
			return resp, nil
		}
		resp.Message.Content = text
		if slices.Contains([]string{"greeting", "help", "about"}, a.does) && !answered(r) { // they may not know who answers
			resp.Message.Content = m.honest(in(p, a), r, a.book)
		}
	} else if text := guided(p, r); text != "" {
		resp.Message.Content = text
	} else {
		resp.Message.Content = m.honest(p, r, inOrder(talk.speaks)[0])
	}
	if onText != nil {
		onText(resp.Message.Content)
	}
	return resp, nil
}

// in is the language of a sentence, which people are answered in; that of who speaks
// where it has no catalog.
func in(p catalog.Printer, a asked) catalog.Printer {
	if own, known := catalog.For(a.tag); known {
		return own
	}
	return p
}

func offered(r llm.Request) []string {
	if r.Callable != nil {
		return r.Callable
	}
	names := make([]string, len(r.Tools))
	for i, t := range r.Tools {
		names[i] = t.Name
	}
	return names
}

// speaker is the author's name that stands before what is said in a group.
var speaker = text.Pattern(`^[^:\n]{1,64}: `)

// rowNumber is how a result names the row it was about.
var rowNumber = text.Pattern(`[(（]#(\d+)[)）]`)

// last returns the number of the fact, or the reminder, that was spoken of last, "" for none
// or several.
func last(messages []llm.Message, what string) string {
	for _, m := range slices.Backward(messages) {
		if m.Role != llm.RoleTool || !strings.Contains(m.Name, what) {
			continue
		}
		switch found := rowNumber().FindAllStringSubmatch(m.Content, -1); len(found) {
		case 0:
		case 1:
			return found[0][1]
		default:
			return ""
		}
	}
	return ""
}
