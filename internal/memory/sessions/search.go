package sessions

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"parley/internal/db/engine"
	"parley/internal/memory/provenance"
	"parley/internal/text"
	"parley/internal/text/ranking"
)

// Bounds of a search.
const (
	maxMatches = 200 // latest sessions with a word, of which visible selects
	maxFound   = 3
	maxDecided = 6   // decisions
	leastShare = 0.5 // share of the question's words that a session must have
)

// Found is a session, or a decision that was made in it, that matches a question.
type Found struct {
	Session
	Decision bool
	Score    float64 // above 0; 1 if it has every word of the question
	Text     string  // its summary, or the decision, on one line
}

// Search finds the sessions that match a question by title and closing summary, and the
// decisions that match it, best first: at most maxFound and maxDecided, within tokens (ceil(runes/4) each).
func (a *Archive) Search(ctx context.Context, v provenance.Viewer, question string, tokens int) ([]Found, error) {
	asked := ranking.Terms(question)
	if len(asked) == 0 {
		return nil, nil
	}
	var spelled []string
	for _, w := range asked {
		spelled = append(spelled, text.Spellings(w)...)
	}
	match := engine.Match{Expr: `"` + strings.Join(spelled, `" OR "`) + `"`, Stem: ranking.Stem}
	// Synonyms are not searched: summaries use words of their own, and the caller searches
	// the messages, too.
	rows, err := a.db.QuerySettled(ctx,
		columns+` FROM (SELECT rowid FROM session_texts_fts WHERE session_texts_fts MATCH :match ORDER BY rowid DESC LIMIT :limit) f
		CROSS JOIN session_texts t ON t.id = f.rowid CROSS JOIN sessions s ON s.id = t.session_id WHERE`+visible,
		a.args(v, engine.Named{"match": match, "limit": maxMatches}))
	if err != nil {
		return nil, fmt.Errorf("search sessions: %w", err)
	}
	list, err := engine.Collect(rows, func(r engine.Scanner) (Session, error) { return scan(r) })
	if err != nil {
		return nil, fmt.Errorf("search sessions: %w", err)
	}
	ids := make([]string, len(list))
	for i, s := range list {
		ids[i] = s.ID
	}
	decided, err := a.decidedIn(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("search sessions: %w", err)
	}
	found := make([]Found, 0, len(list))
	for _, s := range list {
		s.Decisions = decided[s.ID]
		found = append(found, s.answers(asked)...)
	}
	slices.SortFunc(found, func(x, y Found) int { return cmp.Or(cmp.Compare(y.Score, x.Score), y.Last.Compare(x.Last)) })
	kept, whole, decisions := found[:0], 0, 0
	for _, f := range found {
		count, most := &whole, maxFound
		if f.Decision {
			count, most = &decisions, maxDecided
		}
		if cost := (utf8.RuneCountInString(f.Text) + 3) / 4; *count < most && cost <= tokens {
			kept, tokens = append(kept, f), tokens-cost
			*count++
		}
	}
	return kept, nil
}

// answers returns what of a session has enough of the question's words.
func (s Session) answers(asked []string) (list []Found) {
	if s.Closing != "" || s.Title != "" {
		list = append(list, Found{Session: s, Text: s.told()})
	}
	for _, d := range s.Decisions {
		f := Found{Session: s, Decision: true, Text: "Decided: " + provenance.OneLine(d.Line())}
		f.Last, f.Origin = d.At, d.Origin
		list = append(list, f)
	}
	found := list[:0]
	for _, f := range list {
		have := ranking.Stems(f.Text)
		n := 0
		for _, w := range asked {
			if have[ranking.Stem(w)] {
				n++
			}
		}
		if f.Score = float64(n) / float64(len(asked)); f.Score >= leastShare {
			found = append(found, f)
		}
	}
	return found
}

// told returns the title and summary of a session on one line.
func (s Session) told() string {
	said := s.Closing
	if s.Title != "" && !strings.HasPrefix(s.Closing, s.Title) {
		said = s.Title + ". " + s.Closing
	}
	return fmt.Sprintf("[%s] %s", s.Last.UTC().Format("2006-01-02 15:04"), provenance.OneLine(strings.TrimSpace(said)))
}
