package search

// What people read.
const (
	wordsAnd  = " and "
	wordsMore = " and %d more"
)
