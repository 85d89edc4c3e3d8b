package facts

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

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
	Text string // to write to the file
	// Merged reports that the database has what the file says, also with an error.
	Merged bool
	agreed string
}

// Unfit is why a facts file cannot be used as it is. Only its owner can mend that.
type Unfit struct{ Why error }

// Error implements error.
func (e *Unfit) Error() string { return e.Why.Error() }

// Unwrap implements the convention of package errors.
func (e *Unfit) Unwrap() error { return e.Why }

// SyncFacts merges a facts file and a person's facts in the database. A change on one side
// since they last agreed is made on the other. If both sides changed a fact, the database
// keeps its version, and the file lists its own under Conflicts until somebody deletes the
// line. text is the file; exists reports whether there is one. All that a file changes is
// found and checked first, and stored in one transaction, or nothing is: then it returns an
// *Unfit, a *MassError or another error. When the file has the returned text, the caller
// calls FactsAgreed.
func (s *Store) SyncFacts(ctx context.Context, p Paper, text string, exists bool) (Synced, error) {
	v := Viewer{User: p.User, Key: chat.DirectKey(p.User), Direct: true}
	file, err := File{}, error(nil)
	if exists {
		if file, err = s.readable(p, text); err != nil {
			return Synced{}, err
		}
	}
	base, err := s.factsBase(ctx, p, file.Subject)
	if err != nil {
		return Synced{}, err
	}
	m := merge3{s: s, v: v, base: base, file: file}
	if exists {
		if err := m.plan(s.db); err != nil {
			return Synced{}, err
		}
		accepted, err := m.check(ctx, text)
		if err != nil {
			return Synced{}, err
		}
		if err := m.run(ctx, accepted); err != nil {
			return Synced{}, engine.During("sync facts", err)
		}
	}
	return s.inStep(v, slices.Concat(file.Conflicts, m.conflicts))
}

// readable parses a person's file, or returns an *Unfit.
func (s *Store) readable(p Paper, text string) (File, error) {
	file, err := Parse(text)
	if err == nil && file.Subject != "" && file.Subject != p.User {
		err = fmt.Errorf("it holds facts about %s, and must hold those about %s: put another file there, or change its line \"subject:\"",
			file.Subject, p.User)
	}
	if err != nil {
		return file, &Unfit{err}
	}
	return file, s.notOthers(p.User, file.Facts)
}

// notOthers refuses a file with somebody else's facts, which would become this person's.
func (s *Store) notOthers(user string, list []Record) error {
	lines := map[int64]int{}
	for _, r := range list {
		lines[r.ID] = r.line
	}
	b, err := json.Marshal(slices.Collect(maps.Keys(lines)))
	if err != nil {
		return err
	}
	var id int64
	err = s.db.QueryRow("SELECT id FROM key_facts WHERE id IN (SELECT CAST(value AS BIGINT) FROM json_each(?)) AND subject <> ? LIMIT 1",
		string(b), user).Scan(&id)
	if err == nil {
		return &Unfit{fmt.Errorf("line %d: this fact is not about %s: take the line out, or what stands between %%%% behind it", lines[id], user)}
	}
	return engine.NoRow(err, nil)
}

// inStep returns what both sides must say now.
func (s *Store) inStep(v Viewer, conflicts []string) (Synced, error) {
	rows, err := records(s.db, v)
	if err != nil {
		return Synced{Merged: true}, err
	}
	now := map[int64]string{}
	for _, r := range rows {
		now[r.ID] = r.sum()
	}
	b, err := json.Marshal(now)
	return Synced{Text: Render(v.User, rows, conflicts, s.o.Now()), Merged: true, agreed: string(b)}, err
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

func records(query engine.Querier, v Viewer) ([]Record, error) {
	list, err := facts(query, v, page, engine.Named{"limit": 1_000_000, "offset": 0})
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

// refuse stores and returns mass, or returns nil if somebody accepted this very file.
func (s *Store) refuse(ctx context.Context, mass *MassError) error {
	accepted, err := s.o.Settings.Setting(ctx, acceptedSetting)
	if err != nil || accepted == mass.Sum {
		return err
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
	if err := s.refuse(ctx, &MassError{Away: true, Sum: "away"}); err != nil {
		return err
	}
	return s.db.Write(ctx, settle)
}
