package tools

// Hints describe what a tool does, for those who cannot look inside: what a tool
// server declares about its tools, and what bot mcp declares about ours. A server's
// hints are pinned with its tool, but nobody has verified them.
type Hints struct {
	Title       string // for people; "" has none
	ReadOnly    bool   // changes nothing
	Destructive bool   // may overwrite or delete; false only adds. Says nothing with ReadOnly
	Idempotent  bool   // the same call again changes nothing more
	OpenWorld   bool   // deals with the world outside, such as the web
	// Detailed is true if the server says something of what the tool changes or reaches;
	// else Destructive and OpenWorld are only the protocol's defaults.
	Detailed bool
}
