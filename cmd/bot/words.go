package main

import "parley/internal/text"

// many is a number of things, as people say it.
func many(n int, thing string) string { return text.Many(n, thing) }

// clip cuts a text to n runes, and shows that it did.
func clip(s string, n int) string { return text.Shorten(s, n) }

// What cmd/bot says to people in a chat.
const (
	wordsInit      = "Up to four questions; Ctrl-C ends this and writes nothing. Keys and tokens are\nnot shown as you type.\n"
	wordsPastLimit = "Today's allowance is used up, so I can't ask my language model before midnight UTC."

	wordsNotTuned = "I changed nothing: %v."

	wordsFactsFileFine     = "The facts file is obeyed; nothing of it was refused."
	wordsFactsFileRefused  = "I do not obey the facts file: %s\nIf it was cut or swapped by accident, put the whole file back and all goes on. /facts file undo takes back what an earlier state of it did."
	wordsFactsFileAccepted = "The facts file is obeyed as it stands, with the next look in a few seconds (facts gone: %d, changed: %d). /facts file undo takes that back."
	wordsFactsFileAnew     = "The facts file is written anew with the next look in a few seconds."
	wordsFactsFileUndone   = "Undone what the facts file did on %s. Facts restored: %d, with their earlier words: %d, taken out: %d. The file follows in a few seconds."

	wordsReminder     = "⏰ %s"
	wordsReminderFor  = "⏰ %s: %s"
	wordsReminderLate = "(I am %s late: I was not running.)"
	wordsSnooze10     = "In 10 min"
	wordsSnooze60     = "In 1 h"
	wordsReminderDone = "Done"
	wordsNoZone       = "I don't know the time zone %q"
	wordsNoSchedule   = "I can't read the schedule “%s”: it needs five fields, such as 0 9 * * 1 for Mondays at 9"
	wordsNeverDue     = "The schedule “%s” never comes up"
	wordsTooOften     = "That is too often: at least %d minutes have to lie between two reminders"
)

// What init asks.
const (
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

	wordsNotWriter  = "Only those whom my owner has let write notes may do that."
	wordsNotesOwner = "The notes are not for everybody: only my owner may have them tidied."
	wordsLinked     = " (%d of them because they are hard links; vault.hard_links says what to do with those)"
	wordsPlan       = "Make a plan for this job, and change nothing yet: %s"
	wordsPlanGone   = "That plan is no longer there. Ask for a new one."
	wordsPlanAsk    = "Shall the librarian do this?"
	wordsDo         = "The job: %s\n\nThe plan, which the person has agreed to. Carry it out:\n%s"

	wordsDeadLetters = "%s could not be understood or stored, and nobody was answered: bot deadletters list"
	wordsNoSpace     = "%s: messages cannot be stored without room, make some or move data_dir"
	wordsLost        = "%s of answers, one after the other, were refused or never confirmed, and none has arrived for %s"
	wordsUndelivered = "%s got no answers through for %s: %s"
)
