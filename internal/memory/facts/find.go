package facts

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"parley/internal/db/engine"
	"parley/internal/memory/provenance"
	"parley/internal/text/ranking"
)

// Bounds of the facts for one message.
const (
	maxCandidates = 300 // facts that are scored; if there are more, the word index chooses
	recentFacts   = 5   // untagged facts that are always shown
	relevantFacts = 8   // further facts that match the message
)

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
// of them. That is faster than the word index.
func (s *Store) few(v Viewer) (all []Fact, ok bool, err error) {
	if v.Operator {
		return nil, false, nil
	}
	n, err := s.counts.Get([3]string{v.User, v.Place(), v.Server()}, func() (n int, err error) {
		err = s.db.QueryRow(around, v.User, v.Place(), v.Server(), maxCandidates+1).Scan(&n)
		return n, err
	})
	if err != nil || n == 0 || n > maxCandidates {
		return nil, n <= maxCandidates, err
	}
	all, err = facts(s.db, v, newest, engine.Named{"limit": maxCandidates})
	return all, true, err
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

// Known holds the facts for one message.
type Known struct {
	Important []Fact // newest first, within the budget
	Recent    []Fact // the newest others
	Relevant  []Fact // others that match the message, best first
	Cut       int    // important facts beyond the budget
}

// FactsFor fetches the facts for a message: the important ones within budget tokens
// (ceil(runes/4) each), the five newest others, and those that match the text. It takes
// one query if nothing is known, two if there are few facts, else at most five; with
// Options.Embed two more and a vector.
func (s *Store) FactsFor(ctx context.Context, v Viewer, text string, budget int) (k Known, err error) {
	all, few, err := s.few(v)
	if err != nil || few && len(all) == 0 {
		return k, engine.During("facts", err)
	}
	important, others := parted(all)
	if !few {
		if important, err = facts(s.db, v, marked, engine.Named{"limit": maxCandidates}); err != nil {
			return k, engine.During("facts", err)
		}
		if others, err = facts(s.db, v, latest, engine.Named{"limit": recentFacts}); err != nil {
			return k, engine.During("facts", err)
		}
	}
	for _, f := range important {
		budget -= (utf8.RuneCountInString(f.Content) + 3) / 4
		if budget < 0 {
			k.Cut++
			continue
		}
		k.Important = append(k.Important, f)
	}
	k.Recent = others[:min(len(others), recentFacts)]
	limit := relevantFacts + len(k.Important) + len(k.Recent)
	if !few {
		if all, err = s.factsWith(v, text, limit); err != nil {
			return k, engine.During("facts", err)
		}
	}
	found, err := s.fitting(ctx, v, text, all, limit)
	shown := func(f Fact) bool {
		same := func(o Fact) bool { return o.ID == f.ID }
		return slices.ContainsFunc(k.Important, same) || slices.ContainsFunc(k.Recent, same)
	}
	k.Relevant = slices.DeleteFunc(found, shown)
	k.Relevant = k.Relevant[:min(len(k.Relevant), relevantFacts)]
	return k, engine.During("facts", err)
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
	found, err := s.fitting(ctx, v, text, all, limit)
	return found, engine.During("search facts", err)
}

// fitting returns the facts of a list that match a text by words, and of all facts those
// that match by meaning, best first.
func (s *Store) fitting(ctx context.Context, v Viewer, text string, list []Fact, limit int) ([]Fact, error) {
	near, err := s.near(ctx, v, text)
	if err != nil {
		return nil, err
	}
	found, err := s.fuse(v, s.rankFacts(list, ranking.Terms(text), limit), near)
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

// Weights of a fact, besides those of the words that it shares with the message.
const (
	slipWeight      = 0.5 // of a word that only looks alike
	alike           = 0.6 // share of common trigrams from which on it does
	importantBonus  = 0.2
	recencyBonus    = 0.2
	recencyHalfLife = 30 * 24 * time.Hour
)

func (s *Store) rankFacts(list []Fact, words []string, limit int) []Fact {
	type scored struct {
		Fact
		score float64
	}
	in := map[string]int{}
	sets := make([]map[string]bool, len(list))
	for i, f := range list {
		sets[i] = ranking.Stems(f.Content + " " + strings.Join(f.Tags, " "))
		for w := range sets[i] {
			in[w]++
		}
	}
	worth := map[string]float64{} // of a stem for these words
	for _, w := range words {
		st := ranking.Stem(w)
		if n := in[st]; n > 0 {
			worth[st] += math.Log(1 + float64(len(list))/float64(n))
			continue
		}
		for _, like := range lookalikes(st, in) {
			worth[like] += slipWeight
		}
	}
	var hits []scored
	for i, f := range list {
		score := 0.0
		for st := range sets[i] {
			score += worth[st]
		}
		if score == 0 {
			continue
		}
		if f.Important {
			score += importantBonus
		}
		score += recencyBonus * math.Exp2(-float64(s.o.Now().Sub(f.Updated))/float64(recencyHalfLife))
		hits = append(hits, scored{f, score})
	}
	slices.SortStableFunc(hits, func(a, b scored) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.ID, a.ID)) })
	out := make([]Fact, 0, limit)
	for _, h := range hits[:min(len(hits), limit)] {
		out = append(out, h.Fact)
	}
	return out
}

// lookalikes returns the stems that contain a word or resemble it.
func lookalikes(word string, stems map[string]int) (like []string) {
	if utf8.RuneCountInString(word) < 4 {
		return nil
	}
	own := ranking.Trigrams(word)
	for st := range stems {
		if strings.Contains(st, word) || utf8.RuneCountInString(st) >= 4 && ranking.Dice(own, ranking.Trigrams(st)) > alike {
			like = append(like, st)
		}
	}
	return like
}
