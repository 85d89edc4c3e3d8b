package guards

// English only: texts for the model and, through /why, for people.
const (
	wordRefused  = "Not allowed by a rule that code enforces; nothing was done."
	wordHandOver = "Not allowed by a rule that code enforces; nothing was done. A person has to take this over: tell them so."
	wordLacks    = "The rule could not be checked: %s. Make the call that brings it first, if there is one."
	wordPassed   = "the guard “%s” let “%s” pass"
	wordHadAsked = "the guard “%s” had me ask before “%s”"
	wordLeft     = "the guard “%s” left “%s” to people"
	wordStopped  = "the guard “%s” stopped “%s”"
	wordUnread   = "Not allowed: the rules on this tool could not be checked now. Nothing was done."
)

// wordByGuard is who passed a conversation on, for the people who take it over.
const wordByGuard = "the guard %s"
