package rehearse

// Texts for people.
const (
	wordsCaptured    = "From a chat on %s: %s"
	wordsCopied      = "A conversation of %s, with what the models answered."
	wordsNothingSaid = "There is no answer here whose words are still kept."
	wordsNoWish      = "Say what should have come of it: words of the answer, or the id of a rule or the name of a tool, " +
		"such as: should have said 30 days; should not have applied refund_policy."
	wordsAsWished = "That is what came of it."
)
