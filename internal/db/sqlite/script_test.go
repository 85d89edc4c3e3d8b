package sqlite

import (
	"slices"
	"strings"
	"testing"
)

const someScript = `-- A comment; and more
CREATE TABLE a (
    x TEXT DEFAULT ';
');
CREATE TRIGGER a_insert AFTER INSERT ON a
BEGIN
    UPDATE a SET x = 'y' WHERE rowid = new.rowid;
    UPDATE a SET x = x || 'z';
END;
INSERT INTO a VALUES ('b');
PRAGMA user_version = 3`

// TestRun: each statement is run by itself, those of triggers with it, and a script that
// fails at its end leaves nothing.
func TestRun(t *testing.T) {
	var first []string
	for s := range statements(someScript) {
		word, _, _ := strings.Cut(strings.TrimPrefix(s, "-- A comment; and more\n"), " ")
		first = append(first, word)
	}
	if want := []string{"CREATE", "CREATE", "INSERT", "PRAGMA"}; !slices.Equal(first, want) {
		t.Errorf("statements %q", first)
	}
	for _, tt := range []struct {
		script, want string
	}{{someScript, "yz"}, {someScript + ";\nINSERT INTO nowhere VALUES (1)", ""}} {
		db := Raw(":memory:", "")
		db.SetMaxOpenConns(1)
		err := Run(t.Context(), db, tt.script)
		var x string
		_ = db.QueryRow("SELECT x FROM a").Scan(&x)
		if x != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("%q, %v; want %q", x, err, tt.want)
		}
		_ = db.Close()
	}
}
