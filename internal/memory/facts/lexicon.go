package facts

import "strings"

// Function words of several languages that show how a sentence is built. Only verbs in
// these lists are recognized; without one, different sentences count as two facts.
var (
	// negations negate a sentence.
	negations = words("not no never nor dont doesnt didnt isnt arent wasnt cant cannot wont nicht kein keine keinen " +
		"keiner keinem nie niemals pas jamais nunca jamás não non mai niet geen nooit inte ikke ikkje не нет никогда nie ei 不 没 沒")
	// drops are other words by which something is given up.
	drops = words("against without instead cancel cancels cancelled canceled drop dropped skip gegen dagegen ohne statt absagen abgesagt contra sin " +
		"cancelado cancelamos descartado contre sans annule annulé annulons против без отменяем отменили 反对 取消")
	// opposites are negated verbs: hates means does not like.
	opposites = map[string]string{"dislike": "like", "hate": "like", "detest": "like", "hasst": "mag", "hasse": "mag",
		"déteste": "aime", "odia": "gusta"}
	// likings are synonyms.
	likings = map[string]string{"love": "like", "enjoy": "like", "adore": "like", "liebt": "mag", "liebe": "mag", "adoré": "aime"}
	// empty words change nothing.
	empty = words("the der die das den dem le la les el los las il lo i gli o os as het de my mine me his her hers their " +
		"our your mein meine mon ma mes mi mis su sus meu minha suo sua " +
		"she he they we you ich je yo eu io ik user person now currently actually really just longer anymore any do does " +
		"did ne n nun jetzt maintenant ahora actualmente s am pm still ya")
	// articles introduce something of which there may be several.
	articles = words("a an another one some ein eine einen einem einer un une uno una uma een")
	// definite articles cancel that: a las nueve means at nine.
	definite = words("la las el los al")
	// lasting words mean nothing after a negation, as in no more.
	lasting = words("more mehr más mas plus più longer meer")
	// others begin sentences about other people. Words with the same value mean the same
	// person.
	others = numbered(map[string]string{"he": "he his him er sein seine", "she": "she her hers ihr ihre elle",
		"they": "they their theirs them"})
	// speakers mean the person who speaks.
	speakers = words("i ich wir we yo nosotros nosotras je nous io noi eu nós ik wij я мы")
	// joins separate clauses that may be about different things.
	joins = words("but and aber und sondern pero y mais et ma e maar en но и")
	// froms precede the day from which something holds.
	froms = words("from starting ab desde dès")
	// passed are past forms of to be.
	passed = words("was were war waren était era fue fu")
	// additions say that something adds to what is known.
	additions = words("too also additionally another second besides auch ebenfalls aussi également también tambien anche " +
		"também ook również также тоже 也")
	// being are forms of to be.
	being = words("is are was were be been ist sind war est sont es son era é são è sono is zijn är er")
	// dwelling and working have one place at a time.
	dwelling = words("live reside dwell stay wohne wohnt lebe lebt habite vive vivo habita abita mora woont born geboren née né nació")
	working  = words("work arbeite arbeitet travaille trabaja trabalha lavora werkt")
	choosing = words("prefer bevorzuge bevorzugt préfère prefere prefiero prefiere preferisce preferisco")
	having   = words("have has had owns own habe hat haben ai a tiene tengo tem ho ha heeft")
	// places precede the place where somebody lives or works.
	places = words("in at on for as near from to by im am à en au em te na bei für als chez")
	// foremost marks something of which there is one.
	foremost = words("favourite favorite main preferred default primary best current first lieblings hauptprojekt " +
		"préféré préférée favorito favorita preferito preferita principal principale")
	// unique are things and people of which somebody has one.
	unique = words("boss wife husband partner manager name nickname password passphrase address phone number email mail " +
		"capital spouse fiancé fiancée employer city hometown timezone code pin birthday anniversary salary " +
		"chef frau mann passwort adresse geburtstag nombre nom nome jefe esposa esposo marido mujer")
	// relations are people in relation to somebody.
	relations = words("wife husband partner mum mom mother dad father parent brother sister son daughter child kid uncle " +
		"aunt cousin grandma grandmother grandpa grandfather friend boss colleague neighbour neighbor everybody everyone all " +
		"frau mann mutter vater bruder schwester sohn tochter kind freund femme mari mère père frère sœur fils fille madre " +
		"padre hermano hermana hijo hija mãe pai fratello sorella")
	// keeping are verbs that ask the bot to remember something.
	keeping = words("remember memorize memorise forget note save keep merk merke notiere vergiss retiens souviens note " +
		"oublie recuerda recuerde olvides apunta guarda ricorda ricordati lembra lembre onthoud запомни")
	// yearly are occasions of which there is one, even after an indefinite article.
	yearly = words("birthday anniversary geburtstag anniversaire cumpleaño compleanno aniversário")
	// calendar words are part of a time, but no value by themselves.
	calendar = words("january february march april may june july august september october november december jan feb mar " +
		"apr jun jul aug sep sept oct nov dec " +
		"januar februar märz mai juni juli oktober dezember janvier février mar avril juin juillet août septembre octobre " +
		"novembre décembre enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre " +
		"at on in am um o'clock clock uhr of von le el")
	weekdays = words("monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag " +
		"freitag samstag sonntag lundi mardi mercredi jeudi vendredi samedi dimanche lune marte miércole jueve vierne sábado domingo")
	rhythm = words("every each day daily week weekly weekday month monthly year yearly morning evening noon night " +
		"jeden jede tag täglich chaque jour tous cada día")
)

// words returns the set of words in a list.
func words(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

// unsaid spells out negations that are no separate words.
var unsaid = strings.NewReplacer("ではありません", " not ", "ではない", " not ", "じゃない", " not ", "않아", " not ", "n't", " not",
	"n’t", " not", "can't", "can not", "cannot", "can not", "won't", "will not")
