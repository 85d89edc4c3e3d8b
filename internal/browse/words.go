package browse

import "fmt"

// What people read.
const (
	wordsAnd  = " and "
	wordsMore = " and %d more"
)

func words(more int) string { return fmt.Sprintf(wordsMore, more) }
