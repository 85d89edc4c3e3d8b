package memory

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	"parley/internal/chat"
	"parley/internal/db/chunked"
	"parley/internal/db/engine"
	"parley/internal/memory/facts"
	"parley/internal/memory/importer"
	"parley/internal/text"
)

// Imported counts what an import brought in. Forgotten are messages left out: theirs who
// asked, after they had said them, to be forgotten, and the answers to them.
type Imported struct {
	Messages, Known, Sessions, Forgotten int
	// Left counts what is no message, or was not understood.
	Left map[importer.Kind]int64
	// Proposed are facts of memory files that wait for their person's yes.
	Proposed int
	// From and To are the times of the first and the last message, of a Trial.
	From, To time.Time
}

// Older is older conversations to bring in.
type Older struct {
	From       io.Reader        // JSON lines, or Telegram Desktop's result.json
	Export     *importer.Export // instead of From
	Owner      importer.Owner   // whose conversations it becomes, where the Export's format is Private
	Assistants []string         // people whose words are an assistant's, where From does not say it
	// Trial reads and checks only: Messages, Sessions (conversations here) and Proposed are what
	// there is.
	Trial bool
	// Stored is told how many messages are stored or known, of all; nil is not.
	Stored func(done, of int64)
}

// Import is ImportAll of an export that nobody watches.
func (s *Store) Import(ctx context.Context, r io.Reader) (Imported, error) {
	return s.ImportAll(ctx, Older{From: r})
}

// ImportAll reads older conversations in memory that does not grow with them. It reads and
// checks everything before it stores anything; an error names the line. Meanwhile it keeps
// what is more than a few megabytes, sorted, in a file of the data folder that has no name
// and goes with the process. It stores in chunks beside other writes, even of another process.
// Repeating an import completes what was cut short, of which CutShort tells until then, and
// changes nothing else. Imported sessions are archived without an end time, so retention
// leaves them alone.
func (s *Store) ImportAll(ctx context.Context, x Older) (done Imported, err error) {
	all, err := importer.Sort(ctx, importer.Source{From: x.From, Export: x.Export, Owner: x.Owner, Assistants: x.Assistants,
		Now: s.now()}, s.scratch)
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, all.Close()) }()
	if done.Left = all.Left; x.Trial {
		err = done.counted(all)
		return done, during("import", err)
	}
	if done.Proposed, err = s.propose(ctx, x.Owner.ID, all.Facts); err != nil || all.Count == 0 {
		return done, during("import", err)
	}
	gone, err := s.goneBefore(ctx)
	if err != nil {
		return done, during("import", err)
	}
	if err := s.importBegins(ctx, all); err != nil {
		return done, during("import", err)
	}
	if err := s.storeAll(ctx, all, gone, func(some []*sitting) {
		for _, st := range some {
			done.Messages, done.Sessions = done.Messages+int(st.messages), done.Sessions+int(st.sessions)
			done.Forgotten += int(st.forgotten)
		}
		upto := some[len(some)-1].upto
		done.Known = int(upto) - done.Messages - done.Forgotten
		if x.Stored != nil {
			x.Stored(upto, all.Count)
		}
	}); err != nil {
		return done, during("import", err)
	}
	if done.Messages >= 10*storedAtOnce {
		err = s.db.Survey(ctx)
	}
	return done, during("import", errors.Join(err, s.db.Exec(ctx, "DELETE FROM imports WHERE digest = ?", all.Digest)))
}

// propose keeps what memory files say for their person to weigh.
func (s *Store) propose(ctx context.Context, user string, list []importer.Proposal) (int, error) {
	all := make([]facts.Proposal, len(list))
	for i, p := range list {
		all[i] = facts.Proposal{Text: p.Text, Source: p.Source}
	}
	return s.Facts.Propose(ctx, user, all)
}

// counted counts what an export holds.
func (d *Imported) counted(all *importer.Sorted) error {
	var last chat.Key
	d.Proposed = len(all.Facts)
	for m, err := range all.Messages() {
		if err != nil {
			return err
		}
		if d.Messages++; m.Key != last {
			d.Sessions, last = d.Sessions+1, m.Key
		}
		if d.From.IsZero() || m.At.Before(d.From) {
			d.From = m.At
		}
		if m.At.After(d.To) {
			d.To = m.At
		}
	}
	return nil
}

// scratch makes the file for what an import reads. It has no name.
func (s *Store) scratch() (importer.Scratch, error) {
	dir := cmp.Or(s.dir, os.TempDir())
	if err := os.MkdirAll(dir, 0o700); err != nil { // beside a database on a server there may be none yet
		return nil, err
	}
	file, err := text.Draft(filepath.Join(dir, "import"))
	if err != nil {
		return nil, err
	}
	if err := text.Unname(file); err != nil {
		return nil, err
	}
	return file, nil
}

// heldAtOnce is how many bytes of text are read before they are stored.
const heldAtOnce = 2 << 20

// storeAll stores an export part by part and tells those that are on the disk for good.
func (s *Store) storeAll(ctx context.Context, all *importer.Sorted, gone *goneBefore, stored func([]*sitting)) error {
	var some []*sitting
	bytes := 0
	flush := func() error {
		for _, st := range some {
			for _, m := range st.said {
				if _, err := gone.at(m.User.ID); err != nil { // takes a millisecond each: not while others wait
					return err
				}
			}
		}
		n, err := chunked.Each(ctx, s.db, some, func(tx *engine.Tx, st *sitting) error {
			if err := st.store(tx, gone); err != nil {
				return err
			}
			_, err := tx.Exec("UPDATE imports SET stored = :upto, at = :at WHERE digest = :digest AND stored < :upto",
				engine.Named{"upto": st.upto, "at": Stamp(s.now()), "digest": all.Digest})
			return err
		})
		if n > 0 {
			stored(some[:n])
		}
		some, bytes = nil, 0
		return err
	}
	for st, err := range sit(all.Messages()) {
		if err != nil {
			return err
		}
		some, bytes = append(some, st), bytes+st.bytes+storedAtOnce*len(st.said)
		if bytes >= heldAtOnce {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

// tellFor is how long an import that was cut short is told.
const tellFor = 90 * 24 * time.Hour

// importBegins notes that an import stores from now on.
func (s *Store) importBegins(ctx context.Context, all *importer.Sorted) error {
	return s.db.Write(ctx, func(tx *engine.Tx) error {
		now := Stamp(s.now())
		_, err := tx.Exec("DELETE FROM imports WHERE at < ?", Stamp(s.now().Add(-tellFor)))
		if err == nil {
			_, err = tx.Exec("INSERT INTO imports (digest, total, stored, began, at) VALUES (?, ?, 0, ?, ?) ON CONFLICT (digest) DO UPDATE SET at = excluded.at",
				all.Digest, all.Count, now, now)
		}
		return err
	})
}

// CutShort is an import of which some messages are missing: it was cut short, or goes on.
type CutShort struct {
	Total, Stored int64 // messages
	Began, At     time.Time
}

// CutShort lists the imports that have not ended, oldest first. At is when each stored last.
func (s *Store) CutShort(ctx context.Context) ([]CutShort, error) {
	rows, err := s.db.QueryContext(ctx, "SELECT total, stored, began, at FROM imports ORDER BY began")
	if err != nil {
		return nil, during("look for imports", err)
	}
	list, err := engine.Collect(rows, scanCutShort)
	return list, during("look for imports", err)
}

func scanCutShort(r engine.Scanner) (c CutShort, err error) {
	var began, at string
	err = r.Scan(&c.Total, &c.Stored, &began, &at)
	c.Began, c.At = engine.ParseStamp(began), engine.ParseStamp(at)
	return c, err
}
