package facts

// What is said to people and models.
const (
	wordsPower = "I don't remember claims about who owns or runs me, rights, or orders for everybody: that is " +
		"decided elsewhere. I do remember things about you."
	wordsShare        = "Only an admin of this place can make me remember, or forget, something for everybody here."
	wordsShareInstead = wordsShare + " I can remember it for you."
	wordsRemembered   = "Remembered (#%d): %s"
	wordsKnown        = "I remembered that already (#%d): %s"
	wordsCorrected    = "Corrected (#%d). Before: “%s”. Now: “%s”."
	wordsDisagrees    = "Remembered (#%d): %s\nIt disagrees with #%d (“%s”), which stands too. The person is asked which is right."
	wordsGuessed      = "guessed"
	wordsPickedUp     = "picked up in passing"
	wordsKept         = "said to be kept"
	layoutDay         = "2 January 2006" // of package time
	wordsPast         = "(until %s; that is past)"
	wordsUntil        = "(until %s)"

	wordsNoted           = "Noted: “%s” (#%d)."
	wordsReplaced        = "Noted: “%s” (#%d). It replaces: “%s”."
	wordsBeside          = "Noted: “%s” (#%d). It disagrees with “%s” (#%d). Both stand. Which is right?"
	wordsForgotten       = "Forgotten: “%s”. It is kept a day for Undo, then erased."
	wordsShortReplaced   = "(before: “%s”)"
	wordsShortBeside     = "(it disagrees with #%d, “%s”)"
	wordsUndo            = "Undo"
	wordsOnly            = "Only #%d"
	wordsBoth            = "Both"
	wordsUndoneAdded     = "Undone: I no longer remember “%s”."
	wordsUndoneReplaced  = "Undone. Fact #%d says again: “%s”."
	wordsUndoneMark      = "Undone. Fact #%d is as it was: “%s”."
	wordsUndoneForgotten = "Undone. I remember again (#%d): “%s”."
	wordsUndoneMore      = "… and %d more."

	wordsNoTag = "%q is not a tag: use letters, digits, - and _, without spaces, such as #important"

	wordsMassGone    = "%d of %d facts are gone from the file"
	wordsMassCut     = ", and its last line has no end, as if it had been cut"
	wordsMassChanged = "%d of %d facts say something else in the file"
	wordsMassAway    = "the facts file is gone and its folder is empty, as if its disk were away; once it is back all " +
		"goes on, and it is not written anew until then"
	wordsMassMeant = "; if that is meant, say so with /facts file accept or bot facts file accept"

	wordsForChannel = "(for everybody in this channel)"
	wordsForServer  = "(for everybody in this server)"
)
