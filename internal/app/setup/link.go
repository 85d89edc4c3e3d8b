package setup

import (
	"net/url"
	"strconv"
	"strings"
)

// SourceLink adds a path to the base address of its source, "" for none: in place of
// {path}, or else at the end; and the line in place of {line}.
func SourceLink(base, path string, line int) string {
	if base == "" {
		return ""
	}
	if !strings.Contains(base, "{path}") {
		base = strings.TrimSuffix(base, "/") + "/{path}"
	}
	before, after, _ := strings.Cut(base, "{path}")
	at := escaped(path)
	if !strings.Contains(before, "?") { // folders of the address itself
		at = strings.ReplaceAll(at, "%2F", "/")
	}
	base = before + at + strings.ReplaceAll(after, "{path}", at)
	return strings.ReplaceAll(base, "{line}", strconv.Itoa(line))
}

// escaped escapes text for any place in an address. Not every program reads "+" as a
// space.
func escaped(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }
