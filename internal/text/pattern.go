package text

import (
	"regexp"
	"sync"
)

// Pattern returns a pattern that is compiled on first use: those with classes of
// letters take 100 KB each, and most processes need few of them. An invalid pattern
// panics on first use.
func Pattern(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}
