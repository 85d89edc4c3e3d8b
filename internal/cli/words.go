package cli

import "parley/internal/tools/mcp"

// The questions of init.
const (
	wordsInit      = "Up to four questions; Ctrl-C ends this and writes nothing. Keys and tokens are\nnot shown as you type.\n"
	wordsInitModel = `1. Model: an OpenAI key, or the address of an OpenAI-compatible server (with a
   key and a model's name after it, if it needs them), or Enter for the
   built-in responder:`
	wordsInitModelOllama = `1. Model: Enter for Ollama, which runs here, or an OpenAI key, or the address of
   an OpenAI-compatible server (with a key and a model's name after it, if it
   needs them), or builtin:`
	wordsInitPlatform = `2. Where shall people find it: telegram, discord, or Enter for this terminal
   only:`
	wordsInitTelegram = "3. Its token, from @BotFather (/newbot):"
	wordsInitDiscord  = `3. Its token, from discord.com/developers/applications (your application, Bot,
   Reset Token):`
	wordsInitOwnerTelegram = `4. Your numeric Telegram id (@userinfobot tells you), or Enter to claim the bot
   with a code later:`
	wordsInitOwnerDiscord = `4. Your numeric Discord id (Developer Mode on, right-click your name, Copy User
   ID), or Enter to claim the bot with a code later:`
)

// The texts of logging in to a tool server.
const (
	wordsLogin = `Open this address in a browser and agree:

%s

If the browser then shows a page that does not load, copy the address of that
page, paste it here and press Enter:`
	wordsLoginAddress = "That is not the address; it begins with " + mcp.Redirect + "?"
	wordsLoginDone    = "You can close this page and go back to the terminal."
)

// What doctor says about the notes.
const (
	wordsNotesGone      = "%s is empty, but %s of it are known: is its disk mounted? What is known stays until there is a file again"
	wordsNotSearched    = "%s is not searched: it is %s"
	wordsPartlySearched = "%s is searched in part: without %s"
)
