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

// A name tells more if hardly anything is said by whom it names: of her one message, more of which
// is beside the point, than where she says half of everything.
func TestSeldomHeardIsFoundByName(t *testing.T) {
	at := func(talks string) int {
		var lines []string
		for i := range 50 {
			lines = append(lines, fmt.Sprintf("%s: The bus was late again, number %d.", talks, i))
		}
		for i := range 50 {
			lines = append(lines, fmt.Sprintf("Tom: The old boat at the harbour needs its paint, number %d.", i))
		}
		lines = append(lines, "Tom: Let us see.", "Tom: Well.", "Nora: As you may remember from the pictures of last year, ours is a boat in green.")
		return placeOf(Rank("What does the old boat need at the harbour, Nora?", talkOf(lines...)), len(lines)-1)
	}
	often, seldom := at("Nora"), at("Ivo")
	if seldom > 0 || often == 0 {
		t.Errorf("hers is at place %d where she says half of everything, and at %d where she says nothing else", often, seldom)
	}
}

func TestWhoseWordsCount(t *testing.T) {
	list := []Message{
		{Name: "Ann", Text: "I want to drink less coffee at work.", Own: true},
		{Text: "Less coffee at work is a good aim. Drink water with your coffee, and none after four.", Bot: true},
	}
	for range 30 {
		list = append(list, Message{Name: "Ann", Text: "The bus was late again.", Own: true}, Message{Text: "That is a pity.", Bot: true})
	}
	for question, first := range map[string]int{
		"What did I want to change about coffee at work?":          0,
		"What did you recommend about coffee at work?":             1,
		"Was wollte ich mit coffee at work ändern?":                0,
		"Was hast du mir zu coffee at work geraten?":               1,
		"¿Qué me recomendaste sobre coffee at work?":               1,
		"Qu'est-ce que tu m'as conseillé pour coffee at work ?":    1,
		"Что ты мне посоветовал: coffee at work?":                  1,
		"关于coffee at work你推荐了什么？":                                  1,
		"Please give me a plan for drinking coffee at my new work": 0,
	} {
		if got := Rank(question, list)[0].Index; got != first {
			t.Errorf("%s: %q comes first", question, list[got].Text)
		}
	}
}

func TestWishesForAllAnswers(t *testing.T) {
	var list []Message
	for range 20 {
		list = append(list, Message{Name: "Ann", Text: "I wrote code for the login page and more code for its tests.", Own: true},
			Message{Text: "Well done.", Bot: true})
	}
	list[10].Text = "Always show whole functions when I ask about code."
	if at := placeOf(Rank("Can you show me code for the login page?", list), 10); at > 1 {
		t.Errorf("the wish comes at place %d", at)
	}
}
