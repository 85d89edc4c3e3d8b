package times

import whole "parley/internal/text"

// Partial is the error of a text of which a time was read, but not all that belongs, or
// may belong, to that time: "tomorrow before 4pm". Nothing may be set from what was read.
// Its sentence asks the person.
type Partial struct {
	Read string // the words that were read as a time
	Left string // the words beside them that were not
	What string // the text without both: what the time is for; "" for nothing
}

// Error implements error.
func (p *Partial) Error() string { return p.Unwrap().Error() }

// Unwrap returns the question for the person.
func (p *Partial) Unwrap() error {
	return whole.Tell("I read “%s”, but not “%s”. When exactly?", p.Read, p.Left)
}
