package facts

import (
	"context"
	"slices"
	"strings"

	"parley/internal/db/engine"
	"parley/internal/memory/provenance"
	"parley/internal/text/catalog"
)

// Rank says how firmly a fact stands: what may replace it.
type Rank int

// The ranks. An important fact stands above others of its rank.
const (
	Guessed  Rank = iota + 1 // composed by a model
	PickedUp                 // said in passing
	Kept                     // said in order to be kept
)

// String implements catalog.Phrase.
func (r Rank) String() string {
	return map[Rank]string{Guessed: "guessed", PickedUp: "picked up in passing", Kept: "said to be kept"}[r]
}

// In implements catalog.Phrase.
func (r Rank) In(p catalog.Printer) string { return p.Text(r.String()) }

func (r Rank) standing(important bool) int {
	if important {
		return 2*int(r) + 1
	}
	return 2 * int(r)
}

func (f Fact) standing() int { return f.Rank.standing(f.Important) }

// SaveFact saves something that v said. A fact that says the same stays. A fact with the
// same subject and relation but another value is corrected, keeping its ID and age, if it
// is v's and stands no more firmly. Otherwise both stand, and Change.Other is the one it
// contradicts.
func (s *Store) SaveFact(ctx context.Context, v Viewer, f NewFact) (Saved, error) {
	if err := f.normalize(); err != nil {
		return Saved{}, err
	}
	if v.Direct {
		f.Scope = ScopePerson
	}
	subject, err := subjectOf(v, f.Scope)
	if err != nil {
		return Saved{}, err
	}
	var saved Saved
	err = s.db.Write(ctx, func(tx *engine.Tx) (err error) {
		if late, err := s.outdated(tx, v.User, f); err != nil || late {
			saved = Saved{}
			return err
		}
		saved, err = s.saveFact(tx, v, subject, f)
		return err
	})
	return saved, engine.During("save fact", err)
}

// outdated reports whether a fact was learned from words that were forgotten since.
func (s *Store) outdated(tx *engine.Tx, user string, f NewFact) (bool, error) {
	if f.Generation != 0 {
		if now, err := s.o.Generation(tx, f.Session); err != nil || now != f.Generation {
			return true, err
		}
	}
	return forgottenSince(tx, user, f.Said)
}

// done returns the result of an earlier call with the same key; ok is false if there was
// none.
func done(tx *engine.Tx, v Viewer, call string) (saved Saved, ok bool, err error) {
	if call == "" {
		return saved, false, nil
	}
	list, err := facts(tx, v, byCall, engine.Named{"call": call})
	if err != nil || len(list) == 0 {
		return saved, false, err
	}
	saved = Saved{Fact: list[0]}
	saved.Change, err = lastChange(tx, v, list[0].ID)
	if saved.Known = saved.Change.ID == 0 || saved.Change.marks(); saved.Change.Kind == Replaced && !saved.Known {
		saved.Replaced = list[0].Previous
	}
	return saved, true, err
}

func (s *Store) saveFact(tx *engine.Tx, v Viewer, subject string, f NewFact) (Saved, error) {
	if saved, ok, err := done(tx, v, f.CallKey); err != nil || ok {
		return saved, err
	}
	near, err := s.related(tx, v, Fact{Scope: f.Scope, Subject: subject}, f.Content)
	if err != nil {
		return Saved{}, err
	}
	if !near.doubt {
		f.weigh(near.differ)
	} else {
		f.weigh(Fact{})
	}
	settles := near.differ.ID != 0 && !near.doubt && near.others == 0 && f.mayReplace(v, near.differ)
	switch {
	case near.same.ID != 0 && settles && near.differ.standing() >= near.same.standing(): // two stood side by side
		return s.merge(tx, v, [2]Fact{near.differ, near.same}, f)
	case near.same.ID != 0:
		return s.affirm(tx, v, near.same, f)
	case near.differ.ID != 0 && !f.Said.IsZero() && near.differ.Updated.After(f.Said):
		return Saved{Fact: near.differ, Known: true}, nil
	case settles:
		return s.correct(tx, v, near.differ, f)
	}
	return s.insert(tx, v, near.differ, f)
}

// mayReplace is the rule for replacing facts: a fact replaces none that stands more firmly,
// and no other person's words.
func (f NewFact) mayReplace(v Viewer, old Fact) bool {
	if f.Explicit {
		return true
	}
	own := old.Scope == ScopePerson || len(old.Origin.But(v.User).People) == 0
	return own && f.Rank.standing(slices.Contains(f.Tags, shortTag)) >= old.standing()
}

// affirm handles a fact that was said again. The higher rank and new tags count.
func (s *Store) affirm(tx *engine.Tx, v Viewer, old Fact, f NewFact) (Saved, error) {
	saved := Saved{Fact: old, Known: true}
	if f.Rank < old.Rank || !f.Said.IsZero() && old.Updated.After(f.Said) {
		return saved, nil
	}
	tags, err := normalTags(append(slices.Clone(old.Tags), f.Tags...))
	if err != nil {
		return saved, err
	}
	old.Rank, old.Tags = f.Rank, tags
	saved.Fact, err = s.mark(tx, v, old, 0)
	return saved, err
}

// mark stores the rank and tags of f. Only Undo tells people about it; batch, if not 0, is
// the change with which it is undone.
func (s *Store) mark(tx *engine.Tx, v Viewer, f Fact, batch int64) (Fact, error) {
	old, err := factOf(tx, v, f.ID)
	if err != nil || f.Rank == old.Rank && slices.Equal(f.Tags, old.Tags) {
		return old, err
	}
	now := engine.Stamp(s.o.Now())
	history, err := keepHistory(tx, f.ID, now)
	if err != nil {
		return old, err
	}
	if err := retag(tx, f.ID, f.Tags, now); err != nil {
		return old, err
	}
	if _, err := tx.Exec("UPDATE key_facts SET rank = ? WHERE id = ?", int(f.Rank), f.ID); err != nil {
		return old, err
	}
	if f, err = factOf(tx, v, f.ID); err == nil {
		_, err = s.note(tx, v, Change{Kind: Replaced, Fact: f, Was: f.Content, History: history, Batch: batch}, true)
	}
	return f, err
}

// insert adds a fact. against is the one that it contradicts; its ID is 0 for none.
func (s *Store) insert(tx *engine.Tx, v Viewer, against Fact, f NewFact) (Saved, error) {
	subject, err := subjectOf(v, f.Scope)
	if err != nil {
		return Saved{}, err
	}
	now := s.o.Now()
	stamp := engine.Stamp(now)
	id, err := tx.Insert(`INSERT INTO key_facts (scope, subject, owner, platform, channel, content, tags, important, type, author,
			session_id, message_id, quote, confidence, valid_from, call_key, created_at, updated_at, via, people, rank, ends, agent)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		string(f.Scope), subject, ownerWord(subject), v.Key.Platform, v.Key.Channel, f.Content, strings.Join(f.Tags, " "),
		slices.Contains(f.Tags, shortTag),
		f.Type, f.Author, f.Session, f.MessageID, f.Quote, f.Confidence, stamp, f.CallKey, stamp, stamp,
		int(f.Origin.Via), f.origin(v, subject).Names(), int(f.Rank), engine.Stamp(endOf(f.Content, now)), v.Keeper())
	if err != nil {
		return Saved{}, err
	}
	saved := Saved{}
	if saved.Fact, err = factOf(tx, v, id); err != nil {
		return Saved{}, err
	}
	saved.Change, err = s.note(tx, v, Change{Kind: Added, Fact: saved.Fact, Other: against, Learned: f.Rank < Kept,
		Source: f.Source}, !f.Later)
	return saved, err
}

// origin returns the origin of a fact about subject that v saves: v's words count, too,
// unless it is about v.
func (f NewFact) origin(v Viewer, subject string) provenance.Origin {
	return f.Origin.Of(v.User).But(subject)
}

// correct gives an old fact new content, and keeps the old one in its history.
func (s *Store) correct(tx *engine.Tx, v Viewer, old Fact, f NewFact) (Saved, error) {
	tags, err := normalTags(append(slices.Clone(old.Tags), f.Tags...))
	if err != nil {
		return Saved{}, err
	}
	now := s.o.Now()
	stamp := engine.Stamp(now)
	history, err := keepHistory(tx, old.ID, stamp)
	if err != nil {
		return Saved{}, err
	}
	_, err = tx.Exec(`UPDATE key_facts SET content = ?, previous = ?, author = ?, session_id = ?, message_id = ?, quote = ?, confidence = ?,
		valid_from = ?, updated_at = ?, call_key = ?, via = via | ?, people = ?, rank = ?, ends = ? WHERE id = ?`,
		f.Content, old.Content, f.Author, f.Session, f.MessageID, f.Quote, f.Confidence, stamp, stamp, f.CallKey,
		int(f.Origin.Via), old.Origin.And(f.origin(v, old.Subject)).Names(), int(f.Rank), engine.Stamp(endOf(f.Content, now)), old.ID)
	if err != nil {
		return Saved{}, err
	}
	if err := retag(tx, old.ID, tags, stamp); err != nil {
		return Saved{}, err
	}
	saved := Saved{Replaced: old.Content}
	if saved.Fact, err = factOf(tx, v, old.ID); err != nil {
		return Saved{}, err
	}
	saved.Change, err = s.note(tx, v, Change{Kind: Replaced, Fact: saved.Fact, Was: old.Content, History: history,
		Learned: f.Rank < Kept, Source: f.Source}, !f.Later)
	return saved, err
}

func retag(tx *engine.Tx, id int64, tags []string, now string) error {
	_, err := tx.Exec("UPDATE key_facts SET tags = ?, important = ?, updated_at = ? WHERE id = ?",
		strings.Join(tags, " "), slices.Contains(tags, shortTag), now, id)
	return err
}

// UpdateFact gives a fact that v can see new content, if that stands as firmly or f is
// Explicit; otherwise it adds a fact. Another fact of the same subject that already says
// the same is superseded.
func (s *Store) UpdateFact(ctx context.Context, v Viewer, id int64, f NewFact) (Saved, error) {
	if err := f.normalize(); err != nil {
		return Saved{}, err
	}
	var saved Saved
	err := s.changeFact(ctx, v, id, func(tx *engine.Tx, old Fact) (err error) {
		if was, ok, err := done(tx, v, f.CallKey); err != nil || ok {
			saved = was
			return err
		}
		near, err := s.related(tx, v, old, f.Content)
		if err != nil {
			return err
		}
		f.Scope = old.Scope
		f.weigh(old)
		same := near.same
		another := same.ID != 0 && same.ID != id
		switch replaces := f.mayReplace(v, old); {
		case same.ID == id && same.Content == f.Content:
			saved, err = s.affirm(tx, v, old, f)
		case replaces && another:
			saved, err = s.merge(tx, v, [2]Fact{old, same}, f)
		case replaces:
			saved, err = s.correct(tx, v, old, f)
		case another:
			saved, err = s.affirm(tx, v, same, f)
		default:
			saved, err = s.insert(tx, v, old, f)
		}
		return err
	})
	return saved, engine.During("update fact", err)
}

// merge corrects the first of two facts to what the second says, too, and supersedes the
// second. The result has the higher rank and the tags of both.
func (s *Store) merge(tx *engine.Tx, v Viewer, two [2]Fact, f NewFact) (Saved, error) {
	other := two[1]
	f.Rank, f.Tags, f.Origin = max(f.Rank, other.Rank), append(slices.Clip(f.Tags), other.Tags...), f.Origin.And(other.Origin)
	saved, err := s.correct(tx, v, two[0], f)
	if err != nil {
		return saved, err
	}
	saved.Change.Other.ID = other.ID
	if _, err := tx.Exec("UPDATE key_facts SET valid_to = ?, superseded_by = ? WHERE id = ?", engine.Stamp(s.o.Now()),
		saved.ID, other.ID); err != nil {
		return saved, err
	}
	_, err = tx.Exec("UPDATE fact_changes SET other_id = ? WHERE id = ?", other.ID, saved.Change.ID)
	return saved, err
}
