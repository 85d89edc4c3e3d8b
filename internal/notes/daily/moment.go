package daily

import (
	"fmt"
	"strings"
	"time"
)

// Format writes a time as moment.js does in English. Text in brackets stays as it is.
// Weeks are those of ISO 8601.
func Format(t time.Time, format string) string {
	weekYear, week := t.ISOWeek()
	quarter := (int(t.Month()) + 2) / 3
	tokens := strings.NewReplacer( // the first that fits: long tokens come before their beginnings
		"YYYY", t.Format("2006"), "YY", t.Format("06"), "Y", t.Format("2006"),
		"GGGG", fmt.Sprintf("%04d", weekYear), "gggg", fmt.Sprintf("%04d", weekYear),
		"Qo", ordinal(quarter), "Q", fmt.Sprint(quarter),
		"MMMM", t.Format("January"), "MMM", t.Format("Jan"), "MM", t.Format("01"), "Mo", ordinal(int(t.Month())), "M", t.Format("1"),
		"DDDD", t.Format("002"), "DDD", fmt.Sprint(t.YearDay()), "DD", t.Format("02"), "Do", ordinal(t.Day()), "D", t.Format("2"),
		"dddd", t.Format("Monday"), "ddd", t.Format("Mon"), "dd", t.Format("Mon")[:2], "d", fmt.Sprint(int(t.Weekday())),
		"E", fmt.Sprint((int(t.Weekday())+6)%7+1),
		"WW", fmt.Sprintf("%02d", week), "W", fmt.Sprint(week), "ww", fmt.Sprintf("%02d", week), "w", fmt.Sprint(week),
		"HH", t.Format("15"), "H", fmt.Sprint(t.Hour()), "hh", t.Format("03"), "h", t.Format("3"),
		"mm", t.Format("04"), "ss", t.Format("05"), "A", t.Format("PM"), "a", t.Format("pm"), "X", fmt.Sprint(t.Unix()),
	)
	text := ""
	for {
		before, rest, _ := strings.Cut(format, "[")
		literal, after, closed := strings.Cut(rest, "]")
		if !closed {
			return text + tokens.Replace(format)
		}
		text += tokens.Replace(before) + literal
		format = after
	}
}

func ordinal(n int) string {
	end := "th"
	if n/10%10 != 1 {
		switch n % 10 {
		case 1:
			end = "st"
		case 2:
			end = "nd"
		case 3:
			end = "rd"
		}
	}
	return fmt.Sprint(n) + end
}
