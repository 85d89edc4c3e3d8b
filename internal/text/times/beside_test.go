package times

import (
	"errors"
	"testing"
	"time"

	whole "parley/internal/text"
)

// Each of these was set from a part of its time; now the person is asked, and told what
// was read.
var partial = map[string][]string{
	"en": {
		"on the last weekend of each month to send the invoice", "mon or wed at 6pm to go for a run", "take the 2 pills at 8pm and 8",
		"call mum tomorrow before 4pm",
		"tomorrow at 26 foo", "every day at 25:00 foo",
		"tomorrow call mum before 4pm", "at 8pm take the pills and on friday", "tomorrow's meeting: prepare",
		"on the 3rd or the 17th of each month pay rent", "a week tomorrow send the card",
		"pay the rent by the end of next week", "tomorrow after lunch call Bob", "call Bob every second friday at 5 until June",
		"at 9 45 take the train", "tomorrow 5 call mum",
		"friday or saturday call Bob", "monday week send the form", "send the form half past tomorrow",
		"at 9-10 call", "every monday except holidays run",
		"tomorrow twice a day take the drops", "water the plants on the second friday", "on friday 13 pay",
		"call Ann in 2 hours or so before 5pm",
		"on the 5th of Ramadan call Ali", "on the last day of school pack", "pack on the second day of the conference",
		"2 thursdays back call mum",
	},
	"de": {
		"morgen vor dem Essen die Tabletten nehmen", "Mama anrufen Montag oder Dienstag",
		"am 3. und am 17. Miete zahlen", "morgen zwischen 9 und 10 anrufen",
		"am ersten Werktag Miete zahlen", "Müll rausbringen jeden zweiten Dienstag oder Mittwoch",
		"morgen halb Kuchen backen", "Ende nächster Woche anrufen",
		"am 5. des Ramadan Ali anrufen", "übermorgen spätestens um 10 anrufen", "jeden Tag außer Sonntag laufen",
		"Oma anrufen vor 2 Wochen",
	},
	"es": {
		"lunes y miércoles a las 6 de la tarde correr y martes", "mañana antes de las 4 llamar a mamá",
		"el día 5 del congreso sonreír", "llamar a mamá mañana antes de las 4", "mañana entre las 9 y las 10 llamar",
		"viernes 21 pagar", "el lunes o el martes llamar a Ana", "cada día excepto el domingo correr",
		"pagar el alquiler a finales de mes y el lunes", "mañana hasta las 5 estudiar", "a las 5 menos diez más o menos antes llamar",
	},
	"fr": {

		"le 5 du congrès sourire", "appeler maman demain avant 16h", "demain entre 9h et 10h appeler",
		"lundi ou mardi appeler Anne", "tous les jours sauf le dimanche courir", "vendredi jusqu'à midi travailler",
		"demain 17 à 18h jouer", "aller au théâtre fin mai lundi",
	},
	"ru": {
		"позвонить маме завтра до 16:00", "в пятницу после обеда до 5 позвонить",
		"в понедельник или во вторник позвонить", "завтра с 9 до 10 звонить",
		"каждый день кроме воскресенья бегать", "позвонить маме в следующую первую пятницу",
	},
	"zh": {
		"下午三点零交房租以前", "明天下午4点之前给妈妈打电话", "周一或者周二打电话", "明天9点到10点开会", "每天除了周日跑步", "明天9点半左右以前打电话", "下周五以前交报告",
	},
}

func TestPartsAreAsked(t *testing.T) {
	now := time.Date(2026, 3, 4, 14, 20, 0, 0, time.UTC)
	for tag, all := range partial {
		for _, text := range all {
			when, what, err := Split(text, now, tag)
			p := (*Partial)(nil)
			switch {
			case err == nil && when == "":
			case !errors.As(err, &p):
				t.Errorf("%s: %q is %q and %q, %v", tag, text, when, what, err)
			case when != "" || what != "" || p.Read == "" || p.Left == "":
				t.Errorf("%s: %q: %q, %q, %+v", tag, text, when, what, p)
			}
		}
	}
}

// ordinary are texts whose numbers and words of time are not of the time that was said.
var ordinary = map[string]map[string][2]string{
	"en": {
		"remind me tomorrow at 9 to buy 2 pills": {"tomorrow at 9", "buy 2 pills"},
		"take the 10 pills tomorrow at 8pm": {"tomorrow at 8pm",
			"take the 10 pills"},
		"tomorrow at 5 call mum about the second car":    {"tomorrow at 5", "call mum about the second car"},
		"in 10 minutes check the oven for 5 minutes":     {"in 10 minutes", "check the oven for 5 minutes"},
		"look at the plan for next week tomorrow at 9am": {"", ""}, "remind me tomorrow about monday's meeting": {"tomorrow",
			"monday's meeting"}, "pay invoice 4711 tomorrow at 9": {"tomorrow at 9", "pay invoice 4711"},
		"call room 101 tomorrow at 9": {"tomorrow at 9", "call room 101"}, "read chapter 3 tomorrow at 8pm": {"tomorrow at 8pm",
			"read chapter 3"}, "fly LH452 tomorrow at 7am": {"tomorrow at 7am", "fly LH452"},
		"close issue #12 tomorrow at 10": {"tomorrow at 10", "close issue #12"}, "pay $20 tomorrow": {"tomorrow", "pay $20"},
		"run 5km tomorrow": {"tomorrow", "run 5km"}, "tomorrow buy 12 eggs": {"tomorrow", "buy 12 eggs"},
		"plan the week tomorrow at 9": {"tomorrow at 9", "plan the week"}, "write the minutes tomorrow at 9": {"tomorrow at 9",
			"write the minutes"}, "turn the heating on at 9pm": {"at 9pm", "turn the heating on"},
		"tomorrow at 9: 2 pills": {"tomorrow at 9", "2 pills"}, "every day 2 pills": {"every day", "2 pills"},
		"tomorrow do the laundry": {"tomorrow", "do the laundry"}, "do this tomorrow": {"tomorrow", "do this"},
		"dinner for 4 at 8pm": {"at 8pm", "dinner for 4"}, "take bus 4 at 17:30": {"at 17:30", "take bus 4"},
		"tomorrow at 9am in room 3 meet Bob": {"tomorrow at 9am", "in room 3 meet Bob"},
		"work for 2 hours tomorrow at 9am":   {"tomorrow at 9am", "work for 2 hours"},
		"in 2 hours to call mum before dinner": {"in 2 hours",
			"call mum before dinner"}, "remind me today to think about tomorrow": {"today", "think about tomorrow"},
		"tomorrow at 9 to book 2 tickets for the 7pm show": {"tomorrow at 9", "book 2 tickets for the 7pm show"},
		"on friday at 5 about the May report":              {"on friday at 5", "the May report"},
		"tomorrow a friend comes":                          {"tomorrow", "a friend comes"}, "at 8 and call": {"at 8", "and call"},
		"every weekday at 8:30 check 3 mails": {"every weekday at 8:30", "check 3 mails"},
		"tomorrow at 9, 2 eggs":               {"tomorrow at 9", "2 eggs"}, "tomorrow at noon send the 1st draft": {"tomorrow at noon",
			"send the 1st draft"}, "stop by tomorrow at 9": {"by tomorrow at 9", "stop"}, "at 7pm, dinner": {"at 7pm", "dinner"},
		"tomorrow at 10 go to the 3rd floor": {"tomorrow at 10", "go to the 3rd floor"},
		"on monday call the 24 hour hotline": {"on monday", "call the 24 hour hotline"}, "tomorrow not to forget the keys": {"tomorrow",
			"not to forget the keys"},
		"tomorrow at 9 at the office print 20 pages": {"tomorrow at 9", "at the office print 20 pages"},
		"in an hour to take 1 pill of the 2":         {"in an hour", "take 1 pill of the 2"}, "0 9 * * 1 2 pills": {"0 9 * * 1",
			"2 pills"},
		"at 10:00:00 call": {"at 10:00:00", "call"}, "2027-05-01T10:00:00Z call": {"2027-05-01T10:00:00Z", "call"},
		"2027-05-01T10:00:00.250+02:00 call": {"2027-05-01T10:00:00.250+02:00", "call"},
		"call 2027-05-01 10:00:00 -0500":     {"2027-05-01 10:00:00 -0500", "call"},
		"remind me 2027-05-01T10:00 to call": {"2027-05-01T10:00",
			"call"}, "1 May 2027 at 10am call": {"1 May 2027 at 10am", "call"},
		"tomorrow morning first call the bank": {"tomorrow morning", "first call the bank"},
		"tomorrow at noon lunch with Sam":      {"tomorrow at noon", "lunch with Sam"},
		"tomorrow at 9 send 5-10 mails":        {"tomorrow at 9", "send 5-10 mails"}, "call 555-1234 tomorrow at 9": {"tomorrow at 9",
			"call 555-1234"}, "read \"1984\" tomorrow at 9": {"tomorrow at 9", "read \"1984\""},
		"every day at 8am and 8pm take 1 pill":          {"every day at 8am and 8pm", "take 1 pill"},
		"today at 5pm the 3 of us meet":                 {"today at 5pm", "the 3 of us meet"},
		"meeting with the second team on friday at 3pm": {"on friday at 3pm", "meeting with the second team"},
		"3 dec 2026 at 9am pay":                         {"3 dec 2026 at 9am", "pay"},
		"31 Dec 2026 at midnight cheer":                 {"31 Dec 2026 at midnight", "cheer"},
	},
	"de": {
		"Erinnere mich morgen um 9 an 2 Pillen": {"morgen um 9", "2 Pillen"}, "morgen um 9 zwei Brote kaufen": {"", ""},
		"morgen 12 Eier kaufen": {"", ""}, "morgen nach Berlin fahren": {"morgen", "nach Berlin fahren"},
		"Zimmer 12 reservieren morgen um 9":    {"morgen um 9", "Zimmer 12 reservieren"},
		"Kapitel 3 lesen am Freitag um 20 Uhr": {"am Freitag um 20 Uhr", "Kapitel 3 lesen"}, "morgen alle anrufen": {"morgen",
			"alle anrufen"},
		"morgen um 17:30 2 Karten abholen":        {"morgen um 17:30", "2 Karten abholen"},
		"in 10 Minuten den zweiten Kuchen backen": {"in 10 Minuten", "den zweiten Kuchen backen"},
		"Tisch für 4 um 19 Uhr":                   {"um 19 Uhr", "Tisch für 4"},
		"jeden Montag um 8 die Woche planen":      {"jeden Montag um 8", "die Woche planen"},
		"morgen um 9 am Bahnhof sein": {"morgen um 9",
			"am Bahnhof sein"}, "am Freitag um 17 Uhr im Büro 3 Seiten drucken": {"am Freitag um 17 Uhr", "im Büro 3 Seiten drucken"},
		"heute Abend um 8 den 2. Teil schauen": {"heute Abend um 8", "den 2. Teil schauen"},
		"alle 2 Stunden 1 Glas Wasser trinken": {"alle 2 Stunden", "1 Glas Wasser trinken"},
		"morgen eine Torte kaufen":             {"morgen", "eine Torte kaufen"}, "Rechnung 4711 bezahlen morgen": {"morgen",
			"Rechnung 4711 bezahlen"},
		"heute um 18 Uhr mit Anna essen": {"heute um 18 Uhr", "mit Anna essen"}, "die 2 Pakete abholen morgen um 10": {"morgen um 10",
			"die 2 Pakete abholen"},
	},
	"es": {
		"recuérdame mañana a las 9 comprar 2 panes":     {"mañana a las 9", "comprar 2 panes"},
		"tomar 10 pastillas mañana a las 8 de la tarde": {"mañana a las 8 de la tarde", "tomar 10 pastillas"},
		"mañana a las 9 llamar a los 3 primos":          {"mañana a las 9", "llamar a los 3 primos"},
		"mañana comprar la segunda entrada":             {"mañana", "comprar la segunda entrada"},
		"leer el capítulo 3 mañana a las 20:00":         {"mañana a las 20:00", "leer el capítulo 3"},
		"en 10 minutos llamar a mi madre":               {"en 10 minutos", "llamar a mi madre"},
		"mañana una amiga viene":                        {"mañana", "una amiga viene"},
		"el viernes a las 17:00 en la oficina":          {"el viernes a las 17:00", "en la oficina"},
		"cada lunes a las 8 planear la semana":          {"cada lunes a las 8", "planear la semana"},
	},
	"fr": {
		"rappelle-moi demain à 9h d'acheter 2 pains": {"demain à 9h", "acheter 2 pains"},
		"prendre 10 pilules demain à 20h":            {"demain à 20h", "prendre 10 pilules"}, "dîner pour 4 à 20h": {"à 20h",
			"dîner pour 4"},
		"demain à 9h appeler les 3 cousins":         {"demain à 9h", "appeler les 3 cousins"},
		"lire le chapitre 3 demain à 20h30":         {"demain à 20h30", "lire le chapitre 3"},
		"dans 10 minutes rappeler la deuxième fois": {"dans 10 minutes", "rappeler la deuxième fois"},
		"demain un ami vient":                       {"demain", "un ami vient"}, "vendredi à 17h au bureau": {"vendredi à 17h",
			"au bureau"},
		"chaque lundi à 8h planifier la semaine": {"chaque lundi à 8h", "planifier la semaine"},
	},
	"ru": {
		"напомни завтра в 9 купить 2 хлеба": {"завтра в 9", "купить 2 хлеба"},
		"выпить 10 таблеток завтра в 8 вечера": {"завтра в 8 вечера",
			"выпить 10 таблеток"}, "через 10 минут позвонить второй сестре": {"через 10 минут", "позвонить второй сестре"},
		"завтра с Анной обедать": {"завтра", "с Анной обедать"}, "прочитать главу 3 завтра в 20:00": {"завтра в 20:00",
			"прочитать главу 3"}, "в пятницу в 17:00 в офисе встреча": {"в пятницу в 17:00", "в офисе встреча"},
		"каждый понедельник в 8 планировать неделю": {"каждый понедельник в 8", "планировать неделю"},
	},
	"zh": {
		"提醒我明天9点买2个面包": {"明天9点", "买2个面包"}, "明天9点一起吃饭": {"明天9点", "一起吃饭"}, "明天下午3点在公司开会": {"明天下午3点", "在公司开会"}, "明天9点下班": {"明天9点", "下班"},
		"十分钟后给第二个客户打电话": {"十分钟后", "给第二个客户打电话"},
		"明天早上8点吃3片药":    {"明天早上8点", "吃3片药"}, "周五下午5点到公司": {"周五下午5点", "到公司"}, "每周一上午10点写周报": {"每周一上午10点", "写周报"},
		"明天9点看天气": {"明天9点", "看天气"}, "明天3个人吃饭": {"明天", "3个人吃饭"},
	},
}

func TestOrdinaryText(t *testing.T) {
	now := time.Date(2026, 3, 4, 14, 20, 0, 0, time.UTC)
	for tag, all := range ordinary {
		for text, want := range all {
			when, what, err := Split(text, now, tag)
			if when != want[0] || what != want[1] || err != nil && want[0] != "" {
				t.Errorf("%s: %q: %q, %q, %v; want %q", tag, text, when, what, err, want)
			}
		}
	}
}

// So it is for people whose language nobody knows yet.
func TestOrdinaryTextInAnotherLanguage(t *testing.T) {
	now := time.Date(2026, 3, 4, 14, 20, 0, 0, time.UTC)
	for tag, all := range ordinary {
		for text, want := range all {
			when, what, err := Split(text, now)
			if when != want[0] || what != want[1] || err != nil && want[0] != "" {
				t.Errorf("%s: %q: %q, %q, %v; want %q", tag, text, when, what, err, want)
			}
		}
	}
}

// Each of these was read whole, as another time than was said. Now it is right, or asked.
func TestMisreadTimes(t *testing.T) {
	now := time.Date(2026, 3, 4, 14, 20, 0, 0, zone(t, "Europe/Zurich")) // a Wednesday
	for tag, times := range map[string]map[string]string{
		"de": {
			"so gegen 15 uhr": "2026-03-04 15:00", "so um 15 uhr": "", "am 10.10": "2026-10-10 09:00", "22.04": "",
			"um 22.04 Uhr": "2026-03-04 22:04", "morgen um viertel vor 7": "2026-03-05 06:45",
			"morgen um viertel vor 5": "2026-03-05 16:45", "heute Nacht": "", "heute Nacht um 1": "2026-03-05 01:00",
			"jede Nacht": "", "Freitagnacht um 1": "2026-03-07 01:00", "um 16h": "2026-03-04 16:00", "um 10 Uhr 05": "2026-03-05 10:05",
		},
		"ru": {"двадцать четвёртое февраля": "2027-02-24 09:00", "сегодня ночью": "", "сегодня ночью в 2": "2026-03-05 02:00",
			"22.04":                "",
			"завтра в полдевятого": "2026-03-05 08:30", "завтра в полдевятого вечера": "2026-03-05 20:30"},
		"fr": {"le 31 10": "2026-10-31 09:00", "midi quinze": "", "jeudi 15": "2026-10-15 09:00", "jeudi 15 pommes": "",
			"cette nuit": "", "cette nuit à 2h": "2026-03-05 02:00"},
		"zh": {"下午三点零五分": "2026-03-04 15:05", "下個月二十號": "2026-04-20 09:00", "下个月二十号": "2026-04-20 09:00", "半夜": "", "下": "",
			"2:00pm": "2026-03-05 14:00"},
		"en": {
			"20 of next month": "2026-04-20 09:00", "monday 21": "", "on monday 21": "", "the sun": "", "at 10:00:00": "2026-03-05 10:00",
			"at 10:00:30": "2026-03-05 10:00", "fri 4/12": "2026-12-04 09:00",
			"tomorrow at quarter to 7": "2026-03-05 06:45", "1 May 2027 at 10am": "2027-05-01 10:00",
			"3 dec 2026 at 9am":       "2026-12-03 09:00",
			"31 Dec 2026 at midnight": "2027-01-01 00:00", "3 days after january 12th": "2027-01-15 09:00", "2 hours before my flight": "",
			"2027-05-01T10:00:00Z": "2027-05-01 12:00", "2027-05-01T10:00:00.5+02:00": "2027-05-01 10:00",
			"2027-05-01T10:00:00+0530": "2027-05-01 06:30", "2027-05-01T10:00-05": "2027-05-01 17:00",
			"2027-05-01 10:00 UTC": "2027-05-01 12:00", "2027-05-01 10:00:00": "2027-05-01 10:00",
		},
		"es": {"28 de junio de 2027": "2027-06-28 09:00", "lunes 21": "2026-09-21 09:00"},
	} {
		for said, want := range times {
			if got := outcome(t, said, now, tag); got != want {
				t.Errorf("%s: %q is %q, want %q", tag, said, got, want)
			}
		}
	}
}

// The question names what was read, what was not, and keeps what the time is for.
func TestPartialSaysWhatWasRead(t *testing.T) {
	now := time.Date(2026, 3, 4, 14, 20, 0, 0, time.UTC)
	for text, want := range map[string]Partial{
		"tomorrow call mum before 4pm":                   {Read: "tomorrow 4pm", Left: "before", What: "call mum", bound: true},
		"call mum tomorrow before 4pm":                   {Read: "4pm", Left: "tomorrow before", What: "call mum", bound: true},
		"on the last weekend of each month to pay rent.": {Read: "on the last", Left: "weekend of each month", What: "pay rent."},
		"at 3pm IST call the team":                       {Read: "at 3pm", Left: "IST", What: "call the team"},
		"monday or tuesday call Bob":                     {Read: "monday", Left: "or tuesday", What: "call Bob"},
		"tomorrow before 4pm":                            {Read: "tomorrow 4pm", Left: "before", bound: true},
	} {
		_, _, err := Split(text, now, "en")
		p := (*Partial)(nil)
		if !errors.As(err, &p) || *p != want {
			t.Errorf("%q: %+v, want %+v", text, p, want)
			continue
		}
		said, _ := whole.ForPeople(err)
		asks := "When exactly?"
		if want.bound {
			asks = "At that time, or before it? Say when exactly."
		}
		if want := "I read “" + want.Read + "”, but not “" + want.Left + "”. " + asks; said != want {
			t.Errorf("%q: %q, want %q", text, said, want)
		}
	}
	if _, err := Parse("tomorrow before 4pm", now, time.UTC); !errors.As(err, new(*Partial)) {
		t.Errorf("Parse: %v", err)
	}
}
