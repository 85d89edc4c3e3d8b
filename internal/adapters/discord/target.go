package discord

import "sync"

// mostTargets is how many messages that forms are about are kept. What was
// forgotten only costs the form.
const mostTargets = 200

// targets holds the messages that open forms are about: Discord does not send them
// again with what was typed. Its zero value is ready.
type targets struct {
	mu    sync.Mutex // guards the rest
	byID  map[string]target
	order []string
}

func (t *targets) put(id string, about target) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byID == nil {
		t.byID = map[string]target{}
	}
	if _, again := t.byID[id]; !again {
		t.order = append(t.order, id)
	}
	t.byID[id] = about
	if len(t.order) > mostTargets {
		delete(t.byID, t.order[0])
		t.order = t.order[1:]
	}
}

func (t *targets) get(id string) (target, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	about, ok := t.byID[id]
	return about, ok
}
