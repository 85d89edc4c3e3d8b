package facts

// The words of dates, in a few languages.
var (
	untils  = words("until till til through bis jusque jusqu hasta fino até tot")
	fillers = words("the of about around einschließlich zum zur den dem der des das el la le il lo de del du di da do al " +
		"a à au en o dia día op")
	ends   = words("end ende fin final finales fine fim einde")
	starts = words("start beginning anfang beginn principios inicio début inizio begin")
	nexts  = words("next coming nächste nächsten nächster nächstes kommende kommenden próximo próxima próximos próximas " +
		"prochain prochaine prochains prochaines prossimo prossima volgende")
	these = words("this diese dieser dieses diesen diesem este esta ce cet cette questo questa deze dit")
	// again marks repeated events, former past ones.
	again  = words("every each daily weekly monthly yearly jeden jede jedes täglich cada todos todas chaque ogni elke")
	ever   = words("always usually immer meistens siempre toujours sempre altijd")
	former = words("was were had lived worked studied stayed played taught owned used war waren wohnte arbeitete lebte " +
		"hatte studierte era fue vivía vivió trabajaba trabajó était habitait travaillait")

	here = words("hier hierher hierhin")

	christmas = words("christmas weihnachten navidad noël natale natal kerst")
	// nearDays are days by how many days after today the day behind them begins.
	nearDays = map[string]int{"yesterday": 0, "gestern": 0, "ayer": 0, "hier": 0, "ieri": 0, "ontem": 0, "gisteren": 0,
		"today": 1, "heute": 1, "hoy": 1, "oggi": 1,
		"tomorrow": 2, "morgen": 2, "demain": 2, "mañana": 2, "domani": 2}
	counts = numbered(map[int]string{
		2: "two zwei dos deux", 3: "three drei tres trois tre", 4: "four vier cuatro quatre quattro", 5: "five fünf cinco cinq cinque",
		6: "six sechs seis", 7: "seven sieben siete sept sette",
		8: "eight acht ocho huit otto", 9: "nine neun nueve nove", 10: "ten zehn diez dix dieci", 11: "eleven elf onze undici",
		12: "twelve zwölf doce douze dodici",
	})
	wholes = map[string]string{"monatsende": "month", "jahresende": "year"}
	units  = numbered(map[string]string{
		"day":   "day days tag tage tagen día días jour jours giorni",
		"week":  "week weeks woche wochen semana semanas semaine semaines settimana settimane",
		"month": "month months monat monats monate monaten mes meses mois mese mesi",
		"year":  "year years jahr jahres jahre jahren año años an ans année anni anno",
	})
	// dayNames are the days of the week, from Sunday, 0.
	dayNames = numbered(map[int]string{
		0: "sunday sonntag domingo dimanche domenica", 1: "monday montag lunes lundi lunedì", 2: "tuesday dienstag martes mardi martedì",
		3: "wednesday mittwoch miércoles mercredi mercoledì",
		4: "thursday donnerstag jueves jeudi giovedì", 5: "friday freitag viernes vendredi venerdì",
		6: "saturday samstag sonnabend sábado samedi sabato",
	})
)

// numbered maps each word of some lists to the key of its list.
func numbered[T comparable](lists map[T]string) map[string]T {
	of := map[string]T{}
	for k, list := range lists {
		for w := range words(list) {
			of[w] = k
		}
	}
	return of
}

// monthNames are the names of the months, from January, with short forms.
var monthNames = [12]map[string]bool{
	words("january jan januar jänner janvier enero gennaio janeiro januari"),
	words("february feb februar février fevrier febrero febbraio fevereiro februari"),
	words("march mar märz mars marzo março maart"),
	words("april apr avril abril aprile"),
	words("may mai mayo maggio maio mei"),
	words("june jun juni juin junio giugno junho"),
	words("july jul juli juillet julio luglio julho"),
	words("august aug août aout agosto augustus"),
	words("september sep sept septembre septiembre settembre setembro"),
	words("october oct oktober octobre octubre ottobre outubro"),
	words("november nov novembre noviembre novembro"),
	words("december dec dezember décembre decembre diciembre dicembre dezembro"),
}
