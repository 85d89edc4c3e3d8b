package tools

import (
	"parley/internal/tools/elicit/fields"
)

// Inquiry is the Data of a result that is none yet: a tool server asks the
// person something before it goes on. The call waits for a Reply, though not for
// ever, and ends with this process.
type Inquiry struct {
	Server  string         // as the operator named it
	Message string         // in the server's words: data
	Fields  []fields.Field // what is asked, one after the other; none asks for a yes
	URL     string         // a page to open instead, of the web; "" for none
	// Go is the tool that goes on with the call, to be run once, also when
	// nobody answers.
	Go func(Reply) Tool
}

// Reply is what a person has said to an Inquiry.
type Reply struct {
	Action ReplyAction
	Values map[string]any // by the names of the fields; only with Accept
}

// ReplyAction is what a person wants done with an Inquiry.
type ReplyAction string

// What a person can want.
const (
	Accept  ReplyAction = "accept"
	Decline ReplyAction = "decline" // they said no
	Cancel  ReplyAction = "cancel"  // they said neither
)

// inquired makes an outcome of a result that is none yet.
func (o *Outcome) inquired() {
	if _, ok := o.Result.Data.(Inquiry); !ok || o.Class != "" {
		return
	}
	o.State, o.Class = Pending, NeedsInput
	o.Result = o.Result.despite("The tool waits for something the person is asked now, by its server. The result comes later.")
}
