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

// syncedSetting is the beginning of the row that holds sums of what file and rows
// said when they last agreed, by the number of the fact. Earlier versions had one
// such row for whatever file there was.
const syncedSetting = "facts_file.synced"

// Paper is a facts file: whose facts it holds, and where it is.
type Paper struct{ User, Path string }

// setting is the row of what it and the rows agreed upon.
func (p Paper) setting() string { return syncedSetting + ":" + sumOf(p.User+"\n"+p.Path) }

// agreed is what a paper and the rows agreed upon, "" for nothing yet. What
// earlier versions kept counts for the paper that says whose it is.
func (s *Store) agreed(ctx context.Context, p Paper, subject string) (string, error) {
	v, err := s.o.Settings.Setting(ctx, p.setting())
	if err != nil || v != "" || subject != p.User {
		return v, err
	}
	return s.o.Settings.Setting(ctx, syncedSetting)
}

// massDelete is how many facts may vanish from the file at once before that is
// taken for an accident; so is more than one in five of them, but for a single
// one.
const massDelete = 5

// MassError says that so much is gone from a facts file, or different in it,
// that it is taken for an accident, and nothing was taken over.
type MassError struct {
	Gone, Changed, Total int
	Cut                  bool   // the file ends in the middle of a line
	Away                 bool   // it is not there, and nothing beside it
	Sum                  string // of the file, for AcceptFacts
}

// Error implements error.
func (e *MassError) Error() string { return e.In(catalog.Printer{}) }

// In says it in a language.
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

// Synced is what came of a look at a facts file.
type Synced struct {
	Text   string // what the file has to say now
	agreed string
}

// SyncFacts brings a facts file and a person's rows in step, both ways: what
// changed on one side since they last agreed is taken over to the other. Where
// both changed, the rows stay and the file's words are listed under Conflicts
// until somebody deletes the line. text is the file, exists whether there is
// one. It changes nothing on a mistake, nor when a *MassError says that too
// much is gone. Once the file says what it returns, FactsAgreed is told.
func (s *Store) SyncFacts(ctx context.Context, p Paper, text string, exists bool) (Synced, error) {
	v := Viewer{User: p.User, Key: chat.DirectKey(p.User), Direct: true}
	file, err := File{}, error(nil)
	if exists {
		if file, err = Parse(text); err == nil && file.Subject != "" && file.Subject != p.User {
			err = fmt.Errorf("it holds facts about %s, and is to hold those about %s: put another file there, or change its line \"subject:\"",
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

// notOthers refuses a file with lines of somebody else's facts: they would become
// this person's.
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
			return fmt.Errorf("line %d: fact #%d is not about %s: take the line out, or what stands between %%%% behind it", r.line, r.ID, user)
		}
	}
	return nil
}

// inStep is what both sides have to say now.
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

// FactsAgreed notes that the file says what a sync returned.
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

// factsBase is what file and rows last agreed upon, as sums.
func (s *Store) factsBase(ctx context.Context, p Paper, subject string) (map[int64]string, error) {
	base := map[int64]string{}
	saved, err := s.agreed(ctx, p, subject)
	if err != nil || saved == "" {
		return base, err
	}
	if json.Unmarshal([]byte(saved), &base) == nil {
		return base, nil
	}
	var words map[int64]Record // as earlier versions kept it
	if err := json.Unmarshal([]byte(saved), &words); err != nil {
		return nil, engine.During("sync facts", err)
	}
	base = map[int64]string{}
	for id, r := range words {
		base[id] = r.sum()
	}
	return base, nil
}

// sum stands for what a record tells a person.
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

// merge3 takes a file's changes over into rows.
type merge3 struct {
	s    *Store
	v    Viewer
	base map[int64]string
	rows []Record
	file File

	gone    []Record // were in the file, and are not any more
	changed int      // say something else there
}

// weigh counts what the file would do.
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

// check refuses what looks like an accident, unless somebody accepted exactly
// this file.
func (m *merge3) check(ctx context.Context, text string) error {
	n, total := len(m.gone), len(m.rows)
	mass := &MassError{Gone: n, Changed: m.changed, Total: total, Cut: !strings.HasSuffix(text, "\n"), Sum: sumOf(text)}
	vanish := n > massDelete || n > 1 && 5*n > total || n > 0 && mass.Cut
	if !vanish && (m.changed <= massDelete || 2*m.changed <= total) {
		return m.s.clearSetting(ctx, refusedSetting)
	}
	return m.s.refuse(ctx, mass)
}

// refuse is nil when somebody accepted just this.
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

// FactsAway is a *MassError when a file that was kept in step is not there, and
// nil when none was, or somebody accepted that it is written anew.
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
		if err := m.s.retireFact(ctx, m.v, r.ID, step.At); err != nil {
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

// take decides about one line of the file.
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
