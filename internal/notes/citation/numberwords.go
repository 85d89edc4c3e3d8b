package citation

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"parley/internal/text"
)

// cardinals are the counting words from two on, by their values, in the most common
// languages of notes. None is another word in another of these languages: an answer that
// says one claims its number.
var cardinals = map[float64]string{
	2: "two zwei deux dos два две двух", 3: "three drei trois tres три трёх трех", 4: "four vier quatre cuatro четыре четырёх четырех",
	5: "five fünf cinq cinco пять пяти", 6: "six sechs seis шесть шести", 7: "seven sieben siete семь семи",
	8: "eight acht huit ocho восемь восьми", 9: "nine neun neuf nueve девять девяти", 10: "ten zehn dix diez десять десяти",
	11: "eleven onze одиннадцать", 12: "twelve zwölf douze doce двенадцать", 13: "thirteen dreizehn treize trece тринадцать",
	14: "fourteen vierzehn quatorze catorce четырнадцать", 15: "fifteen fünfzehn quinze quince пятнадцать",
	16: "sixteen sechzehn dieciséis шестнадцать", 17: "seventeen siebzehn diecisiete семнадцать",
	18: "eighteen achtzehn dieciocho восемнадцать", 19: "nineteen neunzehn diecinueve девятнадцать",
	20: "twenty zwanzig vingt vingts veinte двадцать", 21: "veintiuno veintiún", 22: "veintidós", 23: "veintitrés", 24: "veinticuatro",
	25: "veinticinco", 26: "veintiséis", 27: "veintisiete", 28: "veintiocho", 29: "veintinueve",
	30: "thirty dreißig dreissig trente treinta тридцать", 40: "forty vierzig quarante cuarenta сорок",
	50: "fifty fünfzig cinquante cincuenta пятьдесят", 60: "sixty sechzig soixante sesenta шестьдесят",
	70: "seventy siebzig setenta семьдесят", 80: "eighty achtzig ochenta восемьдесят", 90: "ninety neunzig noventa девяносто",
	100: "hundred hundert ciento cien сто", 200: "doscientos doscientas двести", 300: "trescientos trescientas триста",
	400: "cuatrocientos cuatrocientas четыреста", 500: "quinientos quinientas пятьсот", 600: "seiscientos seiscientas шестьсот",
	700: "setecientos setecientas семьсот", 800: "ochocientos ochocientas восемьсот", 900: "novecientos novecientas девятьсот",
	1000: "thousand tausend тысяча тысячи тысяч", 1e6: "million millionen millón millones миллион миллиона миллионов",
	1e9: "billion milliarde milliarden milliard",
}

// numerals are further words for numbers: ordinals, halves, and words that are something
// else, too. A passage that has one confirms the number; an answer claims nothing by it.
var numerals = map[float64]string{
	0: "zero nil none null zéro cero ноль",
	1: "one first einen eine einer eins ein erste ersten erster un une premier première uno una primer primero primera once один одна одного",
	2: "second secondly twice pair couple both zweite zweiten zweiter deuxième segundo segunda secondo",
	3: "third dritte dritten dritter troisième tercero tercer tre terzo", 4: "fourth vierte vierten quatrième cuarto quattro quarto",
	5: "fifth fünfte fünften cinquième quinto cinque", 6: "sixth sechste sechsten sixième sexto sei sesto",
	7: "seventh siebte siebten sept septième séptimo sette settimo", 8: "eighth achte achten huitième octavo otto ottavo",
	9: "ninth neunte neunten neuvième noveno nove nono", 10: "tenth zehnte zehnten dixième décimo dieci decimo",
	11: "once elf elfte elften undici", 12: "twelfth dozen zwölfte zwölften dutzend douzaine docena dodici", 13: "thirteenth tredici",
	14: "fourteenth fortnight quattordici", 15: "fifteenth quindici", 16: "sixteenth seize sedici", 17: "seventeenth diciassette",
	18: "eighteenth diciotto", 19: "nineteenth diciannove", 20: "twentieth venti", 30: "thirtieth trenta", 40: "quaranta",
	50: "cinquanta", 60: "sessanta", 70: "settanta", 80: "ottanta", 90: "novanta", 100: "hundredth cent cents cento",
	1000: "thousandth mil mille", 1e6: "millions milione", 0.5: "half halb halbe halben hälfte moitié mitad metà demi",
	0.25: "quarter viertel quart",
}

// numeral maps number words to values; certain tells those of which an answer claims the
// number.
var numeral = sync.OnceValues(func() (all map[string]float64, certain map[string]bool) {
	all, certain = map[string]float64{}, map[string]bool{}
	for v, words := range numerals {
		for _, w := range strings.Fields(words) {
			all[w] = v
		}
	}
	for v, words := range cardinals {
		for _, w := range strings.Fields(words) {
			all[w], certain[w] = v, true
		}
	}
	return all, certain
})

// germanParts are the parts of German compounds such as achthundertfünfundvierzig.
var germanParts = []struct {
	word string
	v    float64
}{{"tausend", 1000}, {"hundert", 100}, {"dreizehn", 13}, {"vierzehn", 14}, {"fünfzehn", 15}, {"sechzehn", 16}, {"siebzehn", 17},
	{"achtzehn", 18}, {"neunzehn", 19}, {"zwanzig", 20}, {"dreißig", 30}, {"dreissig", 30}, {"vierzig", 40}, {"fünfzig", 50},
	{"sechzig", 60}, {"siebzig", 70}, {"achtzig", 80}, {"neunzig", 90}, {"zehn", 10}, {"elf", 11}, {"zwölf", 12}, {"eins", 1},
	{"ein", 1}, {"zwei", 2}, {"drei", 3}, {"vier", 4}, {"fünf", 5}, {"sechs", 6}, {"sieben", 7}, {"acht", 8}, {"neun", 9}, {"und", 0}}

// germanNumber reads a compound of at least two number words.
func germanNumber(w string) (v float64, ok bool) {
	sum, part, n := 0.0, 0.0, 0
	for w != "" {
		i := slices.IndexFunc(germanParts, func(p struct {
			word string
			v    float64
		}) bool {
			return strings.HasPrefix(w, p.word)
		})
		if i < 0 {
			return 0, false
		}
		switch p := germanParts[i].v; p {
		case 1000:
			sum, part = max(sum+part, 1)*1000, 0
		case 100:
			part = max(part, 1) * 100
		default:
			part += p
		}
		w, n = w[len(germanParts[i].word):], n+1
	}
	return sum + part, n > 1
}

// wordNumber is a number in words.
type wordNumber struct {
	v        float64
	from, to int
	certain  bool
}

// joins are words inside numbers.
var joins = map[string]bool{"and": true, "und": true, "y": true, "et": true, "и": true}

// numbersInWords lists the numbers that the words of a lower-case text form, the longest
// first: "two hundred", "twenty-one", "treinta y cinco".
func numbersInWords(s string) (all []wordNumber) {
	words, certain := numeral()
	var now *wordNumber
	sum, part, last := 0.0, 0.0, 0.0
	end := func() {
		if now != nil {
			now.v = sum + part
			all = append(all, *now)
		}
		now, sum, part = nil, 0, 0
	}
	for from := 0; from < len(s); {
		r, size := utf8.DecodeRuneInString(s[from:])
		if !unicode.IsLetter(r) {
			if !strings.ContainsRune(" -\u00a0", r) {
				end()
			}
			from += size
			continue
		}
		to := from + strings.IndexFunc(s[from:]+" ", func(r rune) bool { return !unicode.IsLetter(r) })
		w := s[from:to]
		v, ok := words[w]
		sure := certain[w]
		if !ok {
			v, ok = germanNumber(w)
			sure = ok
		}
		switch {
		case !ok && joins[w] && now != nil:
		case !ok:
			end()
		case now != nil && v == 20 && part == 4 && strings.HasPrefix(w, "vingt"):
			part, now.to, last = 80, to, 80
		case now != nil && v == 100 && part > 0 && part < 100:
			part, now.to, last = part*100, to, 100
		case now != nil && v >= 1000 && sum+part > 0:
			sum, part, now.to, last = (sum+part)*v, 0, to, v
		case now != nil && v > 0 && v < last && (last >= 20 && v < 20 || last >= 100):
			part, now.to, last = part+v, to, v
			now.certain = now.certain || sure
		default:
			end()
			now, part, last = &wordNumber{from: from, to: to, certain: sure}, v, v
		}
		from = to
	}
	end()
	return all
}

// Chinese numerals. A single one, and 一 in any company, may be part of another word.
var (
	hanRun   = text.Pattern(`[〇零一二两兩三四五六七八九十百千万萬亿億]+`)
	hanDate  = text.Pattern(`([〇零一二三四五六七八九十]+)(年|月|日|号|號)`)
	hanCount = text.Pattern(
		`^(?:个|個|元|块|年|月|天|日|周|週|星期|小时|小時|分|秒|人|名|位|次|度|米|公里|公斤|克|升|岁|歲|间|間|张|張|条|條|台|辆|輛|倍|页|頁|本|件|种|種|层|層|楼|斤|吨|美元|欧元)`)
	hanValue = map[rune]float64{'〇': 0, '零': 0, '一': 1, '二': 2, '两': 2, '兩': 2, '三': 3, '四': 4, '五': 5, '六': 6, '七': 7, '八': 8,
		'九': 9, '十': 10, '百': 100, '千': 1000, '万': 1e4, '萬': 1e4, '亿': 1e8, '億': 1e8}
)

// hanNumber reads a Chinese numeral: 一百二十, or digit by digit, 二〇三〇.
func hanNumber(s string) (v float64) {
	sum, part, digit, inRow := 0.0, 0.0, 0.0, 0
	for _, r := range s {
		switch n := hanValue[r]; {
		case n < 10:
			if inRow++; inRow > 1 {
				digit = digit*10 + n
			} else {
				digit = n
			}
			continue
		case n >= 1e4:
			sum, part, digit = sum+max(part+digit, 1)*n, 0, 0
		default:
			if digit == 0 {
				digit = 1
			}
			part, digit = part+digit*n, 0
		}
		inRow = 0
	}
	return sum + part + digit
}

// hanNumbers lists the Chinese numerals of a text.
func hanNumbers(s string) (all []wordNumber) {
	for _, m := range hanRun().FindAllStringIndex(s, -1) {
		run := s[m[0]:m[1]]
		long := utf8.RuneCountInString(run) > 1 && strings.ContainsAny(run, "十百千") || utf8.RuneCountInString(run) > 3
		if m[0] > 0 && s[m[0]-1] >= '0' && s[m[0]-1] <= '9' {
			continue // 3万
		}
		v := hanNumber(run)
		all = append(all, wordNumber{v, m[0], m[1], v > 1 && (long || hanCount().MatchString(s[m[1]:]))})
	}
	return all
}
