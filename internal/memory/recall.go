package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"parley/internal/chat"
	"parley/internal/memory/provenance"
	"parley/internal/text/ranking"
)

// Bounds of one recall.
const (
	maxWhole = 4500 // messages that are looked at one by one; of more, the index says where
	maxSpans = 100  // messages the index names
	maxNamed = 100  // more of them, said by those whom the question names
	maxReach = 2    // messages before and after each
)

// Query asks what was said before.
type Query struct {
	User   string   // who asks, platform-scoped
	Key    chat.Key // where; an empty Channel is a direct place
	Text   string   // the question, any text
	Limit  int      // passages at most; 0 is as many as the budget holds
	Tokens int      // budget over the texts; 0 is 4000
	Page   int      // 1 is what is worth reading first, 2 what fits less well, and so on; 0 fills the budget
	ByDay  bool     // for Written: Text begins with the time of day alone
	Signs  bool     // names carry the sign of whose they are (Sign)
	Agent  string   // who is asked; see provenance.Viewer

	// Size says how many tokens a text takes, at least its runes / 4; nil is those,
	// rounded up.
	Size func(text string) int

	now time.Time
}

// Passage is a piece of past conversation, quoted word for word: a message, or a part of a
// long one.
type Passage struct {
	Kind      string // "message"
	ID        int64  // the message's row
	MessageID string // the platform's id, "" for the bot's own words
	Key       chat.Key
	Score     float64 // above 0, the best is 1
	Text      string  // "[time] name: text", one line; by day "15:04 name: text"
	At        time.Time
	User      string // its author; of the bot's own words whom they answered
	Bot       bool   // the bot's own words
	Origin    Origin // how they came, and of the bot's whose they were made of

	name, content string
	part          ranking.Span // of content
}

// visible keeps to what the asker may see: one place (a thread sees its
// parent), or without a place every conversation the asker has spoken in: their
// own words and the answers to them, and what others said up to the asker's last
// word there, or until now where the asker was seen to be there lately. Who
// is out sees nothing of others, who came back nothing from before. What was said
// to another agent is not visible. Each query below that returns messages ends with
// it. IS TRUE keeps a server from looking messages up by what it says of places.
const visible = ` AND m.role <> 'tool' AND m.content <> '' AND ` + provenance.Heard + ` AND (
		(:channel <> '' AND m.platform = :platform AND m.channel = :channel AND m.thread IN (:thread, ''))
		OR (:channel = '' AND EXISTS (SELECT 1 FROM participants me
			LEFT JOIN membership b ON b.user_id = me.user_id AND b.platform = me.platform AND b.channel = me.channel
			WHERE me.user_id = :user AND me.platform = m.platform AND me.channel = m.channel AND me.thread = m.thread
			AND (m.user_id = me.user_id OR coalesce(b.state, 'in') = 'in' AND m.at > coalesce(b.since, '')
				AND (m.id <= me.last_id OR coalesce(b.checked_at, '') >= :since))))) IS TRUE`

// inPlaces walks the places that are visible, by their index.
const inPlaces = `
	FROM (SELECT :platform AS platform, :channel AS channel, :thread AS thread WHERE :channel <> ''
		UNION SELECT :platform, :channel, '' WHERE :channel <> ''
		UNION ALL SELECT platform, channel, thread FROM participants WHERE user_id = :user AND :channel = '') p
	JOIN messages m ON m.platform = p.platform AND m.channel = p.channel AND m.thread = p.thread`

const (
	countQuery = `SELECT count(*) FROM (SELECT 1` + inPlaces + ` LIMIT :limit) seen`
	wholeQuery = saidBegins + inPlaces + ` WHERE true` + visible + ` LIMIT :limit` + saidEnds
)

// saidQuery fetches the first messages of a JSON list of ids that are visible, and said by one
// of some people unless those are none.
//
// A file walks the list in its order, so it stops at the limit; a server has to be told.
const (
	saidQuery  = saidList + ` LIMIT :limit` + saidEnds
	saidServer = saidList + ` ORDER BY h.key LIMIT :limit` + saidEnds

	saidList = saidBegins + `
		FROM (SELECT key, value FROM json_each(:ids) ORDER BY key LIMIT 1000000) h CROSS JOIN messages m ON m.id = CAST(h.value AS BIGINT)
		WHERE (:people = '' OR m.user_id IN (SELECT CAST(value AS TEXT) FROM json_each(:people)))` + visible
)

// Recall returns the passages that fit a question, best first, within its
// limits. A question without a telling word finds nothing, which is no error.
func (s *Store) Recall(ctx context.Context, q Query) ([]Passage, error) {
	if len(ranking.TermsUpTo(q.Text, 1)) == 0 || q.User == "" && q.Key.Channel == "" {
		return nil, nil
	}
	q.now = s.now()
	meant := s.meanings.Asked(ctx, q.Text)
	found, chosen, err := s.candidates(ctx, q, meant)
	if err != nil {
		return nil, fmt.Errorf("recall: %w", err)
	}
	found = inOrder(found)
	ids := make([]int64, len(found))
	for i, p := range found {
		ids[i] = p.ID
	}
	near, err := s.meanings.Cosines(meant, ids)
	if err != nil {
		return nil, fmt.Errorf("recall: %w", err)
	}
	return pack(rank(q, found, near, chosen), q), nil
}

// inOrder sorts messages by place and time, and keeps each once.
func inOrder(found []*Passage) []*Passage {
	slices.SortFunc(found, func(a, b *Passage) int {
		return cmp.Or(cmp.Compare(a.Key.Platform, b.Key.Platform), cmp.Compare(a.Key.Channel, b.Key.Channel),
			cmp.Compare(a.Key.Thread, b.Key.Thread), cmp.Compare(a.ID, b.ID))
	})
	return slices.CompactFunc(found, func(a, b *Passage) bool { return a.ID == b.ID })
}

// piece is a part of a message, with its score.
type piece struct {
	*Passage
	part  ranking.Span // of the content
	score float64
}

// rank is ranking.Rank over the passages of messages, or RankChosen; near is how near these
// are, by id.
func rank(q Query, found []*Passage, near map[int64]float64, chosen bool) []piece {
	said, parts := make([]ranking.Message, 0, len(found)), make([]piece, 0, len(found))
	conversation := 0
	for i, p := range found {
		if i > 0 && p.Key != found[i-1].Key {
			conversation++
		}
		for _, part := range ranking.Passages(p.content) {
			parts = append(parts, piece{Passage: p, part: part})
			said = append(said, ranking.Message{Name: p.name, Text: p.content[part.From:part.To], At: p.At, Conversation: conversation,
				Near: near[p.ID], Part: part.From > 0, Bot: p.Bot, Own: !p.Bot && p.User == q.User})
		}
	}
	ranked := ranking.Rank
	if chosen {
		ranked = ranking.RankChosen
	}
	order := ranked(q.Text, said)
	best := make([]piece, len(order))
	for i, r := range order {
		best[i] = parts[r.Index]
		best[i].score = r.Score
	}
	return best
}

// worthReading is the score below which the first page ends: what comes then is a hundred
// times less likely to be the answer than the best. What it leaves out is on the second.
const worthReading = 0.01

// pack keeps the best that fit the budget, or the asked page of these, and writes them out.
func pack(found []piece, q Query) []Passage {
	if q.Limit <= 0 {
		q.Limit = len(found)
	}
	if q.Tokens <= 0 {
		q.Tokens = 4000
	}
	if q.Size == nil {
		q.Size = quarter
	}
	least := 0.0
	if q.Page > 0 {
		least = worthReading
	}
	kept, over := fill(found, q, least)
	for range q.Page - 1 {
		others := make([]piece, len(over))
		for i, n := range over {
			others[i] = found[n]
		}
		found = others
		kept, over = fill(found, q, 0)
	}
	return kept
}

// fill keeps the best of a score that fit the budget; over says which are the others.
func fill(found []piece, q Query, least float64) (kept []Passage, over []int) {
	const stamp = day + " " + timeOfDay
	left, days := q.Tokens, map[string]bool{}
	for i, one := range found {
		if len(kept) == q.Limit || one.score < least {
			for ; i < len(found); i++ {
				over = append(over, i)
			}
			return kept, over
		}
		said := one.quoted()
		if (utf8.RuneCountInString(said)+len("[] : ")+len(stamp))/4 > left {
			over = append(over, i) // does not fit whatever its name: not worth writing out
			continue
		}
		p := *one.Passage
		p.part, p.Score = one.part, one.score
		via := p.Origin.Via
		if p.Bot { // it reads what people said, and is not overheard
			via &^= provenance.ViaOverheard
		}
		line, under := provenance.OneLine(provenance.Shown(said, via)), p.under()
		p.Text = fmt.Sprintf("[%s] %s: %s", p.At.Format(stamp), p.who(q.Signs), line)
		if q.ByDay {
			p.Text = fmt.Sprintf("%s %s: %s", p.At.Format(timeOfDay), p.who(q.Signs), line)
		}
		cost := q.Size(p.Text)
		if q.ByDay {
			cost = q.Size(p.Text + "\n")
			if !days[under] {
				cost += q.Size(under + "\n")
			}
		}
		if cost > left {
			over = append(over, i)
			continue
		}
		kept, left, days[under] = append(kept, p), left-cost, true
	}
	return kept, over
}

const (
	day       = "2006-01-02"
	timeOfDay = "15:04"
)

// under is the heading of what was said on the passage's day.
func (p Passage) under() string { return "[" + p.At.Format(day) + "]" }

// Written writes passages that were asked for by day in the order in which they were said,
// each day once.
func Written(found []Passage) (lines []string) {
	found = slices.SortedStableFunc(slices.Values(found), func(a, b Passage) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID), cmp.Compare(a.part.From, b.part.From))
	})
	for i, p := range found {
		if i == 0 || p.under() != found[i-1].under() {
			lines = append(lines, p.under())
		}
		lines = append(lines, p.Text)
	}
	return lines
}

// quarter is how recall is measured: a token for four letters.
func quarter(text string) int { return (utf8.RuneCountInString(text) + 3) / 4 }

// quoted returns the part of the message that a passage quotes, with "…" for the rest.
func (p piece) quoted() string {
	said := strings.TrimSpace(p.content[p.part.From:p.part.To])
	if p.part.From > 0 {
		said = "… " + said
	}
	if p.part.To < len(p.content) {
		said += " …"
	}
	return said
}

// who returns the speaker as the passage names them: never as somebody else.
func (p Passage) who(sign bool) string {
	switch name := provenance.Label(p.name); {
	case p.Bot:
		return provenance.Assistant
	case sign || strings.EqualFold(name, provenance.Assistant):
		return name + provenance.Sign(p.User)
	default:
		return name
	}
}
