package edit

// Why a path is not one of a note.
const (
	whyNotText  = "it is not valid text"
	whyLength   = "it has between 1 and 256 characters"
	whyRelative = "it is relative to the folder of notes"
	whyUnseen   = "it has characters that cannot be seen"
	whyEncoded  = "dots and slashes are written as they are"
	whyEnding   = "it ends in .md"
	whyNameless = "a folder in it has no name"
	whyHidden   = "nothing in it begins with a dot"
	whyEdges    = "no name in it begins or ends with a space, or ends with a dot"
	whyLong     = "a name in it is too long"
	whyDevice   = "a name in it means a device on some systems"
	whyBarred   = `none of \ : * ? " < > | may be in it`
)
