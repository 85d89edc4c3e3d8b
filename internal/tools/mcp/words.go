package mcp

// What a model and, through it, people read.
const (
	wordGone      = "its server is not running at the moment"
	wordReported  = "its server reported an error"
	wordAsks      = "its server asks for more input, which is not supported"
	wordNothing   = "Done; the server said nothing."
	wordMore      = "[%d more items left out]"
	wordOmitted   = "[%s of %d bytes, not shown]"
	wordLong      = "Parse error: the line is too long"
	wordNoJSON    = "Parse error: the line is not JSON"
	wordBatch     = "Invalid request: batches are not supported; send one message a line"
	wordNoRequest = "Invalid request: the line is no JSON-RPC 2.0 message"
	wordTaken     = "Invalid request: another request with this id has no answer yet"
	wordServerTip = "Tools of a Parley assistant: its owner's memory, notes and tasks."
)
