package main

// What cmd/bot says to people in a chat.
const (
	wordsHello       = "Hello, I am %s. Write to me as you would to a person: I answer, remember what you ask me to, and keep lists and reminders for you."
	wordsNothingRuns = "Nothing is running here that I could stop."
	wordsNoSession   = "There is no conversation going on here."
	wordsNoSessions  = "There are no conversations yet."
	wordsNothingSaid = "There is nothing to sum up yet."
	wordsFarewell    = "Goodbye! I have ended this conversation and will remember what mattered."
	wordsFresh       = "We start afresh. I keep what I know about you."
	wordsInit        = "Up to four questions; Ctrl-C ends this and writes nothing. Keys and tokens are not shown as you type.\n"
	wordsPastLimit   = "Today's allowance is used up, so I can't ask my language model before midnight UTC."
	wordsNoModel     = "There is no model named %q at this endpoint. /model show lists what there is."
	wordsModelSet    = "From now on %s answers. %d conversations go on with it."
	wordsPromptRead  = "I have read the persona file again."
	wordsPromptBad   = "The persona file can't be used, so the last good one stays in force: %v"
	wordsNoAnswer    = "I have not answered anything here yet."
	wordsNoTrace     = "I know no answer with that id."
	wordsDebugOn     = "Answers here will show calls and timings to you."
	wordsDebugOff    = "Answers here no longer show calls and timings."
	wordsNoPlaybook  = "There is no playbook: set playbook.dir to a folder of YAML files."
	wordsNoRule      = "There is no guideline with that id. /guideline list shows them."
	wordsRuleOn      = "The guideline %s is on."
	wordsRuleOff     = "The guideline %s is off."
	wordsNoJourney   = "No journey is under way here."
	wordsToolOff     = "I will not use %s any more."
	wordsToolOn      = "I may use %s again."
	wordsNoTool      = "There is nothing named %q that I could use. /tools list shows what there is."
)

// What init asks.
const (
	wordsInitModel         = "1. Model: an OpenAI key, or the address of an OpenAI-compatible server (with a key and a model's name after it, if it needs them), or Enter for the built-in responder:"
	wordsInitModelOllama   = "1. Model: Enter for Ollama, which runs here, or an OpenAI key, or the address of an OpenAI-compatible server (with a key and a model's name after it, if it needs them), or builtin:"
	wordsInitPlatform      = "2. Where shall people find it: telegram, discord, or Enter for this terminal only:"
	wordsInitTelegram      = "3. Its token, from @BotFather (/newbot):"
	wordsInitDiscord       = "3. Its token, from discord.com/developers/applications (your application, Bot, Reset Token):"
	wordsInitOwnerTelegram = "4. Your numeric Telegram id (@userinfobot tells you), or Enter to claim the bot with a code later:"
	wordsInitOwnerDiscord  = "4. Your numeric Discord id (Developer Mode on, right-click your name, Copy User ID), or Enter to claim the bot with a code later:"
)
