package health

import (
	"fmt"
	"time"

	"parley/internal/chat"
	"parley/internal/text/catalog"
)

// DeadLetters says that n events were put aside.
func DeadLetters(n int) catalog.Phrase {
	return catalog.Fill("%s could not be understood or stored, and nobody was answered: bot deadletters list", catalog.Count{N: n, Thing: "event"})
}

// Full says that this many free bytes are too few.
func Full(free uint64) catalog.Phrase {
	return catalog.Fill("%s: messages cannot be stored without free space: free some or move data_dir", Gigabytes(free))
}

// Clock says how far this machine's clock is behind; less than 0 is ahead.
func Clock(behind time.Duration) catalog.Phrase {
	if behind < 0 {
		return catalog.Fill("this machine's clock is %s ahead of the database server's, which the bot goes by: set the one "+
			"that is wrong, for example with timedatectl set-ntp true", -behind.Round(time.Second))
	}
	return catalog.Fill("this machine's clock is %s behind the database server's, which the bot goes by: set the one that "+
		"is wrong, for example with timedatectl set-ntp true", behind.Round(time.Second))
}

// Stray says in how many conversations something waits that nobody is at work on.
func Stray(conversations int) catalog.Phrase {
	return catalog.Fill("nobody is at work in %s, though messages or answers wait there: if it does not end by itself, restart this process", catalog.Count{N: conversations, Thing: "conversation"})
}

// Closed says in how many places nothing can be written, and how much waits for them.
func Closed(places, parts int) catalog.Phrase {
	return catalog.Fill("nothing can be written in %s: the bot was removed from there, or may not write. Kept until it can: %s",
		catalog.Count{N: places, Thing: "conversation"}, catalog.Count{N: parts, Thing: "message"})
}

// Undelivered says how many conversations have got nothing for how long.
func Undelivered(conversations int, waited time.Duration, why catalog.Phrase) catalog.Phrase {
	return catalog.Fill("%s got no answers through for %s: %s", catalog.Count{N: conversations, Thing: "conversation"},
		waited.Round(time.Second), why)
}

// Free space below these, in bytes, is worth a word, and keeps messages from
// being taken.
const (
	LittleSpace = 1 << 30
	NoSpace     = 100 << 20
)

// Gigabytes says how much is free.
func Gigabytes(n uint64) catalog.Phrase { return free(n) }

type free uint64

func (n free) String() string { return n.In(catalog.Printer{}) }

func (n free) In(p catalog.Printer) string {
	return p.Say("%s GB free", p.Figure(fmt.Sprintf("%.1f", float64(n)/(1<<30))))
}

// Shards returns the connections of this process to a platform that has several.
func Shards(a chat.Adapter) []chat.Shard {
	if s, ok := chat.As[chat.Sharded](a); ok {
		if list := s.Shards(); len(list) > 0 && list[0].Of > 1 {
			return list
		}
	}
	return nil
}

// ShardFindings lists the connections over which nothing is received.
func ShardFindings(a chat.Adapter) (list []Finding) {
	for _, one := range Shards(a) {
		if one.Err != nil {
			list = append(list, Concern(a.Platform()+" "+one.Name(), catalog.Told(one.Err)))
		}
	}
	return list
}
