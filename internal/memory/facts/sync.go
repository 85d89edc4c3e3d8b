package facts

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/internal/chat"
	"parley/internal/db/engine"
	"parley/internal/text/catalog"
)

// syncedSetting begins the name of the setting that holds the state in which file and
// database last agreed: the sum of each fact, by ID. Earlier versions had one such setting
// for every file.
const syncedSetting = "facts_file.synced"

// Paper is a facts file: whose facts it holds, and where it is.
type Paper struct{ User, Path string }

func (p Paper) setting() string { return syncedSetting + ":" + sumOf(p.User+"\n"+p.Path) }

// agreed returns the state in which file and database last agreed, "" for none. The setting
// of earlier versions counts for a file that names its user.
func (s *Store) agreed(ctx context.Context, p Paper, subject string) (string, error) {
	v, err := s.o.Settings.Setting(ctx, p.setting())
	if err != nil || v != "" || subject != p.User {
		return v, err
	}
	return s.o.Settings.Setting(ctx, syncedSetting)
}

// massDelete is how many facts may vanish from the file at once before it looks like an
// accident. So do more than a fifth of them, unless it is one fact.
const massDelete = 5

// MassError reports that so much vanished or changed in a facts file that it looks like an
// accident. Nothing was taken over.
type MassError struct {
	Gone, Changed, Total int
	Cut                  bool   // the file ends in the middle of a line
	Away                 bool   // the file is gone, and its folder is empty
	Sum                  string // of the file, for AcceptFacts
}

// Error implements error.
func (e *MassError) Error() string { return e.In(catalog.Printer{}) }

// In implements catalog.Phrase.
func (e *MassError) In(p catalog.Printer) string {
	what := p.Say("%d of %d facts are gone from the file", e.Gone, e.Total)
	switch {
	case e.Away:
		what = p.Text("the facts file is gone and its folder is empty, as if its disk were away; once it is back all " +
			"goes on, and it is not written anew until then")
	case e.Gone == 0:
		what = p.Say("%d of %d facts say something else in the file", e.Changed, e.Total)
	case e.Cut:
		what += p.Text(", and its last line has no end, as if it had been cut")
	}
	return what + p.Text("; if that is meant, say so with /facts file accept or bot facts file accept")
}

// Synced is the result of SyncFacts.
type Synced struct {
	Text   string // to write to the file
	agreed string
}

// SyncFacts merges a facts file and a person's facts in the database. A change on one side
// since they last agreed is made on the other. If both sides changed a fact, the database
// keeps its version, and the file lists its own under Conflicts until somebody deletes the
// line. text is the file; exists reports whether there is one. It changes nothing if the
// file has a mistake, or if it returns a *MassError. When the file has the returned text,
// the caller calls FactsAgreed.
func (s *Store) SyncFacts(ctx context.Context, p Paper, text string, exists bool) (Synced, error) {
	v := Viewer{User: p.User, Key: chat.DirectKey(p.User), Direct: true}
	file, err := File{}, error(nil)
	if exists {
		if file, err = Parse(text); err == nil && file.Subject != "" && file.Subject != p.User {
			err = fmt.Errorf("it holds facts about %s, and must hold those about %s: put another file there, or change its line \"subject:\"",
				file.Subject, p.User)
		}
		if err == nil {
			err = s.notOthers(p.User, file.Facts)
		}
		if err != nil {
			return Synced{}, err
		}
	}
	base, err := s.factsBase(ctx, p, file.Subject)
	if err != nil {
		return Synced{}, err
	}
	rows, err := s.records(ctx, v)
	if err != nil {
		return Synced{}, err
	}
	if exists {
		m := merge3{s: s, v: v, base: base, rows: rows, file: file}
		m.weigh()
		if err := m.check(ctx, text); err != nil {
			return Synced{}, err
		}
		if err := m.run(ctx); err != nil {
			return Synced{}, err
		}
		file.Conflicts = m.file.Conflicts
	}
	return s.inStep(ctx, v, file.Conflicts)
}

// notOthers refuses a file with somebody else's facts, which would become this person's.
func (s *Store) notOthers(user string, list []Record) error {
	for _, r := range list {
		var n int
		if r.ID == 0 {
			continue
		}
		if err := s.db.QueryRow("SELECT count(*) FROM key_facts WHERE id = ? AND subject <> ?", r.ID, user).Scan(&n); err != nil {
			return err
		}
		if n > 0 {
			return fmt.Errorf("line %d: this fact is not about %s: take the line out, or what stands between %%%% behind it", r.line, user)
		}
	}
	return nil
}

// inStep returns what both sides must say now.
func (s *Store) inStep(ctx context.Context, v Viewer, conflicts []string) (Synced, error) {
	rows, err := s.records(ctx, v)
	if err != nil {
		return Synced{}, err
	}
	now := map[int64]string{}
	for _, r := range rows {
		now[r.ID] = r.sum()
	}
	b, err := json.Marshal(now)
	return Synced{Text: Render(v.User, rows, conflicts, s.o.Now()), agreed: string(b)}, err
}

// FactsAgreed notes that the file has the text that SyncFacts returned.
func (s *Store) FactsAgreed(ctx context.Context, p Paper, done Synced) error {
	saved, err := s.o.Settings.Setting(ctx, p.setting())
	if err == nil && saved != done.agreed {
		err = s.o.Settings.SetSetting(ctx, p.setting(), done.agreed)
	}
	if err == nil {
		err = s.clearSetting(ctx, syncedSetting)
	}
	return engine.During("sync facts", err)
}

// factsBase returns the sums of the facts when file and database last agreed.
func (s *Store) factsBase(ctx context.Context, p Paper, subject string) (map[int64]string, error) {
	base := map[int64]string{}
	saved, err := s.agreed(ctx, p, subject)
	if err != nil || saved == "" {
		return base, err
	}
	if json.Unmarshal([]byte(saved), &base) == nil {
		return base, nil
	}
	var words map[int64]Record // the form of earlier versions
	if err := json.Unmarshal([]byte(saved), &words); err != nil {
		return nil, engine.During("sync facts", err)
	}
	base = map[int64]string{}
	for id, r := range words {
		base[id] = r.sum()
	}
	return base, nil
}

// sum identifies what a record tells a person.
func (r Record) sum() string { return sumOf(r.Content + "\n" + strings.Join(r.Tags, " ")) }

func sumOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:12])
}

func (s *Store) records(ctx context.Context, v Viewer) ([]Record, error) {
	list, err := s.Facts(ctx, v, 1_000_000, 0)
	records := make([]Record, 0, len(list))
	for _, f := range list {
		if f.Scope == ScopePerson {
			records = append(records, recordOf(f))
		}
	}
	return records, err
}

// clearSetting deletes a row that is rarely there.
func (s *Store) clearSetting(ctx context.Context, name string) error {
	v, err := s.o.Settings.Setting(ctx, name)
	if err == nil && v != "" {
		err = s.o.Settings.SetSetting(ctx, name, "")
	}
	return err
}

// merge3 makes a file's changes in the database, by a three-way merge.
type merge3 struct {
	s    *Store
	v    Viewer
	base map[int64]string
	rows []Record
	file File

	gone    []Record // removed from the file
	changed int      // facts with new content in the file
}

// weigh counts the file's changes.
func (m *merge3) weigh() {
	inFile := map[int64]Record{}
	for _, f := range m.file.Facts {
		inFile[f.ID] = f
	}
	for _, r := range m.rows {
		f, there := inFile[r.ID]
		switch b, was := m.base[r.ID]; {
		case was && !there && b == r.sum():
			m.gone = append(m.gone, r)
		case was && there && b == r.sum() && f.Content != r.Content:
			m.changed++
		}
	}
}

// check refuses what looks like an accident, unless somebody accepted this very file.
func (m *merge3) check(ctx context.Context, text string) error {
	n, total := len(m.gone), len(m.rows)
	mass := &MassError{Gone: n, Changed: m.changed, Total: total, Cut: !strings.HasSuffix(text, "\n"), Sum: sumOf(text)}
	vanish := n > massDelete || n > 1 && 5*n > total || n > 0 && mass.Cut
	if !vanish && (m.changed <= massDelete || 2*m.changed <= total) {
		return m.s.clearSetting(ctx, refusedSetting)
	}
	return m.s.refuse(ctx, mass)
}

// refuse stores and returns mass, or returns nil if somebody accepted this very file.
func (s *Store) refuse(ctx context.Context, mass *MassError) error {
	accepted, err := s.o.Settings.Setting(ctx, acceptedSetting)
	if err != nil {
		return err
	}
	if accepted == mass.Sum {
		return errors.Join(s.clearSetting(ctx, acceptedSetting), s.clearSetting(ctx, refusedSetting))
	}
	b, err := json.Marshal(mass)
	if err != nil {
		return err
	}
	if now, err := s.o.Settings.Setting(ctx, refusedSetting); err != nil || now == string(b) {
		return cmp.Or[error](err, mass)
	}
	return cmp.Or[error](s.o.Settings.SetSetting(ctx, refusedSetting, string(b)), mass)
}

// FactsAway returns a *MassError for a missing file that was in sync before. It returns nil
// if none was, or if somebody accepted that it is written anew.
func (s *Store) FactsAway(ctx context.Context, p Paper) error {
	saved, err := s.agreed(ctx, p, p.User)
	if err != nil || saved == "" {
		return err
	}
	return s.refuse(ctx, &MassError{Away: true, Sum: "away"})
}

func (m *merge3) run(ctx context.Context) error {
	step := undoStep{At: engine.Stamp(m.s.o.Now())}
	for _, r := range m.gone {
		if err := m.s.changeFact(ctx, m.v, r.ID, func(tx *engine.Tx, f Fact) error { return hide(tx, f, step.At) }); err != nil {
			return err
		}
		step.Gone = append(step.Gone, r.ID)
	}
	var err error
	for _, f := range m.file.Facts {
		if err = m.take(ctx, f, &step); err != nil {
			err = fmt.Errorf("line %d: %w", f.line, err)
			break
		}
	}
	return errors.Join(err, m.s.addUndo(ctx, step))
}

// take merges one line of the file.
func (m *merge3) take(ctx context.Context, f Record, step *undoStep) error {
	i := slices.IndexFunc(m.rows, func(r Record) bool { return f.ID != 0 && r.ID == f.ID })
	base, was := m.base[f.ID]
	switch {
	case i < 0 && !was: // written by hand, or in another folder's file
		before, err := m.s.lastFact()
		if err != nil {
			return err
		}
		if _, err = m.s.ImportFacts(ctx, m.v.User, m.v.Key, []Record{f}); err != nil {
			return err
		}
		after, err := m.s.lastFact()
		if after > before {
			step.Added = append(step.Added, after)
		}
		return err
	case i < 0 && f.sum() == base: // forgotten in the chat
		return nil
	case i < 0:
		m.conflict(f, "it was forgotten in the chat")
		return nil
	case f.same(m.rows[i]) || f.sum() == base: // equal, or changed in the chat only
		return nil
	case base != m.rows[i].sum():
		m.conflict(f, "in the chat it became: "+m.rows[i].Content)
		return nil
	}
	step.Changed = append(step.Changed, f.ID)
	return m.s.changeFact(ctx, m.v, f.ID, func(tx *engine.Tx, old Fact) error {
		now := engine.Stamp(m.s.o.Now())
		if _, err := keepHistory(tx, f.ID, now); err != nil {
			return err
		}
		if f.Content != old.Content {
			_, err := tx.Exec(`UPDATE key_facts SET content = ?, previous = ?, author = 'user', session_id = 'facts file', message_id = '', quote = '', confidence = 1,
				valid_from = ?, call_key = '', rank = ?, ends = ? WHERE id = ?`, f.Content, old.Content, now, int(Kept), engine.Stamp(endOf(f.Content, m.s.o.Now())), f.ID)
			if err != nil {
				return err
			}
		}
		return retag(tx, f.ID, f.Tags, now)
	})
}

func (m *merge3) conflict(f Record, what string) {
	line := fmt.Sprintf("[%s] the file said: %s %s (%s)", m.s.o.Now().UTC().Format(time.DateOnly), f.Content, strings.Join(f.Tags, " "), what)
	if !slices.Contains(m.file.Conflicts, line) {
		m.file.Conflicts = append(m.file.Conflicts, line)
	}
}
