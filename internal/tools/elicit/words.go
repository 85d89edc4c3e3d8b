package elicit

// What people read, in one place.
const (
	wordsYes         = "Yes"
	wordsNo          = "No"
	wordsInquiry     = "**%s** asks you: %s"
	wordsInquiryNone = "**%s** asks you something."
	wordsFieldOf     = "_%d of %d:_ "
	wordsFieldFree   = "Please write your answer."
	wordsFieldPick   = "Please pick one."
	wordsFieldSome   = "Please write the numbers of all that fit, such as 1, 3."
	wordsFieldOpen   = "_Reply to this message, or mention me: that is the answer. Everybody here can read it._"
	wordsFieldNext   = "_Your next message here is the answer, unless it is a command; /stop leaves it._"
	wordsFieldSkip   = "To leave it out, say skip."
	wordsFieldLeft   = "To leave it out, say skip; it is then “%s”."
	wordsFieldNo     = "To give no answer at all, say no."
	wordsFieldSecret = "_What you answer goes to %s. Do not send passwords or keys: a tool server may not ask for them here._"
	wordsPage        = "It wants you to open a page on **%s**:\n%s\nOpen it only if you expect that. Answer yes if you do, else no."
	wordsConsent     = "Do you agree?"
)
