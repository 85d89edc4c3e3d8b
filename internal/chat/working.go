package chat

import "slices"

// Worker is a Reply that can tell which tools are at work.
type Worker interface {
	// Work tells that a tool begins, or ends.
	Work(tool string, begins bool)
}

// Work tells w that a tool is at work until done is called, which also ends what
// the tool said about itself (Reply.Status).
func Work(w Reply, tool string) (done func()) {
	worker, ok := w.(Worker)
	if ok {
		worker.Work(tool, true)
	}
	return func() {
		if ok {
			worker.Work(tool, false)
		}
		w.Status("")
	}
}

// Watcher is an Adapter that can show what is done for an answer. Elsewhere people
// see typing.
type Watcher interface {
	// Watch shows that these tools, by name, are at work for m; with none, that the
	// model is. It must not block.
	Watch(m Message, tools []string)
}

// Work implements Worker.
func (l *live) Work(tool string, begins bool) {
	w, ok := l.h.adapter(l.m.Key.Platform).(Watcher)
	if !ok {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if begins {
		l.tools = append(l.tools, tool)
	} else if i := slices.Index(l.tools, tool); i >= 0 {
		l.tools = slices.Delete(l.tools, i, i+1)
	}
	w.Watch(l.m, slices.Clone(l.tools))
}
