package text

import "fmt"

// Many is a number of things in English: "1 fact", "2 facts".
func Many(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}
