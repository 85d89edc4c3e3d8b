package citation

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"parley/internal/text"
)

var (
	listHead = text.Pattern(`(?i)^[ \t]*(?:#{1,6}[ \t]*)?(?:\*\*|__)?(?:sources?(?: cited| used)?|references|citations|works cited|bibliography|quellen(?:angaben|verzeichnis)?|quelle|literatur|nachweise|fuentes?|referencias|bibliografía|références|bibliographie|источники|литература|ссылки|来源|來源|参考|參考|参考资料|参考文献|资料来源)(?:\*\*|__)?[ \t]*(?:[:：][ \t]*(?:\*\*|__)?[ \t]*(.*)|$)`)
	listItem = text.Pattern(`^[ \t]*(?:(?:[-*+•][ \t]+)?\[\^?(\p{Nd}{1,3})\]:?|(\p{Nd}{1,3})[.)][ \t]|[-*+•][ \t]+)[ \t]*(.*)$`)
	noteItem = text.Pattern(`(?m)^ {0,3}\[\^([\pL\p{Nd}_-]{1,20})\]:[ \t]*(.*)$`)
	oneLink  = text.Pattern(`\[([^\[\]\n]*)\]\(([^()\s]+(?:\([^()\s]*\)[^()\s]*)*)\)`)
	linkMark = text.Pattern(`\[\[?(\p{Nd}{1,3})\]?\]\(((?:[^()\s]|\([^()\s]*\))+)\)`)
	document = text.Pattern(`(?i)https?://\S+|\[\[[^\[\]]+\]\]|[\pL\p{Nd}_)-]\.(?:md|markdown|txt|pdf|docx?|html?|canvas|go|py|js|ts|rs|java|c|cpp|rst)\b`)
)

// maxNames bounds the bytes of an answer in which lists and names are looked for.
const maxNames = 1 << 16

// named returns the number of the passage that a text names by its path, file, title or
// address, alone or with what is known of it; 0 if none or several could be meant.
func named(s string, passages []Passage) (n int) {
	if m := oneLink().FindStringSubmatch(s); m != nil {
		if n := named(m[2], passages); n > 0 {
			return n
		}
		s = strings.Replace(s, m[0], m[1], 1)
	}
	s = strings.ToLower(strings.Trim(strings.NewReplacer("[[", "", "]]", "", "`", "", "*", "", "<", "", ">", "").Replace(s), " \t.,;"))
	if s == "" {
		return 0
	}
	at := ""
	for i, p := range passages {
		file := strings.ToLower(p.Document)
		if is(s, strings.ToLower(p.URL), file, path.Base(file), strings.TrimSuffix(path.Base(file), path.Ext(file)),
			strings.ToLower(p.Title), strings.ToLower(p.Title)+" — "+file, strings.ToLower(p.Title)+" - "+file,
			strings.ToLower(p.Title)+" ("+file+")", file+"#"+strings.ToLower(p.Heading), strings.ToLower(p.Title+" "+p.URL)) {
			if n > 0 && at != file {
				return 0
			}
			if n == 0 {
				n, at = i+1, file
			}
		}
	}
	return n
}

func is(s string, names ...string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return strings.Trim(n, " —-#.()") != "" && n == s })
}

// unlist removes the entries of a list of sources that name passages, whose numbers it
// adds, and marks the others. Without passages only what looks like a document is one.
func (c *Cited) unlist(passages []Passage) {
	if len(c.Text) > maxNames {
		return
	}
	lines := strings.Split(c.Text, "\n")
	var out []string
	fenced := false
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		if t := strings.TrimSpace(line); strings.HasPrefix(t, "```") || strings.HasPrefix(t, "~~~") {
			fenced = !fenced
		}
		m := listHead().FindStringSubmatch(line)
		if m == nil || fenced {
			out = append(out, line)
			continue
		}
		end := i + 1
		for blank := end; blank < len(lines) && m[1] == ""; blank++ {
			if strings.TrimSpace(lines[blank]) == "" {
				continue
			}
			if !listItem().MatchString(lines[blank]) {
				break
			}
			end = blank + 1
		}
		left, known := c.entries(line, m[1], lines[i+1:end], passages)
		switch {
		case left == nil && !known: // a heading over something else
			out = append(out, line)
			continue
		case m[1] != "" && len(left) > 0:
			out = append(out, left[0])
		case len(left) > 0:
			out = append(append(out, line), left...)
		}
		for len(left) == 0 && len(out) > 0 && strings.TrimSpace(out[len(out)-1]) == "" {
			out = out[:len(out)-1]
		}
		i = end - 1
	}
	c.Text = strings.Join(out, "\n")
}

// entries reads a list of sources: rest is what the line of its heading, head, says behind
// it, lines are those below. It returns what is left of it, with notes; known tells whether an entry
// names a passage.
func (c *Cited) entries(head, rest string, lines []string, passages []Passage) (left []string, known bool) {
	if rest != "" {
		parts := strings.FieldsFunc(rest, func(r rune) bool { return r == ',' || r == ';' || r == '、' })
		var numbers []int
		for _, p := range parts {
			if n := named(strings.TrimSpace(p), passages); n > 0 {
				numbers = append(numbers, n)
			}
		}
		if len(numbers) == len(parts) {
			c.cite(numbers...)
			return nil, true
		}
		if document().MatchString(rest) {
			return []string{c.unchecked(head)}, false
		}
		return nil, false
	}
	any := false
	for _, line := range lines {
		m := listItem().FindStringSubmatch(line)
		if m == nil {
			continue
		}
		n, _ := strconv.Atoi(ascii(m[1]))
		by := named(m[3], passages)
		bare := strings.TrimSpace(m[3]) == "" && n >= 1 && n <= len(passages)
		switch {
		case by > 0:
			c.cite(by)
			known = true
		case bare:
			c.cite(n)
			known = true
		case m[1] != "" || document().MatchString(m[3]):
			any = true
			left = append(left, c.unchecked(line))
		default:
			left = append(left, line)
		}
	}
	if !known && !any {
		return nil, false
	}
	return left, known
}

// cite adds the numbers of passages that an answer names outside of marks.
func (c *Cited) cite(numbers ...int) {
	for _, n := range numbers {
		if !slices.Contains(c.Numbers, n) {
			c.Numbers = append(c.Numbers, n)
		}
	}
}

// unchecked puts UncheckedNote behind a line that has none.
func (c *Cited) unchecked(line string) string {
	c.Unchecked++
	if strings.HasSuffix(strings.TrimRight(line, " "), UncheckedNote) {
		return line
	}
	return strings.TrimRight(line, " ") + " " + UncheckedNote
}

// name writes the marks that name a passage, [^2] with its note, [[prices]] and [1](address),
// as numbers.
func (c *Cited) name(passages []Passage) {
	if len(c.Text) > maxNames || !strings.Contains(c.Text, "[") {
		return
	}
	notes := map[string]int{}
	text := noteItem().ReplaceAllStringFunc(c.Text, func(line string) string {
		m := noteItem().FindStringSubmatch(line)
		if n := named(m[2], passages); n > 0 {
			notes[m[1]] = n
			return "\x00"
		}
		if document().MatchString(m[2]) {
			return c.unchecked(line)
		}
		return line
	})
	for id, n := range notes {
		text = strings.ReplaceAll(text, "[^"+id+"]", "["+strconv.Itoa(n)+"]")
	}
	if len(notes) > 0 {
		text = strings.TrimRight(strings.ReplaceAll(strings.ReplaceAll(text, "\x00\n", ""), "\x00", ""), "\n ")
	}
	var out strings.Builder
	last := 0
	for _, p := range uncoded(text) {
		out.WriteString(text[last:p.from])
		out.WriteString(linkMark().ReplaceAllStringFunc(text[p.from:p.to], func(link string) string {
			if n := named(linkMark().FindStringSubmatch(link)[2], passages); n > 0 {
				return "[" + strconv.Itoa(n) + "]"
			}
			return link
		}))
		for _, m := range wikiForm().FindAllStringSubmatch(text[p.from:p.to], -1) {
			if n := named(m[1], passages); n > 0 {
				c.cite(n)
			}
		}
		last = p.to
	}
	c.Text = out.String() + text[last:]
}

// unnamed lists the links in a text that look like marks and name no passage.
func unnamed(s string, own labels, passages []Passage) (all []string) {
	for _, p := range uncoded(s) {
		for _, m := range wikiForm().FindAllStringSubmatch(s[p.from:p.to], -1) {
			number := strings.Trim(m[1], "0123456789 ,") == ""
			if !number && !own.linked[strings.ToLower(m[1])] && named(m[1], passages) == 0 {
				all = append(all, m[0])
			}
		}
		all = append(all, linkMark().FindAllString(s[p.from:p.to], -1)...)
	}
	return all
}
