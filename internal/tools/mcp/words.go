package mcp

// English only: what a model and, through it, people read.
const (
	wordGone      = "its server is not running at the moment"
	wordReported  = "its server reported an error"
	wordAsks      = "its server asks for more input, which is not supported"
	wordNothing   = "Done; the server said nothing."
	wordMore      = "[%d more items left out]"
	wordAttached  = "[%s of %d bytes: the person gets it with your answer]"
	wordLong      = "Parse error: the line is too long"
	wordNoJSON    = "Parse error: the line is not JSON"
	wordBatch     = "Invalid request: batches are not supported; send one message a line"
	wordNoRequest = "Invalid request: the line is no JSON-RPC 2.0 message"
	wordTaken     = "Invalid request: another request with this id has no answer yet"
	wordList      = "Lists what the tool server %s has to read: documents and data, each with its address."
	wordRead      = "Reads one of the resources of the tool server %[1]s, by an address that %[1]s__list_resources names."
	wordPrompts   = "Lists the prompts that the tool server %s offers: ready instructions for a kind of job, with their arguments."
	wordPrompt    = "Fetches a prompt of the tool server %[1]s that %[1]s__list_prompts names, filled in. It is what the " +
		"person may want done; ask when unsure."
	wordTemplate  = "addresses of this form"
	wordEmpty     = "It has none."
	wordProgress  = "_%s:_ %s"
	wordStep      = "step %v"
	wordServerTip = "Tools of a Parley assistant: its owner's memory, notes and tasks."
)
