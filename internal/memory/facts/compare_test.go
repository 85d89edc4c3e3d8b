package facts_test

import (
	"testing"

	"parley/internal/memory/facts"
)

type compared struct {
	earlier, later string
	want           facts.Verdict
}

func compareAll(t *testing.T, list []compared) {
	t.Helper()
	for _, tt := range list {
		if got := facts.Compare(tt.earlier, tt.later); got != tt.want {
			t.Errorf("%q, then %q: %v, want %v", tt.earlier, tt.later, got, tt.want)
		}
	}
}

// Sentences are compared by subject, relation and value. In doubt both stand.
func TestCompare(t *testing.T) {
	compareAll(t, []compared{
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
		{"Likes coffee", "Does not like coffee", facts.Differs},
		{"Likes coffee", "Doesn't like coffee", facts.Differs},
		{"Likes coffee", "Hates coffee", facts.Differs},
		{"Doesn't like coffee", "dislikes coffee", facts.Same},
		{"Is vegetarian", "is no longer vegetarian", facts.Differs},
		{"Can swim", "can't swim", facts.Differs},
		{"prefers tea to coffee", "prefers coffee to tea", facts.Differs},
		{"Il aime le café", "Il n'aime pas le café", facts.Differs},
		{"Habite à Rome", "Habite à Paris", facts.Differs},
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
	})
}

func TestCompareGerman(t *testing.T) {
	compareAll(t, []compared{
		{"Mag Kaffee", "Mag Kaffee nicht", facts.Differs},
		{"Ich mag Kaffee", "Ich mag keinen Kaffee mehr", facts.Differs},
		{"Isst Fleisch", "Isst kein Fleisch", facts.Differs},
		{"Raucht", "Raucht nicht mehr", facts.Differs},
		{"Ist Vegetarierin", "Ist keine Vegetarierin", facts.Differs},
		{"Trinkt nie Alkohol", "Trinkt keinen Alkohol", facts.Same},
		{"Liebt Kaffee", "Hasst Kaffee", facts.Differs},
		{"Meine Frau hat am 4. Mai Geburtstag", "Meine Frau hat am 5. Mai Geburtstag", facts.Differs},
		{"Der Geburtstag meiner Frau ist der 4. Mai", "Der Geburtstag meiner Frau ist der 5. Mai", facts.Differs},
		{"Der Geburtstag meiner Frau ist der 4. Mai", "Der Geburtstag meiner Mutter ist der 4. Mai", facts.Apart},
		{"Das Standup ist um 9 Uhr", "Das Standup ist um 10 Uhr", facts.Differs},
		{"Das Standup ist jeden Tag um 9:00", "Das Standup ist jeden Tag um 9:30", facts.Differs},
		{"Hat zwei Katzen", "Hat drei Katzen", facts.Differs},
		{"Hat zwei Katzen", "Hat 2 Katzen", facts.Same},
		{"Hat zwei Katzen", "Hat zwei Hunde", facts.Apart},
		{"Wohnt in Bern", "Wohnt jetzt in Basel", facts.Differs},
		{"Ich wohne in Bern", "Ich wohne in Basel", facts.Differs},
		{"Arbeitet bei Globex", "Arbeitet bei Initech", facts.Differs},
		{"Arbeitet bei Globex", "Arbeitet mit Initech", facts.Apart},
		{"Wohnt in Bern", "Wohnt ab Juni in Basel", facts.Apart},
		{"Das Passwort ist 1234", "Das Passwort ist 4321", facts.Differs},
		{"Mein Chef heißt Anna", "Mein Chef heißt Bernd", facts.Differs},
		{"Meine Schwester heißt Anna", "Meine Schwester heißt Bella", facts.Apart},
		{"Bus 42 hält um 9:10", "Bus 43 hält um 9:10", facts.Apart},
		{"War 2019 in Rom", "War 2021 in Rom", facts.Apart},
		{"Spielt Cello", "Spielt Harfe", facts.Apart},
		{"Ist gegen Nüsse allergisch", "Ist gegen Fisch allergisch", facts.Apart},
		{"Mag Tee", "Mag auch Kaffee", facts.Apart},
		{"Mag Tee", "Mag keinen Kaffee", facts.Apart},
		{"Lieblingsfarbe ist Blau", "Lieblingsfarbe ist Grün", facts.Differs},
	})
}

func TestCompareSpanish(t *testing.T) {
	compareAll(t, []compared{
		{"Le gusta el café", "Ya no le gusta el café", facts.Differs},
		{"Come carne", "No come carne", facts.Differs},
		{"Fuma", "Nunca fuma", facts.Differs},
		{"Es vegetariana", "No es vegetariana", facts.Differs},
		{"El cumpleaños de mi mujer es el 4 de mayo", "El cumpleaños de mi mujer es el 5 de mayo", facts.Differs},
		{"El cumpleaños de mi mujer es el 4 de mayo", "El cumpleaños de mi madre es el 4 de mayo", facts.Apart},
		{"La reunión es a las 9", "La reunión es a las 10", facts.Differs},
		{"La reunión es todos los días a las 9", "La reunión es todos los días a las 10", facts.Differs},
		{"Tiene dos gatos", "Tiene tres gatos", facts.Differs},
		{"Tiene dos gatos", "Tiene 2 gatos", facts.Same},
		{"Tiene dos gatos", "Tiene dos perros", facts.Apart},
		{"Vive en Madrid", "Ahora vive en Lima", facts.Differs},
		{"Vivo en Madrid", "Vivo en Lima", facts.Differs},
		{"Vive en Madrid", "Vive en Lima desde mañana", facts.Apart},
		{"Trabaja en Globex", "Trabaja en Initech", facts.Differs},
		{"La contraseña es 1234", "La contraseña es 4321", facts.Differs},
		{"Su jefe es Ana", "Su jefe es Benito", facts.Differs},
		{"Mi hermana es Ana", "Mi hermana es Bea", facts.Apart},
		{"Toca el piano", "Toca el arpa", facts.Apart},
		{"Es alérgica a las nueces", "Es alérgica al pescado", facts.Apart},
		{"Estuvo en Roma en 2019", "Estuvo en Roma en 2021", facts.Apart},
		{"Le gusta el té", "También le gusta el café", facts.Apart},
		{"Le gusta el té", "No le gusta el café", facts.Apart},
		{"Su color favorito es azul", "Su color favorito es verde", facts.Differs},
	})
}

func TestCompareEnglish(t *testing.T) {
	compareAll(t, []compared{
		{"Lives in Rome until June", "Lives in Paris from June", facts.Apart},
		{"Lives in Rome", "Lives in Paris from next month", facts.Apart},
		{"Works at Globex", "Works at Initech starting Monday", facts.Apart},
		{"Lives in Paris from June", "Lives in Lima from June", facts.Differs},
		{"Smokes", "Doesn't smoke any more", facts.Differs},
		{"Eats meat", "Never eats meat", facts.Differs},
		{"Has two cats", "Has three cats", facts.Differs},
		{"Has two cats", "Has 2 cats", facts.Same},
		{"Has two cats", "Has two dogs", facts.Apart},
		{"Is 41 years old", "Is 42 years old", facts.Differs},
		{"Rent is 1,450 a month", "Rent is 1,500 a month", facts.Differs},
		{"Rent is 1450", "Rent is 1450.", facts.Same},
		{"My birthday is 4 May", "Her birthday is 5 May", facts.Apart},
		{"His birthday is 4 May", "Her birthday is 5 May", facts.Apart},
		{"His birthday is 4 May", "Her birthday is 4 May", facts.Apart},
		{"Her birthday is 4 May", "Her birthday is 5 May", facts.Differs},
		{"I live in Rome", "She lives in Paris", facts.Apart},
		{"Ann lives in Rome", "Bob lives in Paris", facts.Apart},
		{"Ann lives in Rome", "Bob lives in Rome", facts.Apart},
		{"Ann does not like coffee", "Bob likes coffee", facts.Apart},
		{"Wife's name is Ann", "Boss's name is Bob", facts.Apart},
		{"Dentist on 4 May", "Dentist on 11 May", facts.Apart},
		{"Passport expires on 4 May 2027", "Passport expires on 4 May 2037", facts.Apart},
		{"Passport number is 12345", "Passport number is 54321", facts.Differs},
		{"Lives in Rome", "Parents live in Paris", facts.Apart},
		{"Lives in Rome", "Was born in Rome", facts.Apart},
		{"Likes coffee", "Likes coffee without sugar", facts.Apart},
		{"Likes coffee in the morning", "Does not like coffee in the evening", facts.Apart},
		{"Not allergic to nuts", "Allergic to nuts", facts.Differs},
		{"Flight is at 9", "Train is at 10", facts.Apart},
		{"Flight leaves from gate 9", "Flight leaves from gate 10", facts.Apart},
		{"Has an appointment at 9", "Has an appointment at 10", facts.Apart},
		{"Wi-Fi password is heron", "Wi-Fi password is kestrel", facts.Apart}, // unsure: it may be long, or in a drawer,
		{"Wi-Fi password is heron", "Email password is kestrel", facts.Apart},
	})
}

// No input crashes the comparison, and no sentence contradicts itself.
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
