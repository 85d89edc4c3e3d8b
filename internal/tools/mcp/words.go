package mcp

// What a model and, through it, people read.
const (
	wordGone      = "its server is not running at the moment"
	wordReported  = "its server reported an error"
	wordAsks      = "its server asks for more input, which is not supported"
	wordNothing   = "Done; the server said nothing."
	wordMore      = "[%d more items left out]"
	wordOmitted   = "[%s of %d bytes, not shown]"
	wordServerTip = "Tools of a Parley assistant: its owner's memory, notes and tasks."
)
