package offline

import (
	"slices"

	"parley/internal/llm"
	"parley/internal/text/times"
)

// ofDays reports whether the days of a deed on several reminders are days, or none is named.
func (a asked) ofDays() bool {
	for _, name := range []string{"day", "when"} {
		words, ok := a.args[name]
		if !ok {
			continue
		}
		if _, day := times.Day(words, someTime, a.tag); !day {
			return false
		}
	}
	return true
}

// moves reports whether it is known which reminder is to be moved, and when to.
func (t talk) moves(a *asked) bool {
	if a.args["last"] != "" {
		a.args = map[string]string{"id": t.reminder(a.args["last"]), "when": a.args["when"]}
	}
	if number := atHour[a.tag] + a.args["when"]; !isTime(a.args["when"], a.tag) && isTime(number, a.tag) {
		a.args["when"] = number
	}
	return a.args["id"]+a.args["words"] != "" && isTime(a.args["when"], a.tag)
}

// reminder returns the number of the reminder that was last spoken of; of what is said "now",
// as "no, at six" is, only that of the turn before, which set or moved it. "" is none.
func (t talk) reminder(said string) string {
	if said != "now" {
		return last(t.messages, "reminder")
	}
	turn := t.messages[:len(t.messages)-1]
	for i, m := range slices.Backward(turn) {
		if m.Role == llm.RoleUser {
			turn = turn[i:]
			break
		}
	}
	done := func(m llm.Message) bool {
		return m.Role == llm.RoleTool && (m.Name == "set_reminder" || m.Name == "move_reminder")
	}
	if !slices.ContainsFunc(turn, done) {
		return ""
	}
	return last(turn, "reminder")
}
