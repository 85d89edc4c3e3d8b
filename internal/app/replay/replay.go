package replay

import (
	"slices"
	"time"

	"parley/internal/playbook/guard"
)

// Verdict is what a guard says about a call that was made.
type Verdict struct {
	Conversation string `json:"conversation"`
	Message      int    `json:"message"` // of the conversation, from 0
	Tool         string `json:"tool"`
	Args         string `json:"args"`
	guard.Verdict
}

// Tally counts calls by what the guards say of them together.
type Tally struct {
	Conversations int           `json:"conversations"`
	Calls         int           `json:"calls"`     // all
	Guarded       int           `json:"guarded"`   // that a guard is about
	Refused       int           `json:"refused"`   // because a condition is false
	Undecided     int           `json:"undecided"` // refused, since something is missing
	Asked         int           `json:"asked"`
	HandedOver    int           `json:"handed_over"`
	Allowed       int           `json:"allowed"`
	Took          time.Duration `json:"took_ns"` // for all decisions
}

// Play asks the guards about every call of the conversations, with what had been called
// before it. What would have been stopped counts as made, as it was. now is the time
// where a recording has none. tell gets each verdict, also those that allow.
func Play(guards guard.Guards, list []Conversation, now time.Time, tell func(Verdict)) (t Tally) {
	t.Conversations = len(list)
	for _, c := range list {
		var past []guard.Call
		for i, step := range c.Steps {
			at := step.At
			if at.IsZero() {
				at = now
			}
			for _, call := range step.Calls {
				t.Calls++
				s := guard.Situation{Tool: call.Tool, Args: call.Args, Past: past, Person: c.Person, Place: c.Place, Now: at}
				began := time.Now()
				verdicts := guards.Judge(s)
				t.Took += time.Since(began)
				t.count(verdicts)
				for _, v := range verdicts {
					tell(Verdict{c.ID, i, call.Tool, string(call.Args), v})
				}
			}
			for _, call := range step.Calls {
				if !call.Failed {
					past = append(past, guard.Call{Tool: call.Tool, Args: call.Args, Result: call.Result, At: at})
				}
			}
		}
	}
	return t
}

func (t *Tally) count(verdicts []guard.Verdict) {
	if len(verdicts) == 0 {
		return
	}
	t.Guarded++
	switch guard.Worst(verdicts).Ruling {
	case guard.Allowed:
		t.Allowed++
	case guard.Asked:
		t.Asked++
	case guard.HandOver:
		t.HandedOver++
	case guard.Refused:
		if !slices.ContainsFunc(verdicts, func(v guard.Verdict) bool { return v.Ruling == guard.Refused && v.Lacks == "" }) {
			t.Undecided++
		} else {
			t.Refused++
		}
	}
}
