package lineedit

// What people read here.
const (
	wordSearch   = "(search “%s”)"
	wordNotFound = "(nothing has “%s”)"
	wordMore     = "… Tab goes on"
)
