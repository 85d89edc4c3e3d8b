package health

import (
	"time"

	"parley/internal/tongue"
)

// What owners are told.
const (
	wordsDeadLetters = "%s could not be understood or stored, and nobody was answered: bot deadletters list"
	wordsFree        = "%s GB free"
	wordsNoSpace     = "%s: messages cannot be stored without free space: free some or move data_dir"
	wordsClockBehind = "this machine's clock is %s behind the database server's, which the bot goes by: set the one that is wrong, for example with timedatectl set-ntp true"
	wordsClockAhead  = "this machine's clock is %s ahead of the database server's, which the bot goes by: set the one that is wrong, for example with timedatectl set-ntp true"
	wordsUndelivered = "%s got no answers through for %s: %s"
	wordsStray       = "nobody is at work in %s, though messages or answers wait there: if it does not end by itself, restart this process"
	wordsLost        = "%s of answers, one after the other, were refused or never confirmed, and none has arrived for %s"
)

// DeadLetters says that n events were put aside.
func DeadLetters(n int) tongue.Phrase {
	return tongue.Fill(wordsDeadLetters, tongue.Count{N: n, Thing: "event"})
}

// Full says that so many bytes are too few.
func Full(free uint64) tongue.Phrase { return tongue.Fill(wordsNoSpace, Gigabytes(free)) }

// Clock says that this machine's clock is behind by so much; less than 0 is ahead.
func Clock(behind time.Duration) tongue.Phrase {
	if behind < 0 {
		return tongue.Fill(wordsClockAhead, -behind.Round(time.Second))
	}
	return tongue.Fill(wordsClockBehind, behind.Round(time.Second))
}

// Stray says in how many conversations something waits that nobody is at work on.
func Stray(conversations int) tongue.Phrase {
	return tongue.Fill(wordsStray, tongue.Count{N: conversations, Thing: "conversation"})
}

// Undelivered says how many conversations have got nothing for how long.
func Undelivered(conversations int, waited time.Duration, why tongue.Phrase) tongue.Phrase {
	return tongue.Fill(wordsUndelivered, tongue.Count{N: conversations, Thing: "conversation"}, waited.Round(time.Second), why)
}
