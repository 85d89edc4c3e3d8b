package citation

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"parley/internal/text"
)

// unit is what a number counts: a dimension, such as length, and how many of its smallest
// units it is. Its dimension is "" if it is none that is known, "label" for a number in
// brackets, which counts nothing.
type unit struct {
	kind string
	size float64
}

// unitNames are the forms of units in six languages. Left out are letters that are words
// or other signs too often.
var unitNames = map[unit]string{
	{"time", 1}:      "s sec secs second seconds sekunde sekunden segundo segundos seconde secondes секунда секунды секунд 秒",
	{"time", 1e-3}:   "ms millisecond milliseconds millisekunden 毫秒",
	{"time", 60}:     "min mins minute minutes minuten minuto minutos минута минуты минут 分钟 分鐘",
	{"time", 3600}:   "h hr hrs hour hours stunde stunden hora horas heure heures час часа часов 小时 小時 時間",
	{"time", 86400}:  "day days tag tage tagen día días jour jours день дня дней 天",
	{"time", 604800}: "week weeks woche wochen semana semanas semaine semaines неделя недели недель 周 週 星期",
	{"months", 1}:    "month months monat monate monaten mes meses mois месяц месяца месяцев 个月 個月",
	{"months", 12}:   "year years jahr jahre jahren año años an ans année années год года лет 年",
	{"length", 1e-3}: "mm millimeter millimeters millimetre millimetres milímetros millimètres 毫米",
	{"length", 1e-2}: "cm centimeter centimeters centimetre centimetres zentimeter centímetros centimètres сантиметров см 厘米",
	{"length", 1}:    "m meter meters metre metres metern metro metros mètre mètres метр метра метров м 米",
	{"length", 1e3}:  "km kilometer kilometers kilometre kilometres kilometern kilómetros kilomètres километр километра километров км 公里 千米",
	{"feet", 1}:      "ft foot feet fuß pies pieds футов 英尺",
	{"miles", 1}:     "mi mile miles meilen millas милл миль 英里",
	{"mass", 1e-3}:   "mg milligram milligrams milligramm миллиграмм 毫克",
	{"mass", 1}:      "g gram grams gramm gramme grammes gramo gramos грамм граммов 克",
	{"mass", 1e3}:    "kg kilo kilos kilogram kilograms kilogramm kilogramme kilogrammes kilogramos килограмм килограмма килограммов кг 公斤 千克",
	{"mass", 1e6}:    "t tonne tonnes tonnen toneladas тонн тонны 吨 噸",
	{"pounds", 1}:    "lb lbs 磅", {"ounces", 1}: "oz ounce ounces",
	{"volume", 1e-3}: "ml milliliter milliliters millilitre millilitres mililitros миллилитров мл 毫升",
	{"volume", 1e-2}: "cl centilitres", {"volume", 0.1}: "dl deciliter",
	{"volume", 1}: "l liter liters litre litres litern litro litros литр литра литров л 升",
	{"bytes", 1}:  "byte bytes octets байт 字节", {"bytes", 1e3}: "kb kilobytes", {"bytes", 1e6}: "mb megabytes megabyte",
	{"bytes", 1e9}: "gb gigabytes gigabyte", {"bytes", 1e12}: "tb terabytes terabyte",
	{"binary", 1 << 10}: "kib", {"binary", 1 << 20}: "mib", {"binary", 1 << 30}: "gib",
	{"celsius", 1}: "°c celsius 摄氏度", {"fahrenheit", 1}: "°f fahrenheit 华氏度", {"kelvin", 1}: "kelvin",
	{"percent", 1}: "% percent prozent por%ciento pour%cent процента процентов процент",
	{"euro", 1}:    "€ eur euro euros евро 欧元 歐元", {"dollar", 1}: "$ usd dollar dollars dólares dólar доллар доллара долларов 美元",
	{"sterling", 1}: "£ gbp pound pounds pfund libras livres фунтов 英镑", {"franc", 1}: "chf franken francs franc",
	{"yen", 1}: "¥ jpy yen 日元 円", {"yuan", 1}: "元 cny rmb yuan 人民币 块 块钱", {"ruble", 1}: "₽ rub рубль рубля рублей",
	{"watts", 1}: "w watt watts", {"watts", 1e3}: "kw kilowatt kilowatts",
	{"energy", 1}: "kwh", {"speed", 1}: "km/h kmh", {"mph", 1}: "mph",
}

// money are the kinds of units that are currencies.
var money = []string{"euro", "dollar", "sterling", "franc", "yen", "yuan", "ruble"}

// unitForms maps the forms of units to units; unspaced lists those of scripts without
// spaces, longest first.
var unitForms = sync.OnceValues(func() (forms map[string]unit, unspaced []string) {
	forms = map[string]unit{}
	for u, names := range unitNames {
		for _, n := range strings.Fields(names) {
			forms[strings.ReplaceAll(n, "%c", " c")] = u
			if strings.ContainsFunc(n, text.Unspaced) {
				unspaced = append(unspaced, n)
			}
		}
	}
	slices.SortFunc(unspaced, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	return forms, unspaced
})

var (
	unitAfter  = text.Pattern(`^[\s\x{a0}\x{202f}-]?(°\s?[cf]\b|[€$£¥₽%]|km/h|\pL+)`)
	unitBefore = text.Pattern(`(?:([€$£¥₽])|\b(eur|usd|chf|gbp|rub)\s?)\s?[-−–－]?$`)
	factorWord = text.Pattern(`^\s?(?:thousand|million|billion|tausend|mio\.?|millionen|milliarden?|mrd\.?|millones|de|mille|millions?|milliards?|тысяч|тыс\.?|млн|млрд|[万萬亿億千])\s?`)
)

// unitOf returns the unit of the number between two texts in lower case.
func unitOf(before, after string) unit {
	forms, unspaced := unitForms()
	if m := unitBefore().FindStringSubmatch(before); m != nil {
		return forms[m[1]+m[2]]
	}
	if strings.HasSuffix(strings.TrimRight(before, "-−–"), "[") && strings.HasPrefix(after, "]") {
		return unit{kind: "label"}
	}
	after = after[len(factorWord().FindString(after)):]
	m := unitAfter().FindStringSubmatch(after)
	if m == nil {
		return unit{}
	}
	name := strings.ReplaceAll(m[1], " ", "")
	if strings.ContainsFunc(name, text.Unspaced) {
		for _, n := range unspaced {
			if strings.HasPrefix(name, n) {
				return forms[n]
			}
		}
		return unit{}
	}
	if name == "s" && after[0] == 's' { // the 1990s
		return unit{}
	}
	rest := after[len(m[0]):]
	if strings.HasPrefix(rest, "²") || strings.HasPrefix(rest, "³") || strings.HasPrefix(rest, "/") {
		return unit{} // areas, volumes, rates
	}
	u := forms[name]
	if unicode.IsLetter([]rune(name)[0]) && len(name) == 1 && strings.HasPrefix(rest, "'") {
		return unit{}
	}
	return u
}

// clashes reports whether numbers of two units cannot be the same, whatever their values.
func (u unit) clashes(o unit) bool {
	if u.kind == "" || o.kind == "" || u.kind == o.kind {
		return false
	}
	// "2.5M" may be millions of something.
	millions := func(a, b unit) bool { return a == unit{"length", 1} && slices.Contains(money, b.kind) }
	return !millions(u, o) && !millions(o, u)
}
