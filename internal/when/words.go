package when

// What people are told about times that cannot be read or had to be changed.
const (
	wordNoWhen = "I don't understand the time “%s”. Try “in 10 minutes”, “tomorrow at 9”, “on Monday at 17:30”, “every weekday at 8:30”, “2026-12-24 18:00” or a cron expression such as “0 9 * * 1”."
	wordPast   = "That time (%s) is past."
	wordTooFar = "That is more than five years ahead."
	wordGap    = "(%s does not exist on that day because the clocks change: I used %s.)"
)

// What people read about schedules.
const (
	wordsNoZone     = "I don't know the time zone %q"
	wordsNoSchedule = "I can't read the schedule “%s”: it needs five fields, such as 0 9 * * 1 for Mondays at 9"
	wordsNeverDue   = "The schedule “%s” is never due"
	wordsTooOften   = "That is too often: reminders must be at least %d minutes apart"
)
