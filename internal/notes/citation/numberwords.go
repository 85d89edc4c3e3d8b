package citation

import (
	"strings"
	"sync"
	"unicode"
)

// numerals are number words by their values, in the most common languages of notes. None
// is another word in another of these languages.
var numerals = map[float64]string{
	0:  "zero nil none null zéro cero",
	1:  "one first einen eine einer eins erste ersten erster un une premier première uno una primer primero primera once",
	2:  "two second secondly twice pair couple both zwei zweite zweiten zweiter deux deuxième dos segundo segunda secondo",
	3:  "three third drei dritte dritten dritter trois troisième tres tercero tercer tre terzo",
	4:  "four fourth vier vierte vierten quatre quatrième cuatro cuarto quattro quarto",
	5:  "five fifth fünf fünfte fünften cinq cinquième cinco quinto cinque",
	6:  "six sixth sechs sechste sechsten sixième seis sexto sesto",
	7:  "seven seventh sieben siebte siebten sept septième siete séptimo sette settimo",
	8:  "eight eighth acht achte achten huit huitième ocho octavo otto ottavo",
	9:  "nine ninth neun neunte neunten neuf neuvième nueve noveno nove nono",
	10: "ten tenth zehn zehnte zehnten dix dixième diez décimo dieci decimo", 11: "eleven eleventh elf elfte elften undici",
	12: "twelve twelfth dozen zwölf zwölfte zwölften dutzend douze douzaine doce docena dodici",
	13: "thirteen thirteenth dreizehn treize trece tredici", 14: "fourteen fourteenth fortnight vierzehn quatorze catorce quattordici",
	15: "fifteen fifteenth fünfzehn quinze quince quindici",
	16: "sixteen sixteenth sechzehn seize dieciséis sedici", 17: "seventeen seventeenth siebzehn diecisiete diciassette",
	18: "eighteen eighteenth achtzehn dieciocho diciotto", 19: "nineteen nineteenth neunzehn diecinueve diciannove",
	20: "twenty twentieth zwanzig vingt veinte venti", 30: "thirty thirtieth dreißig dreissig trente treinta trenta",
	40: "forty vierzig quarante cuarenta quaranta", 50: "fifty fünfzig cinquante cincuenta cinquanta",
	60: "sixty sechzig soixante sesenta sessanta", 70: "seventy siebzig setenta settanta", 80: "eighty achtzig ochenta ottanta",
	90:  "ninety neunzig noventa novanta",
	100: "hundred hundredth hundert cent cien ciento cento", 1000: "thousand thousandth tausend mille",
	1e6: "million millionen millón millions milione", 1e9: "billion milliarde milliarden milliard",
	0.5: "half halb halbe halben hälfte moitié mitad metà demi", 0.25: "quarter viertel quart",
}

// numeral maps number words to values, with compounds such as einundzwanzig.
var numeral = sync.OnceValue(func() map[string]float64 {
	all := map[string]float64{}
	for v, words := range numerals {
		for _, w := range strings.Fields(words) {
			all[w] = v
		}
	}
	ones := map[string]float64{"ein": 1, "zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6, "sieben": 7, "acht": 8, "neun": 9}
	for w, v := range ones {
		for _, t := range []string{"zwanzig", "dreißig", "dreissig", "vierzig", "fünfzig", "sechzig", "siebzig", "achtzig", "neunzig"} {
			all[w+"und"+t] = v + all[t]
		}
		all[w+"hundert"], all[w+"tausend"] = v*100, v*1000
	}
	return all
})

// numberWords lists the number words in a lower-case text, and the numbers that adjacent
// ones form: "two hundred", "twenty-one".
func numberWords(s string) (all []quantity) {
	words := numeral()
	sum, part, open := 0.0, 0.0, false
	end := func() {
		if open {
			all = append(all, quantity{values: []float64{sum + part}})
		}
		sum, part, open = 0, 0, false
	}
	for _, w := range strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) }) {
		v, ok := words[w]
		switch {
		case !ok && (w == "and" || w == "und"):
			continue
		case !ok:
			end()
			continue
		}
		q := quantity{values: []float64{v}}
		if v < 1 && v > 0 { // a half is 50 percent, too
			q.values = append(q.values, v*100)
		}
		all = append(all, q)
		switch {
		case v == 100 && part > 0 && part < 100:
			part *= 100
		case v >= 1000 && sum+part > 0:
			sum, part = (sum+part)*v, 0
		case open && part > v && v > 0:
			part += v
		default:
			end()
			part = v
		}
		open = true
	}
	end()
	return all
}
