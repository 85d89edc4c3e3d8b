// Package search finds conversations and messages for the owner, who may see all of them: by
// words, place, person, rule and tool, by outcome, time and cost. It reads rows that memory
// writes, and changes none.
package search
