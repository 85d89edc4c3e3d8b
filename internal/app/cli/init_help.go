package cli

import "parley/internal/text/catalog"

// What "help" says at the questions of init.
var (
	wordsHelpProvider  = catalog.Words("  The number or the name of a line, such as 1 or ollama. A key is recognized by its form\n  and goes to its provider only. Your own server: its address, such as\n  http://192.168.0.5:1234/v1. Not sure? Enter; you can change it later with bot init.")
	wordsHelpKey       = catalog.Words("  The provider's page shows it under API keys, once. It is kept in the settings file,\n  which only you can read. A server of your own often needs none: Enter.")
	wordsHelpModel     = catalog.Words("  The larger ones understand more and take longer. Each is tried at once, so a wrong\n  choice costs nothing; /model changes it later.")
	wordsHelpPlatforms = catalog.Words("  Telegram needs a minute on your phone and nothing else; Discord needs a server on which\n  you may add bots. The terminal needs nothing. bot init adds one later.")
	wordsHelpToken     = catalog.Words("  The token is the bot's password on that platform. It goes there and into the settings\n  file, nowhere else. skip leaves the platform out.")
	wordsHelpOwner     = catalog.Words("  The owner decides who may use the bot. Just press Enter: the start then shows a code,\n  and who sends it is the owner.")
)
