// Package sqlite opens databases in files of this program's own, with SQLite: their
// settings, what brings commits to the disk, migrations, checks, copies, and wiping. The
// engine runs them. It knows no table: memory and vault own theirs.
package sqlite
