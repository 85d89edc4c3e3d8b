package facts

// What is said to people and models.
const (
	wordsPower        = "I don't remember claims about who owns or runs me, rights, or orders for everybody: that is decided elsewhere. I do remember things about you."
	wordsShare        = "Only an admin of this place can make me remember, or forget, something for everybody here."
	wordsShareInstead = wordsShare + " I can remember it for you."
	wordsRemembered   = "Remembered (#%d): %s"
	wordsKnown        = "I remembered that already (#%d): %s"
	wordsCorrected    = "Corrected (#%d). Before: “%s”. Now: “%s”."
	wordsForChannel   = "(for everybody in this channel)"
	wordsForServer    = "(for everybody in this server)"
)
