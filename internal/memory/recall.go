package memory

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"parley/internal/chat"
)

// Bounds of one recall: words of a question that count, rows that are scored.
const (
	maxTerms      = 64
	maxCandidates = 400
)

// Query asks what was said before.
type Query struct {
	User   string   // who asks, platform-scoped
	Key    chat.Key // where; an empty Channel is a direct place
	Text   string   // the question, any text
	Limit  int      // passages at most; 0 is 50
	Tokens int      // budget over the texts, ceil(runes/4) each; 0 is 4000
}

// Passage is a piece of past conversation, quoted word for word.
type Passage struct {
	Kind  string // "message"
	ID    int64  // the message's row
	Key   chat.Key
	Score float64 // above 0, the best is 1
	Text  string  // "[time] name: text"
	At    time.Time

	session string
	name    string
}

// recallQuery keeps to what the asker may see: one place (a thread sees its
// parent), or without a place every conversation the asker has spoken in.
const recallQuery = `SELECT m.id, m.session_id, m.platform, m.channel, m.thread, m.name, m.content, m.at, -bm25(messages_fts)
	FROM messages_fts JOIN messages m ON m.id = messages_fts.rowid
	WHERE messages_fts MATCH ?1 AND m.role <> 'tool' AND m.content <> '' AND (
		(?3 <> '' AND m.platform = ?2 AND m.channel = ?3 AND m.thread IN (?4, ''))
		OR (?3 = '' AND EXISTS (SELECT 1 FROM participants p WHERE p.user_id = ?5
			AND p.platform = m.platform AND p.channel = m.channel AND p.thread = m.thread)))
	ORDER BY bm25(messages_fts), m.id LIMIT ?6`

// Recall returns the passages that fit a question, best first, within its
// limits. A question without a telling word finds nothing, which is no error.
func (s *Store) Recall(_ context.Context, q Query) ([]Passage, error) {
	terms := terms(q.Text)
	if len(terms) == 0 || q.User == "" && q.Key.Channel == "" {
		return nil, nil
	}
	match := `"` + strings.Join(terms, `" OR "`) + `"`
	rows, err := s.query(recallQuery, match, q.Key.Platform, q.Key.Channel, q.Key.Thread, q.User, maxCandidates)
	if err != nil {
		return nil, fmt.Errorf("recall: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var found []Passage
	for rows.Next() {
		p := Passage{Kind: "message"}
		var text, at string
		if err := rows.Scan(&p.ID, &p.session, &p.Key.Platform, &p.Key.Channel, &p.Key.Thread, &p.name, &text, &at, &p.Score); err != nil {
			return nil, fmt.Errorf("recall: %w", err)
		}
		p.At = ParseStamp(at)
		p.Text = fmt.Sprintf("[%s] %s: %s", p.At.Format("2006-01-02 15:04"), p.name, text)
		found = append(found, p)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("recall: %w", err)
	}
	return pack(rank(found, terms), q), nil
}

// rank lets a message gain from its neighbours, its sitting and a speaker whom
// the question names.
func rank(found []Passage, terms []string) []Passage {
	own, sitting := map[int64]float64{}, map[string]float64{}
	for _, p := range found {
		own[p.ID] = p.Score
		sitting[p.session] = max(sitting[p.session], p.Score)
	}
	best := 0.0
	for i := range found {
		p := &found[i]
		p.Score += 0.2*(own[p.ID-1]+own[p.ID+1]) + 0.1*sitting[p.session]
		if slices.ContainsFunc(strings.Fields(strings.ToLower(p.name)), func(n string) bool { return slices.Contains(terms, n) }) {
			p.Score *= 1.3
		}
		best = max(best, p.Score)
	}
	for i := range found {
		found[i].Score /= best
	}
	slices.SortStableFunc(found, func(a, b Passage) int {
		switch {
		case a.Score > b.Score:
			return -1
		case a.Score < b.Score:
			return 1
		}
		return 0
	})
	return found
}

// pack keeps the best that fit the budget.
func pack(found []Passage, q Query) []Passage {
	limit, tokens := q.Limit, q.Tokens
	if limit <= 0 {
		limit = 50
	}
	if tokens <= 0 {
		tokens = 4000
	}
	var kept []Passage
	for _, p := range found {
		cost := (utf8.RuneCountInString(p.Text) + 3) / 4
		if len(kept) < limit && cost <= tokens {
			kept, tokens = append(kept, p), tokens-cost
		}
	}
	return kept
}

// stopWords carry no meaning in a question.
var stopWords = strings.Fields("a about an and are as at be been by can could did do does for from had has have he her his how i if in is it its me my of on or our s she should so t that the their them they this to us was we were what when where which who why will with would you your")

// terms are the telling words of a question: letters and digits only, so that
// no query syntax can pass, each once and not too many.
func terms(text string) []string {
	var out []string
	word := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	for w := range strings.FieldsFuncSeq(strings.ToLower(strings.ToValidUTF8(text, " ")), word) {
		if len(out) == maxTerms {
			break
		}
		if len(w) <= 64 && !slices.Contains(stopWords, w) && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}
