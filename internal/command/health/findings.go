package health

import (
	"time"

	"parley/internal/text/catalog"
)

// What owners are told.
const (
	wordsDeadLetters = "%s could not be understood or stored, and nobody was answered: bot deadletters list"
	wordsNoSpace     = "%s: messages cannot be stored without free space: free some or move data_dir"
	wordsClockBehind = "this machine's clock is %s behind the database server's, which the bot goes by: set the one that " +
		"is wrong, for example with timedatectl set-ntp true"
	wordsClockAhead = "this machine's clock is %s ahead of the database server's, which the bot goes by: set the one " +
		"that is wrong, for example with timedatectl set-ntp true"
	wordsUndelivered = "%s got no answers through for %s: %s"
	wordsStray       = "nobody is at work in %s, though messages or answers wait there: if it does not end by itself, restart this process"
)

// DeadLetters says that n events were put aside.
func DeadLetters(n int) catalog.Phrase {
	return catalog.Fill(wordsDeadLetters, catalog.Count{N: n, Thing: "event"})
}

// Full says that so many bytes are too few.
func Full(free uint64) catalog.Phrase { return catalog.Fill(wordsNoSpace, Gigabytes(free)) }

// Clock says that this machine's clock is behind by so much; less than 0 is ahead.
func Clock(behind time.Duration) catalog.Phrase {
	if behind < 0 {
		return catalog.Fill(wordsClockAhead, -behind.Round(time.Second))
	}
	return catalog.Fill(wordsClockBehind, behind.Round(time.Second))
}

// Stray says in how many conversations something waits that nobody is at work on.
func Stray(conversations int) catalog.Phrase {
	return catalog.Fill(wordsStray, catalog.Count{N: conversations, Thing: "conversation"})
}

// Undelivered says how many conversations have got nothing for how long.
func Undelivered(conversations int, waited time.Duration, why catalog.Phrase) catalog.Phrase {
	return catalog.Fill(wordsUndelivered, catalog.Count{N: conversations, Thing: "conversation"}, waited.Round(time.Second), why)
}
