package facts_test

import (
	"slices"
	"strings"
	"testing"

	"parley/internal/memory"
	"parley/internal/memory/facts"
	"parley/internal/memory/memorytest"
	"parley/internal/text/catalog"
)

// Both doses stand, also when somebody asked to keep them, and the person is asked in words
// that address them.
func TestTheirPersonIsAskedWhichDose(t *testing.T) {
	s := memorytest.Open(t, memory.Options{})
	v := direct("x:a")
	first := save(t, s, v, "Takes ramipril 5 mg")
	second := save(t, s, v, "Takes ramipril 10 mg")
	if second.ID == first.ID || second.Change.Other.ID != first.ID || len(second.Change.Buttons(catalog.Printer{})) != 3 {
		t.Fatalf("not asked: %+v", second)
	}
	de, _ := catalog.For("de")
	german := facts.Became(de, second)
	if !strings.HasSuffix(german, "?") || strings.Contains(german, "Person") {
		t.Errorf("asked in German: %s", german)
	}
	save(t, s, v, "Works at Siemens on Mondays")
	if f := save(t, s, v, "Works at Bosch on Fridays"); f.Replaced != "" || f.Change.Other.ID != 0 {
		t.Errorf("the other day's work was touched: %+v", f)
	}
	want := []string{"Takes ramipril 10 mg", "Takes ramipril 5 mg", "Works at Bosch on Fridays", "Works at Siemens on Mondays"}
	if got := held(t, s, v); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// What has one value at a time is asked about when another is said. Nothing of it is
// replaced unasked.
func TestAnotherValueIsAskedAbout(t *testing.T) {
	for _, pair := range [][2]string{
		{"Takes ramipril 5 mg", "Takes ramipril 10 mg"},
		{"Takes ramipril 5 mg every morning", "Takes 10 mg of ramipril"},
		{"Nimmt Ramipril 5 mg", "Nimmt jetzt Ramipril 10 mg"},
		{"Toma ramipril de 5 mg", "Toma 10 mg de ramipril"},
		{"Ibuprofen 400mg", "Ibuprofen 600 mg"},
		{"Принимает рамиприл 5 мг", "Принимает рамиприл 10 мг"},
		{"Blood type is A+", "Blood type is 0-"},
		{"Blood type A positive", "Blood group A negative"},
		{"Blutgruppe ist A positiv", "Die Blutgruppe ist B negativ"},
		{"Su grupo sanguíneo es A+", "El grupo sanguíneo es 0 negativo"},
		{"Groupe sanguin AB+", "Groupe sanguin est B+"},
		{"血型是A", "血型是B"},
		{"Flight to Rome leaves at 9:40", "Flight to Rome leaves at 10:15"},
		{"My flight is at 9:40", "The flight to Rome departs at 11:05"},
		{"Der Zug nach Bern fährt um 8:02", "Der Zug nach Bern fährt um 8:32"},
		{"El vuelo a Lima sale a las 9:40", "El vuelo a Lima sale a las 12:10"},
		{"Owes Peter 250 euros", "Owes Peter 300 euros"},
		{"I owe Peter 250 €", "Still owes Peter 100 euros"},
		{"Schuldet Peter 250 Euro", "Schuldet Peter noch 150 Euro"},
		{"Le debe 250 euros a Pedro", "Debe 100 euros a Pedro"},
		{"Doctor is Dr. Weber", "Doctor is Dr. Klein"},
		{"My doctor is Anna Weber", "Dr. Klein is my doctor"},
		{"Hausarzt ist Dr. Weber", "Hausarzt heißt Dr. Klein"},
		{"Dentist: Dr. Brandt", "Dentist is Dr. Yilmaz on Main Street"},
		{"Su dentista es la doctora Brandt", "Su dentista es la doctora Ruiz"},
		{"Mein Vermieter ist Herr Kunz", "Mein Vermieter ist Frau Lang"},
		{"Weighs 70 kg", "Weighs 74 kg"},
		{"Die Miete beträgt 980 Euro", "Die Miete beträgt 1050 Euro"},
		{"Works at Siemens on Mondays", "Works at Bosch"},
		{"Landlord is Mr Kunz", "Landlord is Mrs Lang"},
		{"Owes $40 to Ben", "Owes Ben $60"},
		{"Son médecin est le docteur Hervouet", "Son médecin est le docteur Petit"},
		{"Doit 40 euros à Luc", "Doit 60 euros à Luc"},
		{"Prend du Levothyrox 50 µg", "Prend du Levothyrox 75 µg"},
		{"Son train part à 8 h 10", "Son train part à 9 h 40"},
		{"Группа крови вторая положительная", "Группа крови третья положительная"},
		{"Группа крови вторая", "Группа крови B+"},
		{"Должен Ивану 500 рублей", "Должен Ивану 700 рублей"},
		{"Врача зовут Гузель Маратовна", "Врач — Ирина Петровна"},
		{"医生是王医生", "医生是李医生"},
		{"欠小王500元", "欠小王700元"},
		{"航班9:40起飞", "航班11:20起飞"},
		{"每天吃5毫克雷米普利", "每天吃10毫克雷米普利"},
	} {
		if got := facts.Compare(pair[0], pair[1]); got != facts.Doubts && got != facts.Differs {
			t.Errorf("%q, then %q: %v", pair[0], pair[1], got)
		}
	}
}

func TestCompatibleValuesStand(t *testing.T) {
	for _, pair := range [][2]string{
		{"Works at Siemens on Mondays", "Works at Bosch on Fridays"},
		{"Arbeitet montags bei Siemens", "Arbeitet freitags bei Bosch"},
		{"Arbeitet bei Siemens am Montag", "Arbeitet bei Bosch am Freitag"},
		{"Lives in Rome in summer", "Lives in Paris in winter"},
		{"Takes ramipril 5 mg", "Takes bisoprolol 10 mg"},
		{"Takes ramipril 5 mg in the morning", "Takes ramipril 10 mg in the evening"},
		{"Takes ramipril 5 mg", "Mother takes ramipril 10 mg"},
		{"Takes ramipril 5 mg", "Takes ramipril 5 mg with water"},
		{"Bought 5 kg of flour", "Bought 10 kg of flour"},
		{"Paid 20 euros for the ticket", "Paid 30 euros for the ticket"},
		{"Blood type is A+", "Wife's blood type is 0-"},
		{"Blood type is A", "Blood type is A+"},
		{"Blood type is O negative", "Blood type is 0-"},
		{"Blutgruppe A+", "Blutgruppe A positiv"},
		{"Flight to Rome leaves at 9:40", "Flight to Oslo leaves at 10:15"},
		{"Flight to Rome leaves at 9:40 on 4 May", "Flight to Rome leaves at 10:15 on 9 May"},
		{"Flight to Rome leaves at 9:40", "Flight to Rome leaves from gate 12"},
		{"Flight to Rome leaves at 9:40", "Flight to Rome arrives at 11:20"},
		{"The train is at 9:40", "The flight is at 12:00"},
		{"Owes Peter 250 euros", "Owes Anna 300 euros"},
		{"Owes Peter 250 euros", "Peter owes me 250 euros"},
		{"Owes Peter 250 euros", "Owes Peter a beer"},
		{"Schuldet Peter 250 Euro", "Schuldet Anna 100 Euro"},
		{"Doctor is Dr. Weber", "Dentist is Dr. Klein"},
		{"Doctor is Dr. Weber", "Doctor is Anna Weber"},
		{"Doctor is Dr. Weber", "Daughter's doctor is Dr. Klein"},
		{"Eye doctor is Dr. Weber", "Doctor is Dr. Klein"},
		{"My doctor is friendly", "My doctor is Dr. Weber"},
		{"Zahnarzt ist Dr. Brandt", "Tierarzt ist Dr. Klein"},
		{"Weighs 70 kg", "Dog weighs 12 kg"},
		{"Is 1.80 metres tall", "Weighs 80 kg"},
		{"Rent is 980 euros", "Salary is 3,200 euros"},
		{"Sleeps 8 hours", "Works 8 hours"},
		{"Flight to Oslo departs at 7:00", "Return flight from Oslo departs at 9:00"},
		{"Owes Ben 40 euros for the concert", "Owes Ben 60 euros for the hotel"},
		{"Группа крови вторая", "Группа крови A+"},
		{"Doit 40 euros à Luc", "Doit 60 euros à Anne"},
		{"欠小王500元", "欠小李700元"},
		{"每天吃5毫克雷米普利", "每天吃10毫克比索洛尔"},
		{"По понедельникам работает в Сименсе", "По пятницам работает в Боше"},
		{"星期一在西门子工作", "星期五在博世工作"},
	} {
		if got := facts.Compare(pair[0], pair[1]); got == facts.Doubts || got == facts.Differs {
			t.Errorf("%q, then %q: %v", pair[0], pair[1], got)
		}
	}
}
