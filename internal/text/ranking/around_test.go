package ranking

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// Of messages that say the same of the question, that comes first among messages chosen from
// many which stands amid talk of it.
func TestChosenAmidTheirTalk(t *testing.T) {
	at := time.Date(2026, 5, 1, 9, 0, 0, 0, time.UTC)
	var list []Message
	say := func(said string) int {
		list, at = append(list, Message{Name: "Zoe", Text: said, At: at}), at.Add(time.Minute)
		return len(list) - 1
	}
	var alone, amid int
	for session := range 6 {
		for n := range 12 {
			switch {
			case session == 1 && n == 6:
				amid = say("We repaired the old canoe there at last, all of us.")
			case session == 4 && n == 6:
				alone = say("We repaired the old canoe here at last, all of us.")
			case session == 1 && n%4 == 2:
				say(fmt.Sprint("The canoe had hole number ", n, ", who would have thought so?"))
			default:
				say(fmt.Sprint("Nothing much to tell you of hour ", session, " and ", n))
			}
		}
		at = at.Add(5 * time.Hour)
	}
	before := func(a, b int, order []Ranked) bool {
		for _, r := range order {
			if r.Index == a || r.Index == b {
				return r.Index == a
			}
		}
		return false
	}
	question := "Who repaired the canoe?"
	if !before(amid, alone, RankChosen(question, list)) {
		t.Error("what stands alone comes first among those chosen")
	}
	if before(amid, alone, Rank(question, list)) {
		t.Error("it comes first among all that was said, too: nothing is tried")
	}
}

func TestLiftStaysNearInOneSession(t *testing.T) {
	scores := []float64{0, 4, 0, 0, 0, 0, 0}
	(&talk{at: []int{0, 1, 1, 1, 1, 1, 1}}).lift(scores, 0.5)
	want := []float64{0, 4, 1.75, 1.5, 1.25, 0, 0}
	if !slices.Equal(scores, want) {
		t.Errorf("scores are %v, want %v", scores, want)
	}
}
