package facts

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// endsIn finds the end of what holds for a time, in a few languages.
var endsIn = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:^|[^\pL])(?:until|till|til|through|up to|bis|jusqu['’]?\s?(?:à|au|en)?|hasta|fino a|até|tot)\s+` +
		`((?:the |einschließlich |zum |el |le |il |o )?(?:(?:start|beginning|end|anfang|ende) (?:of |des |der )?)?)` +
		`(?:(\d{4})-(\d{2})-(\d{2})|(?:(\d{1,2})(?:st|nd|rd|th|\.|º)?\s*(?:of |de )?)?(\pL{3,})\.?(?:\s+(\d{1,2})(?:st|nd|rd|th)?\b)?(?:,?\s+(?:de )?((?:19|20)\d{2}))?|((?:19|20)\d{2}))`)
})

// monthNames are the months' names, by month, with the short forms.
var monthNames = [12]map[string]bool{
	words("january jan januar jänner janvier enero gennaio janeiro januari"),
	words("february feb februar février fevrier febrero febbraio fevereiro februari"),
	words("march mar märz mars marzo março maart"),
	words("april apr avril abril aprile"),
	words("may mai mayo maggio maio mei"),
	words("june jun juni juin junio giugno junho"),
	words("july jul juli juillet julio luglio julho"),
	words("august aug août aout agosto augustus"),
	words("september sep sept septembre septiembre settembre setembro"),
	words("october oct oktober octobre octubre ottobre outubro"),
	words("november nov novembre noviembre novembro"),
	words("december dec dezember décembre decembre diciembre dicembre dezembro"),
}

// endOf is when a fact ceases to hold, by what it says itself ("until June"):
// the moment after the last day; zero for never. A day that is named holds to
// its end, a month or a year ends with its beginning, unless its end is named. What
// names no year means the next one after now.
func endOf(content string, now time.Time) time.Time {
	m := endsIn().FindStringSubmatch(content)
	if m == nil {
		return time.Time{}
	}
	toEnd := strings.Contains(strings.ToLower(m[1]), "end")
	number := func(s string) int { n, _ := strconv.Atoi(s); return n } // digits
	if m[2] != "" {
		return dayAfter(number(m[2]), number(m[3]), number(m[4]))
	}
	if m[9] != "" {
		y := number(m[9])
		if toEnd {
			y++
		}
		return time.Date(y, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	month := monthOf(m[6])
	if month == 0 {
		return endByDay(m[6], now)
	}
	day, year := number(m[5]+m[7]), number(m[8])
	at := func(y int) time.Time {
		switch {
		case day != 0:
			return dayAfter(y, month, day)
		case toEnd:
			return time.Date(y, time.Month(month)+1, 1, 0, 0, 0, 0, time.UTC)
		}
		return time.Date(y, time.Month(month), 1, 0, 0, 0, 0, time.UTC)
	}
	if year != 0 {
		return at(year)
	}
	end := at(now.UTC().Year())
	if !end.IsZero() && !end.After(now) {
		end = at(now.UTC().Year() + 1)
	}
	return end
}

// dayAfter is the beginning of the day after a date, zero if there is no such date.
func dayAfter(y, m, d int) time.Time {
	t := time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC)
	if t.Day() != d || int(t.Month()) != m {
		return time.Time{}
	}
	return t.AddDate(0, 0, 1)
}

// endByDay reads tomorrow and days of the week.
func endByDay(word string, now time.Time) time.Time {
	today := now.UTC().Truncate(24 * time.Hour)
	word = strings.ToLower(word)
	switch word {
	case "today", "heute", "hoy":
		return today.AddDate(0, 0, 1)
	case "tomorrow", "morgen", "demain", "mañana":
		return today.AddDate(0, 0, 2)
	}
	for d := time.Sunday; d <= time.Saturday; d++ {
		if word == strings.ToLower(d.String()) {
			ahead := (int(d)-int(today.Weekday())+6)%7 + 1
			return today.AddDate(0, 0, ahead+1)
		}
	}
	return time.Time{}
}

// monthOf is a month by its name, 0 for none.
func monthOf(name string) int {
	return slices.IndexFunc(monthNames[:], func(names map[string]bool) bool { return names[strings.ToLower(name)] }) + 1
}

// Past says that a fact no longer holds at a time.
func (f Fact) Past(now time.Time) bool { return !f.Ends.IsZero() && !f.Ends.After(now) }
