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
