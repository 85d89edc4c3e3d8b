package agent

// Texts of the agent itself for people.
const (
	wordsMoreDone    = "… and %d more."
	wordsTooLong     = "That message is too long for me (more than 10,000 characters). Please send it in smaller pieces."
	wordsCut         = "_(Your message was longer than 4,000 characters; I read the first 4,000.)_"
	wordsStopped     = "Stopped."
	wordsStoppedHere = "(stopped)"
	wordsCutShort    = "(cut short)"
	wordsGoOn        = "Go on"
	wordsTimeout     = "This took longer than I may take for one message, so I stopped. Please try again, perhaps with " +
		"a smaller question. (%s)"
	wordsUnavailable = "I can't reach my language model right now. Please try again in a moment; commands such as " +
		"/help, /facts and /tasks still work. (%s)"
	wordsRateLimited = "There are too many requests at the moment. Please try again in a minute. (%s)"
	wordsQuota       = "My language model's quota is used up. My owner has to raise it. (%s)"
	wordsLimit       = "Today's allowance is used up, so I stopped here. It renews at midnight UTC; please come back then."
	wordsMisset      = "My language model is not set up properly. My owner can run `bot doctor` to see what to fix. (%s)"
	wordsOverflow    = "This conversation has become too long for me to continue, even shortened. Send /session reset " +
		"to start afresh; I keep what I know about you. (%s)"
	wordsFiltered     = "I can't help with that one: the answer was declined by the model's provider."
	wordsInvalid      = "I did not get a usable answer from my language model. Please try again, or put it another way. (%s)"
	wordsNobodyThere  = "I wanted to pass you on to a person, and that did not work. Please try again later."
	wordsWhyPassedOn  = "You were passed on to a person (by %s). What they write here is theirs."
	wordsTooComplex   = "That was too much for one go. Please break it into smaller steps."
	wordsDone         = "What I did so far: %s."
	wordsMayBeDone    = "I do not know whether this was done, so please check before asking for it again: %s."
	wordsConfirm      = "Do this: %s?"
	wordsYes          = "Yes"
	wordsNo           = "No"
	wordsOnly         = "Only %s"
	wordsNotShown     = "_Not done: %s. You would have to agree to it, and it is too long to be shown whole._"
	wordsNoConfirm    = "That needs a confirmation, which I can't ask for here."
	wordsNothingDone  = "Nothing was changed."
	wordsSources      = "Sources:"
	wordsLookedAt     = "Looked at:"
	wordsDisputed     = "\n\nThese notes disagree:\n[%d] “%s”\n[%d] “%s”"
	wordsFromFact     = "- remembered: %s %s"
	wordsLateTool     = "I was interrupted while doing this and can't tell whether it was done; please check before asking again."
	wordsFilesBusy    = "I am busy with too many files to open yours. Please send it again in a moment."
	wordsKept         = "the answer was checked and keeps %s"
	wordsBroke        = "the draft broke the rule %s: %s"
	wordsRewritten    = "the answer was written anew, checked, and keeps %s"
	wordsInstead      = "the answer is what the rules themselves say: %s"
	wordsUnchecked    = "It could not be checked."
	wordsImageRefused = "I could not look at the picture: my model did not take it."
)

// English only: what the model is told of a person's language.
const (
	wordsTheirs = " Their language is %s."
	wordsChosen = " Answer in %s, whatever language they write: they chose that."
)

// English only: what the model is told about calls that need a yes.
const (
	wordsFromDesk    = "[%s, a person of the team, wrote this in your place] %s"
	wordsGaveAnswer  = "(I have answered what the tool server asked me.)"
	wordsInquiryLost = "The tool server's question was lost, because I was restarted before it was answered. Whether " +
		"the tool has done anything is not known; check before calling it again."
	wordsStillWaits = "You asked this person the following, and they have not answered yes or no yet (data). It is not " +
		"done. They can still answer; do not call it again unless they ask for it anew: %s"
	wordsPassedOn     = "Not done: this needs the person's yes, and before they were asked they were passed on to a person."
	wordsDeclined     = "The person said no, so this was not done. Do not try it again; go on with what else they asked for."
	wordsAskElsewhere = "Nothing was done: this needs the person's yes, and you cannot ask them. Leave it, and say so in your answer."
	wordsHandedUp     = "Not done yet: this needs the person's yes, and they are asked when you are finished. Do not " +
		"call it again. Go on with what does not depend on it, and say in your answer what waits."
	wordsTooLongToAsk = "Not done: the person must agree to this and has to see all of it, and it has %d characters, of " +
		"which one message holds %d. Make it shorter, or do it in parts."
	wordsTooManyToAsk = "Not done: the person must agree to this, and one message cannot hold more. Call it again after " +
		"they have answered what they are asked now."
)
