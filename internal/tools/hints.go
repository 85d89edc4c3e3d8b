package tools

// Hints are what a tool is said to do, for those who cannot look inside: what
// a tool server tells of its tools, and what bot mcp tells of ours. A server's
// hints are pinned with its tool, but nobody has checked them.
type Hints struct {
	Title       string // for people; "" has none
	ReadOnly    bool   // changes nothing
	Destructive bool   // may overwrite or delete; false only adds. Says nothing with ReadOnly
	Idempotent  bool   // the same call again changes nothing more
	OpenWorld   bool   // deals with the world outside, such as the web
}
