package vault

import "parley/internal/text"

// Errors that callers tell apart. Each may be shown to people, and comes with
// what it is about.
var (
	ErrNotReady = text.Tell("the notes are still being indexed; ask again in a moment")
	ErrPath     = text.Tell("this is not a usable path of a note")
	ErrExists   = text.Tell("a note of this name exists already; append to it or choose another name")
	ErrNotFound = text.Tell("there is no such note")
	ErrContent  = text.Tell("this cannot be written as a note")
	ErrChanged  = text.Tell("the note was changed by somebody else just now; read it again first")
)

// Why a file is in its folder and not in the index, as Status tells it.
const (
	skipLarge  = "too large"
	skipBinary = "not text"
	skipLinked = "a hard link, a second name of a file that may be outside of the folder"
	skipPanic  = "cannot be parsed"
)
