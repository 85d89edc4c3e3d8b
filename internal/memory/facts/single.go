package facts

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// A single is a thing with one value at a time, such as a dose or a blood type. Two facts
// that give it different values hardly both hold, though the one may be of another time or
// for another end: so both stand, and the person is asked.

// single is what a sentence says of such a thing.
type single struct {
	of    string          // which kind of thing
	rest  map[string]bool // words that say which one
	when  map[string]bool // days and times of day for which it holds
	whose map[string]bool // people to whom it belongs
	value []string
	whole bool // all of rest must agree, else one may say more than the other
}

// readSingle reads what a sentence says of a single thing; its of is "" for none.
func readSingle(said string) single {
	said = singles().before.ReplaceAllString(said, "$2 $1") // $40 is 40 $
	for _, read := range []func(string) (single, bool){bloodType, debt, dose, measure, departure, holder} {
		if s, ok := read(said); ok {
			return s
		}
	}
	return single{}
}

// contradicts reports whether two sentences give different values to the same thing.
func (a single) contradicts(b single) bool {
	if a.of != b.of || a.of == "" || !equal(a.whose, b.whose) || len(a.when) > 0 && len(b.when) > 0 && !equal(a.when, b.when) {
		return false
	}
	if a.whole && !equal(a.rest, b.rest) || !holds(a.rest, b.rest) && !holds(b.rest, a.rest) {
		return false
	}
	return !slices.ContainsFunc(a.value, func(v string) bool { return slices.Contains(b.value, v) })
}

// holds reports whether b has all of a.
func holds(a, b map[string]bool) bool {
	for w := range a {
		if !b[w] {
			return false
		}
	}
	return true
}

func equal(a, b map[string]bool) bool { return len(a) == len(b) && holds(a, b) }

// singleWords are what the readers look for. They are compiled on first use.
type singleWords struct {
	blood, amount, before, clock, owing, holder, held, title, named *regexp.Regexp
}

var singles = sync.OnceValue(func() singleWords {
	const roles = `doctor|gp|physician|dentist|landlord|landlady|lawyer|therapist|vet|cardiologist|gynaecologist|gynecologist|` +
		`paediatrician|pediatrician|tax adviser|tax advisor|hairdresser|emergency contact|next of kin|` +
		`arzt|ärztin|hausarzt|hausärztin|zahnarzt|zahnärztin|kinderarzt|kinderärztin|vermieter|vermieterin|anwalt|anwältin|therapeut|therapeutin|` +
		`tierarzt|tierärztin|friseur|friseurin|steuerberater|steuerberaterin|notfallkontakt|` +
		`médico|médica|doctora|dentista|casero|casera|abogado|abogada|terapeuta|veterinario|veterinaria|peluquero|peluquera|` +
		`médecin|docteur|dentiste|propriétaire|avocat|avocate|vétérinaire|coiffeur|врача?|доктора?|стоматолога?|адвоката?|` +
		`医生|牙医|房东|律师|家庭医生`
	const letter = `[^\p{L}\p{N}]`
	return singleWords{
		blood: regexp.MustCompile(`(?i)(?:blood (?:type|group)|blutgruppe|grupo sangu[ií]neo|tipo de sangre|groupe sanguin|групп\p{L} крови|血型)` +
			`[^\p{L}\p{N}]*(?:(?:is|ist|es|est|это|是)[^\p{L}\p{N}]+|是)?(ab|a|b|0|o|перв|втор|трет|четв)\p{Cyrillic}*` +
			`(?:[^\p{L}\p{N}+−-]*(\+|-|−|pos|neg|полож|отриц|rh\+|rh-))?`),
		amount: regexp.MustCompile(`(?i)(?:^|[^\p{L}\p{N}.,:/]|\p{Han})(\d[\d.,']*)\s?(mg|mcg|µg|μg|ml|kg|lbs?|pounds|cm|metres|meters|euros?|eur|€|dollars?|usd|\$|£|chf|francs?|franken|` +
			`rubles?|рублей|руб|мг|кг|см|毫克|公斤|元|欧元)(?:` + letter + `|\p{Han}|$)`),
		before: regexp.MustCompile(`([$€£]) ?(\d[\d.,']*)`),
		clock:  regexp.MustCompile(`(?i)(?:\b(?:at|um|a las|a la|à|в) )?(?:\d{1,2}(?:[:.]| ?h ?)\d{2}(?: ?(?:am|pm|uhr))?|\d{1,2} ?(?:am|pm|uhr|o'clock|heures|часов))|\b(?:at|um|a las|a la|à|в) \d{1,2}\b`),
		owing:  regexp.MustCompile(`(?i)(?:^|` + letter + `)(?:owes?|schulde[nt]?|debo|debe|deben|dois|doit|долж\p{L}+)(?:` + letter + `|$)|欠`),
		holder: regexp.MustCompile(`(?i)^((?:.*` + letter + `)?)(` + roles + `)(?::| is called| is now| is| ist jetzt| ist| heißt| es ahora| es| se llama| est| s'appelle| зовут| —| –| -) +(.+)$|^(.*)(` + roles + `)(?:是|叫)(.+)$`),
		held:   regexp.MustCompile(`(?i)^(.+?) (?:is|ist|es|est|—) (?:my|the|mein|meine|der|die|mi|mon|ma|мой|моя)?((?: \p{L}+)?) ?(` + roles + `)[.!]?$`),
		title:  regexp.MustCompile(`(?i)^(?:(?:now|jetzt|ahora|la|le|el|der|die|dr|dra|docteur|doctor|doctora|prof|professor|herr|frau|mr|mrs|ms|miss|sr|sra|señor|señora|mme|m|madame|monsieur|доктор)\.? )+`),
		named:  regexp.MustCompile(`^\p{Han}+|^\p{Lu}[\p{L}'’-]+(?: \p{Lu}[\p{L}'’-]+)*`),
	}
})

// bloodGroups writes a group as 0, a, b or ab; in Russian they are counted.
var bloodGroups = strings.NewReplacer("o", "0", "перв", "0", "втор", "a", "трет", "b", "четв", "ab")

// bloodType reads A+, 0 negative.
func bloodType(said string) (s single, ok bool) {
	m := singles().blood.FindStringSubmatch(said)
	if m == nil {
		return s, false
	}
	group, sign := bloodGroups.Replace(strings.ToLower(m[1])), strings.ToLower(m[2])
	switch {
	case strings.Contains(sign, "+") || sign == "pos" || sign == "полож":
		sign = "+"
	case sign != "":
		sign = "-"
	}
	s = about("blood type", said)
	s.rest, s.value = nil, []string{group + sign}
	if sign == "" { // says only half
		s.value = []string{group + "+", group + "-"}
	}
	return s, true
}

// debt reads how much is owed to whom.
func debt(said string) (single, bool) {
	m := singles().amount.FindStringSubmatch(said)
	if m == nil || !singles().owing.MatchString(said) {
		return single{}, false
	}
	s := about("debt", strings.Replace(said, m[1], " ", 1))
	s.value = []string{number(m[1])}
	return s, len(s.rest)+len(s.whose) > 0
}

// dose reads how much somebody takes of something.
func dose(said string) (single, bool) {
	m := singles().amount.FindStringSubmatch(said)
	if m == nil || !medical[strings.ToLower(m[2])] {
		return single{}, false
	}
	s := about("dose "+strings.ToLower(m[2]), strings.Replace(said, m[1], " ", 1))
	s.value, s.whole = []string{number(m[1])}, true
	return s, len(s.rest) > 0
}

// measure reads weight, height, pay and prices that hold now.
func measure(said string) (single, bool) {
	m := singles().amount.FindStringSubmatch(said)
	if m == nil || len(singles().amount.FindAllString(said, 2)) > 1 || !hasAny(said, lastingly) {
		return single{}, false
	}
	s := about(strings.ToLower(m[2]), strings.Replace(said, m[1], " ", 1))
	s.value, s.whole = []string{number(m[1])}, true
	return s, true
}

// departure reads when something leaves, arrives or takes place.
func departure(said string) (single, bool) {
	m := singles().clock.FindString(said)
	if m == "" || !hasAny(said, traveling) {
		return single{}, false
	}
	which := "departure"
	if hasAny(said, arriving) {
		which = "arrival"
	}
	if hasAny(said, returning) {
		which += " back"
	}
	s := about(which, strings.Replace(said, m, " ", 1))
	at := strings.TrimFunc(strings.ToLower(m), func(r rune) bool { return unicode.IsLetter(r) && r != 'm' || r == ' ' })
	s.value = []string{strings.NewReplacer(".", ":", "h", ":", " ", "").Replace(at)}
	for w := range s.rest { // the ways of saying that it leaves are one, arriving is another
		if leaving[w] {
			delete(s.rest, w)
		}
	}
	return s, true
}

// holder reads who is somebody's doctor, landlord and the like.
func holder(said string) (single, bool) {
	said = strings.TrimSpace(said)
	var before, role, name string
	if m := singles().holder.FindStringSubmatch(said); m != nil {
		before, role, name = m[1]+m[4], m[2]+m[5], m[3]+m[6]
	} else if m := singles().held.FindStringSubmatch(said); m != nil {
		before, role, name = m[2], m[3], m[1]
	} else {
		return single{}, false
	}
	name = singles().named.FindString(singles().title.ReplaceAllString(name, ""))
	if name == "" {
		return single{}, false
	}
	s := about(strings.TrimSuffix(strings.ToLower(role), "а"), before) // врача is a врач
	s.value, s.whole = strings.Fields(strings.ToLower(name)), true
	return s, true
}

// Words of single things.
var (
	medical   = words("mg mcg µg μg ml мг 毫克")
	lastingly = words("weigh weighs weight wiegt wiege gewicht pesa peso pèse pèses tall height groß grösse größe mide taille salary wage earn earns " +
		"gehalt lohn verdient verdiene sueldo salario gana gano salaire gagne rent miete kaltmiete alquiler loyer allowance pension rente pensión")
	traveling = words("flight train bus ferry plane flug zug fähre flieger bahn vuelo tren autobús avión vol train рейс поезд самолёт 航 机 车 船")
	returning = words("return back rückflug rückfahrt zurück vuelta regreso retour обратно обратный 返 回")
	leaving   = words("leave depart start go fährt fliegt geht startet ab sale vuela parte part at um hour uhr am pm в 起 飞 出 发 开")
	arriving  = words("arrive arrives land lands arrival boarding check-in gate ankunft kommt landet llega aterriza llegada embarque arrive arrivée прибывает 到 抵")
	// telling words say nothing about which thing is meant.
	telling = words("take takes taking need needs get gets swallow nimmt nehme nehmen braucht schluckt toma tomo tomar necesita prend prends " +
		"принимает принимаю is are be ist sind es est i he she to for of by with per von an zu pro de à a y por que in и в owe owes schuldet schulde debe debo " +
		"doit dois mg mcg ml kg cm euro euros eur dollar dollars daily once tablet tablets tabletten pill pills still noch todavía now jetzt ahora weigh weighs " +
		"wiegt wiege pesa earn earns verdient gana at um sie er ihr ihm from me mir le se dose dosis " +
		"我 的 了 在 是 每 天 日 吃 服 用 欠 元 欧 美 毫 克 公 斤 点 现 还")
	dayTimes = words("morning noon evening night breakfast lunch dinner bedtime morgens mittags abends nachts mañana noche matin soir weekend weekends " +
		"summer winter spring autumn sommer winter verano invierno été hiver wochenende")
)

// about reads what a sentence is about: its words besides those that tell nothing.
func about(of, said string) single {
	s := single{of: of, rest: map[string]bool{}, when: map[string]bool{}, whose: map[string]bool{}}
	for _, raw := range split(unsaid.Replace(said)) {
		low := strings.ToLower(raw)
		w := singular(low)
		switch {
		case dayTimes[low] || dayTimes[w] || weekdays[w] || monthOf(w) > 0 || quantity(w):
			s.when[w] = true
		case relations[w]:
			s.whose[w] = true
		case others[low] != "":
			s.whose[others[low]] = true
		case empty[low], telling[low], articles[low], speakers[low], calendar[w], rhythm[w], utf8.RuneCountInString(w) < 2 && w < "一",
			singles().amount.MatchString("1" + low):
		default:
			s.rest[w] = true
		}
	}
	return s
}

func hasAny(said string, set map[string]bool) bool {
	return slices.ContainsFunc(split(said), func(w string) bool { return set[strings.ToLower(w)] || set[singular(strings.ToLower(w))] })
}

// number returns an amount as it compares: 1,500 is 1500.
func number(said string) string {
	said = strings.Trim(said, ".,'")
	if i := strings.LastIndexAny(said, ".,"); i >= 0 && len(said)-i-1 != 3 {
		return strings.NewReplacer(".", "", ",", "").Replace(said[:i]) + "." + strings.TrimRight(said[i+1:], "0")
	}
	return strings.NewReplacer(".", "", ",", "", "'", "").Replace(said) + "."
}
