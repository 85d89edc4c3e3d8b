package app

// Texts that the process itself sends to people in a chat.
const (
	wordsAskHelper = "Give the helper %s this job?"
	wordsPastLimit = "Today's allowance is used up, so I can't ask my language model before midnight UTC."

	wordsAgentPlaces   = "answers in %s"
	wordsAgentPersona  = "persona: %s"
	wordsAgentPlaybook = "playbook: %s"
	wordsAgentSources  = "draws on %s"
	wordsAgentTools    = "tools: %s"
	wordsAgentModel    = "model: %s"
	wordsAgentShares   = "what it knows about a person, the others that share know too"

	wordsOthersQuestion = "Another assistant asked that, and it no longer answers here: I changed nothing. Ask again if you still want it."
	wordsNotTuned       = "I changed nothing: %v."

	wordsReminder     = "⏰ %s"
	wordsReminderFor  = "⏰ %s: %s"
	wordsReminderLate = "(I am %s late: I was not running.)"
	wordsReminderBack = "(I am %s late: I could not write here.)"
	wordsSnooze10     = "In 10 min"
	wordsSnooze60     = "In 1 h"
	wordsReminderDone = "Done"

	wordsRemindersLost = "I can no longer write to you in %s. These reminders wait until I can, and are said late then; " +
		"“/remind cancel” and the number ends one:"

	wordsNotWriter  = "Only people whom my owner allows to write notes can do that."
	wordsNotesOwner = "The notes are not for everybody: only my owner may have them tidied."
	wordsLinked     = " (%d of them because they are hard links; vault.hard_links says what to do with those)"
	wordsRefused    = " (%s found by words alone: the embedding model refuses them)"
	wordsUnread     = ", %s still to be looked at"
	wordsAway       = "the folder %s is away: %s"
	wordsLooked     = " (%d of %d files looked at)"
	wordsSkipped    = ", skipped: %s"
	wordsPlanGone   = "That plan is no longer there. Ask for a new one."
	wordsPlanAsk    = "Shall the librarian do this?"
)

// English only: what the librarian is told.
const (
	wordsPlan = "Make a plan for this job, and change nothing yet: %s"
	wordsDo   = "The job: %s\n\nThe plan, which the person has agreed to. Carry it out:\n%s"
)

// The parts of the bot, and how they are. The names are those of findings.
const (
	wordsLastGood    = "the last good one is in force: %s"
	wordsNotes       = "notes"
	wordsDatabase    = "database"
	wordsClock       = "clock"
	wordsDeadLetters = "dead letters"
	wordsDisk        = "disk"
	wordsFactsFile   = "facts file"
	wordsPersona     = "persona"
	wordsTools       = "tools"
	wordsPlaybook    = "playbook"
	wordsNow         = "now"
	wordsUp          = "up"
	wordsReceiving   = "receiving"
	wordsOK          = "ok"
	wordsDegraded    = "degraded"
	wordsUnavailable = "unavailable"
	wordsBuiltIn     = "built in"
	wordsDown        = "down"
	wordsBeingAsked  = "being asked"
	wordsAnswersIn   = "ok, %d ms"
	wordsAtWork      = "%s at work, %s waiting"
	wordsIndexNone   = "none"
	wordsIndexing    = "building"
	wordsLoading     = "loading"
	wordsReady       = "ready"
	wordsIndexBroken = "broken"
)
