package chat

import "time"

// Question waits for one person's yes or no in one place.
type Question struct {
	ID    string
	Asked User // whose yes it waits for
	Key   Key
	Row   int64 // inbox row of the message that led to it
	// Behind lists the rows of other messages whose calls wait for the same answer.
	Behind []int64
	Text   string // what is asked, as people read it, in Markdown
	Body   []byte // what a yes does, JSON of whoever asked
	Until  time.Time
	State  QuestionState
	Taken  int64  // inbox row of the answer, 0 before
	By     User   // who answered
	Came   string // what came of it, one line; "" before
}

// QuestionState is the state of a question.
type QuestionState string

// The states of a question.
const (
	QuestionOpen     QuestionState = "open"
	QuestionTaken    QuestionState = "taken" // answered; what it asked about is being done
	QuestionSettled  QuestionState = "settled"
	QuestionExpired  QuestionState = "expired"
	QuestionReplaced QuestionState = "replaced" // a newer question asks about it
)
