package facts

import (
	"context"
	"slices"
	"strings"

	"parley/internal/db/engine"
	"parley/internal/memory/provenance"
	"parley/internal/text/ranking"
)

// maxCandidates is how many facts are scored. If there are more, the word index chooses.
const maxCandidates = 300

// factScope is the condition on facts that a person may see: those about them, in company
// only where they were said; and those for their channel or server. The agent must be the
// one that was told, or share what it knows of people. The parameters come from
// Viewer.Named. The first line repeats the subjects for the index.
const factScope = `f.subject IN (:user, :platform || ':' || :channel, :guild) AND (
	f.scope = 'person' AND f.subject = :user AND (:direct OR (f.platform = :platform AND f.channel = :channel)) AND (` + provenance.Heard + ` OR ` + shared + `)
	OR f.scope = 'channel' AND f.subject = :platform || ':' || :channel AND ` + provenance.Heard + `
	OR f.scope = 'guild' AND f.subject = :guild AND :guild <> '' AND ` + provenance.Heard + `)`

// shared is the condition on rows f that they belong to an agent that shares facts about
// people.
const shared = `f.agent IN (SELECT value FROM json_each(nullif(:kin, '')))`

const factColumns = `f.id, f.number, f.scope, f.subject, f.platform, f.channel, f.content, f.tags, f.important, f.type, f.author, f.session_id, f.message_id,
	f.quote, f.confidence, f.valid_from, f.valid_to, f.superseded_by, f.previous, f.uses, f.created_at, f.updated_at, f.via, f.people, f.rank, f.ends, f.agent`

// Ends of the query on facts, with their own parameters.
const (
	byCall     = `f.call_key = :call`
	matching   = `f.id IN (SELECT rowid FROM key_facts_fts WHERE key_facts_fts MATCH :match) ORDER BY f.updated_at DESC, f.id DESC LIMIT :limit`
	page       = `true ORDER BY f.important DESC, f.updated_at DESC, f.id DESC LIMIT :limit OFFSET :offset`
	everybodys = `true ORDER BY f.id DESC LIMIT :limit OFFSET :offset`
	marked     = `f.important ORDER BY f.updated_at DESC, f.id DESC LIMIT :limit`
	newest     = `true ORDER BY f.updated_at DESC, f.id DESC LIMIT :limit + 0` // "+ 0": else it is prepared for each message
	latest     = `NOT f.important ORDER BY f.updated_at DESC, f.id DESC LIMIT :limit`
)

// sameSubject is an end that reads in the order of the index.
const sameSubject = `f.subject = :subject AND f.scope = :scope ORDER BY f.updated_at DESC, f.id DESC LIMIT :limit`

// visibleTo returns the condition on facts that v may see, "" if that is nothing.
func visibleTo(v Viewer) string {
	switch {
	case v.Operator && v.Apart:
		return "(:user = '' OR f.subject = :user) AND f.agent = :agent"
	case v.Operator:
		return "(:user = '' OR f.subject = :user)"
	case v.User == "":
		return ""
	}
	return factScope
}

// reading says which columns of a fact to read.
type reading struct {
	columns string
	scan    func(engine.Scanner) (Fact, error)
}

var (
	wholeFacts = reading{factColumns, scanFact}
	factTexts  = reading{"f.id, f.content, f.ends", func(r engine.Scanner) (f Fact, err error) {
		var ends string
		err = r.Scan(&f.ID, &f.Content, &ends)
		f.Ends = engine.ParseStamp(ends)
		return f, err
	}}
)

// facts reads all facts: its SQL contains the scope of v. end narrows, orders and limits.
// query belongs to a reader or to the writer.
func (r reading) facts(query engine.Querier, v Viewer, end string, args engine.Named) ([]Fact, error) {
	scope := visibleTo(v)
	if scope == "" {
		return nil, nil
	}
	return engine.Select(query, r.scan, "SELECT "+r.columns+" FROM key_facts f WHERE f.valid_to = '' AND "+scope+" AND "+end, v.Named(args))
}

// facts reads whole facts.
func facts(query engine.Querier, v Viewer, end string, args engine.Named) ([]Fact, error) {
	return wholeFacts.facts(query, v, end, args)
}

// factOf reads one fact that v can see; its ID is 0 if there is none.
func factOf(query engine.Querier, v Viewer, id int64) (Fact, error) {
	if id == 0 {
		return Fact{}, nil
	}
	list, err := facts(query, v, `f.id = :id`, engine.Named{"id": id})
	if err != nil || len(list) == 0 {
		return Fact{}, err
	}
	return list[0], nil
}

// around counts the facts about a person, a place and a server, up to a limit. It reads
// only an index.
const around = `SELECT count(*) FROM (SELECT 1 FROM key_facts WHERE valid_to = '' AND subject IN (?, ?, ?) LIMIT ?) near`

// few reads the facts that v can see, newest first, if they are few enough to score all
// of them. That is faster than the word index. In company those that the place may see
// decide it, not those that somebody told elsewhere: the two ways differ in their order.
func (s *Store) few(v Viewer) (all []Fact, ok bool, err error) {
	if v.Operator {
		return nil, false, nil
	}
	n, err := s.counts.Get([3]string{v.User, v.Place(), v.Server()}, func() (n int, err error) {
		err = s.db.QueryRow(around, v.User, v.Place(), v.Server(), maxCandidates+1).Scan(&n)
		return n, err
	})
	if err != nil || n == 0 || n > maxCandidates && v.Direct {
		return nil, n == 0, err
	}
	all, err = facts(s.db, v, newest, engine.Named{"limit": maxCandidates + 1})
	if err != nil || len(all) > maxCandidates {
		return nil, false, err
	}
	return all, true, nil
}

func scanFact(r engine.Scanner) (f Fact, err error) {
	var tags, from, to, created, updated, ends string
	err = r.Scan(&f.ID, &f.Number, &f.Scope, &f.Subject, &f.Key.Platform, &f.Key.Channel, &f.Content, &tags, &f.Important, &f.Type,
		&f.Author, &f.Session, &f.MessageID,
		&f.Quote, &f.Confidence, &from, &to, &f.Superseded, &f.Previous, &f.Uses, &created, &updated,
		&f.Origin.Via, (*provenance.Names)(&f.Origin.People), &f.Rank, &ends, &f.Agent)
	f.Tags = strings.Fields(tags)
	f.ValidFrom, f.ValidTo, f.Created, f.Updated = engine.ParseStamp(from), engine.ParseStamp(to), engine.ParseStamp(created),
		engine.ParseStamp(updated)
	f.Ends = engine.ParseStamp(ends)
	return f, err
}

// Facts lists the facts that v can see, important ones first, then the newest. For the
// operator it lists everybody's facts, the newest first. limit 0 means 20.
func (s *Store) Facts(_ context.Context, v Viewer, limit, offset int) ([]Fact, error) {
	if limit <= 0 {
		limit = 20
	}
	end := page
	if v.Operator && v.User == "" {
		end = everybodys // sorting a million by importance would take seconds
	}
	list, err := facts(s.db, v, end, engine.Named{"limit": limit, "offset": offset})
	return list, engine.During("list facts", err)
}

// SharedWords lists the facts of channels and servers that contain a person's words.
func (s *Store) SharedWords(_ context.Context, person string) ([]Fact, error) {
	list, err := facts(s.db, Viewer{Operator: true},
		"f.scope <> 'person' AND EXISTS (SELECT 1 FROM json_each(iif(f.people = '', '[]', f.people)) WHERE value = :person)",
		engine.Named{"person": person})
	return list, engine.During("list facts", err)
}

func parted(all []Fact) (important, others []Fact) {
	for _, f := range all {
		if f.Important {
			important = append(important, f)
		} else {
			others = append(others, f)
		}
	}
	return important, others
}

// SearchFacts returns the facts that match a text, best first: by word stems, by words
// with typos, then by importance and age; with Options.Embed also by meaning.
func (s *Store) SearchFacts(ctx context.Context, v Viewer, text string, limit int) ([]Fact, error) {
	all, few, err := s.few(v)
	if err == nil && !few {
		all, err = s.factsWith(v, text, limit)
	}
	if err != nil {
		return nil, engine.During("search facts", err)
	}
	found, err := s.fitting(ctx, v, asked{text: text}, all, limit)
	return found, engine.During("search facts", err)
}

// fitting returns the facts of a list that match a text by words, and of all facts those
// that match by meaning, best first.
func (s *Store) fitting(ctx context.Context, v Viewer, q asked, list []Fact, limit int) ([]Fact, error) {
	near, err := s.near(ctx, v, q.text)
	if err != nil {
		return nil, err
	}
	found, err := s.fuse(v, s.rankFacts(list, q, limit), near)
	return found[:min(len(found), limit)], err
}

// factsWith returns facts that may match a text by words. If there are fewer than limit, it
// adds the latest facts.
func (s *Store) factsWith(v Viewer, text string, limit int) ([]Fact, error) {
	words := ranking.Terms(text)
	if len(words) == 0 {
		return nil, nil
	}
	var owners []string
	for _, subject := range []string{v.User, v.Place(), v.Server()} {
		if subject != "" {
			owners = append(owners, ownerWord(subject))
		}
	}
	match := "{content tags} : (" + matchAny(words) + ")"
	if !v.Operator {
		match = "owner : (" + matchAny(owners) + ") AND " + match
	}
	found, err := facts(s.db, v, matching, engine.Named{"match": engine.Match{Expr: match, Stem: ranking.Stem}, "limit": maxCandidates})
	if err != nil || len(found) >= limit {
		return found, err
	}
	more, err := facts(s.db, v, latest, engine.Named{"limit": maxCandidates}) // the index finds no typos
	for _, f := range more {
		if !slices.ContainsFunc(found, func(o Fact) bool { return o.ID == f.ID }) {
			found = append(found, f)
		}
	}
	return found, err
}
