//go:build cgo

package sqlite

/*
extern int sqlite3_config(int, ...);
static void parley_uncounted(void) { sqlite3_config(9, 0); } // SQLITE_CONFIG_MEMSTATUS
*/
import "C"

// SQLite counts the memory that it has, under a lock that all its connections share, for
// functions that nobody here calls. It can be told so before its first use only.
func init() { C.parley_uncounted() }
