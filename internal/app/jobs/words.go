package jobs

// What the owner reads of jobs.
const (
	wordsCron   = "cron %s"
	wordsRuns   = "last %s, next %s"
	wordsNotYet = "not yet"
	wordsFailed = ", failed: %s"
)
