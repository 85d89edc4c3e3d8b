package mcp

import (
	"bytes"
	"encoding/json"
	"sync"
)

// taskOnly are the tools of a server that run only as a task: they start and
// are asked about later, which is not supported, so a plain call fails. The
// library does not read that part of a list. The zero taskOnly is ready.
type taskOnly struct {
	mu    sync.Mutex // guards names
	names map[string]bool
}

// hear reads it from a message; it is a hearing.
func (t *taskOnly) hear(message []byte) {
	if !bytes.Contains(message, []byte(`"taskSupport"`)) {
		return
	}
	var list struct {
		Result struct {
			Tools []struct {
				Name      string
				Execution struct{ TaskSupport string }
			}
		}
	}
	if json.Unmarshal(message, &list) != nil {
		return // the library complains
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, tool := range list.Result.Tools {
		if t.names == nil {
			t.names = map[string]bool{}
		}
		t.names[tool.Name] = tool.Execution.TaskSupport == "required"
	}
}

func (t *taskOnly) has(name string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.names[name]
}
