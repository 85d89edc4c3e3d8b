package chat

import "time"

// Question waits for one person's yes or no in one place.
type Question struct {
	ID    string
	Asked User // whose yes it waits for
	Key   Key
	Row   int64 // inbox row of the message that led to it
	// Behind lists the rows of the other messages that led to it: what the same turn took in,
	// and those whose calls wait for the same answer.
	Behind []int64
	Text   string // what is asked, as people read it, in Markdown
	Body   []byte // what a yes does, JSON of whoever asked
	Until  time.Time
	State  QuestionState
	Taken  int64  // inbox row of the answer, 0 before
	By     User   // who answered
	Came   string // what came of it, one line; "" before
	// Session is the conversation that it ends with, "" for none; Agent who asked.
	Session, Agent string
	// Lapse says why a yes does nothing any more; "" while it would.
	Lapse Lapse
	// Restored is true if it came back with a copy of the database that was put back: it may
	// have been answered since that was made, and nothing is done because of it.
	Restored bool
}

// Form says how to answer a question that needs more than a yes.
type Form struct {
	Choices []string `json:"choices,omitempty"` // what their buttons say; nil for words
	Skip    bool     `json:"skip,omitempty"`    // it need not be answered
	Consent bool     `json:"consent,omitempty"` // it is answered by yes or no
	Page    string   `json:"page,omitempty"`    // an address to open; "" for none
	Host    string   `json:"host,omitempty"`    // where Page leads
}

// Said is what a person has said to a question with a Form.
type Said struct {
	Text          string // as they wrote it; "" for a button
	Choice        int    // which of Form.Choices, from 1; 0 is none
	Yes, No, Skip bool   // what Text or the button says besides
	Stop          bool   // they want no more of it
}

// QuestionState is the state of a question.
type QuestionState string

const (
	QuestionOpen     QuestionState = "open"
	QuestionTaken    QuestionState = "taken" // answered; what it asked about is being done
	QuestionSettled  QuestionState = "settled"
	QuestionExpired  QuestionState = "expired"
	QuestionReplaced QuestionState = "replaced" // a newer question asks about it
)

// Lapse is why nothing is done about a question whatever its answer. The question is
// QuestionExpired then.
type Lapse string

// Why a question lapsed.
const (
	LapsedEdited  Lapse = "edited"  // the message that led to it says something else now
	LapsedDeleted Lapse = "deleted" // the message that led to it is gone
	LapsedSession Lapse = "session" // its conversation is over
	LapsedJourney Lapse = "journey" // its journey was left, or is at another step
	LapsedAgent   Lapse = "agent"   // another agent answers there
	LapsedRights  Lapse = "rights"  // who would have it done may not any more
	LapsedTool    Lapse = "tool"    // what would do it is not there
	LapsedQuota   Lapse = "quota"   // nothing is left to spend today
	LapsedFault   Lapse = "fault"   // asking it failed, so nobody has seen it
)
