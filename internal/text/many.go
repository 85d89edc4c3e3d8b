package text

import (
	"fmt"
	"math"
	"strconv"
)

// Many returns a number of things in English: "1 fact", "2 facts".
func Many(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// Money returns an amount with its currency. Small amounts, such as the cost of one
// answer, keep two significant digits: 0.00031 USD.
func Money(amount float64, currency string) string {
	digits := 2
	if a := math.Abs(amount); a > 0 && a < 0.1 {
		digits = min(1-int(math.Floor(math.Log10(a))), 9)
	}
	return strconv.FormatFloat(amount, 'f', digits, 64) + " " + currency
}
