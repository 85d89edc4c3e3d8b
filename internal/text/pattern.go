package text

import (
	"regexp"
	"sync"
)

// Pattern returns a pattern that is compiled when it is first needed: those with
// classes of letters take 100 KB each, and most processes come by few of them.
// It panics then where the pattern is none.
func Pattern(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}
