package postgrestest

import (
	"fmt"
	"net/url"
	"testing"
	"time"
)

// Clocked returns another address of a database, by which the server's clock says what the
// test wants: set makes it run ahead of the real one by so much, less than 0 behind it. Only
// clock_timestamp() knows of it.
func Clocked(t testing.TB, of string) (address string, set func(ahead time.Duration)) {
	t.Helper()
	for _, statement := range []string{"CREATE SCHEMA clock", "CREATE TABLE clock.ahead (by interval NOT NULL)",
		"INSERT INTO clock.ahead VALUES ('0')",
		"CREATE FUNCTION clock.clock_timestamp() RETURNS timestamptz VOLATILE LANGUAGE sql AS 'SELECT " +
			"pg_catalog.clock_timestamp() + by FROM clock.ahead'"} {
		must(t, exec1(of, statement))
	}
	u, err := url.Parse(of)
	must(t, err)
	q := u.Query()
	q.Set("search_path", "public,clock,pg_catalog")
	u.RawQuery = q.Encode()
	return u.String(), func(ahead time.Duration) {
		t.Helper()
		must(t, exec1(of, fmt.Sprintf("UPDATE clock.ahead SET by = '%d milliseconds'", ahead.Milliseconds())))
	}
}
