// Package memory stores every row that survives a restart: one SQLite file, its
// schema and migrations, the transactions of the three durable moments, and the rules
// of who may read what, written into the SQL itself. It calls no model, knows no
// platform and starts no work of its own beyond its writer.
package memory
