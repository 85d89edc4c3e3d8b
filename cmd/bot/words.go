package main

import "parley/internal/text"

// many is a number of things, as people say it.
func many(n int, thing string) string { return text.Many(n, thing) }

// What cmd/bot says to people in a chat.
const (
	wordsHello         = "Hello, I am %s. Write to me as you would to a person: I answer, remember what you ask me to, and keep lists and reminders for you."
	wordsNothingRuns   = "Nothing is running here that I could stop."
	wordsNoSession     = "There is no conversation going on here."
	wordsNoSessions    = "There are no conversations yet."
	wordsNothingSaid   = "There is nothing to sum up yet."
	wordsFarewell      = "Goodbye! I have ended this conversation and will remember what mattered."
	wordsFresh         = "We start afresh. I keep what I know about you."
	wordsInit          = "Up to four questions; Ctrl-C ends this and writes nothing. Keys and tokens are\nnot shown as you type.\n"
	wordsPastLimit     = "Today's allowance is used up, so I can't ask my language model before midnight UTC."
	wordsNoModel       = "There is no model named %q at this endpoint. /model show lists what there is."
	wordsModelSet      = "From now on %s answers. It goes on with %s."
	wordsPromptRead    = "I have read the persona file again."
	wordsPromptBad     = "The persona file can't be used, so the last good one stays in force: %v"
	wordsNoAnswer      = "I have not answered anything here yet."
	wordsModelNone     = "No language model is connected, only my built-in responder, so there is nothing to choose from. OPENAI_BASE_URL and OPENAI_MODEL connect one at the next start."
	wordsNoTrace       = "I know no answer with that id. /trace last is about the newest here."
	wordsDebugOn       = "Answers here will show calls and timings to you."
	wordsDebugOff      = "Answers here no longer show calls and timings."
	wordsNoPlaybook    = "There is no playbook: set playbook.dir to a folder of YAML files."
	wordsNoRule        = "There is no guideline %q. /guideline list shows them."
	wordsRuleOn        = "The guideline %s is on."
	wordsRuleOff       = "The guideline %s is off."
	wordsNoJourney     = "No journey is under way here. /journey list shows which there are."
	wordsJourneyOn     = "A journey is already under way here. /journey status shows where it stands, /journey stop leaves it."
	wordsStanding      = "**%s** is %s, at “%s”.\nThe way here: %s"
	wordsNoSuchJourney = "There is no such journey. /journey list shows them."
	wordsNoPage        = "There is no control page: set http.listen, for example to 127.0.0.1:9090, and start me again."
	wordsPage          = "%s\n\nOpen this on the machine I run on; it works once, for ten minutes. From elsewhere, first forward the port: `ssh -L %s:127.0.0.1:%[2]s that-machine`."
	wordsToolOff       = "I will not use %s any more."
	wordsToolOn        = "I may use %s again."
	wordsNoTool        = "There is nothing named %q that I could use. /tools list shows what there is."
	wordsServers       = "Tool servers:"
	wordsNoServers     = "No tool servers are set up: mcp.servers lists them."
	wordsServerUp      = "up, %s in use"
	wordsServerStarts  = "starting"
	wordsServerDown    = "down, I keep trying to restart it: %s"
	wordsServerPending = "; %d new or changed, and off until you look: /tools approve %s"
	wordsNoToolServer  = "There is no tool server named %q. /tools list shows them."
	wordsServerNotUp   = "The tool server %s is not running, so there is nothing to look at now."
	wordsNonePending   = "Everything the tool server %s has is approved."
	wordsApprove       = "The tool server %s has something new. These are its own words, and they may try to talk you, or me, into something:"
	wordsToolNew       = "new"
	wordsToolChanged   = "changed (before: %s)"
	wordsToolMoved     = "%s has changed again since I showed it to you, so I left it off. /tools approve %s shows what it is now."
	wordsApproved      = "Approved: %s of %s."
	wordsNotOwner      = "Only my owner can do that."

	wordsToolsAll   = "I may use all my tools here."
	wordsToolsNone  = "I use no tools here."
	wordsToolsOnly  = "The only tools I use here are %s."
	wordsTuned      = "Set with /config set: `%s` is %s; without that it would be %s."
	wordsSet        = "`%s` is %s from now on; it was %s."
	wordsNotTuned   = "I changed nothing: %v."
	wordsNotTunable = "I can't change %q from here. What I can change: %s. Everything else is in the settings file."

	wordsNoFacts           = "I remember nothing about you here."
	wordsFactsHere         = "(This is what I use here; in a direct chat I show the rest.)"
	wordsBack              = "« Back"
	wordsMore              = "More »"
	wordsNoShare           = "Only an admin of this place can make me remember, or forget, something for everybody here."
	wordsNoServer          = "There is no server around this place."
	wordsFactAdded         = "Remembered (#%d): %s"
	wordsFactKnown         = "I remembered that already (#%d): %s"
	wordsFactCorrected     = "Corrected (#%d). Before: “%s”. Now: “%s”."
	wordsFactImportant     = "I will never overlook this (#%d): %s"
	wordsFactPlain         = "No longer important (#%d): %s"
	wordsForgetFact        = "Shall I forget this for good: “%s”?"
	wordsFactForgotten     = "Forgotten: “%s”."
	wordsFactsExported     = "What I remember about you here, as a file (facts: %d)."
	wordsFactsFileFine     = "The facts file is obeyed; nothing of it was refused."
	wordsFactsFileRefused  = "I do not obey the facts file: %s\nIf it was cut or swapped by accident, put the whole file back and all goes on. /facts file undo takes back what an earlier state of it did."
	wordsFactsFileAccepted = "The facts file is obeyed as it stands, with the next look in a few seconds (facts gone: %d, changed: %d). /facts file undo takes that back."
	wordsFactsFileAnew     = "The facts file is written anew with the next look in a few seconds."
	wordsFactsFileUndone   = "Undone what the facts file did on %s. Facts restored: %d, with their earlier words: %d, taken out: %d. The file follows in a few seconds."
	wordsClearFacts        = "Shall I forget everything I remember about you here? Conversations stay; /forget-me deletes them too."
	wordsFactsCleared      = "Forgotten. Facts deleted: %d."
	wordsExportDirect      = "The export holds everything you told me, also elsewhere. Ask me in a direct chat."
	wordsExported          = "This is everything stored about you (facts: %d, tasks: %d, reminders: %d, journal lines: %d, messages and answers: %d). What I know of your access (that you may talk to me) is an id only."
	wordsForgetMe          = "Shall I delete everything about you, in all our conversations: what you said and what I answered, facts, tasks, reminders, journal? This cannot be undone."
	wordsForgotMe          = "Done: I have deleted everything about you, and the file is rewritten so that no trace of it is left in it. What remains: that you may talk to me (your id), what other people said about you, the messages that the platform itself still shows, and backups that my owner made earlier."
	wordsForgotTyped       = "On this machine also the lines you typed (the file history in my data folder) and the files you exported (exports)."
	wordsTaskAdded         = "Task #%d added: %s"
	wordsTaskDone          = "Done: #%d %s"
	wordsTaskChanged       = "Changed: #%d %s"
	wordsTaskDeleted       = "Deleted: #%d %s"
	wordsDeleteTask        = "Shall I delete task #%d: “%s”?"
	wordsNoFact            = "There is no such fact. /facts list shows yours."
	wordsNoTask            = "There is no such task. /tasks list shows yours."
	wordsNoReminder        = "There is no such reminder. /remind list shows yours."
	wordsNoTasks           = "You have no tasks here. /tasks add TEXT makes one."

	wordsReminder     = "⏰ %s"
	wordsReminderFor  = "⏰ %s: %s"
	wordsReminderLate = "(I am %s late: I was not running.)"
	wordsSnooze10     = "In 10 min"
	wordsSnooze60     = "In 1 h"
	wordsReminderDone = "Done"
	wordsReminderGone = "Cancelled: #%d %s"
	wordsReminderOver = "Well done: #%d %s"
	wordsNoReminders  = "You have no reminders waiting here. Try /remind in 10 minutes to stretch."
	wordsRemindHow    = "I can't find a time in that. Try /remind in 10 minutes to stretch, or /remind water the plants every Monday at 9."
	wordsRemindWhat   = "What shall I remind you of? Say it with the time: /remind %s to stretch."
	wordsSnoozeHow    = "I don't understand that time. Try 10m, 1h or “tomorrow at 9”."
	wordsSnoozed      = "I will say it again in %[2]s: %[1]s"
	wordsZoneSet      = "Your time zone is %s now."
	wordsNoZone       = "I don't know the time zone %q"
	wordsNoSchedule   = "I can't read the schedule “%s”: it needs five fields, such as 0 9 * * 1 for Mondays at 9"
	wordsNeverDue     = "The schedule “%s” never comes up"
	wordsTooOften     = "That is too often: at least %d minutes have to lie between two reminders"
	wordsLogged       = "Logged (#%s): %s"
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
	wordsNoNote     = "There is no such note. /notes search finds one by its words, /notes shows the latest."
	wordsLinked     = " (%d of them because they are hard links; vault.hard_links says what to do with those)"
	wordsNoTidying  = "The librarian needs a language model, and none is connected. /notes works without one."
	wordsNoVault    = "There are no notes: set vault.dir to a folder of Markdown notes, and start me again."
	wordsNoNotes    = "Nothing was found in the notes."
	wordsPlan       = "Make a plan for this job, and change nothing yet: %s"
	wordsNobodyElse = "Here are only you and me: say it in the channel where everybody should have it, or leave the scope out."
	wordsPlanGone   = "That plan is no longer there. Ask for a new one."
	wordsPlanAsk    = "Shall the librarian do this?"
	wordsDo         = "The job: %s\n\nThe plan, which the person has agreed to. Carry it out:\n%s"
	wordsTidyAll    = "Tidy the notes in your folder: names, places, an index."
	wordsNoSource   = "That answer has no such source."

	wordsDeadLetters = "%s could not be understood or stored, and nobody was answered: bot deadletters list"
	wordsNoSpace     = "%s: messages cannot be stored without room, make some or move data_dir"
	wordsLost        = "%s of answers, one after the other, were refused or never confirmed, and none has arrived for %s"
	wordsUndelivered = "%s got no answers through for %s: %s"
)
