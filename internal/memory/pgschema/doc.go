// Package pgschema is what of memory's schema differs on a PostgreSQL server: triggers in
// its own words, and the words that go into its indexes. Tables, and most migrations, are
// translated from SQLite's; statements are the same on both. It opens nothing and runs no
// statement of its own accord.
package pgschema
