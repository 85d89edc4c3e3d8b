package gate

// What people read. Every %s that a stranger can fill is escaped first.
const (
	wordStranger        = "This is a private assistant, and I only talk with people its owner has let in."
	wordNobodys         = "Hello! Nobody owns me yet. If I am yours: my start has shown a code; send it here as `/claim CODE`."
	wordStrangerChannel = "I only talk with people my owner has let in. Write to me directly to ask for that."
	wordPair            = "Hello! This is a private assistant. To be let in, give its owner this code: **%s**\nThe owner " +
		"approves it with `/pair approve %s`. It works once, for one hour."
	wordPairWaiting = "You already have a code. I will answer as soon as the owner has approved it."
	wordPairOften   = "You have asked a few times today. Please try again tomorrow."

	wordClaimHelp   = "Become the owner, with the code shown at startup"
	wordClaimCode   = "the code shown when the bot started"
	wordClaimDirect = "Please send me that in a direct chat."
	wordClaimWrong  = "That code does not work: it may be mistyped, used or too old. Restarting me shows a new one."
	wordClaimed     = "You own this bot now. Try /help to see what you can do."
	wordLockedOut   = "Too many wrong codes. Please try again in an hour."
	wordOwned       = "This bot already has an owner."
	wordYours       = "You own this bot already."

	wordPairHelp        = "Let people in"
	wordPairListHelp    = "Who is waiting and who was let in"
	wordPairApproveHelp = "Let in the person with a code"
	wordPairRevokeHelp  = "Take back what was granted"
	wordPairDropHelp    = "Reject somebody who is waiting"
	wordDropped         = "Done, the request of %s is gone."
	wordNotWaiting      = "%s is not waiting. Try /pair list."
	wordPairCode        = "the code that the person gave you"
	wordPairWrong       = "No one is waiting with that code: it may be mistyped, used or older than an hour."
	wordPairApproved    = "%s (%s) may talk with me now. If you did not expect that person: `/pair revoke %s`."
	wordPairLine        = "%s (%s) is waiting"
	wordPairLetHelp     = "Let in somebody who is waiting, without a code"
	wordLetIn           = "Let in %s"
	wordDoor            = "Open our direct chat"
	wordGrantLine       = "%s: %s"
	wordPairNone        = "Nobody is waiting and nobody was let in by hand."
	wordNotYourself     = "You cannot take that back from yourself."
	wordNoGrant         = "Nothing was granted to %s. Try /pair list."
	wordRevoked         = "Done, %s has nothing granted by hand any more."

	wordConfigHelp        = "Settings, and who may talk where"
	wordConfigChannelHelp = "What I answer in this channel"
	wordConfigWhoHelp     = "Whom I answer in this channel"
	wordConfigWho         = "everybody: who was let in; admins: of this channel; owner: nobody else"
	helpConfigListen      = "mention: when addressed; all: everything; off: nothing"
	wordConfigAllowHelp   = "Let in a person or a place"
	wordConfigDenyHelp    = "Keep out a person or a place"
	wordID                = "for example telegram:42"
	wordIDHere            = "for example telegram:42, discord:guild:99, or here"
	wordBadID             = "I need a numeric id with its platform, not %s: telegram:42, discord:1234, " +
		"telegram:chat:-1001, discord:guild:99, or here in a channel. Names prove nothing."
	wordIsOwner       = "That is an owner, and owners stay in."
	wordAllowed       = "%s may talk with me now."
	wordDeniedID      = "%s is kept out from now on."
	wordChannelDirect = "This is a direct chat; I answer everything here."

	wordHelpHelp    = "What you can do here"
	wordHelpOption  = "a command to tell more about"
	wordHelpFirst   = "Just write to me: ask something, or say what I should remember. These help most:"
	wordHelpMore    = "`/help all` lists everything you can do here, `/help remind` tells more about one command."
	wordMore        = "All commands"
	wordHelpHead    = "Just write to me. These commands work too:"
	wordUnknown     = "I do not know the command /%s. Try /help."
	wordUnknownVerb = "/%s does not know %s; it knows %s."
	wordDidYouMean  = "Did you mean `%s`?"
	wordDenied      = "/%s is for %s. Try /help to see what you can do."
	wordUsage       = "%s Usage: `%s`"
	wordMissing     = "I need the %s."
	wordTooMany     = "I do not know what to do with %s."
	wordChoice      = "For %s I know %s."
	wordNumber      = "For %s I need a whole number."
	wordSwitch      = "For %s I need on or off."
	wordFailed      = "Sorry, /%s did not work. Please try again in a moment; if it keeps failing, tell the owner this number: %s"
	wordPage        = "Page %d of %d"
	wordPageBack    = "‹ Back"
	wordPageNext    = "Next ›"

	wordAsk      = "Please answer yes or no."
	wordAskHere  = "Others write here, too: press a button, reply to this message, or mention me."
	wordAskAside = "Shall I really do that (%s)?"
	wordYes      = "Yes"
	wordNo       = "No"
	wordAll      = "All"
	wordNone     = "None"
	wordOnly     = "Only %d"
	wordAlways   = "Always allow here"
	wordSeveral  = "I need your yes for these:"
	wordKept     = "All right, nothing was changed."
	wordRestored = "This question is from before my data were restored from a backup, so I do nothing because of it. It " +
		"may have been answered, and done, since that backup was made: look, and ask again if it was not."
	wordExpired  = "That question has expired, so nothing was changed. Please ask again."
	wordNotYours = "That button is not yours."
	wordForOther = "That button is not yours: I asked %s."

	wordAskSeveral  = "Answer yes for all of them, no for none, or with the numbers you agree to."
	wordStill       = "_I am still waiting for your yes or no:_"
	wordAskedAnew   = "I asked this again, further down."
	wordBeingDone   = "%s has answered that already, and I am on it."
	wordWasAnswered = "%s has answered that already."
	wordWasSettled  = "%s has answered that already: %s"
	wordOwnersOnly  = "Only my owner can allow that for good."
	wordInterrupted = "I was interrupted while doing this and can't tell whether it was done; please check before asking again."
	wordToastYes    = "On it."
	wordToastNo     = "All right, I won't do it."
	wordShownForm   = "✅ %s has answered."
	wordShownNone   = "❌ %s gave no answer."
	wordShownUnsaid = "⌛ Nobody answered in time, and the tool server was told so."
	wordStillForm   = "_I am still waiting for your answer:_"
	wordSkip        = "Skip"
	wordNoAnswer    = "No answer"
	wordOpenPage    = "Open %s"
	wordShownYes    = "✅ %s said yes."
	wordShownNo     = "❌ %s said no, so nothing was changed."
	wordShownSome   = "✅ %s said yes to %s, and no to the rest."
	wordShownLate   = "⌛ Nobody answered in time, so nothing was changed."

	wordTooFast = "That was a lot of messages at once. Please give me a minute."
	wordUsedUp  = "Today's allowance is used up. It renews at midnight UTC, in %s; please come back then."
)

// listenWords and whoWords explain a channel's policy.
var (
	listenWords = map[string]string{
		"all":     "I answer everything in this channel.",
		"off":     "I am silent in this channel. `/config channel mention` brings me back.",
		"mention": "In this channel I answer when I am addressed.",
	}
	whoWords = map[string]string{
		"admins": "In this channel I only answer its administrators.",
		"owner":  "In this channel I only answer my owner.",
	}
)

// circles say whom a command is for.
var circles = map[Role]string{Member: "people my owner has let in", Admin: "the administrators of this place", Owner: "my owner"}
