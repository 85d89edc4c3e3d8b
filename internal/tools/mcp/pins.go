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

	"parley/internal/text"
)

// pin records the approval of one tool.
type pin struct {
	Hash        string `json:"hash"` // of the definition
	Description string `json:"description"`
	Said        string `json:"said,omitempty"` // its title and hints; without the title, or "", was pinned before these were read
	// Reads is true once the owner has taken the server's word that it only reads.
	Reads bool `json:"reads,omitempty"`
}

// older reports whether a pin is of this definition, as far as pins went when it was
// made, and what it did not keep is not there to be shown now.
func (p pin) older(d definition) bool {
	return p.Hash == d.hash && p.Said == "" && len(d.titles) == 0
}

// titled reports whether a definition differs from a pin at most in what was not always
// kept, its title.
func (p pin) titled(d definition) bool {
	return p.Hash == d.hash && (p.Said == d.hinted() || p.Said == "")
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
		return nil, fmt.Errorf("mcp: %s is broken; mend it, or delete it to approve every server's tools as they are now: %v",
			filepath.Base(path), err)
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
		if !known && fresh || was.older(d) {
			was, changed = d.pin(false), true
			p.all[server][d.name] = was
		}
		if was.Hash == d.hash && was.Said == d.said() {
			approved = append(approved, d)
			continue
		}
		pending = append(pending, Change{Tool: d.name, New: !known, Description: d.Description,
			Before: was.Description, Parameters: string(d.Parameters), Hints: d.Hints, Hash: d.id(), Titled: known && was.titled(d)})
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
	before := p.all[server]
	p.all[server] = maps.Clone(before)
	if before == nil {
		p.all[server] = map[string]pin{}
	}
	p.all[server][d.name] = d.pin(true)
	err := p.save()
	if err != nil { // what is not on disk is not approved
		p.all[server] = before
	}
	return err
}

// of returns the pin of a definition; ok is false if it is not approved as it is.
func (p *pins) of(server string, d definition) (was pin, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	was = p.all[server][d.name]
	return was, was.Hash == d.hash && was.Said == d.said()
}

// claim is a server's word that a tool of it only reads.
type claim struct {
	definition
	remote *remote
}

// Taken implements tools.Claim.
func (c claim) Taken() bool {
	was, ok := c.remote.pins.of(c.remote.server.Name, c.definition)
	return ok && was.Reads
}

// Take implements tools.Claim. A tool that has changed since is not approved by it.
func (c claim) Take() error {
	if _, ok := c.remote.pins.of(c.remote.server.Name, c.definition); !ok {
		return fmt.Errorf("mcp: tool %q of server %s: %w", c.name, c.remote.server.Name, ErrChanged)
	}
	return c.remote.approve(c.name, c.id())
}

// save replaces the file as a whole. The caller holds mu.
func (p *pins) save() error {
	data, err := json.MarshalIndent(p.all, "", "  ")
	if err == nil {
		err = text.WriteFile(p.path, data, 0o600, nil)
	}
	if err != nil {
		return fmt.Errorf("mcp: write pins: %w", err)
	}
	return nil
}
