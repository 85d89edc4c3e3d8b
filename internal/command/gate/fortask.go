package gate

import (
	"slices"

	"parley/internal/chat"
)

// servers returns the tool servers that may be allowed for the rest of the task: each thing
// that is asked about must name one, so that a yes for the task never covers what it may not.
func (b body) servers() (list []string) {
	for _, item := range b.Items {
		if item.Task == "" {
			return nil
		}
		if !slices.Contains(list, item.Task) {
			list = append(list, item.Task)
		}
	}
	return list
}

// allows returns the tool servers that an answer allows for the rest of the task. A yes to a
// part allows none.
func (a answered) allows(b body) []string {
	if !a.task || slices.Contains(a.agreed, false) {
		return nil
	}
	return b.servers()
}

// forTask reports whether a message that is a yes says that it is for the task.
func forTask(m chat.Message) bool {
	r := reading{dead: map[int]bool{}}
	return r.read(tokenized(m.Text)) && r.task
}
