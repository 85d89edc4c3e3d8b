package agent

// What the agent itself says to people.
const (
	wordsTooLong     = "That message is too long for me (more than 10,000 characters). Please send it in smaller pieces."
	wordsCut         = "_(Your message was longer than 4,000 characters; I read the first 4,000.)_"
	wordsFilesOnly   = "I can't open that file. Tell me in words what you would like to know about it."
	wordsStopped     = "Stopped."
	wordsCutShort    = "(cut short)"
	wordsTimeout     = "This took longer than I may take for one message, so I stopped. Please try again, perhaps with a smaller question. (%s)"
	wordsUnavailable = "I can't reach my language model right now. Please try again in a moment; commands such as /help, /facts and /tasks still work. (%s)"
	wordsRateLimited = "There are too many requests at the moment. Please try again in a minute. (%s)"
	wordsQuota       = "My language model's quota is used up. My owner has to raise it. (%s)"
	wordsMisset      = "My language model is not set up properly. My owner can run `bot doctor` to see what to mend. (%s)"
	wordsOverflow    = "This conversation has become too long for me to continue, even shortened. Send /session reset to start afresh; I keep what I know about you. (%s)"
	wordsFiltered    = "I can't help with that one: the answer was declined by the model's provider."
	wordsInvalid     = "I did not get a usable answer from my language model. Please try again, or put it another way. (%s)"
	wordsTooComplex  = "That was too much for one go. Please break it into smaller steps."
	wordsDone        = "What I did so far: %s."
	wordsConfirm     = "Shall I really do this: %s?"
	wordsNoConfirm   = "That needs a confirmation, which I can't ask for here."
	wordsConfirmed   = "Done."
	wordsSources     = "Sources:"
	wordsFromFact    = "- remembered: %s %s"
	wordsLateTool    = "I was interrupted while doing this and can't tell whether it was done; please check before asking again."
)
