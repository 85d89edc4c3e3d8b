package facts

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"parley/internal/chat"
	"parley/internal/db/engine"
)

// Imported counts imported facts.
type Imported struct{ Added, Known int }

// ImportFacts imports facts about a person, all or none. It does not add a fact again that
// is remembered word for word, and compares nothing else, so that exported facts come back
// unchanged. where is the place of facts that name none.
func (s *Store) ImportFacts(ctx context.Context, user string, where chat.Key, list []Record) (done Imported, err error) {
	v := Viewer{User: user, Key: where, Direct: true}
	list = slices.Clone(list) // the oldest first, as they were learned
	slices.SortStableFunc(list, func(a, b Record) int { return a.Created.Compare(b.Created) })
	err = s.db.Write(ctx, func(tx *engine.Tx) error {
		done = Imported{}
		known, err := knownOf(tx, v)
		if err != nil {
			return err
		}
		for _, r := range list {
			added, err := s.importFact(tx, v, r, known)
			if err != nil {
				return fmt.Errorf("line %d: %w", r.line, err)
			}
			if added {
				done.Added++
			} else {
				done.Known++
			}
		}
		return nil
	})
	return done, engine.During("import facts", err)
}

// importFact adds a record, or its tags to the fact that says the same.
func (s *Store) importFact(tx *engine.Tx, v Viewer, r Record, known knownFacts) (added bool, err error) {
	old, there := known[said(v, r)]
	if !there {
		if err := MayLearn(r.Content); err != nil {
			return false, err
		}
		f, err := s.addRecord(tx, v, r)
		known[said(v, r)] = knownFact{f.ID, r.Tags}
		return true, err
	}
	tags, err := normalTags(slices.Concat(old.tags, r.Tags))
	if err != nil || slices.Equal(tags, old.tags) {
		return false, err
	}
	known[said(v, r)] = knownFact{old.id, tags}
	return false, retag(tx, old.id, tags, engine.Stamp(s.o.Now()))
}

// knownFacts finds what is remembered about a person by what it says, and to whom.
type knownFacts map[string]knownFact

type knownFact struct {
	id   int64
	tags []string
}

// said returns what a record is known by.
func said(v Viewer, r Record) string {
	return strings.ToLower(r.Content) + "\n" + cmp.Or(r.Agent, v.Keeper())
}

// knownOf reads what is remembered about v's person; of two that say the same, the later
// one counts.
func knownOf(query engine.Querier, v Viewer) (knownFacts, error) {
	known := knownFacts{}
	_, err := engine.Select(query, func(r engine.Scanner) (none struct{}, err error) {
		var f knownFact
		var content, agent, tags string
		err = r.Scan(&f.id, &content, &agent, &tags)
		f.tags = strings.Fields(tags)
		known[strings.ToLower(content)+"\n"+agent] = f
		return none, err
	}, "SELECT id, content, agent, tags FROM key_facts WHERE subject = ? AND scope = 'person' AND valid_to = '' ORDER BY id", v.User)
	return known, err
}

// addRecord adds a fact from outside. Of the result only ID and Updated are set.
func (s *Store) addRecord(tx *engine.Tx, v Viewer, r Record) (f Fact, err error) {
	k, ok := chat.ParseKey(r.Where)
	if !ok {
		k = v.Key
	}
	created := cmp.Or(engine.Stamp(r.Created), engine.Stamp(s.o.Now()))
	updated := cmp.Or(engine.Stamp(r.Updated), created)
	f.Updated = engine.ParseStamp(updated)
	ends := endOf(r.Content, f.Updated)
	if !ends.IsZero() && !r.Ends.IsZero() {
		ends = r.Ends // as it was meant when it was said
	}
	f.ID, err = tx.Insert(`INSERT INTO key_facts (scope, subject, owner, platform, channel, content, tags, important, type, author,
			session_id, message_id, quote, confidence, valid_from, previous, created_at, updated_at, rank, ends, agent)
		VALUES ('person', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		v.User, ownerWord(v.User), k.Platform, k.Channel, r.Content, strings.Join(r.Tags, " "), slices.Contains(r.Tags, shortTag),
		r.Type, r.Author,
		r.Session, r.MessageID, r.Quote, r.Confidence, updated, r.Previous, created, updated, int(r.Rank), engine.Stamp(ends),
		cmp.Or(r.Agent, v.Keeper()))
	return f, err
}
