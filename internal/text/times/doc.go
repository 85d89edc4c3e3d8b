// Package times reads times and rhythms as people say them: "tomorrow at 9", "every
// weekday at 8:30", "in einer halben Stunde", a date, a cron expression. How each
// language says them is data (tongues). It knows no clock but the time it is given, and
// starts nothing.
package times
