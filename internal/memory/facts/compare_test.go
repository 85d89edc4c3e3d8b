package facts_test

import (
	"testing"

	"parley/internal/memory/facts"
)

// Sentences are compared by what they say of whom: in doubt both stand.
func TestCompare(t *testing.T) {
	for _, tt := range []struct {
		earlier, later string
		want           facts.Verdict
	}{
		{"Josh prefers dark mode in all apps", "Josh prefers light mode in all apps", facts.Differs},
		{"Prefers dark mode", "I prefer light mode", facts.Differs},
		{"Josh's main project is DIANA", "Josh's main project is ORACLE", facts.Differs},
		{"Favourite editor: Vim", "Favourite editor: Emacs", facts.Differs},
		{"favourite colour is blue", "My favourite colour is green now", facts.Differs},
		{"Standup is at 9am every day", "Standup is at 10am every day", facts.Differs},
		{"Standup 9am every day", "Standup 10am every day", facts.Differs},
		{"lives in Rome", "lives in Paris", facts.Differs},
		{"I live in Rome", "I now live in Paris, France", facts.Differs},
		{"Works at Globex", "Works at Initech", facts.Differs},
		{"My boss is Ann", "My boss is Bob", facts.Differs},
		{"Wife has her birthday on 4 May", "Wife has her birthday on 5 May", facts.Differs},
		{"Wife's birthday 4 May", "Wife's birthday is 14 June", facts.Apart}, // the verb is what differs: unsure
		{"Wife's birthday is 4 May", "Wife's birthday is 14 June", facts.Differs},
		{"Door code 1234", "Door code 4321", facts.Differs},
		{"Has 2 cats", "Has 3 cats", facts.Differs},
		{"Likes coffee", "Does not like coffee", facts.Differs},
		{"Likes coffee", "Doesn't like coffee", facts.Differs},
		{"Likes coffee", "Hates coffee", facts.Differs},
		{"Doesn't like coffee", "dislikes coffee", facts.Same},
		{"Is vegetarian", "is no longer vegetarian", facts.Differs},
		{"Can swim", "can't swim", facts.Differs},
		{"prefers tea to coffee", "prefers coffee to tea", facts.Differs},
		{"Mag Kaffee", "Mag keinen Kaffee", facts.Differs},
		{"Wohnt in Rom", "Wohnt in Paris", facts.Differs},
		{"Il aime le café", "Il n'aime pas le café", facts.Differs},
		{"Habite à Rome", "Habite à Paris", facts.Differs},
		{"Le gusta el café", "No le gusta el café", facts.Differs},
		{"Vive en Roma", "Vive en París", facts.Differs},
		{"Любит кофе", "Не любит кофе", facts.Differs},
		{"喜欢咖啡", "不喜欢咖啡", facts.Differs},
		{"コーヒーが好き", "コーヒーが好きではない", facts.Differs},

		{"likes tea", "LIKES TEA", facts.Same},
		{"The door code is 1234", "Door code is 1234.", facts.Same},
		{"I live in Rome", "Lives in Rome now", facts.Same},

		{"wife's birthday 4 May", "mum's birthday 4 May", facts.Apart},
		{"Wife has her birthday on 4 May", "mum has her birthday on 4 May too", facts.Apart},
		{"4 May is mum's birthday", "4 May is dad's birthday", facts.Apart},
		{"likes tea", "likes coffee", facts.Apart},
		{"Prefers tea", "Prefers trains", facts.Apart},
		{"Allergic to peanuts", "Allergic to shellfish", facts.Apart},
		{"Is allergic to peanuts", "Is allergic to shellfish", facts.Apart},
		{"plays the cello", "plays the harp", facts.Apart},
		{"Bus 42 stops at 9:10", "Bus 43 stops at 9:10", facts.Apart},
		{"Room 12 key is blue", "Room 13 key is blue", facts.Apart},
		{"Has an appointment on 4 May", "Has an appointment on 11 May", facts.Apart},
		{"Visited Rome in 2019", "Visited Rome in 2021", facts.Apart},
		{"I own book 7", "I own book 8", facts.Apart},
		{"Visited hall 7", "Visited hall 8", facts.Apart},
		{"Visited town7 in year7", "Visited town8 in year8", facts.Apart},
		{"Goes to the gym on Mondays", "Goes to the gym on Thursdays", facts.Apart},
		{"My sister is Anna", "My sister is Bella", facts.Apart},
		{"My wife is Anna", "My wife is a nurse", facts.Apart},
		{"Ann is tall", "Ann is vegetarian", facts.Apart},
		{"lives in Rome", "lives with Bob", facts.Apart},
		{"Ann loves Bob", "Bob loves Ann", facts.Apart},
		{"Flies from Rome", "Flies to Rome", facts.Apart},
		{"project DIANA", "Josh's project DIANA has a command line and a web page", facts.Apart},
		{"Likes coffee", "Does not like tea", facts.Apart},
		{"", "likes tea", facts.Apart},
		{"#", "?!", facts.Apart},
	} {
		if got := facts.Compare(tt.earlier, tt.later); got != tt.want {
			t.Errorf("%q, then %q: %v, want %v", tt.earlier, tt.later, got, tt.want)
		}
	}
}

// Nothing that people write stops the comparison, and a sentence is what it is.
func FuzzCompare(f *testing.F) {
	f.Add("Likes coffee", "Does not like coffee")
	f.Add("不", "'s n't")
	f.Fuzz(func(t *testing.T, a, b string) {
		facts.Compare(a, b)
		if v := facts.Compare(a, a); v == facts.Differs {
			t.Errorf("%q differs from itself", a)
		}
	})
}
