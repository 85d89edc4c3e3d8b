package ranking

import (
	"fmt"
	"testing"
	"time"
)

// chatter is a talk of one session, a line a minute, as "Name: text".
func chatter(lines ...[2]string) (list []Message) {
	at := time.Date(2024, 5, 1, 10, 0, 0, 0, time.UTC)
	for i, l := range lines {
		list = append(list, Message{Name: l[0], Text: l[1], At: at.Add(time.Duration(i) * 2 * time.Hour)})
	}
	return list
}

// TestCalledByAnotherName: an account has one name and its friends use another.
func TestCalledByAnotherName(t *testing.T) {
	list := chatter([2]string{"moth77", "I am planning a cooking class."}, [2]string{"Elise", "Hey Kate, that is so like you!"},
		[2]string{"moth77", "My best hobby so far is pottery."}, [2]string{"Elise", "Thanks Kate!"},
		[2]string{"moth77", "And then there is the choir."}, [2]string{"Elise", "Kate, my hobby is sleep."},
		[2]string{"moth77", "Ted sings there, hi Ted!"}, [2]string{"Elise", "Good night, Kate."})
	for _, tt := range []struct{ question, word, want string }{
		{"What is Kate's hobby?", "kate", "moth77"}, {"what is kate's hobby?", "kate", ""}, {"Who is Ted?", "ted", ""},
		{"Is Choir a name?", "choir", ""},
	} {
		if got := calledBy(list, tt.question, tt.word); got != tt.want {
			t.Errorf("%s: %s is %q, want %q", tt.question, tt.word, got, tt.want)
		}
	}
	if got := Rank("What is Kate's hobby?", list); list[got[0].Index].Text != "My best hobby so far is pottery." {
		t.Errorf("first comes %q", list[got[0].Index].Text)
	}
	group := append(list, chatter([2]string{"Elise", "Hey Kate!"}, [2]string{"Zoe", "Me too."}, [2]string{"Elise", "Hi Kate"},
		[2]string{"Zoe", "Fine."}, [2]string{"Elise", "Bye Kate"})...)
	if got := calledBy(group, "What is Kate's hobby?", "kate"); got != "" {
		t.Errorf("a name that two answer to is %q's", got)
	}
}

// TestAsides: what leads to a question does not outweigh it, and small letters weigh little.
func TestAsides(t *testing.T) {
	for _, tt := range []struct {
		question string
		want     map[string]float64
	}{
		{"The festival was loud. Where is the dentist?", map[string]float64{"festival": aside, "loud": aside, "dentist": 1}},
		{"Where is the dentist", map[string]float64{"dentist": 1}},
		{"活动真好。医生叫什么？", map[string]float64{"活动": aside, "医生": 1, "生叫": small, "叫什": small * small, "动真": aside}},
	} {
		words := Terms(tt.question)
		for i, worth := range worths(tt.question, words) {
			if want, ok := tt.want[words[i]]; ok && worth != want {
				t.Errorf("%s: %s is worth %v, want %v", tt.question, words[i], worth, want)
			}
		}
	}
	var list []Message
	for i := range 12 {
		list = append(list, chatter([2]string{"Ann", fmt.Sprintf("The festival on the square was loud again, day %d.", i)})...)
	}
	list = append(list, chatter([2]string{"Ann", "My dentist moved to Elm Street."})...)
	got := Rank("What a loud festival that was on the square, all day long. Well. Where is my dentist?", list)
	if list[got[0].Index].Text != "My dentist moved to Elm Street." {
		t.Errorf("first comes %q", list[got[0].Index].Text)
	}
}

// TestWordsInTheirOrder: of two messages with the same words the one that says them together
// comes first, and a short one before one as long as a page.
func TestWordsInTheirOrder(t *testing.T) {
	list := chatter([2]string{"Ann", "The board is white and stands in the hall, they say."},
		[2]string{"Ann", "The white board stands in the hall, and so they say."})
	if got := Rank("where is the white board?", list); got[0].Index != 1 {
		t.Error("words apart come before words together")
	}
	long := "It is about the garage. "
	for range 30 {
		long += "There is nothing else to be said of it today. "
	}
	list = chatter([2]string{"Ann", long}, [2]string{"Ann", "The garage has a red door, and a cat sleeps there."})
	if got := Rank("what about the garage?", list); got[0].Index != 1 {
		t.Error("a page comes before a line")
	}
}
