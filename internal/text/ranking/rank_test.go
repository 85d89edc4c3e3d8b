package ranking

import (
	"fmt"
	"testing"
	"time"
)

// talkOf returns a conversation of "Name: text" lines, a minute apart.
func talkOf(lines ...string) (list []Message) {
	at := time.Date(2024, 3, 4, 18, 0, 0, 0, time.UTC)
	for i, l := range lines {
		var m Message
		for j := range l {
			if l[j] == ':' {
				m.Name, m.Text = l[:j], l[j+2:]
				break
			}
		}
		m.At = at.Add(time.Duration(i) * time.Minute)
		list = append(list, m)
	}
	return list
}

// placeOf returns the place in the ranking of the message with an index, from 0.
func placeOf(order []Ranked, index int) int {
	for i, r := range order {
		if r.Index == index {
			return i
		}
	}
	return len(order)
}

func TestNamedCountsForNotAgainst(t *testing.T) {
	about := []string{"the roof leaks again", "they pay me on Friday", "we sell lemonade this year", "the market was full",
		"my roof needs new tiles", "I could pay by card there", "nobody will sell me a bike", "the market opens early"}
	var lines []string
	for i := range 40 {
		lines = append(lines, fmt.Sprintf("Tom: Well, %s, if you know what I mean, number %d.", about[i%len(about)], i),
			"Uma: Sounds good to me, tell me more of it.")
	}
	lines = append(lines, "Uma: I sold my grandmother's violin at the market.", "Tom: That must have been hard.")
	for _, question := range []string{"What did Uma sell at the market?", "What did Tom sell at the market?"} {
		if at := placeOf(Rank(question, talkOf(lines...)), 80); at > 8 {
			t.Errorf("%s: the answer comes after %d others", question, at)
		}
	}
	if at := placeOf(Rank("What did Tom say about the roof?", talkOf(lines...)), 80); at < 5 {
		t.Errorf("what Uma said of something else comes first: place %d", at)
	}
}
