package index

import (
	"parley/internal/notes/edit"
	"parley/internal/text"
)

// Errors that callers distinguish. Each may be shown to people, and names what it is
// about.
var (
	ErrNotReady = text.Tell("the notes are still being indexed; ask again in a moment")
	ErrPath     = edit.ErrPath
	ErrExists   = edit.ErrExists
	ErrNotFound = edit.ErrNotFound
	ErrContent  = edit.ErrContent
	ErrChanged  = edit.ErrChanged
)

// errEmpty is why a folder counts as away although it can be read.
var errEmpty = text.Tell(
	"all files are gone at once, so the folder counts as away (a disk that is not mounted?) and what was known of it " +
		"stays; if you emptied it, put one note into it")

// Why a file in its folder is not in the index, for Status.
const (
	skipLarge  = "too large"
	skipBinary = "not text"
	skipLinked = "a hard link, a second name of a file that may be outside of the folder"
	skipPanic  = "cannot be parsed"
)

// Why a note is not written.
const (
	wordsModes     = "the mode is %s, %s or %s"
	wordsNoSection = "which section is not said; give its heading"
	wordsNoText    = "it is not text"
	wordsNothing   = "there is nothing in it"
	wordsTooLong   = "it has more than %d characters"
)
