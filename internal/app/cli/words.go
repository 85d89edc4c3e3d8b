package cli

// The questions of init, and what it says in between.
const (
	wordsBack = "back"
	wordsSkip = "skip"
	wordsInit = `A few questions, and Parley is ready. Enter takes what stands in [brackets],
back returns to the question before, skip leaves one out, and Ctrl-C ends this and
writes nothing. Keys and tokens are not shown as you type.
`
	wordsInitProvider = "1. Who answers? A number, a key of theirs, or the address of your own server\n   (LM Studio, " +
		"llama.cpp, vLLM, a gateway):"
	wordsInitProviderAsk = "   [%s]:"
	wordsInitOllama      = "Ollama, which runs on this machine (%s)"
	wordsInitNoOllama    = "Ollama, which does not answer at %s"
	wordsInitStartOllama = "Ollama does not answer at %s, or has no model: start it with ollama serve, and get a model with ollama pull qwen3"
	wordsInitBuiltin     = "nobody yet: the built-in responder, which knows no language model"
	wordsInitTooMuch     = "that is more than an address, a key and a model's name"
	wordsInitOrder       = "a key stands where the model's name belongs, so I have sent it nowhere: the order is address, key, name"
	wordsInitRecognized  = "  That is a key of %s; it goes to %s and nowhere else."
	wordsInitForeign     = "that is a secret of %s, which serves no models, so I have sent it nowhere"
	wordsInitUnknown     = "I can't tell whose key that is, so I have sent it nowhere: choose the provider by its " +
		"number, and I ask for the key next; or give the address of your own server"
	wordsInitUnusable = "that model cannot be used: %w"
	wordsInitMended   = "  %s was missing, I added it: %s"

	wordsInitKey   = "   Its key, or Enter if it needs none:"
	wordsInitKeyOf = "   Your key of %s, from %s (or skip):"
	wordsInitNoKey = "  Without a key nobody answers there."

	wordsInitModelAsk  = "   Which model? A number, a name, or part of one to see fewer [%s]:"
	wordsInitModelFree = "   It lists no models. The name of the one you want:"
	wordsInitMore      = "      and %d more: type part of a name"
	wordsInitNoName    = "I need a name"
	wordsInitNoModel   = "%q is not at this endpoint; it has %s"
	wordsInitTrying    = "  Trying %s …"
	wordsInitAnswers   = "  %s answers (%s)."
	wordsInitNoSense   = "  But not sensibly: asked for the capital of France in one word, it said %q.\n  Check the " +
		"chat template that the server uses and how far the model is quantised;\n  type back to choose another."
	wordsInitNoCalls = "  But it called no tool when it was told to: it will talk, and not remind, note or\n  look " +
		"things up reliably. Another model may; type back to choose."
	wordsInitBuiltinTaken = "  The built-in responder answers until you set a model."

	wordsInitPlatforms    = "2. Where shall people find it?\n   1  Telegram\n   2  Discord\n   3  in this terminal only"
	wordsInitPlatformsAsk = "   One or several, as in: 1 2 [terminal]:"
	wordsInitNoPlatform   = "I know telegram, discord and terminal, not %q"
	wordsInitTelegram     = `3. Open https://t.me/BotFather in Telegram, send /newbot and choose a name; it
   answers with a token. The token (or skip):`
	wordsInitDiscord = `3. Open https://discord.com/developers/applications, press New Application, then
   Bot, Reset Token. While you are there, tick Message Content Intent and save.
   The token (or skip):`
	wordsInitWithout       = "  Without %s, then."
	wordsInitNoToken       = "that is not a token; copy it whole, it has no spaces"
	wordsInitNotItsToken   = "that is a secret of %s, not of %s, so I have sent it nowhere"
	wordsInitNoTelegram    = "that is not a token of Telegram, so I have sent it nowhere: @BotFather writes it as 123456:ABC-DEF"
	wordsInitToken         = "  That is the token of %s."
	wordsInitFirst         = "Before you start: "
	wordsInitMend          = "   Enter when that is done (or skip):"
	wordsInitOwnerTelegram = "4. Who owns it? Enter: you, with a link that the start shows; or your numeric\n   Telegram id [with the link]:"
	wordsInitOwnerDiscord  = `4. Who owns it? Enter: you, with a code that the start shows; or your numeric
   Discord id (Developer Mode on, right-click your name, Copy User ID) [with the
   code]:`

	wordsInitWritten = "\n%s is written; only you can read it."
	wordsInitInvite  = "Discord: invite it with this link; choose your server, press Continue, then Authorize:\n  " +
		"https://discord.com/oauth2/authorize?client_id=%s&scope=bot+applications.commands&permissions=%d"
	wordsInitGroups = "Telegram: to have %[1]s in a group, open the group, Add Members, %[1]s."
	wordsInitStart  = "Start it now, and wait for your first message? [yes]:"
	wordsInitWrite  = "\nWrite to %s on %s now; I wait for the first message."
	wordsInitMet    = "\nIt works: %s wrote on %s, and was answered after %s. Ctrl-C ends it; bot starts it again."

	wordsInitSomebody = "somebody"

	wordsInitDoctor   = "  bot doctor%s    looks whether everything is in place"
	wordsInitBot      = "  bot%s           starts it"
	wordsExists       = "%s exists already: move it away, name another with --config, or overwrite it with --force"
	wordsOverwrite    = "%s exists already. Overwrite it? [yes/no]"
	wordsAsItWas      = "%s is as it was"
	wordsNotTogether  = "these answers do not go together: %w"
	wordsCopyTelegram = "copy it again from @BotFather: /mybots, the bot, API Token"
	wordsCopyDiscord  = "copy it again from the developer portal: your application, Bot, Reset Token"
	wordsTypedYes     = "yes"

	wordsFirstQuestion  = "this is the first question"
	wordsNothingWritten = "nothing was written"
	wordsInputEnded     = "the input ended before the last question; nothing was written"
	wordsAnswersMixed   = "answers, line %d: either every line is NAME: ANSWER, or none is; the names are %s"
)

// What pair says.
const (
	wordsNobodyWaits = "nobody waits to be let in"
	wordsLetIn       = "%s (%s) may talk to the bot now"
	wordsTurnedDown  = "%s waits no more"
	wordsNoCode      = "there is no such code, or it was used or has expired; bot pair list shows who waits"
)

// Logging in to a tool server.
const (
	wordsNoServer  = "there is no tool server %q in mcp.servers"
	wordsNoNeed    = "the server does not ask for a login"
	wordsLoggedIn  = "logged in to %s"
	wordsLoggedOut = "logged out of %s"
	wordsLogin     = `Open this address in a browser and agree:

%s

If the browser then shows a page that does not load, copy the address of that
page, paste it here and press Enter:`
	wordsLoginAddress = "That is not the address; it begins with %s?"
	wordsLoginDone    = "You can close this page and go back to the terminal."
)

// What logs says.
const (
	wordsNoErrors = "Nothing has gone wrong."
	wordsNoError  = "no error %s is known here: it may be of another data folder (--data), older than the retention, or " +
		"forgotten with the person it happened to; bot logs lists the newest"
	wordsErrorGone = "(no longer known)"
	wordsAMessage  = "a message"
	wordsError     = "Error %s, %s: %s of %s in %s failed (%s) after %s.\n  What broke: %s\n  What to do: %s\n  More: /trace %s\n"

	wordsMendModel = "run bot doctor: it tries the model and says what stands in the way."
	wordsMendBusy  = "the model's provider turned the request away for now; a second model in models and routes would have answered."
	wordsMendQuota = "nothing is left of the account at the model's provider: add credit there, or route to another model."
	wordsMendSlow  = "the answer took longer than agent.turn_timeout or model.timeout; a local model may need more time, or a smaller one."
	wordsMendLong  = "the conversation is too long for the model: set model.context_size, or choose a model that takes more."
	wordsMendTool  = "a tool failed; bot doctor tries tool servers and services."
	wordsMendOther = "try it again; if it fails again, report what broke, it is a mistake in Parley."
)

// What those who wait for a long copy see.
const (
	wordsCopying  = "copying and comparing rows: %d of %d"
	wordsIndexing = "making the search: %d of %d rows"
)
