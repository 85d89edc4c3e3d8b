package index

import (
	"context"
	"slices"
	"strings"
	"time"

	"parley/internal/notes/frontmatter"
)

// Period is the time from From to just before To. A file belongs to it by the date in
// its name or properties, or else by when it was changed; a passage also by its words.
type Period struct {
	From, To time.Time
	In       func(text string) bool // reports whether a text names a day of it; nil: none does
}

// maxOfPeriod limits the files of a period that are added although no word matches.
const maxOfPeriod = 20

// daysSince returns the local date of a time, in days since 1970.
func daysSince(t time.Time) int64 {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC).Unix() / frontmatter.SecondsOfDay
}

// mark notes which hits belong to the period.
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

// period adds sections of the period in question: the best matches and the newest. For
// a query of filters alone it adds the newest that pass them.
func (s *search) period(ctx context.Context) error {
	where, args := s.only()
	if s.q.During == nil && (len(s.terms) > 0 || where == "") {
		return nil
	}
	if p := s.q.During; p != nil {
		where += " AND (d.day <> 0 AND d.day >= ? AND d.day < ? OR d.day = 0 AND d.mtime >= ? AND d.mtime < ?)"
		args = append(args, daysSince(p.From), daysSince(p.To), p.From.UnixNano(), p.To.UnixNano())
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
	ids, err := column[int64](ctx, s.ix, `SELECT (SELECT min(id) FROM sections WHERE doc = d.id) FROM docs d
		WHERE d.kind = ? AND d.skipped = '' AND d.id NOT IN (SELECT value FROM json_each(?))`+where+" ORDER BY max(d.day * 86400000000000, d.mtime * (d.day = 0)) DESC LIMIT ?",
		slices.Concat([]any{s.q.Kind, s.docs}, args, []any{maxOfPeriod})...)
	for _, id := range ids {
		s.found[id] = true
	}
	return err
}
