package memory

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"parley/internal/db/engine"
	"parley/internal/db/sqlite"
	"parley/internal/memory/pgschema"
	"parley/internal/text/ranking"
)

// entries is the index for the words of one question, in its places. What it returns is rising.
type entries interface {
	// latest are the latest entries with one of some stems.
	latest(stems []string, limit int) ([]int64, error)
	// besides are the latest of them that have a stem, too, that was read; it may take the room of
	// what it returned before.
	besides(stems []string, limit int) ([]int64, error)
	read(stems []string)
}

// open gets at the index for some postings, all at once: of a file the pages are read.
func (f *finder) open(all []*posting) error {
	scope, inside := f.places, ""
	if f.inside != nil {
		list, err := json.Marshal(slices.Sorted(maps.Keys(f.inside)))
		if err != nil {
			return err
		}
		scope, inside = nil, string(list)
	}
	var stems []string
	for _, p := range all {
		stems = append(stems, p.stems...)
	}
	slices.Sort(stems)
	stems = slices.Compact(stems)
	found, err := f.postings(ranking.Scoped(scope, stems...), inside)
	if errors.Is(err, sqlite.ErrPage) {
		f.index = &matched{db: f.s.db, places: scope, inside: inside}
		return nil
	}
	each := max(len(scope), 1)
	l := &listed{rows: map[string][]int64{}, seen: make([]uint64, len(f.order.said))}
	for i, stem := range stems {
		if err != nil {
			break
		}
		rows := sqlite.Union(found[i*each : (i+1)*each])
		if f.inside != nil {
			rows = slices.DeleteFunc(rows, func(row int64) bool { return !f.inside[row&(1<<placeBits-1)] })
		}
		l.rows[stem] = rows
	}
	f.index = l
	return err
}

// postings are the entries with each of some terms of the index. Unless inside is "", others may
// be there than those of the places it lists.
func (f *finder) postings(terms []string, inside string) ([][]int64, error) {
	db := f.s.db
	switch {
	case db.Path() != "":
		return sqlite.Postings(db, "messages_fts", terms)
	case inside != "" && f.order.until > maxOrdered: // most of what was said may be elsewhere
		return pgschema.Postings(db, terms, inside)
	default:
		return f.s.lists.Get(pgschema.Lists{DB: db}, terms)
	}
}

// listed has all entries of the stems of a question.
type listed struct {
	rows map[string][]int64
	seen []uint64 // a bit for each message with a stem that was read
	room []int64  // of what besides returned last
}

func (l *listed) latest(stems []string, limit int) ([]int64, error) {
	lists := make([][]int64, len(stems))
	for i, s := range stems {
		lists[i] = l.rows[s]
	}
	return tail(lists, limit), nil
}

func (l *listed) besides(stems []string, limit int) ([]int64, error) {
	lists, all := make([][]int64, len(stems)), l.room[:0]
	for i, s := range stems {
		from := len(all)
		for _, row := range slices.Backward(l.rows[s]) {
			if id := row >> placeBits; int(id>>6) < len(l.seen) && l.seen[id>>6]&(1<<(id&63)) != 0 {
				if all = append(all, row); len(all)-from == limit {
					break
				}
			}
		}
		lists[i] = all[from:]
		slices.Reverse(lists[i])
	}
	l.room = all
	return tail(lists, limit), nil
}

// tail is the end of what is in any of some rising lists.
func tail(lists [][]int64, limit int) []int64 {
	from := int64(0)
	for _, l := range lists {
		if len(l) > limit {
			from = max(from, l[len(l)-limit])
		}
	}
	ends := make([][]int64, len(lists))
	for i, l := range lists {
		at, _ := slices.BinarySearch(l, from)
		ends[i] = l[at:]
	}
	all := sqlite.Union(ends)
	return all[max(0, len(all)-limit):]
}

func (l *listed) read(stems []string) {
	for _, s := range stems {
		for _, row := range l.rows[s] {
			if id := row >> placeBits; int(id>>6) < len(l.seen) { // else said since
				l.seen[id>>6] |= 1 << (id & 63)
			}
		}
	}
}

// matched asks the index of a file by expressions.
type matched struct {
	db     *engine.DB
	places []int64
	inside string   // instead of places: a list in JSON of what entries have of them
	stems  []string // that were read
}

// entriesQuery lists the latest entries that fit an expression of the index, with commas
// between; entriesInside only those that have one of many places.
const (
	entriesQuery  = entriesBegin + entriesEnd
	entriesInside = entriesBegin + ` AND (rowid & 1048575) IN (SELECT CAST(value AS BIGINT) FROM json_each(:inside))` + entriesEnd

	entriesBegin = `SELECT coalesce(string_agg(CAST(row AS TEXT), ','), '') FROM (
	SELECT rowid AS row FROM messages_fts WHERE messages_fts MATCH :match`
	entriesEnd = ` ORDER BY rowid DESC LIMIT :limit) held`
)

func (m *matched) latest(stems []string, limit int) ([]int64, error) {
	return m.fit(ranking.Match(m.places, stems...), limit)
}

func (m *matched) besides(stems []string, limit int) ([]int64, error) {
	if len(m.stems) == 0 {
		return nil, nil
	}
	return m.fit("("+ranking.Match(m.places, stems...)+") AND ("+ranking.Match(m.places, m.stems...)+")", limit)
}

func (m *matched) read(stems []string) { m.stems = append(m.stems, stems...) }

// fit are the latest entries that fit an expression.
func (m *matched) fit(match string, limit int) ([]int64, error) {
	query, args := entriesQuery, engine.Named{"match": engine.Match{Expr: match}, "limit": limit}
	if m.inside != "" {
		query, args["inside"] = entriesInside, m.inside
	}
	var found string
	if err := m.db.QueryRow(query, args).Scan(&found); err != nil {
		return nil, err
	}
	rows, err := numbers(found)
	slices.Sort(rows)
	return rows, err
}
