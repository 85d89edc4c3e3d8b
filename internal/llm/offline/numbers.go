package offline

import (
	"strconv"
	"strings"

	"parley/internal/text"
)

// counted are words of numbers below a hundred, and scales what they are multiplied by.
// English has them, whose sums are asked for in words; other languages write digits.
var (
	counted = map[string]int{"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
		"ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17,
		"eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70,
		"eighty": 80, "ninety": 90}
	scales = map[string]int{"hundred": 100, "thousand": 1000, "million": 1_000_000, "billion": 1_000_000_000}
)

// numeral is a run of words of numbers.
var numeral = text.Pattern(`(?i)\b(?:(?:a |\d+ )(?:hundred|thousand|million|billion)|zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|` +
	`thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)` +
	`(?:[ -](?:and )?(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|` +
	`eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|billion)\b)*\b`)

// inDigits returns a sentence with its numbers in digits; "one and two" are two numbers.
func inDigits(said string) string {
	return numeral().ReplaceAllStringFunc(said, func(run string) string {
		if n, ok := numberOf(run); ok {
			return strconv.Itoa(n)
		}
		if first, second, two := strings.Cut(run, " and "); two {
			return inDigits(first) + " and " + inDigits(second)
		}
		return run
	})
}

// numberOf is the number that words say, such as "two hundred and forty-five".
func numberOf(run string) (n int, ok bool) {
	part, before := 0, 1<<30 // the size of what may still follow
	for _, w := range strings.Fields(strings.ReplaceAll(strings.ToLower(run), "-", " ")) {
		digits, err := strconv.Atoi(w)
		one, is := counted[w]
		scale := scales[w]
		switch {
		case err == nil:
			part, before = digits, 1
		case w == "a":
			part, before = 1, 1
		case w == "and" && before < 100:
			return 0, false
		case w == "and":
		case scale == 100 && part > 0:
			part, before = part*100, 100
		case scale > 100 && part > 0:
			n, part, before = n+part*scale, 0, scale
		case is && (one < 10 && before >= 10 || one >= 10 && before >= 100):
			part += one
			before = map[bool]int{true: 10, false: 1}[one >= 20]
		default:
			return 0, false
		}
	}
	return n + part, true
}
