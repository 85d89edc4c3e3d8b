package times

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Each file says what a native speaker may have mistyped.
func TestTongues(t *testing.T) {
	for _, bad := range []string{"number 1 one", "numbr 1 = one", "clok : at {h}", "clock : at {hour}", "clock : at {h",
		"clock : (at {h}", "clock : at {h}]"} {
		if _, err := readTongue("xx", bad); err == nil || !strings.Contains(err.Error(), "xx.txt, line 1") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	number := func(s string) bool { _, err := strconv.ParseFloat(s, 64); return err == nil }
	for _, l := range tongues() {
		for first, words := range l.words {
			for _, w := range words {
				f := strings.Fields(w.value)
				ok := len(f) > 0
				switch w.class {
				case "unit":
					ok = ok && slices.Contains([]string{"second", "minute", "hour", "day", "week", "month", "year"}, w.value)
				case "part":
					_, known := usual[strings.TrimSuffix(w.value, "?")]
					ok = known || slices.Contains([]string{"midnight", "small", "late"}, w.value)
				case "beside":
					ok = slices.Contains([]string{"1", "before", "after", "weak", "date", "always", "of"}, w.value)
				case "century":
					ok = len(f) == 2 && number(f[0]) && number(f[1])
				case "between":
					ok = slices.Contains([]string{"1", "loose", "article"}, w.value)
				case "half":
					ok = w.value == "am" || w.value == "pm"
				default:
					ok = ok && number(f[0])
				}
				if !ok {
					t.Errorf("%s.txt: %s %s = %s… means nothing", l.tag, w.class, w.value, first)
				}
			}
		}
		for _, class := range []string{"number", "unit", "weekday", "month", "part", "lead"} {
			if !slices.ContainsFunc(slices.Collect(allWords(l)), func(w word) bool { return w.class == class }) {
				t.Errorf("%s.txt has no %s", l.tag, class)
			}
		}
		for _, kind := range kinds {
			if !slices.ContainsFunc(l.phrases, func(p phrase) bool { return p.kind == kind }) &&
				!slices.Contains([]string{"bare", "next-weekday", "coming"}, kind) {
				t.Errorf("%s.txt has no way to say %s", l.tag, kind)
			}
		}
	}
}

func allWords(l *tongue) func(func(word) bool) {
	return func(yield func(word) bool) {
		for _, words := range l.words {
			for _, w := range words {
				if !yield(w) {
					return
				}
			}
		}
	}
}

// What is understood in each language, by a Wednesday at 14:20.
var spoken = map[string]map[string]string{
	"de": {
		"in 10 Minuten": "2026-03-04 14:30", "in einer halben Stunde": "2026-03-04 14:50", "in zweieinhalb Stunden": "2026-03-04 16:50",
		"in anderthalb Stunden": "2026-03-04 15:50", "in einer Viertelstunde": "2026-03-04 14:35",
		"in 2 Stunden und 15 Minuten": "2026-03-04 16:35", "in einer Woche": "2026-03-11 14:20", "in einem Monat": "2026-04-04 14:20",
		"in fünfundzwanzig Minuten": "2026-03-04 14:45",
		"morgen":                    "2026-03-05 09:00", "morgen um 9": "2026-03-05 09:00", "morgen früh": "2026-03-05 09:00",
		"morgen früh um 7": "2026-03-05 07:00", "morgen Abend um 8": "2026-03-05 20:00", "übermorgen mittag": "2026-03-06 12:00",
		"uebermorgen": "",
		"heute Abend": "2026-03-04 18:00", "heute Abend um 8": "2026-03-04 20:00", "heute Nacht um 1": "2026-03-05 01:00",
		"am Freitag": "2026-03-06 09:00", "Freitag um 17 Uhr": "2026-03-06 17:00", "Freitagabend": "2026-03-06 18:00",
		"Freitagabend um halb neun": "2026-03-06 20:30",
		"um halb fünf":              "2026-03-04 16:30", "morgen um halb fünf": "2026-03-05 16:30", "morgen um 5": "2026-03-05 17:00",
		"morgen um 5 Uhr": "2026-03-05 05:00", "um Viertel vor fünf": "2026-03-04 16:45", "um dreiviertel fünf": "2026-03-04 16:45",
		"um 17 Uhr 30": "2026-03-04 17:30", "um 17.30 Uhr": "2026-03-04 17:30", "um 5 Uhr morgens": "2026-03-05 05:00",
		"um 1 Uhr nachts": "2026-03-05 01:00", "um Mitternacht": "2026-03-05 00:00", "am 3. Mai": "2026-05-03 09:00",
		"am 3. Mai um 10 Uhr": "2026-05-03 10:00", "am 3.5.": "2026-05-03 09:00", "3.12.2026": "2026-12-03 09:00",
		"am 31.": "2026-03-31 09:00", "am 24. Dezember 2026 um 18 Uhr": "2026-12-24 18:00",
		"nächste Woche": "2026-03-11 09:00", "nächste Woche Freitag": "2026-03-13 09:00", "nächsten Monat": "2026-04-04 09:00",
		"am Wochenende": "2026-03-07 09:00", "nächsten Freitag": "2026-03-06 09:00", "29. Februar": "2028-02-29 09:00",
		"jeden Tag um 8": "0 8 * * *", "täglich um 7:30": "30 7 * * *", "jeden Morgen": "0 9 * * *", "jeden Abend um 8": "0 20 * * *",
		"jeden Montag": "0 9 * * 1", "jeden Montag und Donnerstag um 10 Uhr": "0 10 * * 1,4", "montags um 9": "0 9 * * 1",
		"werktags um 8:30": "30 8 * * 1-5",
		"alle 2 Stunden":   "@every 2h0m0s from 2026-03-04T13:20:00Z", "jede Stunde": "@every 1h0m0s from 2026-03-04T13:20:00Z",
		"stündlich": "@every 1h0m0s from 2026-03-04T13:00:00Z", "jeden zweiten Tag": "@every 2d from 2026-03-05T09:00",
		"alle 3 Tage um 8": "@every 3d from 2026-03-05T08:00", "alle zwei Wochen am Montag": "@every 2w from 2026-03-09T09:00",
		"jeden Monat am 5.": "0 9 5 * *", "am letzten Freitag im Monat": "@every 1mo on -1fri from 2026-03-27T09:00",
		"jeden 24. Dezember": "0 9 24 12 *", "jedes Wochenende um 11 Uhr": "0 11 * * 0,6",
		"um 25 Uhr": "", "in 5": "", "am 32.": "", "30. Februar": "", "bald": "", "morgen früh um 17 Uhr": "",
	},
	"es": {
		"en 10 minutos": "2026-03-04 14:30", "en media hora": "2026-03-04 14:50", "en una hora y media": "2026-03-04 15:50",
		"dentro de 2 horas": "2026-03-04 16:20", "en un cuarto de hora": "2026-03-04 14:35", "en una semana": "2026-03-11 14:20",
		"en un mes": "2026-04-04 14:20",
		"mañana":    "2026-03-05 09:00", "manana a las 9": "2026-03-05 09:00", "mañana por la mañana": "2026-03-05 09:00",
		"mañana por la tarde": "2026-03-05 15:00", "pasado mañana a las 10": "2026-03-06 10:00", "esta noche": "2026-03-04 20:00",
		"esta noche a las 12": "2026-03-05 00:00", "hoy a las 18:00": "2026-03-04 18:00",
		"a las 5 de la tarde": "2026-03-04 17:00", "a las cinco y media": "2026-03-04 17:30",
		"a las cinco menos cuarto": "2026-03-04 16:45", "a las 3 de la madrugada": "2026-03-05 03:00",
		"a las 8 de la tarde": "2026-03-04 20:00", "al mediodía": "2026-03-05 12:00", "a medianoche": "2026-03-05 00:00",
		"el viernes": "2026-03-06 09:00", "el miercoles a las 15:00": "2026-03-04 15:00", "el próximo viernes": "2026-03-06 09:00",
		"la próxima semana": "2026-03-11 09:00", "el mes que viene": "2026-04-04 09:00", "el 3 de mayo": "2026-05-03 09:00",
		"el 3 de mayo de 2027 a las 10": "2027-05-03 10:00", "el 3/12/2026": "2026-12-03 09:00", "el día 31": "2026-03-31 09:00",
		"cada día a las 8": "0 8 * * *", "todos los días a las 7:30": "30 7 * * *", "cada lunes": "0 9 * * 1",
		"todos los lunes y jueves a las 10": "0 10 * * 1,4", "los lunes a las 9": "0 9 * * 1",
		"de lunes a viernes a las 8:30": "30 8 * * 1-5", "cada 2 horas": "@every 2h0m0s from 2026-03-04T13:20:00Z",
		"cada dos días": "@every 2d from 2026-03-05T09:00",
		"cada hora":     "@every 1h0m0s from 2026-03-04T13:20:00Z", "cada mes el día 5": "0 9 5 * *",
		"el último viernes de cada mes": "@every 1mo on -1fri from 2026-03-27T09:00", "los fines de semana": "0 9 * * 0,6",
		"cada dos semanas el lunes": "@every 2w from 2026-03-09T09:00", "cada noche a las 11": "0 23 * * *",
		"a las 25": "", "pronto": "", "el 32 de mayo": "", "en 5": "",
	},
	"fr": {
		"dans 10 minutes": "2026-03-04 14:30", "dans une demi-heure": "2026-03-04 14:50", "dans une heure et demie": "2026-03-04 15:50",
		"dans un quart d'heure": "2026-03-04 14:35", "dans deux semaines": "2026-03-18 14:20", "dans un mois": "2026-04-04 14:20",
		"dans vingt-cinq minutes": "2026-03-04 14:45",
		"demain":                  "2026-03-05 09:00", "demain à 9h": "2026-03-05 09:00", "demain matin": "2026-03-05 09:00",
		"demain soir à 8h": "2026-03-05 20:00", "après-demain à midi": "2026-03-06 12:00", "ce soir": "2026-03-04 18:00",
		"ce soir à 20h30": "2026-03-04 20:30", "aujourd’hui à 18 heures": "2026-03-04 18:00", "cet après-midi à 5h": "2026-03-04 17:00",
		"à 17h30": "2026-03-04 17:30", "à 17 h": "2026-03-04 17:00", "à cinq heures et demie": "2026-03-04 17:30",
		"à cinq heures moins le quart": "2026-03-04 16:45", "à 3 heures du matin": "2026-03-05 03:00", "à minuit": "2026-03-05 00:00",
		"vendredi": "2026-03-06 09:00", "vendredi à 17h": "2026-03-06 17:00", "vendredi prochain": "2026-03-06 09:00",
		"la semaine prochaine": "2026-03-11 09:00", "le mois prochain": "2026-04-04 09:00", "le 3 mai": "2026-05-03 09:00",
		"le 1er mai à 10h": "2026-05-01 10:00", "le 3/12/2026": "2026-12-03 09:00", "le 31": "2026-03-31 09:00",
		"tous les jours à 8h": "0 8 * * *", "chaque jour": "0 9 * * *", "chaque matin à 7h30": "30 7 * * *",
		"tous les lundis": "0 9 * * 1", "chaque lundi et jeudi à 10h": "0 10 * * 1,4", "du lundi au vendredi à 8h30": "30 8 * * 1-5",
		"toutes les 2 heures": "@every 2h0m0s from 2026-03-04T13:20:00Z", "toutes les heures": "@every 1h0m0s from 2026-03-04T13:20:00Z",
		"tous les deux jours": "@every 2d from 2026-03-05T09:00", "un jour sur deux": "@every 2d from 2026-03-05T09:00",
		"tous les mois le 5": "0 9 5 * *", "le dernier vendredi du mois": "@every 1mo on -1fri from 2026-03-27T09:00",
		"un lundi sur deux à 10h": "@every 2w from 2026-03-09T10:00", "chaque année le 4 mai": "0 9 4 5 *",
		"à 25h": "", "bientôt": "", "le 32 mai": "", "dans 5": "",
	},
	"ru": {
		"через 10 минут": "2026-03-04 14:30", "через час": "2026-03-04 15:20", "через полчаса": "2026-03-04 14:50",
		"через полтора часа": "2026-03-04 15:50", "через 2 часа 15 минут": "2026-03-04 16:35", "через неделю": "2026-03-11 14:20",
		"через месяц": "2026-04-04 14:20", "через двадцать пять минут": "2026-03-04 14:45", "через два с половиной часа": "2026-03-04 16:50",
		"завтра": "2026-03-05 09:00", "завтра в 9": "2026-03-05 09:00", "завтра утром": "2026-03-05 09:00",
		"завтра в 9 утра": "2026-03-05 09:00", "завтра в 8 вечера": "2026-03-05 20:00", "завтра вечером в 8": "2026-03-05 20:00",
		"послезавтра в полдень": "2026-03-06 12:00", "сегодня вечером": "2026-03-04 18:00", "сегодня в 18:00": "2026-03-04 18:00",
		"в 5 вечера": "2026-03-04 17:00", "в 2 часа ночи": "2026-03-05 02:00", "в час дня": "2026-03-05 13:00",
		"в половине пятого": "2026-03-04 16:30", "без четверти пять": "2026-03-04 16:45", "в полночь": "2026-03-05 00:00",
		"в 17:30":   "2026-03-04 17:30",
		"в пятницу": "2026-03-06 09:00", "во вторник в 10": "2026-03-10 10:00", "в пятницу в 17:00": "2026-03-06 17:00",
		"на следующей неделе": "2026-03-11 09:00", "в следующем месяце": "2026-04-04 09:00", "3 мая": "2026-05-03 09:00",
		"3 мая 2027 года в 10:00": "2027-05-03 10:00", "3.12.2026": "2026-12-03 09:00", "31 числа": "2026-03-31 09:00",
		"каждый день в 8": "0 8 * * *", "ежедневно в 7:30": "30 7 * * *", "каждое утро": "0 9 * * *", "каждый понедельник": "0 9 * * 1",
		"каждый понедельник и четверг в 10:00": "0 10 * * 1,4", "по понедельникам в 9": "0 9 * * 1", "по будням в 8:30": "30 8 * * 1-5",
		"каждые 2 часа": "@every 2h0m0s from 2026-03-04T13:20:00Z", "каждый час": "@every 1h0m0s from 2026-03-04T13:20:00Z",
		"каждый второй день": "@every 2d from 2026-03-05T09:00", "каждые три дня": "@every 3d from 2026-03-05T09:00",
		"каждый месяц 5 числа": "0 9 5 * *", "каждую последнюю пятницу месяца": "@every 1mo on -1fri from 2026-03-27T09:00",
		"каждый год 4 мая": "0 9 4 5 *",
		"в 25":             "", "скоро": "", "32 мая": "", "через 5": "",
	},
	"zh": {
		"十分钟后": "2026-03-04 14:30", "10分钟后": "2026-03-04 14:30", "半小时后": "2026-03-04 14:50", "半个小时以后": "2026-03-04 14:50",
		"一个半小时后": "2026-03-04 15:50", "两个小时后": "2026-03-04 16:20", "2小时15分钟后": "2026-03-04 16:35", "一周后": "2026-03-11 14:20",
		"一个月后": "2026-04-04 14:20", "二十五分钟后": "2026-03-04 14:45", "过十分钟": "2026-03-04 14:30",
		"明天": "2026-03-05 09:00", "明天上午9点": "2026-03-05 09:00", "明天早上八点半": "2026-03-05 08:30", "明天下午三点": "2026-03-05 15:00",
		"后天中午": "2026-03-06 12:00", "今晚": "2026-03-04 18:00", "今晚8点": "2026-03-04 20:00", "今天晚上八点": "2026-03-04 20:00",
		"下午三点一刻": "2026-03-04 15:15", "凌晨3点": "2026-03-05 03:00", "17:30": "2026-03-04 17:30", "下午5点20分": "2026-03-04 17:20",
		"周五": "2026-03-06 09:00", "星期五下午5点": "2026-03-06 17:00", "下周五": "2026-03-13 09:00", "下周": "2026-03-11 09:00",
		"下个月": "2026-04-04 09:00", "下个月5号": "2026-04-05 09:00", "5月3日": "2026-05-03 09:00", "2027年5月3日上午10点": "2027-05-03 10:00",
		"31号": "2026-03-31 09:00", "十二月二十四日": "2026-12-24 09:00",
		"每天早上8点": "0 8 * * *", "每天": "0 9 * * *", "每周一": "0 9 * * 1", "每周一和周四上午10点": "0 10 * * 1,4", "工作日早上8点半": "30 8 * * 1-5",
		"每两小时": "@every 2h0m0s from 2026-03-04T13:20:00Z", "每小时": "@every 1h0m0s from 2026-03-04T13:20:00Z",
		"每隔一天": "@every 2d from 2026-03-05T09:00", "每两天": "@every 2d from 2026-03-05T09:00", "每三天": "@every 3d from 2026-03-05T09:00",
		"每月5号": "0 9 5 * *", "每个月最后一天": "@every 1mo on 31 from 2026-03-31T09:00", "每年5月4日": "0 9 4 5 *", "每个周末": "0 9 * * 0,6",
		"每晚10点": "0 22 * * *",
		"25点":   "", "马上": "", "5月32日": "", "在5": "",
	},
}

func TestSpokenTimes(t *testing.T) {
	now := time.Date(2026, 3, 4, 14, 20, 0, 0, zone(t, "Europe/Zurich"))
	for tag, times := range spoken {
		for text, want := range times {
			if got := outcome(t, text, now); got != want {
				t.Errorf("%s: %q is %q, want %q", tag, text, got, want)
			}
			if w, err := Parse(text, now, now.Location(), tag); err == nil && w.Tongue != tag {
				t.Errorf("%s: %q was read as %s", tag, text, w.Tongue)
			}
		}
	}
}

// In each language a text is parted into the time and what it is for.
func TestSpokenReminders(t *testing.T) {
	now := time.Date(2026, 3, 4, 14, 20, 0, 0, time.UTC)
	for text, want := range map[string][2]string{
		"Erinnere mich in 10 Minuten an den Kuchen":               {"in 10 Minuten", "den Kuchen"},
		"Erinnere mich daran, morgen um 9 den Zahnarzt anzurufen": {"morgen um 9", "den Zahnarzt anzurufen"},
		"Erinnere mich an den Müll jeden Montag um 19 Uhr":        {"jeden Montag um 19 Uhr", "den Müll"},
		"recuérdame en 10 minutos llamar a mamá":                  {"en 10 minutos", "llamar a mamá"},
		"recuérdame llamar a mamá mañana a las 9":                 {"mañana a las 9", "llamar a mamá"},
		"rappelle-moi dans 10 minutes d'appeler maman":            {"dans 10 minutes", "appeler maman"},
		"rappelle-moi d'appeler maman demain à 9h":                {"demain à 9h", "appeler maman"},
		"напомни мне через 10 минут позвонить маме":               {"через 10 минут", "позвонить маме"},
		"напомни завтра в 9 о встрече":                            {"завтра в 9", "встрече"},
		"十分钟后提醒我喝水":                                               {"十分钟后", "喝水"},
		"提醒我十分钟后喝水":                                               {"十分钟后", "喝水"},
		"明天早上8点提醒我开会":                                             {"明天早上8点", "开会"},
		"Erinnere mich":                                           {"", ""},
		"recuérdame comprar leche":                                {"", ""},
		"提醒我买牛奶":                                                  {"", ""},
		"jeden Tag um 25:00 Pillen nehmen":                        {"", ""},
		"morgen um 26 Pillen":                                     {"", ""},
	} {
		when, what, err := Split(text, now)
		if when != want[0] || what != want[1] || err != nil && want != [2]string{} {
			t.Errorf("%q: %q, %q, %v; want %q", text, when, what, err, want)
		}
	}
}
