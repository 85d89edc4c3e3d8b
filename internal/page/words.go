package page

// What people read when something is refused.
const (
	wordsHost      = "This page answers only under the address it listens on."
	wordsForeign   = "This request came from another site, so it was refused. Nothing was changed."
	wordsOld       = "This button belongs to an older login or another page, so it was refused. Nothing was changed. Go back, reload and try again."
	wordsLogin     = "You are not logged in, or your login has ended. Nothing was changed."
	wordsCode      = "This link was used before, has expired, or never was one. Ask for a new one with “bot page”, or send /page to the bot."
	wordsLocked    = "Too many wrong links. Wait a quarter of an hour, then ask for a new one."
	wordsNoPage    = "There is no such page."
	wordsNoThing   = "This is not there, or not any more."
	wordsBroken    = "Something went wrong; the log has the details. "
	wordsTooMany   = "Too many of these pages are open. Close one."
	wordsDown      = "The bot takes no messages right now. Nothing was sent; try again in a moment."
	wordsGone      = "This choice is not open any more. Nothing was done."
	wordsCaptured  = "It fails until the playbook is right: bot rehearse "
	wordsChoose    = "Choose under “Try it”."
	wordsLater     = "That takes longer; the answer will be under “Try it”."
	wordsNoAnswers = "no answers yet"
	wordsSaved     = "Saved. It counts within seconds."
	wordsFine      = "All files make sense with this text."
	wordsDone      = "Done."
	wordsOdd       = "That is not one line of plain text; nothing was changed."
	wordsRead      = "It will be read again within seconds."
	wordsEmpty     = "There was nothing to send."
)
