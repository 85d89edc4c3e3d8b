package vault

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mattn/go-sqlite3"

	"parley/internal/text"
)

//go:embed schema.sql
var schema string

// schemaVersion changes with schema.sql and with how files are taken apart.
const schemaVersion = 2

// The index can be rebuilt, so a commit need not survive power loss (NORMAL),
// only never leave half a file behind (WAL). Caches are small: the system's
// own is used anyway.
const (
	writerPragmas = "_journal_mode=WAL&_synchronous=NORMAL&_txlock=immediate&_busy_timeout=30000&_foreign_keys=on&_cache_size=-4000"
	readerPragmas = "mode=ro&_query_only=1&_busy_timeout=30000&_cache_size=-2000"
	readers       = 2
)

// index is the open index file. One writer, readers beside it.
type index struct {
	db, ro *sql.DB
}

// openIndex opens the file or makes a new one. whole tells that it is of a full
// check that ended; damage is why an older file was thrown away, nil when not.
func openIndex(ctx context.Context, file string) (ix *index, whole bool, damage, err error) {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return nil, false, nil, fmt.Errorf("open index: %w", err)
	}
	ix, whole, err = tryIndex(ctx, file)
	if damaged(err) || errors.Is(err, errOtherSchema) {
		damage = err
		if err := removeIndex(file); err != nil {
			return nil, false, nil, err
		}
		ix, whole, err = tryIndex(ctx, file)
	}
	if err != nil {
		return nil, false, nil, fmt.Errorf("open index: %w", err)
	}
	return ix, whole, damage, nil
}

var errOtherSchema = errors.New("the index was made by another version")

func tryIndex(ctx context.Context, file string) (ix *index, whole bool, err error) {
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE, 0o600) // SQLite would let others read it
	if err != nil {
		return nil, false, err
	}
	if err := f.Close(); err != nil {
		return nil, false, err
	}
	ix = &index{}
	if ix.db, err = sql.Open("sqlite3", dsn(file, writerPragmas)); err != nil {
		return nil, false, err
	}
	ix.db.SetMaxOpenConns(1)
	if ix.ro, err = sql.Open("sqlite3", dsn(file, readerPragmas)); err != nil {
		return nil, false, errors.Join(err, ix.db.Close())
	}
	ix.ro.SetMaxOpenConns(readers)
	ix.ro.SetMaxIdleConns(readers)
	if whole, err = ix.prepare(ctx); err != nil {
		return nil, false, errors.Join(err, ix.close())
	}
	return ix, whole, nil
}

func dsn(file, pragmas string) string {
	return "file:" + (&url.URL{Path: file}).EscapedPath() + "?" + pragmas
}

// prepare makes the schema in a new file and looks into one that was there.
func (ix *index) prepare(ctx context.Context) (whole bool, err error) {
	tx, err := ix.db.BeginTx(ctx, nil)
	if err != nil {
		return false, err
	}
	defer func() { _ = tx.Rollback() }()
	var version, tables int
	if err := tx.QueryRowContext(ctx, "SELECT user_version, (SELECT count(*) FROM sqlite_schema) FROM pragma_user_version").Scan(&version, &tables); err != nil {
		return false, err
	}
	switch {
	case tables == 0:
		if _, err := tx.ExecContext(ctx, schema+fmt.Sprintf("PRAGMA user_version = %d", schemaVersion)); err != nil {
			return false, err
		}
		return false, tx.Commit()
	case version != schemaVersion:
		return false, errOtherSchema
	}
	err = tx.QueryRowContext(ctx, "SELECT complete FROM meta").Scan(&whole)
	return whole, err
}

// removeIndex deletes the file and what SQLite keeps beside it.
func removeIndex(file string) error {
	for _, ending := range []string{"", "-wal", "-shm", "-journal"} {
		if err := os.Remove(file + ending); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("remove damaged index: %w", err)
		}
	}
	return nil
}

// damaged tells errors that only a new file mends.
func damaged(err error) bool {
	var se sqlite3.Error
	return errors.As(err, &se) && (se.Code == sqlite3.ErrCorrupt || se.Code == sqlite3.ErrNotADB)
}

func (ix *index) close() error {
	return errors.Join(ix.ro.Close(), ix.db.Close())
}

// sound reads the whole file and returns a damage that it finds.
func (ix *index) sound(ctx context.Context) error {
	var verdict string
	if err := ix.ro.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&verdict); err != nil {
		return err
	}
	if verdict != "ok" {
		return fmt.Errorf("%s: %w", verdict, sqlite3.Error{Code: sqlite3.ErrCorrupt})
	}
	return nil
}

// stamp is what the index knows of a file.
type stamp struct {
	size, mtime int64
	hash        string
}

// known lists the files of a source at or below scope.
func (ix *index) known(ctx context.Context, source, scope string) (map[string]stamp, error) {
	from, to := below(scope)
	rows, err := ix.ro.QueryContext(ctx, `SELECT path, size, mtime, hash FROM docs
		WHERE source = ?1 AND (?2 = '.' OR path = ?2 OR path >= ?3 AND path < ?4)`, source, scope, from, to)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	all := map[string]stamp{}
	for rows.Next() {
		var name string
		var s stamp
		if err := rows.Scan(&name, &s.size, &s.mtime, &s.hash); err != nil {
			return nil, err
		}
		all[name] = s
	}
	return all, rows.Err()
}

// below are the bounds of the paths inside a folder: '0' follows '/'.
func below(folder string) (from, to string) { return folder + "/", folder + "0" }

// change is one commit's worth of what differs.
type change struct {
	put   []document
	touch []document // only their size and time are new
	drop  []string   // paths, of source
	size  int        // bytes of text in put
}

func (c *change) empty() bool { return len(c.put)+len(c.touch)+len(c.drop) == 0 }

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
			p.document(d, fresh)
		}
		for kind, all := range fresh {
			for w := range all {
				p.exec("INSERT OR IGNORE INTO words (kind, word) VALUES (?, ?)", kind, w)
			}
		}
	})
}

// write commits what do puts, all of it or nothing.
func (ix *index) write(ctx context.Context, do func(*put)) error {
	tx, err := ix.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	p := &put{tx: tx, ready: map[string]*sql.Stmt{}}
	defer p.close()
	if do(p); p.err != nil {
		return p.err
	}
	return tx.Commit()
}

// put writes rows; the first error sticks.
type put struct {
	tx    *sql.Tx
	ready map[string]*sql.Stmt
	err   error
}

func (p *put) close() {
	for _, s := range p.ready {
		_ = s.Close()
	}
}

func (p *put) exec(query string, args ...any) (id int64) {
	if p.err != nil {
		return 0
	}
	s := p.ready[query]
	if s == nil {
		if s, p.err = p.tx.Prepare(query); p.err != nil {
			return 0
		}
		p.ready[query] = s
	}
	res, err := s.Exec(args...)
	if err != nil {
		p.err = err
		return 0
	}
	id, p.err = res.LastInsertId()
	return id
}

// drop forgets a file; sections, tags, links and symbols go with its row.
func (p *put) drop(source, name string) {
	if p.err != nil {
		return
	}
	var doc int64
	var kind string
	err := p.tx.QueryRow("SELECT id, kind FROM docs WHERE source = ? AND path = ?", source, name).Scan(&doc, &kind)
	if errors.Is(err, sql.ErrNoRows) {
		return
	}
	p.err = err
	p.exec("DELETE FROM "+kind+"_fts WHERE rowid IN (SELECT id FROM sections WHERE doc = ?)", doc)
	p.exec("DELETE FROM docs WHERE id = ?", doc)
}

func (p *put) document(d document, fresh map[string]map[string]bool) {
	p.drop(d.source, d.path)
	doc := p.exec("INSERT INTO docs (source, path, kind, name, title, skipped, size, mtime, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
		d.source, d.path, d.kind, noteName(path.Base(d.path)), d.title, d.skipped, d.size, d.mtime, d.hash)
	for _, t := range d.tags {
		p.exec("INSERT OR IGNORE INTO tags (doc, tag) VALUES (?, ?)", doc, t)
	}
	for _, l := range d.links {
		p.exec("INSERT OR IGNORE INTO links (doc, target) VALUES (?, ?)", doc, l)
	}
	for _, s := range d.symbols {
		p.exec("INSERT INTO symbols (doc, name, owner, line) VALUES (?, ?, ?, ?)", doc, s.name, s.owner, s.line)
	}
	if fresh[d.kind] == nil {
		fresh[d.kind] = map[string]bool{}
	}
	title, tags := spaced(d.title), spaced(strings.Join(d.tags, " ")+" "+strings.Join(d.aliases, " "))
	vocabulary(fresh[d.kind], title+" "+tags)
	for _, s := range d.sections {
		_, hash := meaning(d.kind, d.title, s.heading, s.text)
		id := p.exec("INSERT INTO sections (doc, heading, line, text, hash) VALUES (?, ?, ?, ?, ?)", doc, s.heading, s.line, s.text, hash)
		heading := s.trail + " " + s.heading
		if d.kind == KindCode {
			heading += " " + words(s.heading)
		}
		heading = spaced(heading)
		p.exec("INSERT INTO "+d.kind+"_fts (rowid, title, heading, tags, text) VALUES (?, ?, ?, ?, ?)", id, title, heading, tags, spaced(s.text))
		vocabulary(fresh[d.kind], heading)
		vocabulary(fresh[d.kind], s.text)
	}
}

// vocabulary adds the words that parts of words and slips are matched against.
func vocabulary(all map[string]bool, s string) {
	for w := range text.Words(s) {
		if len(w) < 4 || len(w) > 40 {
			continue
		}
		if first, _ := utf8.DecodeRuneInString(w); unicode.IsDigit(first) || unspaced(first) {
			continue
		}
		all[w] = true
	}
}

// unspaced tells letters of scripts that write words without spaces.
func unspaced(r rune) bool {
	return r > 0xE00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// spaced parts the letters of such scripts, so that each is a word and a word
// is a phrase.
func spaced(s string) string {
	if strings.IndexFunc(s, unspaced) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if unspaced(r) {
			b.WriteByte(' ')
			b.WriteRune(r)
			b.WriteByte(' ')
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}
