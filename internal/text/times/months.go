package times

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// monthNames are the months in the languages that people mostly write in.
var monthNames = []string{
	"january jan januar jänner jän janvier janv enero ene gennaio gen janeiro januari января январь январе ocak stycznia " +
		"styczeń styczniu січня січні",
	"february feb februar februari février févr fevrier febrero febbraio fevereiro fev февраля февраль феврале şubat " +
		"lutego luty lutym лютого лютому",
	"march mar märz mrz maerz mars marzo março maart марта март марте mart marca marzec marcu березня березні",
	"april apr avril avr abril abr aprile апреля апрель апреле nisan kwietnia kwiecień kwietniu квітня квітні",
	"may mai mayo maggio mag maio mei maj мая май мае mayıs maja maju травня травні",
	"june jun juni juin junio giugno giu junho июня июнь июне haziran czerwca czerwiec czerwcu червня червні",
	"july jul juli juillet juil julio luglio lug julho июля июль июле temmuz lipca lipiec lipcu липня липні",
	"august aug août aout agosto ago augustus augusti августа август августе ağustos sierpnia sierpień sierpniu серпня серпні",
	"september sep sept septembre septiembre settembre setembro сентября сентябрь сентябре eylül września wrzesień wrześniu вересня вересні",
	"october oct oktober okt octobre octubre ottobre ott outubro октября октябрь октябре ekim października październik " +
		"październiku жовтня жовтні",
	"november nov novembre noviembre novembro ноября ноябрь ноябре kasım listopada listopad listopadzie листопада листопаді",
	"december dec dezember dez décembre déc decembre diciembre dic dicembre dezembro декабря декабрь декабре aralık " +
		"grudnia grudzień grudniu грудня грудні",
}

// Months leads from the names of months, in small letters and many languages, short
// forms included, to their numbers.
var Months = sync.OnceValue(func() map[string]int {
	all := map[string]int{}
	for i, names := range monthNames {
		for _, n := range strings.Fields(names) {
			all[n] = i + 1
		}
	}
	return all
})

// unlike are names of months that are also words or people's names.
var unlike = []string{"march", "april", "june", "july", "august", "abril", "julio", "julia", "marca", "marcu", "listopada"}

// monthForms are a month of a year, a month, and a year.
func monthForms() []saying {
	var all, long, plain []string
	for _, n := range slices.Sorted(maps.Keys(Months())) {
		all = append(all, n)
		if size := utf8.RuneCountInString(n); size > 3 || slices.Contains([]string{"may", "mai", "mei", "maj", "май", "мая", "мае"}, n) {
			long = append(long, n)
			if size > 5 && !slices.Contains(unlike, n) {
				plain = append(plain, n)
			}
		}
	}
	before := `(?:in|during|from|of|since|last|this|im|vom|seit|ende|anfang|mitte|en|au mois de|de|du mois de|em|di|a|ad|i|в|у|w|z|от) `
	year := `((?:19|20)\d\d)`
	return []saying{
		{between(`(` + strings.Join(all, "|") + `)\.?,? (?:of |de |del |di )?` + year), true, monthOfYear(2, 3)},
		{between(year + ` (` + strings.Join(all, "|") + `)`), true, monthOfYear(3, 2)},
		{between(year + `[-/年년] ?(1[0-2]|0?[1-9])(?:月|월)?`), true, numberedMonth(2, 3)},
		{between(before + `(` + strings.Join(long, "|") + `)`), true, aMonth},
		{between(`(` + strings.Join(plain, "|") + `)`), true, aMonth},
		{between(`()(1[0-2]|0?[1-9])(?:月|월)`), true, numberedMonth(0, 3)},
		{between(`(?:in|during|from|since|im jahr|aus|en|em|nel|del|в|w|i|år) ` + year + `|` + year + `年|` + year + `년|` +
			year + ` г(?:оду?|\.)`), true, aYear},
	}
}

func monthOfYear(month, year int) func(func(int) string, time.Time) (Span, bool) {
	return func(group func(int) string, now time.Time) (Span, bool) {
		y := counted4(group(year))
		return monthSpan(y, time.Month(Months()[group(month)]), now), true
	}
}

func numberedMonth(year, month int) func(func(int) string, time.Time) (Span, bool) {
	return func(group func(int) string, now time.Time) (Span, bool) {
		m := time.Month(counted(strings.TrimLeft(group(month), "0")))
		if year == 0 {
			return latest(m, now), true
		}
		return monthSpan(counted4(group(year)), m, now), true
	}
}

func aMonth(group func(int) string, now time.Time) (Span, bool) {
	return latest(time.Month(Months()[group(2)]), now), true
}

func aYear(group func(int) string, now time.Time) (Span, bool) {
	for n := 2; n <= 5; n++ {
		if y := group(n); y != "" {
			return spanOf("year", counted4(y)-now.Year(), now), true
		}
	}
	return Span{}, false
}

func counted4(s string) int {
	t, _ := time.Parse("2006", s) // four digits
	return t.Year()
}

// latest returns the last month of this name that has begun.
func latest(m time.Month, now time.Time) Span {
	year := now.Year()
	if m > now.Month() {
		year--
	}
	s := monthSpan(year, m, now)
	s.Month = m
	return s
}

func monthSpan(year int, m time.Month, now time.Time) Span {
	from := time.Date(year, m, 1, 0, 0, 0, 0, now.Location())
	return Span{From: from, To: from.AddDate(0, 1, 0)}
}
