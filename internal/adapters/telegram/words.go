package telegram

import "parley/internal/text"

// Sentences of Health, for the operator.
var (
	errToken      = text.Tell("telegram rejected the bot token: get a valid one from @BotFather, set telegram.token and restart")
	errConnecting = text.Tell("connecting to telegram")
	errSilent     = text.Tell("nothing received from telegram")
	errNoAnswer   = text.Tell("no answer, or too much waits to be answered here")
	errConflict   = text.Tell("another program is receiving with the same telegram token: stop it, or use a token of its own")
	errWebhookSet = text.Tell(
		"a webhook is set for this telegram token, so polling gets nothing: call deleteWebhook, or set telegram.mode: webhook")
	errNoUpdates = text.Tell("telegram answers polls with something that is no list of updates")
	errNotStored = text.Tell("telegram messages cannot be stored")
)

// degradedPages is what Health says while a method, %s, is answered with pages.
const degradedPages = "telegram answers %s with pages that are not its own: it is asked again more and more slowly; " +
	"look at the network, a proxy or telegram.api_url"

// English only, because models read them: texts for things that have none of their own. The %s and %v are filled with
// what the person shared.
const (
	wordLocation = "(shared a location: %v, %v)"
	wordVenue    = "(shared a place: %s, %s)"
	wordContact  = "(shared a contact: %s %s)"
	wordPoll     = "(shared a poll: %s)"
	wordDice     = "(rolled %s: %d)"
)

// English only: why an update was kept and not handled.
const (
	skipKind    = "an update of a kind that is not used"
	skipService = "a service message"
	skipBot     = "written by another bot"
	skipNobody  = "no chat or no sender"
	skipInline  = "a button on a message that is not ours"
)

// English only: why an update was put aside.
const (
	deadPanic  = "the update made the program fail while it was read"
	deadNumber = "the update has no number of its own"
	deadWhole  = "not a Telegram update"
	deadParts  = "too little of the update could be read to make a message"
)

// Who they are that write under an id of many.
const (
	wordsAnonymous    = "every anonymous group administrator"
	wordsEveryChannel = "every channel that posts into its group"
	wordsAsChannel    = "everybody who writes as a channel"
)
