package times

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// around is ordinary text that stands before and after a time, and words that belong to
// times and change them.
var around = map[string]struct{ before, after, sharper []string }{
	"en": {[]string{"call mum", "buy 12 eggs", "close issue #12", "plan the week", "work for 2 hours", "read the 2nd part"},
		[]string{"to call mum", "buy 12 eggs", "to take 2 pills", "look at the second car", "about the car"},
		[]string{"before", "until", "except", "5", "2nd", "friday", "may", "weeks", "to 6", "and 7", "PST", "or", "of", "half",
			"within",
			"after", "no later than", "between", "yesterday", "week", "+ 2 days", "the second", "two thousand", "nine thirty", "1h30m"}},
	"de": {[]string{"Mama anrufen", "12 Eier kaufen", "die Woche planen", "den zweiten Teil lesen"},
		[]string{"Mama anrufen", "die Woche planen", "den zweiten Teil lesen", "nach Berlin fahren"},
		[]string{"vor", "bis", "außer", "5", "2.", "Freitag", "Mai", "Wochen", "bis 6", "und 7", "oder", "halb", "spätestens", "nach",
			"gestern", "Montag vor", "zweitausend"}},
	"es": {[]string{"llamar a mamá", "comprar 12 huevos", "planear la semana"}, []string{"llamar a mamá", "comprar 12 huevos",
		"leer la segunda parte"},
		[]string{"antes", "hasta", "excepto", "5", "viernes", "mayo", "semanas", "a 6", "y 7", "o", "entre", "después de", "ayer",
			"próximo", "dos mil", "nueve y media"}},
	"fr": {[]string{"appeler maman", "acheter 12 œufs", "planifier la semaine"}, []string{"appeler maman", "acheter 12 œufs",
		"lire la deuxième partie"},
		[]string{"avant", "jusqu'à", "sauf", "5", "vendredi", "mai", "semaines", "à 6", "et 7", "ou", "entre", "après", "hier",
			"deux mille", "le lundi avant"}},
	"ru": {[]string{"позвонить маме", "купить 12 яиц", "спланировать отпуск"}, []string{"позвонить маме", "купить 12 яиц",
		"прочитать вторую часть"},
		[]string{"до", "кроме", "5", "пятницу", "мая", "недель", "и 7", "или", "между", "полдевятого", "после", "вчера", "не раньше",
			"две тысячи"}},
	"zh": {[]string{"给妈妈打电话", "买12个鸡蛋"}, []string{"给妈妈打电话", "买12个鸡蛋", "看第二部分"}, []string{"之前", "以前", "除了", "周五", "五月", "或者", "到6点",
		"昨天", "以后", "的"}},
}

// checkAround fails where a time in a text is read as another than it is by itself.
// Words beside it that change it may be read with it, or else it is asked about.
func checkAround(t *testing.T, seed uint64) {
	t.Helper()
	d := draw{Rand: rand.New(rand.NewPCG(seed, 29)), now: time.Date(2026, 3, 4, 14, 20, 0, 0, time.UTC), loc: time.UTC}
	tag := d.of(slices.Sorted(maps.Keys(around))...)
	times := spoken[tag]
	if tag == "en" {
		times = map[string]string{}
		for _, one := range strings.Split(
			"tomorrow at 9|in 10 minutes|on Friday|Friday at 5pm|every Monday at 10|at 17:30|tonight|on 24 December at "+
				"6pm|every day|next week|on the 2nd|2026-12-24 18:00", "|") {
			times[one] = one
		}
	}
	said, words := d.of(slices.Sorted(maps.Keys(times))...), around[tag]
	alone, err := Parse(said, d.now, d.loc, tag)
	if err != nil {
		return
	}
	space := map[bool]string{false: " "}[tag == "zh"]
	beside, text := "", ""
	if d.IntN(2) == 0 {
		beside = d.of(words.sharper...)
	}
	joined := strings.TrimSpace
	switch d.IntN(5) {
	case 4: // between the words of what it is for
		text = d.of(words.before...) + space + joined(said+space+beside) + space + d.of(words.after...)
	case 0:
		text = joined(said+space+beside) + space + d.of(words.after...)
	case 1:
		text = d.of(words.before...) + space + joined(beside+space+said)
	case 2:
		text = joined(beside+space+said) + space + d.of(words.after...)
	default:
		text = d.of(words.before...) + space + joined(said+space+beside)
	}
	at, _, err := Split(text, d.now, tag)
	if err != nil || at == "" {
		return
	}
	got, err := Parse(at, d.now, d.loc, tag)
	whole := beside != "" && strings.Contains(at, beside) && strings.Contains(at, said)
	if err == nil && !whole && (!got.At.Equal(alone.At) || got.Schedule != alone.Schedule) {
		t.Errorf("%s: %q in %q is read as %q: %v %s, alone %v %s", tag, said, text, at, got.At, got.Schedule, alone.At, alone.Schedule)
	}
}

func TestTimesMeanTheSameInText(t *testing.T) {
	for seed := range uint64(1500) {
		checkAround(t, seed)
	}
}

func FuzzTimesInText(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkAround)
}
