package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// pin is what was approved of one tool.
type pin struct {
	Hash        string `json:"hash"` // of the definition
	Description string `json:"description"`
	Said        string `json:"said,omitempty"` // its hints; "" was pinned before they were read
}

// pins are the approved definitions by server and tool, kept in a file.
type pins struct {
	path string
	mu   sync.Mutex // guards all, born and the file
	all  map[string]map[string]pin
	born map[string]time.Time // when a server was first seen, by this process
}

// settling is how long after its first list a server may add to it: some have
// the rest of their tools only when the handshake is over.
const settling = 3 * listPause / 2

// openPins reads the file; a missing one is empty, a broken one an error:
// going on without it would trust every server anew.
func openPins(path string) (*pins, error) {
	p := &pins{path: path, all: map[string]map[string]pin{}, born: map[string]time.Time{}}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if err != nil {
		return nil, fmt.Errorf("mcp: read pins: %w", err)
	}
	if err := json.Unmarshal(data, &p.all); err != nil || p.all == nil {
		return nil, fmt.Errorf("mcp: %s is broken; mend it, or delete it to approve every server's tools as they are now: %v", filepath.Base(path), err)
	}
	return p, nil
}

// compare splits what a server has into what is approved and what is pending.
// A server never seen before is approved as it stands, once it has a tool: the
// operator has just configured it.
func (p *pins) compare(server string, all []definition) (approved []definition, pending []Change, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	before, changed := maps.Clone(p.all[server]), false
	if len(p.all[server]) == 0 && len(all) > 0 {
		p.all[server], p.born[server] = map[string]pin{}, time.Now()
	}
	fresh := time.Since(p.born[server]) < settling
	for _, d := range all {
		was, known := p.all[server][d.name]
		if !known && fresh || was.Hash == d.hash && was.Said == "" {
			was, changed = d.pin(), true
			p.all[server][d.name] = was
		}
		if was.Hash == d.hash && was.Said == d.said() {
			approved = append(approved, d)
			continue
		}
		pending = append(pending, Change{Tool: d.name, New: !known, Description: d.Description,
			Before: was.Description, Parameters: string(d.Parameters), Hints: d.Hints, Hash: d.id()})
	}
	if changed {
		if err := p.save(); err != nil { // what is not on disk is not approved
			p.all[server] = before
			return nil, nil, err
		}
	}
	return approved, pending, nil
}

func (p *pins) approve(server string, d definition) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.all[server] == nil {
		p.all[server] = map[string]pin{}
	}
	was, known := p.all[server][d.name]
	p.all[server][d.name] = d.pin()
	err := p.save()
	if err != nil { // what is not on disk is not approved
		delete(p.all[server], d.name)
		if known {
			p.all[server][d.name] = was
		}
	}
	return err
}

// save replaces the file as a whole. The caller holds mu.
func (p *pins) save() error {
	data, err := json.MarshalIndent(p.all, "", "  ")
	if err != nil {
		return fmt.Errorf("mcp: write pins: %w", err)
	}
	if err := writeFile(p.path, data); err != nil {
		return fmt.Errorf("mcp: write pins: %w", err)
	}
	return nil
}
