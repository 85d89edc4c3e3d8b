package index

import (
	"context"
	"slices"
	"strings"
	"time"

	"parley/internal/notes/frontmatter"
)

// Period is a time that passages are asked for: from From until before To. A file is
// of it by the day that it names, or else by when it was changed; a passage also by
// what it says.
type Period struct {
	From, To time.Time
	In       func(text string) bool // reports whether a text names a day of it; nil knows none
}

// maxOfPeriod is how many files of a period are looked at that no word finds.
const maxOfPeriod = 20

// daysSince counts the days from 1970 to the one that a time is in, where it is.
func daysSince(t time.Time) int64 {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC).Unix() / frontmatter.SecondsOfDay
}

// where returns the condition that a document is of the period.
func (p *Period) where() (where string, args []any) {
	return " AND (d.day <> 0 AND d.day >= ? AND d.day < ? OR d.day = 0 AND d.mtime >= ? AND d.mtime < ?)",
		[]any{daysSince(p.From), daysSince(p.To), p.From.UnixNano(), p.To.UnixNano()}
}

// mark notes which hits are of the period.
func (p *Period) mark(hits []Hit) {
	if p == nil {
		return
	}
	for i := range hits {
		h := &hits[i]
		day := h.Day.Unix() / frontmatter.SecondsOfDay
		if h.own {
			h.During = day >= daysSince(p.From) && day < daysSince(p.To)
		} else {
			h.During = !h.Day.Before(p.From) && h.Day.Before(p.To)
		}
		h.During = h.During || p.In != nil && p.In(h.Title+"\n"+h.Heading+"\n"+h.Text)
	}
}

// period adds what is of the time that is asked for: what fits best there, and the
// newest. Where only filters are given, it adds the newest that pass them.
func (s *search) period(ctx context.Context) error {
	where, args := s.only()
	if s.q.During == nil && (len(s.terms) > 0 || where == "") {
		return nil
	}
	if s.q.During != nil {
		more, at := s.q.During.where()
		where, args = where+more, append(args, at...)
	}
	var words []string
	for _, t := range s.terms {
		if t.rows() > 0 {
			words = append(words, t.match())
		}
	}
	if len(words) > 0 {
		if err := s.bestOf(ctx, strings.Join(words, " OR "), where, args); err != nil {
			return err
		}
	}
	rows, err := s.ix.db.QueryContext(ctx, `SELECT (SELECT min(id) FROM sections WHERE doc = d.id) FROM docs d
		WHERE d.kind = ? AND d.skipped = ''`+where+" ORDER BY max(d.day * 86400000000000, d.mtime * (d.day = 0)) DESC LIMIT ?",
		slices.Concat([]any{s.q.Kind}, args, []any{maxOfPeriod})...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return err
		}
		s.found[id] += 0 // it is one of them now
	}
	return rows.Err()
}

// truth orders false before true.
func truth(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}
