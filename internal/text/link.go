package text

import (
	"html"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// Leads returns the host of a link that misleads: its label looks like another address, or
// its address has a user name before an "@". "" is an honest link. The host is in the form
// that is looked up, which exposes look-alike letters of other scripts.
func Leads(label, address string) string {
	u, err := url.Parse(strings.TrimSpace(html.UnescapeString(address)))
	if err != nil || u.Host == "" {
		if len(hosts(label)) == 0 {
			return ""
		}
		return Clip(strings.TrimSpace(address), 60) // no place in the web
	}
	host := Dialed(u.Hostname())
	if u.User != nil {
		return host
	}
	for _, h := range hosts(label) {
		if !related(Dialed(h), host) {
			return host
		}
	}
	return ""
}

// Host returns the host of a web address in the form that is looked up, which exposes
// look-alike letters; "" for none.
func Host(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return Dialed(u.Hostname())
}

// related reports whether one host is a subdomain of the other, or the same.
func related(a, b string) bool {
	return a == b || strings.HasSuffix(a, "."+b) || strings.HasSuffix(b, "."+a)
}

// Dialed returns a host in the form that is looked up.
func Dialed(host string) string {
	host = strings.ToLower(strings.Trim(host, ". "))
	if ascii, err := idna.Punycode.ToASCII(host); err == nil {
		return ascii
	}
	return host
}

var (
	hostForm  = Pattern(`(?i)(?:[\pL\pN](?:[\pL\pN\pM_-]*)\.)+(?:xn--[a-z0-9-]+|[\pL\pM]{2,24})|\d{1,3}(?:\.\d{1,3}){3}|://\[?[^\s/?#@\]]+`)
	spacedDot = Pattern(`\s+\.\s*`) // not a normal end of a sentence
	markup    = strings.NewReplacer(`\`, "", "*", "", "~", "", "|", "", "`", "", "__", "")
	dots      = strings.NewReplacer("。", ".", "．", ".", "｡", ".", "․", ".", "﹒", ".", "⁄", "/", "∕", "/", "：", ":")
)

// hosts returns the parts of a label that look like host names.
func hosts(label string) (list []string) {
	label = dots.Replace(markup.Replace(Clean(html.UnescapeString(label))))
	label = strings.Map(func(r rune) rune {
		if r >= 0xFF01 && r <= 0xFF5E { // the wide forms of ASCII
			return r - 0xFEE0
		}
		return r
	}, label)
	if words := strings.Fields(label); !slices.ContainsFunc(words, func(w string) bool { return utf8.RuneCountInString(w) > 1 }) {
		label = strings.Join(words, "")
	}
	label = spacedDot().ReplaceAllString(label, ".")
	for _, h := range hostForm().FindAllString(label, -1) {
		h = strings.TrimPrefix(h, "://")
		h, _, _ = strings.Cut(h, ":")
		list = append(list, strings.TrimPrefix(h, "["))
	}
	return list
}

var (
	links    = Pattern(`\[((?:[^\[\]]|\\.|\[(?:[^\[\]]|\[[^\[\]]*\])*\])*)\]\(\s*(?:<([^<>\n]*)>|((?:[^()\s]|\((?:[^()\s]|\([^()\s]*\))*\))+))(?:\s+(?:"[^"]*"|'[^']*'|\([^()]*\)))?\s*\)|(https?://[^\s<>()\[\]"@/?#]*@[^\s<>()\[\]"]+)`)
	fenced   = Pattern("^ {0,3}(`{3,}|~{3,})")
	backtick = Pattern("`+")
)

// Honest returns Markdown in which each misleading link is followed by its real host. Code
// stays as it is. Like Clean, it keeps prefixes stable.
func Honest(markdown string) string {
	if !strings.Contains(markdown, "](") && !strings.Contains(markdown, "@") {
		return markdown
	}
	var b strings.Builder
	prose, fence := 0, ""
	at := 0
	for line := range strings.Lines(markdown) {
		m := fenced().FindStringSubmatch(line)
		switch {
		case fence == "" && m != nil:
			b.WriteString(honest(markdown[prose:at]))
			prose, fence = at, m[1]
		case fence != "" && m != nil && strings.HasPrefix(m[1], fence) && strings.Trim(strings.TrimSpace(line), fence[:1]) == "":
			b.WriteString(markdown[prose : at+len(line)])
			prose, fence = at+len(line), ""
		case fence == "" && strings.TrimSpace(line) == "": // a span of code ends with its paragraph
			b.WriteString(honest(markdown[prose:at]))
			prose = at
		}
		at += len(line)
	}
	if fence != "" {
		return b.String() + markdown[prose:]
	}
	return b.String() + honest(markdown[prose:])
}

// honest handles one paragraph.
func honest(s string) string {
	var b strings.Builder
	last := 0
	spans := spansOf(s)
	for _, m := range links().FindAllStringSubmatchIndex(s, -1) {
		if spans.hold(m[0]) || m[0] > 0 && s[m[0]-1] == '\\' {
			continue
		}
		label, address := "", ""
		switch {
		case m[8] >= 0:
			address = strings.TrimRight(s[m[8]:m[9]], ".,;:!?*_~'")
			m[1] = m[8] + len(address)
			if label = address; !parses(address) {
				continue
			}
		case m[4] >= 0:
			label, address = s[m[2]:m[3]], s[m[4]:m[5]]
		default:
			label, address = s[m[2]:m[3]], s[m[6]:m[7]]
		}
		if host := Leads(label, address); host != "" && !strings.HasPrefix(s[m[1]:], " ("+host+")") {
			b.WriteString(s[last:m[1]] + " (" + host + ")")
			last = m[1]
		}
	}
	return b.String() + s[last:]
}

// parses reports whether a bare address is valid.
func parses(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Host != ""
}

// codeSpans holds the ranges of code in a paragraph.
type codeSpans [][2]int

func (c codeSpans) hold(at int) bool {
	for _, s := range c {
		if s[0] <= at && at < s[1] {
			return true
		}
	}
	return false
}

// spansOf lists the code of a paragraph: from a run of backticks to the next of
// the same length.
func spansOf(s string) (all codeSpans) {
	runs := backtick().FindAllStringIndex(s, -1)
	next := map[int][]int{} // by length, where runs are
	for i, r := range runs {
		next[r[1]-r[0]] = append(next[r[1]-r[0]], i)
	}
	for i := 0; i < len(runs); i++ {
		size := runs[i][1] - runs[i][0]
		same := next[size]
		for len(same) > 0 && same[0] <= i {
			same = same[1:]
		}
		next[size] = same
		if len(same) > 0 {
			all = append(all, [2]int{runs[i][0], runs[same[0]][1]})
			i = same[0]
		}
	}
	return all
}
