//go:build linux && cgo

package host

/*
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
static void parley_few(void) { mallopt(M_ARENA_MAX, 2); }
static void parley_trim(void) { malloc_trim(0); }
#else
static void parley_few(void) {}
static void parley_trim(void) {}
#endif
*/
import "C"

// few limits C's allocator, which SQLite uses, to two arenas instead of eight per
// processor: memory freed by one thread can then serve others.
func few() { C.parley_few() }

// trim returns memory freed by SQLite.
func trim() { C.parley_trim() }
