package browse

// What people read.
const (
	wordsAnd  = " and "
	wordsMore = " and %d more"
)
