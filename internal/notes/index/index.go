package index

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/internal/db/engine"
	"parley/internal/db/sqlite"
	"parley/internal/notes/code"
	"parley/internal/text"
	"parley/internal/text/ranking"
)

//go:embed schema.sql
var schema string

// schemaVersion changes with schema.sql and with how files are parsed.
const schemaVersion = 8

// readers is the number of reading connections.
const readers = 2

// index is the open index file.
type index struct{ db *engine.DB }

// cache is the index file. whole gets whether a full check of it has completed.
func cache(file string, whole *bool) sqlite.Cache {
	return sqlite.Cache{Path: file, Schema: schema, Version: schemaVersion, Options: sqlite.Options{Readers: readers,
		Prepare: func(ctx context.Context, db *sql.DB) error {
			return db.QueryRowContext(ctx, "SELECT complete FROM meta").Scan(whole)
		}}}
}

// openIndex opens the index file or makes a new one. whole reports that a full check has
// completed; damage is why an older file was deleted, or nil.
func openIndex(ctx context.Context, file string) (ix *index, whole bool, damage, err error) {
	if err = os.MkdirAll(filepath.Dir(file), 0o700); err == nil {
		var db *engine.DB
		db, damage, err = cache(file, &whole).Open(ctx)
		ix = &index{db}
	}
	if err != nil {
		return nil, false, nil, fmt.Errorf("open index: %w", err)
	}
	return ix, whole, damage, nil
}

// rower is an index that is open for writing or only for reading.
type rower interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// each calls scan with every row of a query. It stops at the first error.
func each(ctx context.Context, db rower, scan func(*sql.Rows) error, query string, args ...any) error {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// column returns the only column of a query.
func column[T any](ctx context.Context, ix *index, query string, args ...any) (all []T, err error) {
	return all, each(ctx, ix.db, func(rows *sql.Rows) error {
		var one T
		err := rows.Scan(&one)
		all = append(all, one)
		return err
	}, query, args...)
}

// sound reads the whole file and returns any damage it finds.
func (ix *index) sound(ctx context.Context) error {
	conn, done, err := sqlite.Fresh(ctx, ix.db.Path())
	if err != nil {
		return err
	}
	defer done()
	return sqlite.QuickCheck(ctx, conn, "")
}

// stamp identifies what a file says.
type stamp struct {
	size, mtime int64
	hash        string
}

// known lists the files of a source at or below scope.
func (ix *index) known(ctx context.Context, source, scope string) (map[string]stamp, error) {
	from, to := below(scope)
	all := map[string]stamp{}
	return all, each(ctx, ix.db, func(rows *sql.Rows) error {
		var name string
		var s stamp
		err := rows.Scan(&name, &s.size, &s.mtime, &s.hash)
		all[name] = s
		return err
	}, `SELECT path, size, mtime, hash FROM docs
		WHERE source = :source AND (:scope = '.' OR path = :scope OR path >= :from AND path < :to)`,
		engine.Named{"source": source, "scope": scope, "from": from, "to": to})
}

// below returns the bounds of the paths inside a folder: '0' follows '/'.
func below(folder string) (from, to string) { return folder + "/", folder + "0" }

// change is what one commit changes in a source.
type change struct {
	put   []indexed
	touch []indexed // only size and time are new
	drop  []string  // paths
	size  int       // bytes of text in put
}

// apply commits a change of one source.
func (ix *index) apply(ctx context.Context, source string, c *change) error {
	return ix.write(ctx, func(p *put) {
		for _, name := range c.drop {
			p.drop(source, name)
		}
		for _, d := range c.touch {
			p.exec("UPDATE docs SET size = ?, mtime = ? WHERE source = ? AND path = ?", d.size, d.mtime, d.source, d.path)
		}
		fresh := map[string]map[string]bool{}
		for _, d := range c.put {
			p.indexed(d, fresh)
		}
		for kind, all := range fresh {
			for w := range all {
				p.exec("INSERT OR IGNORE INTO words (kind, word) VALUES (?, ?)", kind, w)
			}
		}
	})
}

// write commits everything that do writes, or nothing. do may run twice.
func (ix *index) write(ctx context.Context, do func(*put)) error {
	return ix.db.Write(ctx, func(tx *engine.Tx) error {
		p := &put{tx: tx}
		do(p)
		return p.err
	})
}

// put writes rows. After an error it writes nothing more.
type put struct {
	tx  *engine.Tx
	err error
}

func (p *put) exec(query string, args ...any) (id int64) {
	if p.err != nil {
		return 0
	}
	res, err := p.tx.Exec(query, args...)
	if err != nil {
		p.err = err
		return 0
	}
	id, p.err = res.LastInsertId()
	return id
}

// drop deletes a file. Its sections, tags, links and symbols go with its row.
func (p *put) drop(source, name string) {
	if p.err != nil {
		return
	}
	var doc int64
	var kind string
	err := p.tx.QueryRow("SELECT id, kind FROM docs WHERE source = ? AND path = ?", source, name).Scan(&doc, &kind)
	if errors.Is(err, engine.ErrNotFound) {
		return
	}
	p.err = err
	p.exec("DELETE FROM "+kind+"_fts WHERE rowid IN (SELECT id FROM sections WHERE doc = ?)", doc)
	p.exec("DELETE FROM spelled_fts WHERE rowid IN (SELECT id FROM sections WHERE doc = ?)", doc)
	p.exec("DELETE FROM docs WHERE id = ?", doc)
}

func (p *put) indexed(d indexed, fresh map[string]map[string]bool) {
	p.drop(d.source, d.path)
	doc := p.exec("INSERT INTO docs (source, path, folded, kind, name, title, skipped, partly, day, size, mtime, hash) VALUES "+
		"(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		d.source, d.path, text.Fold(d.path), d.kind, noteName(path.Base(d.path)), d.title, d.skipped, d.partly, d.day, d.size, d.mtime,
		[]byte(d.hash))
	for _, o := range d.properties {
		p.exec("INSERT OR IGNORE INTO properties (doc, key, value) VALUES (?, ?, ?)", doc, o.Key, o.Value)
	}
	for _, t := range d.tags {
		p.exec("INSERT OR IGNORE INTO tags (doc, tag) VALUES (?, ?)", doc, t)
	}
	for _, n := range d.names() {
		p.exec("INSERT OR IGNORE INTO names (doc, name) VALUES (?, ?)", doc, n)
	}
	for _, l := range d.links {
		p.exec("INSERT OR IGNORE INTO links (doc, target, written, kind) VALUES (?, ?, ?, ?)", doc, noteName(l.Target), l.Target, l.Kind)
	}
	for _, b := range d.blocks {
		p.exec("INSERT OR IGNORE INTO blocks (doc, block, text) VALUES (?, ?, ?)", doc, b.ID, b.Text)
	}
	for _, s := range d.symbols {
		p.exec("INSERT INTO symbols (doc, name, owner, line) VALUES (?, ?, ?, ?)", doc, s.Name, s.Owner, s.Line)
	}
	if fresh[d.kind] == nil {
		fresh[d.kind] = map[string]bool{}
	}
	title, tags := d.stemmed(d.title), strings.Join(slices.Concat(d.tags, d.aliases), " ")
	if name := noteName(d.path); d.kind == KindNotes && name != text.Fold(d.title) {
		tags += " " + name // as links call it, whatever its heading
	}
	named := d.stemmed(tags)
	for _, s := range d.sections {
		_, hash := meaning(d.kind, d.title, s.heading, s.text)
		id := p.exec("INSERT INTO sections (doc, heading, line, page, text, hash) VALUES (?, ?, ?, ?, ?, ?)", doc, s.heading,
			s.line, s.page, s.text, hash)
		heading := s.trail + " " + s.heading
		if d.kind == KindCode {
			heading += " " + code.Words(s.heading)
		}
		p.exec("INSERT INTO "+d.kind+"_fts (rowid, title, heading, tags, text) VALUES (?, ?, ?, ?, ?)", id, title,
			d.stemmed(heading), named, d.stemmed(s.text))
		said := map[string]bool{}
		vocabulary(said, d.title+" "+tags+" "+heading+" "+s.text)
		var words strings.Builder
		for w := range said {
			fresh[d.kind][w] = true
			words.WriteString(spelled(d.kind, w) + " ")
		}
		p.exec("INSERT INTO spelled_fts (rowid, words) VALUES (?, ?)", id, words.String())
	}
}

// stemmed returns a text as the index of words gets it: what spaced returns, and behind it the
// stems of a note's words. Code has none: its words are names.
func (d indexed) stemmed(s string) string {
	if d.kind != KindNotes {
		return spaced(s)
	}
	var b strings.Builder
	b.WriteString(spaced(s))
	stems, seen := ranking.Stemmer(s), map[string]bool{}
	for w := range text.Words(s) {
		if seen[w] || len(w) > 64 {
			continue
		}
		seen[w] = true
		for _, stem := range stems(w) {
			b.WriteString(" " + stem)
		}
	}
	return b.String()
}

// minWord is how many bytes a word has at least that word parts and typos are matched against.
const minWord = 4

// vocabulary adds the words of s, against which word parts and typos are matched.
func vocabulary(all map[string]bool, s string) {
	for w := range text.Words(s) {
		if len(w) < minWord || len(w) > 40 {
			continue
		}
		if first, _ := utf8.DecodeRuneInString(w); unicode.IsDigit(first) || text.Pieced(first) {
			continue
		}
		all[w] = true
	}
}

// spaced puts spaces around the letters that a word index cannot split into words, so that it
// takes each letter for a word and a word for a phrase.
func spaced(s string) string {
	if strings.IndexFunc(s, text.Pieced) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if text.Pieced(r) {
			b.WriteByte(' ')
			b.WriteRune(r)
			b.WriteByte(' ')
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}
