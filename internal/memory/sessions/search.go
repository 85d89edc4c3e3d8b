package sessions

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"parley/internal/db/engine"
	"parley/internal/memory/provenance"
	"parley/internal/text/ranking"
)

// Bounds of a search.
const (
	maxMatches = 200 // latest sessions with a word, of which visible selects
	maxFound   = 3
	leastShare = 0.5 // share of the question's words that a session must have
)

// Found is a session that matches a question.
type Found struct {
	Session
	Score float64 // above 0; 1 if it has every word of the question
	Text  string  // its summary and decisions, on one line
}

// Search finds the sessions that match a question by title, closing summary and decisions,
// best first: at most maxFound, within tokens (ceil(runes/4) each).
func (a *Archive) Search(ctx context.Context, v provenance.Viewer, question string, tokens int) ([]Found, error) {
	asked := ranking.Terms(question)
	if len(asked) == 0 {
		return nil, nil
	}
	// Synonyms are not searched: summaries use words of their own, and the caller searches
	// the messages, too.
	rows, err := a.db.QuerySettled(ctx,
		columns+` FROM (SELECT rowid FROM session_texts_fts WHERE session_texts_fts MATCH :match ORDER BY rowid DESC LIMIT :limit) f
		CROSS JOIN session_texts t ON t.id = f.rowid CROSS JOIN sessions s ON s.id = t.session_id WHERE`+visible,
		a.args(v, engine.Named{"match": engine.Match{Expr: `"` + strings.Join(asked, `" OR "`) + `"`, Stem: ranking.Stem}, "limit": maxMatches}))
	if err != nil {
		return nil, fmt.Errorf("search sessions: %w", err)
	}
	list, err := engine.Collect(rows, func(r *sql.Rows) (Session, error) { return scan(r) })
	if err != nil {
		return nil, fmt.Errorf("search sessions: %w", err)
	}
	found := make([]Found, 0, len(list))
	for _, s := range list {
		if f := (Found{Session: s, Text: s.told()}); f.answers(asked) {
			found = append(found, f)
		}
	}
	slices.SortFunc(found, func(x, y Found) int { return cmp.Or(cmp.Compare(y.Score, x.Score), y.Last.Compare(x.Last)) })
	kept := found[:0]
	for _, f := range found {
		if cost := (utf8.RuneCountInString(f.Text) + 3) / 4; len(kept) < maxFound && cost <= tokens {
			kept, tokens = append(kept, f), tokens-cost
		}
	}
	return kept, nil
}

// answers scores a session by its share of the question's words.
func (f *Found) answers(asked []string) bool {
	have := map[string]bool{}
	for _, w := range ranking.TermsUpTo(f.Text, maxTold) {
		have[ranking.Stem(w)] = true
	}
	n := 0
	for _, w := range asked {
		if have[ranking.Stem(w)] {
			n++
		}
	}
	f.Score = float64(n) / float64(len(asked))
	return f.Score >= leastShare
}

// told returns the summary and decisions of a session on one line.
func (s Session) told() string {
	parts := []string{s.Closing}
	if s.Title != "" && !strings.HasPrefix(s.Closing, s.Title) {
		parts = []string{s.Title + ".", s.Closing}
	}
	if len(s.Decisions) > 0 {
		parts = append(parts, "Decided: "+strings.Join(s.Decisions, "; "))
	}
	return fmt.Sprintf("[%s] %s", s.Last.UTC().Format("2006-01-02 15:04"), provenance.OneLine(strings.TrimSpace(strings.Join(parts, " "))))
}
