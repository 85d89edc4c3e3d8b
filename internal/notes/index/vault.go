package index

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"parley/internal/llm/vector"
	"parley/internal/notes/code"
	"parley/internal/notes/document"
)

// Kinds of sources.
const (
	KindNotes = "notes" // Markdown
	KindCode  = "code"
)

// Source is a folder that is read. Its name is unique and part of citations.
type Source struct{ Name, Dir, Kind string }

// Options of Open.
type Options struct {
	// Index is the path of the index file; its folder is made when missing.
	Index   string
	Sources []Source
	// WriteDir is where notes may be written, below the first source of notes;
	// "" is agent-notes.
	WriteDir string
	// Exclude are absolute paths that are never read although they may be
	// inside a source: the data folder. A source that is inside one is read.
	Exclude []string
	// HardLinks also reads and writes files with more than one name. The other
	// name may be outside of the folders.
	HardLinks bool
	PDF       document.PDF // reads PDFs, as pdf.Pages does; nil reads none
	// Tags reads code; nil reads it by its own means. Close ends its process.
	Tags *code.Tags
	// Embed makes vectors of sections and questions, with the model named; nil
	// finds passages by words alone.
	Embed      vector.Embed
	EmbedModel string
	Log        *slog.Logger     // nil is slog.Default
	Now        func() time.Time // nil is time.Now
}

// State is the state of the index.
type State string

// The states. Searches are answered when ready and while loading; while loading they
// use the index that the last run left.
const (
	StateNone     State = "none"     // nothing indexed yet, and nobody at it
	StateBuilding State = "building" // first look at all files
	StateLoading  State = "loading"  // the index is there, the files are being compared with it
	StateReady    State = "ready"
	StateBroken   State = "broken" // damaged; it is built anew
)

// Status is the status for people and metrics.
type Status struct {
	State               State
	Documents, Sections int
	Vectors             int    // made so far, of different sections
	Wordless            int    // different sections that the model makes no vector of
	Done, Total         int    // files of the check that is under way, or of the last one
	Unread              int    // documents that are still to be looked at, while that is under way
	Err                 string // the last thing that went wrong and still is, "" when all is well
	Checked             time.Time
	Sources             []SourceStatus
}

// SourceStatus is the same of one folder.
type SourceStatus struct {
	Name, Kind         string
	Documents, Skipped int    // skipped are too large, not text, or linked
	Linked             int    // skipped because they have more than one name
	Err                string // why the folder or parts of it cannot be read now
	Away               bool   // the folder itself cannot be read; what was known of it stays
	Empty              bool   // of one that is away: it can be read, but all files are gone at once
}

// Vault is the only way to the folders. It is safe for many goroutines.
type Vault struct {
	o    Options
	shut []string
	wake chan struct{} // asks Run for a full check; holds one

	checking sync.Mutex // held by the one full check that is under way
	reading  sync.Mutex // held while documents are read
	changing sync.Mutex // held while the index is written, or replaced
	writing  sync.Mutex // held while a note is written

	life sync.RWMutex // guards ix: held for reading while it is used
	ix   *index

	meanings meanings
	marks    sync.Map     // by name of source, which folder was last checked
	changes  atomic.Int64 // commits to the index

	mu     sync.Mutex // guards status
	status Status
}

// Open opens the index, or makes a new one if it is missing or damaged. It reads no
// note: Run or Refresh do. The caller closes the Vault.
func Open(ctx context.Context, o Options) (*Vault, error) {
	o.WriteDir = cmp.Or(o.WriteDir, "agent-notes")
	if !fs.ValidPath(o.WriteDir) || o.WriteDir == "." || hidden(o.WriteDir) {
		return nil, fmt.Errorf("folder to write notes in: %q is not a plain folder below the notes", o.WriteDir)
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	v := &Vault{o: o, wake: make(chan struct{}, 1)}
	v.meanings.forget()
	names := map[string]bool{}
	for _, s := range o.Sources {
		if s.Name == "" || names[s.Name] || s.Kind != KindNotes && s.Kind != KindCode {
			return nil, fmt.Errorf("source %q of kind %q: a source has a name of its own and is of notes or of code", s.Name, s.Kind)
		}
		names[s.Name] = true
		v.status.Sources = append(v.status.Sources, SourceStatus{Name: s.Name, Kind: s.Kind})
	}
	v.shut = append([]string{o.Index}, o.Exclude...)
	ix, whole, damage, err := openIndex(ctx, o.Index)
	if err != nil {
		return nil, err
	}
	v.ix, v.status.State = ix, StateNone
	switch {
	case damage != nil:
		v.status.State, v.status.Err = StateBroken, damage.Error()
		o.Log.Warn("the index of the notes is built anew", "err", damage)
	case whole:
		v.status.State = StateLoading
	}
	if err := v.anew(ctx); err != nil && !damaged(err) {
		return nil, errors.Join(fmt.Errorf("open index: %w", err), ix.close())
	}
	// Damage that shows only now is repaired by the next check.
	if err := v.count(ctx); err != nil && !damaged(err) {
		return nil, errors.Join(fmt.Errorf("open index: %w", err), ix.close())
	}
	return v, nil
}

// Close closes the index. Run must have returned.
func (v *Vault) Close() error {
	v.life.Lock()
	defer v.life.Unlock()
	if v.o.Tags != nil {
		v.o.Tags.Rest()
	}
	return v.ix.close()
}

// Status returns a copy.
func (v *Vault) Status() Status {
	v.mu.Lock()
	defer v.mu.Unlock()
	s := v.status
	s.Sources = append([]SourceStatus(nil), s.Sources...)
	return s
}

// set changes the status.
func (v *Vault) set(change func(*Status)) {
	v.mu.Lock()
	defer v.mu.Unlock()
	change(&v.status)
}

// using runs f on the index. If f meets damage, the index is rebuilt.
func (v *Vault) using(f func(*index) error) error {
	v.life.RLock()
	defer v.life.RUnlock()
	err := f(v.ix)
	if damaged(err) {
		v.set(func(s *Status) { s.State, s.Err = StateBroken, err.Error() })
		v.nudge()
	}
	return err
}

// asking is using for questions that need a complete index.
func (v *Vault) asking(f func(*index) error) error {
	if s := v.Status().State; s != StateReady && s != StateLoading {
		return ErrNotReady
	}
	err := v.using(f)
	if damaged(err) {
		return ErrNotReady
	}
	return err
}

// nudge asks Run for a full check.
func (v *Vault) nudge() {
	select {
	case v.wake <- struct{}{}:
	default:
	}
}

// rebuild throws the index away and begins a new one.
func (v *Vault) rebuild(ctx context.Context) error {
	v.changing.Lock()
	defer v.changing.Unlock()
	v.life.Lock()
	defer v.life.Unlock()
	_ = v.ix.close() // it is damaged
	if err := removeIndex(v.o.Index); err != nil {
		return err
	}
	ix, _, _, err := openIndex(ctx, v.o.Index)
	if err != nil {
		return err
	}
	v.ix = ix
	v.meanings.forget()
	v.o.Log.Warn("the index of the notes was damaged and is built anew")
	return nil
}

// count brings the numbers of the status up to date.
func (v *Vault) count(ctx context.Context) error {
	var sections int
	counts := map[string]SourceStatus{}
	err := v.using(func(ix *index) error {
		if err := ix.db.QueryRowContext(ctx, "SELECT count(*) FROM sections").Scan(&sections); err != nil {
			return err
		}
		rows, err := ix.db.QueryContext(ctx, "SELECT source, sum(skipped = ''), sum(skipped <> ''), sum(size = ?) FROM docs GROUP BY source",
			barred)
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			var s SourceStatus
			if err := rows.Scan(&s.Name, &s.Documents, &s.Skipped, &s.Linked); err != nil {
				return err
			}
			counts[s.Name] = s
		}
		return rows.Err()
	})
	if err != nil {
		return err
	}
	v.set(func(st *Status) {
		st.Sections, st.Documents = sections, 0
		for i := range st.Sources {
			s := &st.Sources[i]
			c := counts[s.Name]
			s.Documents, s.Skipped, s.Linked = c.Documents, c.Skipped, c.Linked
			st.Documents += s.Documents
		}
	})
	return nil
}

// excluded resolves the folders that are never read; they may have moved.
func (v *Vault) excluded() (all []os.FileInfo) {
	for _, name := range v.shut {
		if info, err := os.Stat(filepath.Clean(name)); err == nil {
			all = append(all, info)
		}
	}
	return all
}
