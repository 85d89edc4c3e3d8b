package document

import (
	"fmt"

	"parley/internal/text/catalog"
)

// Why a document is not searched, or not whole.
const (
	wordsBroken   = "damaged, or not what its name says"
	wordsLocked   = "protected by a password, or in Word's old format: save it as .docx"
	wordsLarge    = "too large, once unpacked"
	wordsSlow     = "too slow to read, or takes too much memory"
	wordsBlank    = "without text: pictures of pages, perhaps"
	wordsNoReader = "a PDF, and nothing here reads one"
	wordsPages    = "pages %d to %d"
	wordsRest     = "what follows the first 4 MB of text"
)

// Left says what of a document was not read, as Partly has it.
func Left(p catalog.Printer, partly string) string {
	var from, to int
	if _, err := fmt.Sscanf(partly, wordsPages, &from, &to); err == nil {
		return p.Say(wordsPages, from, to)
	}
	return p.Text(partly)
}
