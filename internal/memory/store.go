package memory

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"parley/internal/db/engine"
	"parley/internal/llm/vector"
	"parley/internal/memory/access"
	"parley/internal/memory/agenda"
	"parley/internal/memory/cluster/lanes"
	"parley/internal/memory/datadir"
	"parley/internal/memory/embeddings"
	"parley/internal/memory/ends"
	"parley/internal/memory/facts"
	"parley/internal/memory/handoff"
	"parley/internal/memory/hooks"
	"parley/internal/memory/modellog"
	"parley/internal/memory/pgschema"
	"parley/internal/memory/postings"
	"parley/internal/memory/privacy"
	"parley/internal/memory/search"
	"parley/internal/memory/sessions"
	"parley/internal/memory/tokens"
	"parley/internal/memory/usage"
)

// Tx is a transaction, for callers whose work is part of one of the store's.
type Tx = engine.Tx

// Store holds every row that survives a restart. It is safe for many goroutines.
// Reads run beside each other; writes are queued to one writer that commits what
// has gathered in one transaction. Messages on their way in and out, transcripts and
// whatever crosses its parts are its own.
type Store struct {
	File      *datadir.File     // the database and its health
	Facts     *facts.Store      // what is remembered about people and places
	Agenda    *agenda.Agenda    // tasks, reminders and the journal
	Access    *access.Register  // who may do what
	Usage     *usage.Ledger     // what model calls took
	Past      *sessions.Archive // sessions as people see them
	Handoffs  *handoff.Handoffs // conversations that people answer
	Hooks     *hooks.Store      // that speak for other programs
	Tokens    *tokens.Store     // with which programs speak for people
	Ends      *ends.Stream      // what ended, until everyone has acted on it
	Browse    *search.Shelf     // all conversations, for the owner
	Lanes     *lanes.Owned      // which conversations are this process's; nil where it is alone
	Sessions  *Sessions
	Decisions *Decisions
	Questions *Questions // that wait for a person
	Letters   *Letters   // events that were put aside
	People    *People    // but for facts
	Settings  *Settings  // that were changed from the chat
	// Forgetting is called before somebody is forgotten, and over afterwards: it deletes
	// what is kept of them elsewhere. Set it before using the Store; nil does nothing.
	Forgetting func(ctx context.Context, user string) (over func(), err error)

	dir string     // the data folder; "" for none
	db  *engine.DB // of the File
	now func() time.Time

	orders orders         // of messages, for Recall
	lists  postings.Cache // of their words

	meanings *embeddings.Index // of messages
	salt     []byte            // of this database's nonces
	// Cached because every message reads them: whether any part waits for its person, and
	// the newest entries of each session.
	waiting *engine.Kept[struct{}, bool]
	windows *engine.Growing[Entry]

	doubts     lanes.Doubts
	revived    revivals
	shown      shown
	forgetting sync.Mutex // held while somebody is forgotten
	keeps      sync.Mutex // held while who was forgotten is written into the data folder
}

// shown holds the messages whose row has a newer preview than the one they came with.
type shown struct{ rows sync.Map }

func (s *shown) add(row int64)      { s.rows.Store(row, true) }
func (s *shown) has(row int64) bool { _, ok := s.rows.Load(row); return ok }
func (s *shown) drop(row int64)     { s.rows.Delete(row) }

// NoteAuthor is the author of a note.
type NoteAuthor = access.NoteAuthor

// Used is the usage of model calls.
type Used = usage.Used

// Options of Open. The zero value is ready for use.
type Options struct {
	// Now is the clock; nil is time.Now.
	Now   func() time.Time
	URL   string // postgres://… of a database on a server; "" uses a file in the folder
	Fresh bool   // allows a new database where that of a used folder is missing
	Alone bool   // refuses a database on a server that another bot uses
	// MaxPages limits the file's size in pages, to prove what a full disk
	// does; 0 is no limit.
	MaxPages int
	Scratch  bool // a copy that is thrown away: nothing waits for the disk
	// Embed makes vectors of facts, messages and questions with EmbedModel; nil searches
	// by words alone.
	Embed      vector.Embed
	EmbedModel string
	// Node is this process among others on the same database; nil is alone.
	Node lanes.Node
}

// ErrNotFound is returned, wrapped or bare, when there is no such row.
var ErrNotFound = engine.ErrNotFound

// ErrClosed is returned by writes after Close.
var ErrClosed = engine.ErrClosed

// Open opens the database in dir, as datadir.Open does. The caller closes the
// Store.
func Open(ctx context.Context, dir string, o Options) (*Store, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	file, db, err := datadir.Open(ctx, dir, datadir.Options{Migrations: Migrations(), Today: today, Image: todayFile, Seed: seed, Now: o.Now,
		MaxPages: o.MaxPages, URL: o.URL, Served: pgschema.Schema(), Scratch: o.Scratch,
		Fresh: o.Fresh, Alone: o.Alone, Self: lanes.Self(o.Node)})
	if err != nil {
		return nil, err
	}
	s := &Store{File: file, dir: dir, db: db, now: o.Now, Past: sessions.NewArchive(db, o.Now), Browse: search.NewShelf(db),
		Sessions: &Sessions{db: db, now: o.Now, standing: sessions.KeepHeld(db)}, Decisions: &Decisions{db, o.Now}, Letters: &Letters{db, o.Now},
		Questions: &Questions{db: db, now: o.Now, waiting: engine.Keep[standing, bool](db, "questions"),
			lapsed: engine.Keep[standing, bool](db, "questions")},
		People:   &People{db: db, languages: engine.Keep[string, [2]string](db, "people"), voices: engine.Keep[string, string](db, "people")},
		Settings: &Settings{db: db, settings: engine.Keep[string, string](db, "settings")}}
	s.waiting = engine.Keep[struct{}, bool](db, waitingParts)
	s.windows = engine.KeepGrowing(db, engine.List[Entry]{Table: "messages", Read: s.entries,
		ID:     func(e Entry) int64 { return e.ID },
		Weight: func(e Entry) int { return 400 + len(e.Content) + len(e.Attached) + 200*len(e.ToolCalls) }})
	s.Lanes = lanes.New(db, o.Node)
	s.meanings = embeddings.New(db, embeddings.Options{Embed: o.Embed, Model: o.EmbedModel, Now: o.Now})
	s.Facts = facts.NewStore(db, facts.Options{Now: o.Now, Settings: s.Settings, Generation: generation,
		Embed: o.Embed, EmbedModel: o.EmbedModel})
	s.Agenda = agenda.New(db, o.Now, s.Say)
	s.Access = access.NewRegister(db, o.Now, func() string { return lanes.Self(o.Node) })
	s.Usage = usage.NewLedger(db, o.Now)
	s.Handoffs, s.Ends, s.Hooks = handoff.New(db, o.Now), ends.NewStream(db, o.Now), hooks.NewStore(db, o.Now)
	s.Tokens = tokens.NewStore(db, o.Now)
	if err := db.QueryRow("SELECT value FROM secrets WHERE name = 'nonce'").Scan(&s.salt); err != nil {
		return nil, errors.Join(fmt.Errorf("read the salt of nonces: %w", err), s.Close())
	}
	return s, nil
}

// Close waits for queued writes and closes the database. It may be called twice.
func (s *Store) Close() error { return s.File.Close() }

// Rest gives back what only busy times need.
func (s *Store) Rest(ctx context.Context) error { return s.db.Rest(ctx) }

// IndexWords builds the full-text indexes on a server to which rows were copied.
func (s *Store) IndexWords(ctx context.Context, seen func(done, of int64)) error {
	return pgschema.Index(ctx, s.db, seen)
}

// Witness reports whose words answers were made of.
func (s *Store) Witness() modellog.Witness { return modellog.NewWitness(s.db) }

// Eraser passes on what to forget between processes, and has this one forget what it
// caches, and what tried lets go of.
func (s *Store) Eraser(self func() string, t *modellog.Tape, tried func() error) *privacy.Eraser {
	return privacy.NewEraser(s.db, self, privacy.Own{Tape: t, Memory: s.meanings.Forget, Tried: tried})
}

// Meanings are the vectors of messages.
func (s *Store) Meanings() *embeddings.Index { return s.meanings }
