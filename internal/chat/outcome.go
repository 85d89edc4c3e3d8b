package chat

// Outcome is how a message ended.
type Outcome string

// The outcomes: every finished message has exactly one of these.
const (
	Answered  Outcome = "answered"  // with what was asked for
	Asked     Outcome = "asked"     // with a question: a yes is needed, or it was not clear what was meant
	Confirmed Outcome = "confirmed" // it was a yes, and what it was for was done
	Declined  Outcome = "declined"  // it was a no, or took a question back
	Refused   Outcome = "refused"   // on purpose; Reason says which
	PassedOn  Outcome = "passed on" // to people, who answer
	Stopped   Outcome = "stopped"   // its author had heard enough
	Failed    Outcome = "failed"    // something broke; Reason says what
	Overheard Outcome = "overheard" // nobody expected an answer: counted, and nothing else is kept
	Shed      Outcome = "shed"      // too many waited in its conversation
)

// Outcomes lists them all, in the order in which they are shown.
var Outcomes = []Outcome{Answered, Asked, Confirmed, Declined, Refused, PassedOn, Stopped, Failed, Overheard, Shed}

// Succeeded reports whether a message with this outcome got what it asked for.
// counts is false where that is no question: a message that was refused on
// purpose, passed on to people, stopped by its author or only overheard is neither
// a success nor a failure.
func (o Outcome) Succeeded() (yes, counts bool) {
	switch o {
	case Answered, Asked, Confirmed, Declined:
		return true, true
	case Failed, Shed:
		return false, true
	}
	return false, false
}

// Reason says more about an Outcome. It is one of these, or "".
type Reason string

const (
	// Of Asked.
	NeedsYes Reason = "needs a yes"
	Unclear  Reason = "unclear"
	Missing  Reason = "something is missing" // that the playbook needs
	// NeedsAnswer is a question of a tool server.
	NeedsAnswer Reason = "needs an answer"

	// Of Refused.
	NotLetIn     Reason = "not let in"    // the author may not speak with the bot, or not here
	Off          Reason = "switched off"  // the bot answers nothing in this channel
	NoPermission Reason = "no permission" // a command or a tool is not for this role
	TooFast      Reason = "too fast"      // more messages a minute than allowed
	Spent        Reason = "budget spent"  // of a person, a channel or all
	OutOfScope   Reason = "out of scope"  // the assistant is not for that
	Unsafe       Reason = "unsafe"
	Filtered     Reason = "filtered" // by the model's provider
	Invalid      Reason = "invalid"  // too long, empty, mistyped, or nothing that can be read
	Expired      Reason = "expired"  // an answer to a question that waits no longer
	NotYours     Reason = "not yours"
	NotAsked     Reason = "cannot be asked" // what needs a yes where nobody can give one

	// Of Failed.
	Unavailable Reason = "model unavailable"
	Busy        Reason = "model busy" // it turned the request away for now
	NoQuota     Reason = "model quota used up"
	Misset      Reason = "model misconfigured"
	TimedOut    Reason = "timed out"
	TooLong     Reason = "too long for the model"
	TooComplex  Reason = "too many steps"
	Unreadable  Reason = "unreadable answer"
	ToolFailed  Reason = "tool failed"
	Fault       Reason = "fault" // in Parley; the log has it under the error's id
	GivenUp     Reason = "given up"

	// Of Stopped.
	TakenBack Reason = "taken back" // deleted by its author before it was begun
)

// End is how a message ended, for the audit, /why, /trace, /stats, the page and metrics.
// It is a Record by itself, for a message that leaves nothing else behind.
type End struct {
	Outcome Outcome
	Reason  Reason
	Command string // canonical path of the command that was given; "" for none
	ErrorID string // under which the log has more; "" for none
	Fault   string // what broke, for the operator alone; "" for nothing
}

// Ending implements Ended.
func (e End) Ending() End { return e }

// Settling is the record of an answer to a question, which is over with it.
type Settling struct {
	End
	Question string // its id
	Came     string // what came of it, in a line
	// Leave keeps nothing of the question: it was about somebody who is forgotten by now.
	Leave bool
}

// Ended is a Record that knows how its message ended.
type Ended interface{ Ending() End }

// Ending returns how m ended: what its record reports or, without one, whether
// anything was said.
func Ending(m Message, said bool, record any) End {
	var e End
	if r, ok := record.(Ended); ok {
		e = r.Ending()
	}
	switch {
	case e.Outcome != "":
	case said:
		e.Outcome = Answered
	case !m.Addressed, m.Kind == KindEdit, m.Kind == KindDeleted, m.Kind == KindButton:
		e.Outcome = Overheard
	default:
		e.Outcome, e.Reason = Refused, Invalid
	}
	return e
}
