package health

import (
	"fmt"
	"time"

	"parley/internal/text"
)

// What owners are told.
const (
	wordsDeadLetters = "%s could not be understood or stored, and nobody was answered: bot deadletters list"
	wordsNoSpace     = "%s: messages cannot be stored without free space: free some or move data_dir"
	wordsUndelivered = "%s got no answers through for %s: %s"
	wordsLost        = "%s of answers, one after the other, were refused or never confirmed, and none has arrived for %s"
)

// DeadLetters says that n events were put aside.
func DeadLetters(n int) string { return fmt.Sprintf(wordsDeadLetters, text.Many(n, "event")) }

// Full says that so many bytes are too few.
func Full(free uint64) string { return fmt.Sprintf(wordsNoSpace, Gigabytes(free)) }

// Undelivered says how many conversations have got nothing for how long.
func Undelivered(conversations int, waited time.Duration, why string) string {
	return fmt.Sprintf(wordsUndelivered, text.Many(conversations, "conversation"), waited.Round(time.Second), why)
}
