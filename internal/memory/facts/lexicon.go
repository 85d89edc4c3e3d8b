package facts

import "strings"

// The few words of several languages that say how a sentence is built. What is
// not here is no verb: then two sentences that differ are rather two facts.
var (
	// negations turn a sentence round.
	negations = words("not no never nor dont doesnt didnt isnt arent wasnt cant cannot wont nicht kein keine keinen " +
		"keiner keinem nie niemals pas jamais nunca jamás não non mai niet geen nooit inte ikke ikkje не нет никогда nie ei 不 没 沒")
	// opposites are a verb and not: hates is does not like.
	opposites = map[string]string{"dislike": "like", "hate": "like", "detest": "like", "hasst": "mag", "hasse": "mag",
		"déteste": "aime", "odia": "gusta"}
	// likings are the same as their first.
	likings = map[string]string{"love": "like", "enjoy": "like", "adore": "like", "liebt": "mag", "liebe": "mag", "adoré": "aime"}
	// empty words change nothing.
	empty = words("the der die das den dem le la les el los las il lo i gli o os as het de my mine me his her hers their " +
		"our your mein meine mon ma mes mi mis su sus meu minha suo sua " +
		"she he they we you ich je yo eu io ik user person now currently actually really just longer anymore any do does " +
		"did ne n nun jetzt maintenant ahora actualmente s am pm still ya")
	// articles begin what there may be several of.
	articles = words("a an another one some ein eine einen einem einer un une uno una uma een")
	// definite articles take that back: a las nueve is at nine.
	definite = words("la las el los al")
	// lasting words are empty where something is no more.
	lasting = words("more mehr más mas plus più longer meer")
	// others are those a sentence may begin with that is about somebody else than
	// who says it; two are the same person if they are the same here.
	others = numbered(map[string]string{"he": "he his him er sein seine", "she": "she her hers ihr ihre elle",
		"they": "they their theirs them"})
	// speakers speak of themselves.
	speakers = words("i ich wir we yo nosotros nosotras je nous io noi eu nós ik wij я мы")
	// joins part what may be about different things.
	joins = words("but and aber und sondern pero y mais et ma e maar en но и")
	// froms stand before the day from which something holds.
	froms = words("from starting ab desde dès")
	// passed are of being what is told of the past.
	passed = words("was were war waren était era fue fu")
	// additions say that something comes beside what there is.
	additions = words("too also additionally another second besides auch ebenfalls aussi également también tambien anche " +
		"também ook również также тоже 也")
	// being joins a subject to what it is.
	being = words("is are was were be been ist sind war est sont es son era é são è sono is zijn är er")
	// dwelling and working have one place at a time.
	dwelling = words("live reside dwell stay wohne wohnt lebe lebt habite vive vivo habita abita mora woont born geboren née né nació")
	working  = words("work arbeite arbeitet travaille trabaja trabalha lavora werkt")
	choosing = words("prefer bevorzuge bevorzugt préfère prefere prefiero prefiere preferisce preferisco")
	having   = words("have has had owns own habe hat haben ai a tiene tengo tem ho ha heeft")
	// places stand before where somebody lives or works.
	places = words("in at on for as near from to by im am à en au em te na bei für als chez")
	// foremost says that there is one.
	foremost = words("favourite favorite main preferred default primary best current first lieblings hauptprojekt " +
		"préféré préférée favorito favorita preferito preferita principal principale")
	// unique are what somebody has one of; persons among them have names.
	unique = words("boss wife husband partner manager name nickname password passphrase address phone number email mail " +
		"capital spouse fiancé fiancée employer city hometown timezone code pin birthday anniversary salary " +
		"chef frau mann passwort adresse geburtstag nombre nom nome jefe esposa esposo marido mujer")
	// relations are whom people have.
	relations = words("wife husband partner mum mom mother dad father parent brother sister son daughter child kid uncle " +
		"aunt cousin grandma grandmother grandpa grandfather friend boss colleague neighbour neighbor everybody everyone all " +
		"frau mann mutter vater bruder schwester sohn tochter kind freund femme mari mère père frère sœur fils fille madre " +
		"padre hermano hermana hijo hija mãe pai fratello sorella")
	// keeping asks for something to be remembered.
	keeping = words("remember memorize memorise forget note save keep merk merke notiere vergiss retiens souviens note " +
		"oublie recuerda recuerde olvides apunta guarda ricorda ricordati lembra lembre onthoud запомни")
	// yearly are occasions of which there is one although an article stands before them.
	yearly = words("birthday anniversary geburtstag anniversaire cumpleaño compleanno aniversário")
	// calendar words are no value by themselves, and part of a time.
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

// words is a set of those in a list.
func words(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

// unsaid are the negations of languages that do not part words.
var unsaid = strings.NewReplacer("ではありません", " not ", "ではない", " not ", "じゃない", " not ", "않아", " not ", "n't", " not",
	"n’t", " not", "can't", "can not", "cannot", "can not", "won't", "will not")
