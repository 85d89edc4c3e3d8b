package offline

import (
	"slices"

	"parley/internal/llm"
	"parley/internal/text"
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
	a.args["when"] = a.atHour(a.args["when"])
	return a.args["id"]+a.args["words"] != "" && isTime(a.args["when"], a.tag)
}

// atHour makes "at six" of six, and leaves what is a time by itself or makes none; "an", which
// may count one, is no hour.
func (b *book) atHour(said string) string {
	if at := atHour[b.tag] + said; !isTime(said, b.tag) && !article().MatchString(said) && isTime(at, b.tag) {
		return at
	}
	return said
}

// article is a word that is no number by itself.
var article = text.Pattern(`(?i)^\s*(?:an?|eine?[nmrs]?|una?|une)\s*$`)

// woken makes "at six" of the six that somebody is to be woken at, and the morning's of that of
// another day.
func (a *asked) woken() {
	when := a.args["when"]
	if when == "" {
		return
	}
	when = a.atHour(when)
	if morning := when + inTheMorning[a.tag]; a.args["text"] == wakeUp[a.tag] && isDay(when, a.tag) && isTime(morning, a.tag) {
		when = morning
	}
	a.args["when"] = when
}

// What people are woken for, and what makes an hour the morning's where hours are counted to 12.
var (
	wakeUp       = map[string]string{"en": "wake up", "es": "despertar", "ru": "вставать", "zh": "起床"}
	inTheMorning = map[string]string{"en": " in the morning", "es": " de la mañana", "ru": " утра", "zh": "早上"}
)

// reminder returns the number of the reminder that was last spoken of; of what is said "now",
// as "no, at six" is, only that of the turn before, which set or moved it. "" is none.
func (t talk) reminder(said string) string {
	if said != "now" {
		return last(t.messages, "reminder")
	}
	turn, who := t.messages[:len(t.messages)-1], speaker().FindString(t.messages[len(t.messages)-1].Content)
	for i, m := range slices.Backward(turn) {
		if m.Role == llm.RoleUser {
			if speaker().FindString(m.Content) != who {
				return "" // numbers are each person's own
			}
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
