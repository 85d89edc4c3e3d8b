package offline

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"parley/internal/llm"
	"parley/internal/text/catalog"
	"parley/internal/text/times"
)

// lacks reports a reminder of which the time, or what it is about, is still to be asked for.
func (a asked) lacks() bool {
	return a.does == "set_reminder" && (a.args["text"] == "" || a.args["when"] == "")
}

// asked reports whether the message before the i-th asks, in this responder's own words,
// for what a lacks, and the i-th is from whom it asked.
func (t talk) asked(i int, a asked) bool {
	if i < 2 || t.messages[i-1].Role != llm.RoleAssistant || t.messages[i-2].Role != llm.RoleUser {
		return false
	}
	p, _ := catalog.For(a.tag)
	return t.messages[i-1].Content == a.lacking(p) &&
		speaker().FindString(t.messages[i-2].Content) == speaker().FindString(t.messages[i].Content)
}

// supplied is a reminder with what was asked for, if the whole of what is said now is that.
func (t talk) supplied(a asked, said string) (asked, bool) {
	if without := speaker().ReplaceAllString(said, ""); !isTime(said, a.tag) {
		said = without
	}
	if said = a.bare(said); said == "" || utf8.RuneCountInString(said) > mostOwn {
		return a, false
	}
	about, at := a.args["text"], a.args["when"]
	switch {
	case at == "" && about == "":
		var err error
		if at, about, err = times.Split(said, someTime, a.tag); err != nil || at == "" {
			return a, false
		}
		about = joints().ReplaceAllString(about, "")
	case at == "":
		if at = a.asTime(said); at == "" {
			return a, false
		}
	default:
		about = joints().ReplaceAllString(said, "")
	}
	if a.args["text"] == "" && !t.ownWords(about, a) {
		return a, false
	}
	a.args, a.part = map[string]string{"text": about, "when": at}, nil
	return a, true
}

// ownWords reports whether an answer is what a reminder is to say, and nothing else: no
// question, no other wish, nothing that points elsewhere.
func (t talk) ownWords(about string, a asked) bool {
	if about == "" || strings.ContainsAny(about, "?？") || second().MatchString(about) || isTime(about, a.tag) ||
		a.vague(about) || pointers().MatchString(about) || elsewhere().MatchString(about) {
		return false
	}
	t.sure = false
	other, ok := t.find(about)
	return !ok || other.tag != a.tag
}

// asTime is an answer as words of a time: "7" is an hour and "10 minutes" is from now; ""
// if it is none.
func (a asked) asTime(said string) string {
	for _, way := range []string{a.atHour(said), strings.Replace(fromNow[a.tag], "…", said, 1)} {
		if way != "" && isTime(way, a.tag) {
			return a.onItsDay(way)
		}
	}
	return ""
}

// fromNow makes a time of a span.
var fromNow = map[string]string{"en": "in …", "de": "in …", "es": "en …", "fr": "dans …", "ru": "через …", "zh": "…后"}

// bare is a sentence without the words that may stand around any.
func (b *book) bare(said string) string {
	m := b.frame().FindStringSubmatchIndex(fold(said))
	if m == nil {
		return strings.TrimSpace(said)
	}
	from, to := utf8.RuneCountInString(fold(said)[:m[2]]), utf8.RuneCountInString(fold(said)[:m[3]])
	return strings.TrimSpace(string([]rune(said)[from:to]))
}

// framed makes a pattern of a sentence with what may stand around it.
func (b *book) framed(pattern string) *regexp.Regexp {
	lead, tail := "", ""
	if before := b.around["before"]; before != "" {
		lead = `(?:(?:` + before + `)[\s,.!:，]*)*`
	}
	if after := b.around["after"]; after != "" {
		gap := `[\s,]+` // else "I like snow" would end in "now"
		if b.han {
			gap = `[\s,]*` // nothing stands between words there
		}
		tail = `(?:` + gap + `(?:` + after + `))*?`
	}
	return regexp.MustCompile(`(?is)^[\s¿¡]*` + lead + pattern + tail + `[\s.!?。！？…)]*$`)
}
