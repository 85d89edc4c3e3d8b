// Package when reads times and rhythms as people say them: "tomorrow at 9", "every
// weekday at 8:30", a date, a cron expression. It knows no clock but the time it is
// given, and starts nothing.
package when
