package times

import (
	"slices"
	"strconv"
	"time"
)

// Days that other calendars name: a date of the Hebrew, the Islamic, the Chinese or the
// Hindu one, as a day of ours.

// hebrew returns a date of the Hebrew calendar, whose months count from Nisan and whose
// years begin with the seventh; Adar of a leap year is the second (13).
func hebrew(year, month, day int) time.Time {
	months := 12
	if hebrewLeap(year) {
		months = 13
	}
	if month == 12 {
		month = months
	}
	t := hebrewNewYear(year)
	length := int(hebrewNewYear(year+1).Sub(t).Hours() / 24)
	for m := 7; m != month; {
		days := 30
		switch {
		case slices.Contains([]int{2, 4, 6, 10, 13}, m), m == 12 && months == 12, m == 8 && length%10 != 5, m == 9 && length%10 == 3:
			days = 29
		}
		t = t.AddDate(0, 0, days)
		if m++; m > months {
			m = 1
		}
	}
	return t.AddDate(0, 0, day-1)
}

func hebrewLeap(year int) bool { return (7*year+1)%19 < 7 }

// hebrewNewYear returns the first day of Tishri. Years of 356 or 382 days, which the molad
// alone would make, are avoided.
func hebrewNewYear(year int) time.Time {
	molad := func(year int) int {
		months := (235*year - 234) / 19
		parts := 12084 + 13753*months
		day := 29*months + parts/25920
		if 3*(day+1)%7 < 3 {
			day++
		}
		return day
	}
	before, day, after := molad(year-1), molad(year), molad(year+1)
	switch {
	case after-day == 356:
		day += 2
	case day-before == 382:
		day++
	}
	return time.Date(2026, 9, 12, 0, 0, 0, 0, time.UTC).AddDate(0, 0, day-molad(5787)) // 1 Tishri 5787
}

// islamic returns a date of the Umm al-Qura calendar, zero outside its years. Where the
// crescent is looked for, it can be a day later.
func islamic(year, month, day int) time.Time {
	t := time.Date(2012, 11, 15, 0, 0, 0, 0, time.UTC) // 1 Muharram of the first year
	at := 3 * (year - firstIslamic)
	if at < 0 || at >= len(longMonths) {
		return time.Time{}
	}
	for i := 0; i <= at; i += 3 {
		long, err := strconv.ParseUint(longMonths[i:i+3], 16, 16)
		if err != nil {
			return time.Time{} // TestCalendars
		}
		for m := 1; m <= 12 && (i < at || m < month); m++ {
			t = t.AddDate(0, 0, 29+int(long&1))
			long >>= 1
		}
	}
	return t.AddDate(0, 0, day-1)
}

// longMonths are the months of 30 days as Saudi Arabia has published them: three hex digits
// a year from firstIslamic on, the first month in the lowest bit.
const (
	firstIslamic = 1434
	longMonths   = "36ab55aaa94d49d95d2ba5b55aad55a9a92e26e55dada6d46a554ba9754eaae5acba9d92b2564bcab55ab556d2ea5e4aa9552daad36c7596d269552da5b4ba9ba3b4b69b52aa64b696d2ec6d9eb2d54d2aa564ae96dd6ab54b29a9352ba57536ab56aae93"
)

// chinese returns a date of the Chinese calendar in the year that begins in a year of
// ours; not in a leap month. Day 0 is the eve of the month.
func chinese(year, month, day int) time.Time {
	if month > 10 {
		year++ // months are counted from solstice to solstice
	}
	from, to := solsticeMonth(year-1), solsticeMonth(year)
	leap, n := to-from == 13, 10 // the month before that of the solstice
	for k := from; k < to; k++ {
		if leap && k > from && !solarTerm(k) {
			leap = false // it has its predecessor's number
			continue
		}
		if n++; (n-1)%12+1 == month {
			return beijing(newMoon(k)).AddDate(0, 0, day-1)
		}
	}
	return time.Time{}
}

// solsticeMonth returns which new moon begins the month of the winter solstice of a year.
func solsticeMonth(year int) int {
	solstice := time.Date(year, 12, 20, 16, 0, 0, 0, time.UTC) // 21 December in China
	for sunAt(solstice.AddDate(0, 0, 1)) < 270 {
		solstice = solstice.AddDate(0, 0, 1)
	}
	k := newMoons(solstice) + 1
	for beijing(newMoon(k)).After(beijing(solstice)) {
		k--
	}
	return k
}

// solarTerm reports whether the sun passes a multiple of 30 degrees in the month that a
// new moon begins.
func solarTerm(k int) bool {
	first := func(k int) int { return int(sunAt(beijing(newMoon(k)).Add(-8*time.Hour)) / 30) }
	return first(k) != first(k+1)
}

// beijing returns the date in China.
func beijing(t time.Time) time.Time { return dayOf(t.Add(8 * time.Hour)) }

// hindu returns the day of a Hindu month, counted from new moon to new moon and in no leap
// month, on which a tithi lasts at an hour in India; months count from Chaitra, in the year
// that begins in a year of ours. Almanacs differ by a day where a tithi changes near that
// hour.
func hindu(year, month, day, hour int) time.Time {
	for k, n := newMoons(time.Date(year, 2, 20, 0, 0, 0, 0, time.UTC)), 0; n < 16; k, n = k+1, n+1 {
		sign := siderealSign(newMoon(k))
		if (sign+1)%12+1 != month || sign == siderealSign(newMoon(k+1)) || n < 3 && month > 10 {
			continue
		}
		from := dayOf(newMoon(k).Add(indian))
		for d := range 31 {
			at := from.AddDate(0, 0, d)
			now := tithi(at.Add(time.Duration(hour)*time.Hour - indian))
			if last := d < 3 && now > 20; now >= day && !last { // last: still of the month before
				return at
			}
		}
	}
	return time.Time{}
}

// sankranti returns the day on which the sun enters a twelfth of the fixed stars' sky, counted
// from Aries; the next one where it does so after an hour in India.
func sankranti(year, sign, hour int) time.Time {
	for at := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC); at.Year() == year; at = at.AddDate(0, 0, 1) {
		if end := at.Add(time.Duration(hour)*time.Hour - indian); siderealSign(end) == sign && siderealSign(end.AddDate(0, 0, -1)) != sign {
			return at
		}
	}
	return time.Time{}
}

// parsi returns the new year in a year of ours, of those who count 365 days to each.
func parsi(year int) time.Time {
	t := time.Date(2022, 8, 16, 0, 0, 0, 0, time.UTC).AddDate(0, 0, 365*(year-2022))
	if t.Year() != year {
		return time.Time{}
	}
	return t
}

// indian is how far clocks in India are ahead of UTC.
const indian = 5*time.Hour + 30*time.Minute

// siderealSign returns in which twelfth of the fixed stars' sky the sun is; the equinox
// moves against them by 50 seconds of arc a year.
func siderealSign(t time.Time) int {
	years := t.Sub(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)).Hours() / 24 / 365.25
	return int(turned(sunAt(t)-23.853-years*0.013972) / 30)
}
