package offline

import "testing"

// Sums are asked for in words; two numbers stay two.
func TestNumbersInWords(t *testing.T) {
	for said, want := range map[string]string{
		"what is two plus two":                      "what is 2 plus 2",
		"twenty-one times a hundred":                "21 times 100",
		"two hundred and forty-five minus nineteen": "245 minus 19",
		"three thousand two hundred and six":        "3206",
		"the sum of one and two":                    "the sum of 1 and 2",
		"5 million divided by ten":                  "5000000 divided by 10",
		"twenty twenty":                             "twenty twenty",
		"someone often weighs it":                   "someone often weighs it",
		"12 plus 7":                                 "12 plus 7",
	} {
		if got := inDigits(said); got != want {
			t.Errorf("%q: %q, want %q", said, got, want)
		}
	}
}
