package index

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"parley/internal/db/sqlite"
	"parley/internal/llm/vector"
	"parley/internal/notes/code"
	"parley/internal/notes/document"
)

// Kinds of sources.
const (
	KindNotes = "notes" // Markdown
	KindCode  = "code"
)

// Source is a folder that is indexed. Its name is unique and part of citations.
type Source struct{ Name, Dir, Kind string }

// Options of Open.
type Options struct {
	// Index is the path of the index file; its folder is made when missing.
	Index   string
	Sources []Source
	// WriteDir is the folder for new notes, below the first source of notes; "" means
	// agent-notes.
	WriteDir string
	// Exclude lists absolute paths that are never read, such as the data folder, even
	// inside a source. A source inside one of them is read.
	Exclude []string
	// HardLinks also allows files with more than one name. The other name may be
	// outside the folders.
	HardLinks bool
	PDF       document.PDF // pdf.Pages; nil reads no PDF
	// Tags reads code; nil leaves that to package code. Close ends its process.
	Tags *code.Tags
	// Embed makes vectors of sections and questions with EmbedModel; nil finds passages
	// by words alone.
	Embed      vector.Embed
	EmbedModel string
	Log        *slog.Logger     // nil is slog.Default
	Now        func() time.Time // nil is time.Now
}

// State says what the index is doing. Searches work in StateReady, and in StateLoading
// on the index that the last run left.
type State string

// The states.
const (
	StateNone     State = "none"     // nothing indexed yet, and nothing running
	StateBuilding State = "building" // the first check of all files
	StateLoading  State = "loading"  // files are being compared with an existing index
	StateReady    State = "ready"
	StateBroken   State = "broken" // damaged; being rebuilt
)

// Status reports on the index, for people and metrics.
type Status struct {
	State               State
	Documents, Sections int
	Vectors             int    // distinct sections with a vector
	Wordless            int    // distinct sections that the model cannot embed
	Done, Total         int    // files of the current or the last check
	Unread              int    // documents still to check; 0 between checks
	Err                 string // the unsolved problem, "" for none
	Checked             time.Time
	Sources             []SourceStatus
}

// SourceStatus reports on one folder.
type SourceStatus struct {
	Name, Kind         string
	Documents, Skipped int    // skipped: too large, not text, or linked
	Linked             int    // skipped because they have more than one name
	Err                string // why the folder or parts of it cannot be read now
	Away               bool   // the folder cannot be read; its entries stay in the index
	Empty              bool   // away because all its files are gone at once
}

// Vault is the only access to the folders. It is safe for concurrent use.
type Vault struct {
	o    Options
	shut []string
	wake chan struct{} // asks Run for a full check; holds one

	checking sync.Mutex // held by the one full check that is running
	reading  sync.Mutex // held while documents are read
	changing sync.Mutex // held while the index is written or replaced
	writing  sync.Mutex // held while a note is written

	life sync.RWMutex // guards ix: held for reading while it is used
	ix   *index

	meanings meanings
	marks    sync.Map     // mark of the folder last checked, by name of source
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
	if err = v.anew(ctx); err == nil {
		err = v.count(ctx)
	}
	if err != nil && !sqlite.IsDamage(err) { // the next check repairs damage that shows only now
		return nil, errors.Join(fmt.Errorf("open index: %w", err), ix.db.Close())
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
	return v.ix.db.Close()
}

// Status returns a copy.
func (v *Vault) Status() Status {
	v.mu.Lock()
	defer v.mu.Unlock()
	s := v.status
	s.Sources = slices.Clone(s.Sources)
	return s
}

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
	if sqlite.IsDamage(err) {
		v.set(func(s *Status) { s.State, s.Err = StateBroken, err.Error() })
		v.nudge()
	}
	return err
}

// asking is using for questions that need a complete index; else it is ErrNotReady.
func (v *Vault) asking(f func(*index) error) error {
	if s := v.Status().State; s != StateReady && s != StateLoading {
		return ErrNotReady
	}
	err := v.using(f)
	if sqlite.IsDamage(err) {
		return ErrNotReady
	}
	return err
}

// nudge asks Run for a full check.
func (v *Vault) nudge() { ask(v.wake) }

// ask leaves a request in a channel that holds one. It does not block.
func ask(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// rebuild replaces the index by an empty one.
func (v *Vault) rebuild(ctx context.Context) error {
	v.changing.Lock()
	defer v.changing.Unlock()
	v.life.Lock()
	defer v.life.Unlock()
	_ = v.ix.db.Close() // it is damaged
	if err := cache(v.o.Index, nil).Remove(); err != nil {
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

// count updates the numbers in the status.
func (v *Vault) count(ctx context.Context) error {
	var sections int
	counts := map[string]SourceStatus{}
	err := v.using(func(ix *index) error {
		if err := ix.db.QueryRowContext(ctx, "SELECT count(*) FROM sections").Scan(&sections); err != nil {
			return err
		}
		return each(ctx, ix.db, func(rows *sql.Rows) error {
			var s SourceStatus
			err := rows.Scan(&s.Name, &s.Documents, &s.Skipped, &s.Linked)
			counts[s.Name] = s
			return err
		}, "SELECT source, sum(skipped = ''), sum(skipped <> ''), sum(size = ?) FROM docs GROUP BY source", barred)
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

// excluded resolves the paths that are never read. They may have moved.
func (v *Vault) excluded() (all []os.FileInfo) {
	for _, name := range v.shut {
		if info, err := os.Stat(filepath.Clean(name)); err == nil {
			all = append(all, info)
		}
	}
	return all
}
