package agenda

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"parley/internal/db/engine"
	"parley/internal/memory/facts"
	"parley/internal/memory/provenance"
	"parley/internal/text"
	"parley/internal/text/ranking"
)

// LogEntry is a line in a person's journal.
type LogEntry struct {
	ID      int64 `json:"-"` // its key; people know it by Number
	Number  int64
	Author  string // user, assistant, system
	Type    string // thought, decision, research, insight
	Content string
	At      time.Time
	Origin  provenance.Origin // whose words, and how they came
}

var logTypes = []string{"thought", "decision", "research", "insight"}

// ErrLogSize: the entry is blank or too long. Its text may be shown to people.
var ErrLogSize = text.Tell("an entry has 1 to %d characters", facts.MaxLength)

// AddLog writes a line into v's journal. Type "" is thought, Author "" is
// user. A second call with the same key ("" is none) returns the first one's.
func (b *Agenda) AddLog(ctx context.Context, v provenance.Viewer, e LogEntry, callKey string) (LogEntry, error) {
	e.Type, e.Author = cmp.Or(e.Type, logTypes[0]), cmp.Or(e.Author, facts.Authors[0])
	e.Content = strings.TrimSpace(strings.ToValidUTF8(strings.ReplaceAll(e.Content, "\x00", ""), "�"))
	switch n := utf8.RuneCountInString(e.Content); {
	case n < 1 || n > facts.MaxLength:
		return e, ErrLogSize
	case !slices.Contains(logTypes, e.Type):
		return e, fmt.Errorf("an entry is one of %s, not %q", strings.Join(logTypes, ", "), e.Type)
	case !slices.Contains(facts.Authors, e.Author):
		return e, fmt.Errorf("an entry is by one of %s, not %q", strings.Join(facts.Authors, ", "), e.Author)
	}
	err := b.db.Write(ctx, func(tx *engine.Tx) error {
		if callKey != "" {
			known, err := scanLog(
				tx.QueryRow("SELECT "+logColumns+" FROM log_entries WHERE user_id = ? AND call_key = ?", v.User, callKey))
			if !errors.Is(err, engine.ErrNotFound) {
				e = known
				return err
			}
		}
		e.At = b.now()
		id, err := tx.Insert(`INSERT INTO log_entries (user_id, platform, channel, author, type, content, call_key, at, via, people, agent)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, v.User, v.Key.Platform, v.Key.Channel, e.Author, e.Type, e.Content, callKey,
			engine.Stamp(e.At), int(e.Origin.Via), e.Origin.But(v.User).Names(), v.Keeper())
		if err != nil {
			return err
		}
		e.ID = id
		return tx.QueryRow("SELECT number FROM log_entries WHERE id = ?", id).Scan(&e.Number)
	})
	return e, engine.During("add log entry", err)
}

const logColumns = "id, number, author, type, content, at, via, people"

func scanLog(r engine.Scanner) (e LogEntry, err error) {
	err = r.Scan(&e.ID, &e.Number, &e.Author, &e.Type, &e.Content, engine.Stamped(&e.At), &e.Origin.Via, (*provenance.Names)(&e.Origin.People))
	return e, err
}

// LogQuery selects entries.
type LogQuery struct {
	From, To time.Time // [From, To); zero is open
	Text     string    // every word of it stands in the entry; "" is any
	Limit    int       // 0 is 50
}

// maxSearched bounds the entries one search reads.
const maxSearched = 20_000

// Log lists v's entries, oldest first: the newest that fit.
func (b *Agenda) Log(_ context.Context, v provenance.Viewer, q LogQuery) ([]LogEntry, error) {
	limit := q.Limit
	if limit <= 0 {
		limit = 50
	}
	read := limit
	want := ranking.Stems(q.Text)
	if len(want) > 0 {
		read = maxSearched
	}
	list, err := engine.Select(b.db, scanLog, "SELECT "+logColumns+" FROM log_entries WHERE "+ofOwner+
		` AND (:from = '' OR at >= :from) AND (:to = '' OR at < :to)
		ORDER BY at DESC, id DESC LIMIT :limit`, v.Named(engine.Named{"from": engine.Stamp(q.From), "to": engine.Stamp(q.To), "limit": read}))
	list = slices.DeleteFunc(list, func(e LogEntry) bool {
		have := ranking.Stems(e.Content + " " + e.Type)
		for w := range want {
			if !have[w] {
				return true
			}
		}
		return false
	})
	list = list[:min(len(list), limit)]
	slices.Reverse(list)
	return list, engine.During("read log", err)
}
