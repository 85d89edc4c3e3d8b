package frontmatter

import (
	"strings"

	"parley/internal/text"
)

// pageProperty matches one of the lines with which a page of Logseq begins.
var pageProperty = text.Pattern(`^([\p{L}][\p{L}\p{N}_/.-]*)::[ \t]+(.+)$`)

// page reads the properties of a page of Logseq: lines as "alias:: a, b" before anything
// else. They stay part of the text.
func (f *Matter) page(data string) {
	for line := range strings.Lines(data[:min(len(data), maxFront)]) {
		m := pageProperty().FindStringSubmatch(strings.TrimRight(line, " \t\r\n"))
		if m == nil {
			return
		}
		key, values := strings.ToLower(m[1]), listed(m[2])
		if key == "title" {
			values = []string{unlinked(m[2])}
		}
		if f.known(key, values) {
			continue
		}
		for _, v := range values {
			if len(f.Properties) < maxProperties {
				f.Properties = append(f.Properties, Property{text.Clip(key, maxKey), text.Clip(v, maxValue)})
			}
		}
	}
}

// listed returns the values between commas, those inside brackets whole.
func listed(s string) (all []string) {
	depth, from := 0, 0
	for i := 0; i <= len(s); i++ {
		switch {
		case i == len(s) || s[i] == ',' && depth == 0:
			if v := unlinked(s[from:i]); v != "" {
				all = append(all, v)
			}
			from = i + 1
		case s[i] == '[':
			depth++
		case s[i] == ']':
			depth = max(depth-1, 0)
		}
	}
	return all
}

// unlinked returns a value without the marks of a link or a tag around it.
func unlinked(s string) string {
	s = strings.TrimPrefix(strings.TrimSpace(s), "#")
	return strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(s, "[["), "]]"))
}
