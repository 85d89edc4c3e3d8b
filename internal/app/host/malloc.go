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

// few has the allocator of C, which SQLite takes its memory from, keep two stocks
// instead of eight for each processor: what one thread frees is of use to others.
func few() { C.parley_few() }

// trim returns what SQLite has freed.
func trim() { C.parley_trim() }
