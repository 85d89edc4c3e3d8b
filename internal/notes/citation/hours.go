package citation

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"parley/internal/text"
)

// What makes a number before it a time of day. 点 is also one point of several, unless what
// opens, begins or ends follows it.
var (
	hourSign  = text.Pattern(`^\s*(?:(?:bis|to|until|till)\s+\S+\s+)?(?:o['’]clock|uhr)`)
	hourRange = text.Pattern(`(^|[^\d.,:])(\d{1,2})(\s*(?:bis|to|until|till|[-–—])\s*\d{1,2}(?:[.:]\d{2})?\s*(?:uhr|[ap]\.?m\b|o['’]clock))`)
	hanHour   = text.Pattern(`([〇零一二两兩三四五六七八九十]+|\d{1,2})[点點](半|钟|鐘|整)?([开開关關到至前后後起以之下营營结結，。、,.;；!！?？\s]|$)`)
)

// atHour are the hours that stand without minutes behind a word that makes them times of day:
// "à 17 heures", "de 9 h à 17 h", "a las 9", "в 10 часов", "с 10 до 19 часов", "at 8". Elsewhere
// such a number may be as many hours.
var atHour = sync.OnceValue(func() (all []*regexp.Regexp) {
	const ends = `([.,;!?)](?:\s|$)|\s*$|\s+[^\d\s])`
	for _, form := range []string{
		`(^|[^\pL])(à|dès|vers|avant|après|jusqu'à)\s(\d{1,2})\s*h(?:eures?)?` + ends,
		`(^|[^\pL])(de)\s(\d{1,2})\s*(?:h|heures)?(\sà\s\d{1,2}:)`,
		`(^|[^\pL])(a las?)\s(\d{1,2})` + ends,
		`(^|[^\pL])(в|к)\s(\d{1,2})\sчас(?:ов|ам|а)?([^\pL]|$)`,
		`(^|[^\pL])(с \d{1,2}(?:\sчасов)? до)\s(\d{1,2})\s(?:часов|часа)([^\pL]|$)`,
		`(^|[^\pL])(с)\s(\d{1,2})(?:\sчасов)?(\sдо\s\d{1,2}:)`,
		`(^|[^\pL])(at)\s(\d{1,2})([.,;!?)](?:\s|$)|\s*$|\sin the\s|\son\s|\severy\s)`,
	} {
		all = append(all, regexp.MustCompile(form))
	}
	return all
})

// hoursInFigures writes the hours of a lower-case text that are in words, or in Chinese, as
// figures, eight o'clock, neun Uhr, 十一点半开门, and the first of "9 bis 17 Uhr" as an hour.
func hoursInFigures(s string) string {
	var b strings.Builder
	last := 0
	for _, n := range numbersInWords(s) {
		if n.v == float64(int(n.v)) && n.v <= 24 && hourSign().MatchString(s[n.to:]) {
			b.WriteString(s[last:n.from] + strconv.Itoa(int(n.v)))
			last = n.to
		}
	}
	s = hourRange().ReplaceAllString(b.String()+s[last:], "$1$2:00$3")
	for _, form := range atHour() {
		s = form.ReplaceAllString(s, "$1$2 $3:00$4")
	}
	return hanHour().ReplaceAllStringFunc(s, func(found string) string {
		m := hanHour().FindStringSubmatch(found)
		hour, err := strconv.Atoi(m[1])
		if err != nil {
			hour = int(hanNumber(m[1]))
		}
		minute := 0
		if m[2] == "半" {
			minute = 30
		}
		if hour > 24 {
			return found
		}
		return fmt.Sprintf("%d:%02d%s", hour, minute, m[3])
	})
}
