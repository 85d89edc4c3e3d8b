package postgres

import (
	"database/sql/driver"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"parley/internal/db/engine"
	"parley/internal/text"
)

// dialect is PostgreSQL's way. Transactions are serializable unless they need not be: what
// they do was written for one writer, and whoever meets another is repeated.
var dialect = engine.Dialect{Mark: "$", Begin: hasten, Held: hastenHeld, Step: step, Said: said, Explain: explain,
	Text: inWords, Argument: argument, Returning: true, Require: require, Change: change,
	Anew: pgx.QueryExecModeCacheDescribe}

// first is what a statement fails with where somebody else was first, in the words that an
// operator finds in the server's log. (The end of a transaction goes with its statements, in
// one trip: only an error keeps it from being made.)
const first = "Parley: another process was first. This is undone and no failure."

// require lets the reading of a number fail where a query has no row.
func require(query string) string {
	return "SELECT CAST(CASE WHEN EXISTS (" + query + ") THEN '1' ELSE '" + first + "' END AS INTEGER)"
}

// change lets the reading of a number fail where a statement does not change one row.
func change(query string) string {
	return "WITH done AS (" + query + " RETURNING 1) SELECT CAST(CASE WHEN count(*) = 1 THEN '1' ELSE '" + first + "' END AS INTEGER) FROM done"
}

// rewritten is what SQLite says in another way: hints on how to run a statement, the
// search in an index of words, and the name of a function that is a word of the grammar
// from PostgreSQL 16 on.
var rewritten = []struct {
	from func() *regexp.Regexp
	to   string
}{
	{text.Pattern(`\bINDEXED BY \w+`), ""},
	{text.Pattern(`\bCROSS JOIN ([\w.]+)((?: AS)?(?: \w+)?) ON\b`), "JOIN $1$2 ON"},
	{text.Pattern(`\b(\w+_fts) MATCH (:\w+|\?)`), "$1.words @@ CAST($2 AS tsquery)"},
	{text.Pattern(`\bjson_array\(`), `"json_array"(`},
}

// inWords writes a statement in PostgreSQL's words.
func inWords(query string) string {
	for _, r := range rewritten {
		query = r.from().ReplaceAllString(query, r.to)
	}
	return query
}

// argument writes a parameter as text, which PostgreSQL reads as what the statement
// wants there: as in SQLite, a number may be meant as a text, and a yes as a number.
// Bytes stay bytes.
func argument(a any) any {
	if m, ok := a.(engine.Match); ok {
		return query(m)
	}
	if v, ok := a.(driver.Valuer); ok {
		if own, err := v.Value(); err == nil {
			a = own
		}
	}
	switch v := reflect.ValueOf(a); v.Kind() {
	case reflect.Invalid:
		return nil
	case reflect.Bool:
		if v.Bool() {
			return "1"
		}
		return "0"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.FormatInt(v.Int(), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return strconv.FormatUint(v.Uint(), 10)
	case reflect.Float32, reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'g', -1, 64)
	case reflect.String:
		return Storable(v.String())
	case reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		return argument(v.Elem().Interface())
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return v.Bytes()
		}
	}
	return fmt.Sprint(a)
}

// Storable is a text without what PostgreSQL takes in none: the character 0, and bytes
// that are no characters. Both become the mark of something unreadable.
func Storable(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}
