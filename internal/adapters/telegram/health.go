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
