package document

import (
	"fmt"

	"parley/internal/text/catalog"
)

// Left says what of a document was not read, as Partly has it.
func Left(p catalog.Printer, partly string) string {
	var from, to int
	if _, err := fmt.Sscanf(partly, wordsPages, &from, &to); err == nil {
		return p.Say(wordsPages, from, to)
	}
	return p.Text(partly)
}
