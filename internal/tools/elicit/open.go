package elicit

import (
	"context"
	"crypto/rand"
	"sync"
	"time"

	"parley/internal/chat"
	"parley/internal/text/catalog"
	"parley/internal/tools"
)

// Open holds the questions that wait for a person, by name. They wait in memory with
// their calls: a restart ends both.
type Open struct {
	Now func() time.Time // the clock; required

	mu   sync.Mutex // guards open and what is in it
	open map[string]*Inquiry
}

// Add keeps an inquiry until it is answered, and names it.
func (i *Open) Add(q *Inquiry) (name string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.open == nil {
		i.open = map[string]*Inquiry{}
	}
	name = rand.Text()
	i.open[name] = q
	q.put = i.Now()
	return name
}

// Take ends an inquiry here; nil where there is none of that name.
func (i *Open) Take(name string) *Inquiry {
	i.mu.Lock()
	defer i.mu.Unlock()
	q := i.open[name]
	delete(i.open, name)
	return q
}

// Drop tells the server that nobody answers. It does not wait for a reaction.
func (i *Open) Drop(name string) {
	if q := i.Take(name); q != nil {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_, _ = q.Go(tools.Reply{Action: tools.Cancel}).Call(ctx, tools.Call{})
	}
}

// Expire drops questions that have waited for life. Another process may have noticed
// before.
func (i *Open) Expire(life time.Duration) {
	i.mu.Lock()
	var late []string
	for name, q := range i.open {
		if i.Now().Sub(q.put) >= life {
			late = append(late, name)
		}
	}
	i.mu.Unlock()
	for _, name := range late {
		i.Drop(name)
	}
}

// Fill takes a person's answer to an open question. Say is their next question, with
// form; without it they have answered everything, in reply. A question that is gone
// counts as cancelled. direct means that nobody else reads it.
func (i *Open) Fill(p catalog.Printer, name string, direct bool, said chat.Said) (say string, form *chat.Form, reply tools.Reply) {
	i.mu.Lock()
	defer i.mu.Unlock()
	q := i.open[name]
	if q == nil {
		return "", nil, tools.Reply{Action: tools.Cancel}
	}
	q.put = i.Now()
	reply, sorry := q.hear(p, said)
	if reply.Action != "" {
		return "", nil, reply
	}
	say, form = q.Ask(p, direct)
	if sorry != "" {
		say = sorry + "\n\n" + say
	}
	return say, form, reply
}
