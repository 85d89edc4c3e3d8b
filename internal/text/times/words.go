package times

// What people are told about times that cannot be read or had to be changed.
const (
	wordNoWhen = "I don't understand the time “%s”. Try “in 10 minutes”, “tomorrow at 9”, “on Monday at 17:30”, " +
		"“every weekday at 8:30”, “2026-12-24 18:00” or a cron expression such as “0 9 * * 1”."
	wordPartial   = "I read “%s”, but not “%s”. When exactly?"
	wordEither    = "“%s” can be two dates: is the day or the month first? Write it as 2026-12-24, or with the name of the month."
	wordDayOrHour = "“%s” can be a day or a time of day. Please say it another way."
	wordPast      = "That time (%s) is past."
	wordTooFar    = "That is more than five years ahead."
	wordGap       = "(%s does not exist on that day because the clocks change: I used %s.)"
)

// What people are told where their words can mean two times.
const (
	wordBefore      = "(%s in the morning; for the other half of the day say %s.)"
	wordAfter       = "(%s; for the morning say %s.)"
	wordNoon        = "(I took 12 as noon; if you mean the night, say midnight.)"
	wordNight       = "(That is in the night from %s to %s.)"
	wordNightly     = "(That is in the night after the day you said.)"
	wordNextDay     = "(I took it as %s; name the date if you mean another.)"
	wordShortMonths = "(In shorter months it is the last day.)"
	wordLeapDay     = "(In years without a 29 February it is the 28th.)"
)

// What people read about schedules.
const (
	wordsNoZone     = "I don't know the time zone %q"
	wordsNoSchedule = "I can't read the schedule “%s”: it needs five fields, such as 0 9 * * 1 for Mondays at 9"
	wordsNeverDue   = "The schedule “%s” is never due"
	wordsTooOften   = "That is too often: reminders must be at least %d minutes apart"
)

// Rhythms in words. After "every" stands a number of units, such as "2 days".
const (
	wordHourly      = "every hour"
	wordEvery       = "every %s"
	wordDaily       = "every day at %s"
	wordEveryDays   = "every %s at %s"
	wordWorkdays    = "Monday to Friday at %s"
	wordWeekly      = "every week on %s at %s"
	wordEveryWeeks  = "every %s on %s at %s"
	wordMonthly     = "every month on day %d at %s"
	wordEveryMonths = "every %s on day %d at %s"
	wordMonthLate   = "every month on day %d, or on its last day, at %s"
	wordMonthEnd    = "every month on the last day at %s"
	wordMonthsEnd   = "every %s on the last day at %s"
	wordNthDay      = "every month on the %s %s at %s"
	wordNthDays     = "every %s on the %s %s at %s"
	wordYearly      = "every year on %s at %s"
	wordEveryYears  = "every %s, on %s, at %s"
	wordByCron      = "by the cron expression %s"
	wordListed      = "%s and %s"
	wordFirst       = "first"
	wordSecond      = "second"
	wordThird       = "third"
	wordFourth      = "fourth"
	wordFifth       = "fifth"
	wordLast        = "last"
)

// How times are written: layouts of package time.
const (
	layoutDay  = "Monday, 2 January"
	layoutDate = "2 January"
)
