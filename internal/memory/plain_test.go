package memory

import (
	"database/sql"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// plainText is what recall is compared with: SQLite's full-text index over whole messages behind
// their authors' names, English stems, the best of BM25 first; Chinese in pairs of letters. It
// leaves out a message that does not fit the budget, and goes on with the next.
type plainText struct {
	db   *sql.DB
	msgs []setLine
}

func newPlainText(t testing.TB, msgs []setLine) plainText {
	t.Helper()
	db, err := sql.Open("sqlite3", ":memory:")
	must(t, err)
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { _ = db.Close() })
	tx, err := db.Begin()
	must(t, err)
	must(t, second(tx.Exec("CREATE VIRTUAL TABLE t USING fts5 (said, tokenize = 'porter unicode61')")))
	for i, m := range msgs {
		must(t, second(tx.Exec("INSERT INTO t (rowid, said) VALUES (?, ?)", i, m.Name+" "+strings.Join(grams(m.Text), " "))))
	}
	must(t, tx.Commit())
	return plainText{db, msgs}
}

// find returns the lines that fit a question within some tokens.
func (p plainText) find(t testing.TB, question string, tokens int) (lines []string) {
	t.Helper()
	var words []string
	for _, w := range grams(question) {
		if !strings.Contains(smallWords, " "+w+" ") {
			words = append(words, `"`+w+`"`)
		}
	}
	if len(words) == 0 {
		return nil
	}
	rows, err := p.db.Query("SELECT rowid FROM t WHERE t MATCH ? ORDER BY bm25(t) LIMIT 400", strings.Join(words, " OR "))
	must(t, err)
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var i int
		must(t, rows.Scan(&i))
		m := p.msgs[i]
		line := fmt.Sprintf("[%s] %s: %s", strings.Replace(m.At[:16], "T", " ", 1), m.Name, m.Text)
		if cost := quarter(line); cost <= tokens {
			lines, tokens = append(lines, line), tokens-cost
		}
	}
	must(t, rows.Err())
	return lines
}

var gramRuns = regexp.MustCompile(`\p{Han}+|[^\P{L}\p{Han}]+[\p{N}']*|\p{N}+`)

// grams are the words of a text in small letters, and of Chinese each pair of letters.
func grams(text string) (list []string) {
	for _, run := range gramRuns.FindAllString(strings.ToLower(text), -1) {
		r := []rune(run)
		if !unicode.Is(unicode.Han, r[0]) || len(r) == 1 {
			list = append(list, strings.Trim(run, "'"))
			continue
		}
		for i := range len(r) - 1 {
			list = append(list, string(r[i:i+2]))
		}
	}
	return list
}
