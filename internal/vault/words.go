package vault

import "errors"

// Errors that callers tell apart. Each is a sentence that can be shown, and
// comes wrapped with what it is about.
var (
	ErrNotReady = errors.New("the notes are still being indexed; ask again in a moment")
	ErrPath     = errors.New("this is not a usable path of a note")
	ErrExists   = errors.New("a note of this name exists already; append to it or choose another name")
	ErrNotFound = errors.New("there is no such note")
	ErrContent  = errors.New("this cannot be written as a note")
	ErrChanged  = errors.New("the note was changed by somebody else just now; read it again first")
)

// Why a file is in its folder and not in the index, as Status tells it.
const (
	skipLarge  = "too large"
	skipBinary = "not text"
	skipLinked = "a hard link, a second name of a file that may be outside of the folder"
	skipPanic  = "cannot be parsed"
)
