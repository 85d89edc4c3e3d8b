package memory

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/internal/chat"
)

// syncedSetting is the row that holds what file and rows said when they last
// agreed.
const syncedSetting = "facts_file.synced"

// massDelete is how many facts may vanish from the file at once before that is
// taken for an accident.
const massDelete = 5

// SyncFacts brings a facts file and a person's rows in step, both ways: what
// changed on one side since they last agreed is taken over to the other. Where
// both changed, the rows stay and the file's words are listed under Conflicts
// until somebody deletes the line. text is the file, exists whether there is
// one. It returns what the file has to say now, and changes nothing on a
// mistake.
func (s *Store) SyncFacts(ctx context.Context, user string, where chat.Key, text string, exists bool) (string, error) {
	v := Viewer{User: user, Key: where, Direct: true}
	base := map[int64]FactRecord{}
	saved, err := s.Setting(ctx, syncedSetting)
	if err != nil {
		return "", err
	}
	if saved != "" {
		if err := json.Unmarshal([]byte(saved), &base); err != nil {
			return "", during("sync facts", err)
		}
	}
	file := FactsFile{}
	if exists {
		if file, err = ReadFacts(text); err != nil {
			return "", err
		}
	}
	rows, err := s.records(ctx, v)
	if err != nil {
		return "", err
	}
	if exists {
		m := merge3{s: s, v: v, base: base, rows: rows, file: file}
		if err := m.run(ctx); err != nil {
			return "", err
		}
		file.Conflicts = m.file.Conflicts
	}
	return s.agree(ctx, v, saved, file.Conflicts)
}

// agree writes down what both sides say now, if that is not what saved has.
func (s *Store) agree(ctx context.Context, v Viewer, saved string, conflicts []string) (string, error) {
	rows, err := s.records(ctx, v)
	if err != nil {
		return "", err
	}
	now := map[int64]FactRecord{}
	for _, r := range rows {
		now[r.ID] = FactRecord{Content: r.Content, Tags: r.Tags}
	}
	b, err := json.Marshal(now)
	if err != nil {
		return "", err
	}
	if string(b) != saved {
		err = s.SetSetting(ctx, syncedSetting, string(b))
	}
	return WriteFacts(v.User, rows, conflicts), err
}

func (s *Store) records(ctx context.Context, v Viewer) ([]FactRecord, error) {
	list, err := s.Facts(ctx, v, 1_000_000, 0)
	records := make([]FactRecord, 0, len(list))
	for _, f := range list {
		if f.Scope == ScopePerson {
			records = append(records, recordOf(f))
		}
	}
	return records, err
}

// merge3 takes a file's changes over into rows.
type merge3 struct {
	s    *Store
	v    Viewer
	base map[int64]FactRecord
	rows []FactRecord
	file FactsFile
}

func (m *merge3) run(ctx context.Context) error {
	inFile := map[int64]bool{}
	for _, f := range m.file.Facts {
		inFile[f.ID] = true
	}
	var gone []FactRecord
	for _, r := range m.rows {
		if b, was := m.base[r.ID]; was && !inFile[r.ID] && b.same(r) {
			gone = append(gone, r)
		}
	}
	if len(gone) > massDelete && len(gone) == len(m.rows) {
		return fmt.Errorf("all %d facts are gone from the file; if that is meant, use /facts clear", len(gone))
	}
	for _, r := range gone {
		if _, err := m.s.ForgetFact(ctx, m.v, r.ID); err != nil {
			return err
		}
	}
	for _, f := range m.file.Facts {
		if err := m.take(ctx, f); err != nil {
			return fmt.Errorf("line %d: %w", f.line, err)
		}
	}
	return nil
}

// take decides about one line of the file.
func (m *merge3) take(ctx context.Context, f FactRecord) error {
	i := slices.IndexFunc(m.rows, func(r FactRecord) bool { return f.ID != 0 && r.ID == f.ID })
	base, was := m.base[f.ID]
	switch {
	case i < 0 && !was: // written by hand, or in another folder's file
		_, err := m.s.ImportFacts(ctx, m.v.User, m.v.Key, []FactRecord{f})
		return err
	case i < 0 && f.same(base): // forgotten in the chat
		return nil
	case i < 0:
		m.conflict(f, "it was forgotten in the chat")
		return nil
	case f.same(m.rows[i]) || f.same(base): // equal, or changed in the chat only
		return nil
	case !base.same(m.rows[i]):
		m.conflict(f, "in the chat it became: "+m.rows[i].Content)
		return nil
	}
	if f.Content != m.rows[i].Content {
		if _, err := m.s.UpdateFact(ctx, m.v, f.ID, NewFact{Content: f.Content, Type: f.Type, Author: "user", Session: "facts file"}); err != nil {
			return err
		}
	}
	return m.s.changeFact(ctx, m.v, f.ID, func(tx *Tx, _ Fact) error { return retag(tx, f.ID, f.Tags, Stamp(m.s.now())) })
}

func (m *merge3) conflict(f FactRecord, what string) {
	line := fmt.Sprintf("[%s] the file said: %s %s (%s)", m.s.now().UTC().Format(time.DateOnly), f.Content, strings.Join(f.Tags, " "), what)
	if !slices.Contains(m.file.Conflicts, line) {
		m.file.Conflicts = append(m.file.Conflicts, line)
	}
}
