package memory

import (
	"context"
	"encoding/json"
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
	Kind      string // "message"
	ID        int64  // the message's row
	MessageID string // the platform's id, "" for the bot's own words
	Key       chat.Key
	Score     float64 // above 0, the best is 1
	Text      string  // "[time] name: text"
	At        time.Time

	session, name, content string
	total                  float64 // the score while it is being worked out
}

// recallQuery keeps to what the asker may see: one place (a thread sees its
// parent), or without a place every conversation the asker has spoken in.
const recallQuery = `SELECT m.id, m.session_id, m.platform, m.channel, m.thread, m.name, m.message_id, m.content, m.at, -bm25(messages_fts)
	FROM messages_fts JOIN messages m ON m.id = messages_fts.rowid
	WHERE messages_fts MATCH ?1 AND m.role <> 'tool' AND m.content <> '' AND (
		(?3 <> '' AND m.platform = ?2 AND m.channel = ?3 AND m.thread IN (?4, ''))
		OR (?3 = '' AND EXISTS (SELECT 1 FROM participants p WHERE p.user_id = ?5
			AND p.platform = m.platform AND p.channel = m.channel AND p.thread = m.thread)))
	ORDER BY bm25(messages_fts), m.id LIMIT ?6`

// neighbourQuery fetches messages by id. Only those of a sitting that the scoped
// query has found are used, so it adds nothing that was not visible.
const neighbourQuery = `SELECT m.id, m.session_id, m.platform, m.channel, m.thread, m.name, m.message_id, m.content, m.at, 0.0
	FROM messages m WHERE m.id IN (SELECT value FROM json_each(?1)) AND m.role <> 'tool' AND m.content <> ''`

// Recall returns the passages that fit a question, best first, within its
// limits. A question without a telling word finds nothing, which is no error.
func (s *Store) Recall(_ context.Context, q Query) ([]Passage, error) {
	words := terms(q.Text)
	if len(words) == 0 || q.User == "" && q.Key.Channel == "" {
		return nil, nil
	}
	found, err := s.matching(q, words, 1)
	if err != nil {
		return nil, err
	}
	// Somebody who is asked about is rarely named in their own words: the name
	// says whose words count, and finds greetings otherwise.
	speakers, rest := named(found, words)
	if len(speakers) > 0 && len(rest) > 0 {
		if found, err = s.matching(q, rest, 1); err != nil {
			return nil, err
		}
	}
	if more := related(rest); len(more) > 0 {
		kin, err := s.matching(q, more, relatedWeight)
		if err != nil {
			return nil, err
		}
		found = merge(found, kin)
	}
	near, err := s.neighbours(found)
	if err != nil {
		return nil, err
	}
	return pack(rank(merge(found, near), speakers, hintsOf(q.Text)), q), nil
}

// matching runs the scoped full-text query for any of some words.
func (s *Store) matching(q Query, words []string, weight float64) ([]Passage, error) {
	return s.passages(weight, recallQuery, matchAny(words), q.Key.Platform, q.Key.Channel, q.Key.Thread, q.User, maxCandidates)
}

func (s *Store) passages(weight float64, query string, args ...any) ([]Passage, error) {
	rows, err := s.query(query, args...)
	if err != nil {
		return nil, fmt.Errorf("recall: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var found []Passage
	for rows.Next() {
		p := Passage{Kind: "message"}
		var at string
		if err := rows.Scan(&p.ID, &p.session, &p.Key.Platform, &p.Key.Channel, &p.Key.Thread, &p.name, &p.MessageID, &p.content, &at, &p.Score); err != nil {
			return nil, fmt.Errorf("recall: %w", err)
		}
		p.content = OwnWords(p.content)
		p.Score *= weight
		p.At = ParseStamp(at)
		p.Text = fmt.Sprintf("[%s] %s: %s", p.At.Format("2006-01-02 15:04"), p.name, p.content)
		found = append(found, p)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("recall: %w", err)
	}
	return found, nil
}

// reach is how far around a hit its neighbours are looked at.
const reach = 2

// neighbours fetches what was said right around the best hits: an answer often
// shares no word with the question it answers.
func (s *Store) neighbours(found []Passage) ([]Passage, error) {
	sitting := map[string]bool{}
	var ids []int64
	for _, p := range found {
		sitting[p.session] = true
		for d := int64(-reach); d <= reach; d++ {
			ids = append(ids, p.ID+d)
		}
	}
	list, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	near, err := s.passages(1, neighbourQuery, string(list))
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(near, func(p Passage) bool { return !sitting[p.session] }), nil
}

// merge adds the scores of two lists, each message once.
func merge(a, b []Passage) []Passage {
	at := map[int64]int{}
	for i, p := range a {
		at[p.ID] = i
	}
	for _, p := range b {
		if i, ok := at[p.ID]; ok {
			a[i].Score += p.Score
			continue
		}
		at[p.ID] = len(a)
		a = append(a, p)
	}
	return a
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
func terms(text string) []string { return allTerms(text, maxTerms) }

// allTerms are at most limit of them.
func allTerms(text string, limit int) []string {
	var out []string
	word := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	seen := map[string]bool{}
	for w := range strings.FieldsFuncSeq(strings.ToLower(strings.ToValidUTF8(text, " ")), word) {
		if len(out) == limit {
			break
		}
		if len(w) <= 64 && !slices.Contains(stopWords, w) && !seen[w] {
			seen[w], out = true, append(out, w)
		}
	}
	return out
}
