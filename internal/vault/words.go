package vault

import "parley/internal/text"

// Errors that callers distinguish. Each may be shown to people, and names what it is
// about.
var (
	ErrNotReady = text.Tell("the notes are still being indexed; ask again in a moment")
	ErrPath     = text.Tell("this is not a usable path of a note")
	ErrExists   = text.Tell("a note of this name exists already; append to it or choose another name")
	ErrNotFound = text.Tell("there is no such note")
	ErrContent  = text.Tell("this cannot be written as a note")
	ErrChanged  = text.Tell("the note was changed by somebody else just now; read it again first")
)

// Why a file in its folder is not in the index, for Status.
const (
	skipLarge  = "too large"
	skipBinary = "not text"
	skipLinked = "a hard link, a second name of a file that may be outside of the folder"
	skipPanic  = "cannot be parsed"
)
