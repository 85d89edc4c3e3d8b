// Package pgschema holds the parts of memory's schema that differ on PostgreSQL: triggers,
// and the words for its full-text indexes. Tables and most migrations are translated from
// SQLite's; statements are the same on both. It opens nothing and runs no statement unless
// called.
package pgschema
