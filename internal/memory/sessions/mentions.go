package sessions

import (
	"slices"
	"strings"

	"parley/internal/text"
)

// maxMentions limits what a session keeps of the things named in it.
const maxMentions = 100

var (
	urlPattern  = text.Pattern(`https?://[^\s<>()"'\x60]+[^\s<>()"'\x60.,;:!?]`)
	filePattern = text.Pattern(
		`\b[\w./-]*[\w-]\.(?:md|txt|pdf|go|py|js|ts|rs|c|h|cpp|java|json|ya?ml|toml|csv|sql|html|css|sh|png|jpe?g|docx?|xlsx?)\b`)
	personPattern = text.Pattern(`(?:^|\s)@(\w[\w.-]{1,31})`)
	symbolPattern = text.Pattern("`([A-Za-z_][\\w.:]*(?:\\(\\))?)`")
	refPattern    = text.Pattern(`(?i)\b(task|fact|note|order|issue|ticket) #?(\d+)\b`)
)

// Mentions are the things named in a session. Summaries keep them.
type Mentions struct {
	Files   []string `json:"files,omitempty"`
	URLs    []string `json:"urls,omitempty"`
	Symbols []string `json:"symbols,omitempty"`
	People  []string `json:"people,omitempty"`
	Refs    []string `json:"refs,omitempty"` // "task 3", "fact 12"
}

// With adds the things that a text names, and keeps the newest maxMentions.
func (m Mentions) With(text string) Mentions {
	urls := urlPattern().FindAllString(text, -1)
	m.URLs = remember(m.URLs, urls...)
	rest := urlPattern().ReplaceAllString(text, " ")
	m.Files = remember(m.Files, filePattern().FindAllString(rest, -1)...)
	for _, found := range personPattern().FindAllStringSubmatch(rest, -1) {
		m.People = remember(m.People, "@"+found[1])
	}
	for _, found := range symbolPattern().FindAllStringSubmatch(rest, -1) {
		m.Symbols = remember(m.Symbols, found[1])
	}
	for _, found := range refPattern().FindAllStringSubmatch(rest, -1) {
		m.Refs = remember(m.Refs, strings.ToLower(found[1])+" "+found[2])
	}
	return capMentions(m)
}

// remember appends new items to a list.
func remember(list []string, more ...string) []string {
	for _, s := range more {
		if !slices.Contains(list, s) {
			list = append(slices.Clip(list), s)
		}
	}
	return list
}

// capMentions drops the oldest item of the longest list until all are within the bound.
func capMentions(m Mentions) Mentions {
	lists := []*[]string{&m.Files, &m.URLs, &m.Symbols, &m.People, &m.Refs}
	for {
		total := 0
		longest := lists[0]
		for _, l := range lists {
			total += len(*l)
			if len(*l) > len(*longest) {
				longest = l
			}
		}
		if total <= maxMentions {
			return m
		}
		*longest = (*longest)[1:]
	}
}

// Normal returns a text without case, punctuation and spacing.
func Normal(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return strings.ContainsRune(" \t\n.,;:!?\"'`*_-", r)
	}), " ")
}
