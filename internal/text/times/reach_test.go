package times

import (
	"testing"
	"time"
)

// reach is what is understood beside the ordinary, by a Wednesday at 14:20; "" is asked about.
var reach = map[string]map[string]string{
	"en": {
		"the friday before easter": "2026-04-03 09:00", "the second monday after easter": "2026-04-13 09:00",
		"a day before christmas": "2026-12-24 09:00",
		"3 days after yesterday": "2026-03-06 09:00", "yesterday": "", "friday +3 days": "2026-03-09 09:00",
		"easter in 1 month":  "2026-04-05 09:00",
		"easter in 2 months": "", "may 1st two thousand and thirty": "2030-05-01 09:00", "1 may twenty thirty": "2030-05-01 09:00",
		"2027/20/may": "2027-05-20 09:00", "may-2027-20": "2027-05-20 09:00", "2027/20/5": "2027-05-20 09:00",
		"20270520":         "2027-05-20 09:00",
		"20270520T100000Z": "2027-05-20 10:00", "09/2027": "2027-09-01 09:00", "may": "", "1/3/2026": "", "2/3/2026": "",
		"3/12/2026": "", "2/12/2026": "2026-12-02 09:00",
		"first thing tomorrow": "2026-03-05 09:00", "end of next month": "2026-04-30 09:00", "thursday week": "2026-03-12 09:00",
		"seven thirty tomorrow morning": "2026-03-05 07:30", "twelve ten pm": "2026-03-05 12:10", "0930 hours": "2026-03-05 09:30",
		"5m":    "2026-03-04 14:25",
		"1h30m": "2026-03-04 15:50", "in 1h30": "2026-03-04 15:50", "for 20 minutes": "2026-03-04 14:40", "15h": "2026-03-04 15:00",
		"90 minutes": "2026-03-04 15:50",
		"after 4pm":  "2026-03-04 16:00", "tomorrow not before 10:30": "2026-03-05 10:30", "after lunch": "",
		"every day after 4pm": "", "before 4pm": "",
		"half 5": "", "noon-ish": "2026-03-05 12:00", "holi 2027": "2027-03-22 09:00", "pongal 2027": "2027-01-15 09:00",
		"parsi new year": "2026-08-15 09:00",
	},
	"de": {
		"am Freitag vor Ostern": "2026-04-03 09:00", "1. Mai zweitausend dreißig": "2030-05-01 09:00",
		"drei Tage nach gestern": "2026-03-06 09:00",
		"90 Minuten":             "2026-03-04 15:50", "morgen nach 16 Uhr": "2026-03-05 16:00", "morgen vor 16 Uhr": "",
		"20-Mai-2027": "2027-05-20 09:00",
	},
	"es": {
		"dentro de tres semanas a partir de mañana": "2026-03-26 09:00", "una y media": "2026-03-05 01:30",
		"18 de marzo, nueve y media":      "2026-03-18 09:30",
		"2 de octubre de dos mil treinta": "2030-10-02 09:00", "el próximo 12 de mayo": "2026-05-12 09:00",
		"el 12 de mayo que viene": "2026-05-12 09:00",
		"lun.":                    "2026-03-09 09:00", "en algunos minutos": "2026-03-04 14:23", "5 y cuarto": "2026-03-04 17:15",
		"por 5 minutos":                "2026-03-04 14:25",
		"después de las 4 de la tarde": "2026-03-04 16:00", "antes de las 4 de la tarde": "",
		"para el viernes a las 5 de la tarde": "2026-03-06 17:00",
	},
	"fr": {
		"le vendredi avant Pâques": "2026-04-03 09:00", "dans quelques jours": "2026-03-07 14:20",
		"demain après 16h": "2026-03-05 16:00", "demain avant 16h": "",
		"le 1er mai deux mille trente": "2030-05-01 09:00", "11h45": "2026-03-05 11:45",
	},
	"ru": {
		"завтра после 16:00": "2026-03-05 16:00", "завтра до 16:00": "", "через 3 дня после вчера": "2026-03-06 09:00",
	},
	"zh": {"明天下午4点以后": "2026-03-05 16:00", "明天下午4点之前": "", "5月32日": ""},
}

func TestReach(t *testing.T) {
	now := time.Date(2026, 3, 4, 14, 20, 0, 0, time.UTC)
	for tag, all := range reach {
		for said, want := range all {
			got := ""
			if w, err := Parse(said, now, time.UTC, tag); err == nil {
				got = w.Schedule + w.At.Format("2006-01-02 15:04")
			}
			if got != want {
				t.Errorf("%s: %q is %q, want %q", tag, said, got, want)
			}
		}
	}
}

// A time between the words of what it is for is found where it says enough and is the only one.
func TestTimesBetweenWords(t *testing.T) {
	now := time.Date(2026, 3, 4, 14, 20, 0, 0, time.UTC)
	for text, want := range map[string][2]string{
		"I have to be at the dentist tomorrow at 9 with my card": {"tomorrow at 9", "I have to be at the dentist with my card"},
		"ich muss am Freitag zum Arzt":                           {"am Freitag", "ich muss zum Arzt"},
		"ich muss morgen um 9 zum Arzt":                          {"morgen um 9", "ich muss zum Arzt"},
		"我明天上午8点要开会":                                             {"明天上午8点", "我要开会"}, "我周一要去看医生": {"周一", "我要去看医生"},
		"buy the friday paper in town": {}, "买周五的报纸": {}, "die Freitagszeitung kaufen": {},
		"call Ann tomorrow at 9 or on friday at 10 about the car": {}, "bring am Freitag vor 16 Uhr die Bücher zurück": {},
		"take Ann the keys tomorrow at 9 in town, meet Bob on friday at 10 there": {},
		"8 tonight call mum": {"8 tonight", "call mum"},
	} {
		tag := "en"
		if r := []rune(text); r[0] > 0x3000 {
			tag = "zh"
		} else if text[:3] == "ich" || text[:3] == "die" || text[:5] == "bring" {
			tag = "de"
		}
		when, what, err := Split(text, now, tag)
		if when != want[0] || what != want[1] {
			t.Errorf("%q: %q %q, %v", text, when, what, err)
		}
	}
}
