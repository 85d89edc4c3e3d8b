package playbook

import (
	"parley/internal/playbook/condition"
	"parley/internal/playbook/value"
)

// Events that a condition can wait for. The first five come with the Situation;
// the journey itself raises the others.
const (
	EventStart            = "start"             // a session begins
	EventFirstMessage     = "first_message"     // the person was never seen before
	EventIdleReturn       = "idle_return"       // the session had gone idle
	EventEdit             = "edit"              // the message was edited
	EventFile             = "file"              // the message carries a file
	EventJourneyStarted   = "journey_started"   // with this message
	EventJourneyCompleted = "journey_completed" // with this message
	EventStepEntered      = "step_entered"      // with this message
)

var eventNames = []string{EventStart, EventFirstMessage, EventIdleReturn, EventEdit, EventFile,
	EventJourneyStarted, EventJourneyCompleted, EventStepEntered}

// evidence is what this turn decides conditions with. Verdicts are looked up by the
// words that were judged.
func (t *turn) evidence() *condition.Evidence {
	return &condition.Evidence{
		Text: t.sit.Text, Lower: t.lower, Mute: t.sit.Forwarded, Threshold: t.book.threshold,
		Variable: func(test value.Test) bool {
			v, known := t.value(test.Name)
			return test.Holds(value.Plain(v.Value), known)
		},
		Event: func(name string) bool { return t.events[name] },
		Tool:  t.toolHolds,
		Verdict: func(words string) (float64, string, bool) {
			v, known := t.verdicts[words]
			return v.Relevance, v.Reason, known
		},
	}
}

// holds decides a condition without a model, by the verdicts there are.
func (t *turn) holds(c condition.Condition) (score float64, reason string) { return c.Holds(t.known) }
