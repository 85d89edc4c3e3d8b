package command

// What people read, a group of commands after the other. It is translated by its
// English words, in the catalogs of package tongue; all that a sentence holds
// besides words comes in through its verbs.

// /start, /ask, /stop and /page.
const (
	helpStart       = "Say hello"
	helpStartLink   = "what a link to this chat brought along"
	helpAsk         = "Ask once, without keeping the conversation"
	helpAskQuestion = "what you want to know"
	helpStop        = "Stop the current answer"
	helpPage        = "A one-time link to the control page"
	wordsHello      = "Hello, I am %s. Write to me as you would to a person: I answer, remember what you ask me to, and " +
		"keep lists and reminders for you.\n\n%s"
	wordsNothingRuns = "Nothing is running here that I could stop."
	wordsNoPage      = "There is no control page: set http.listen, for example to 127.0.0.1:9090, and start me again."
	wordsPage        = "%s\n\nOpen this on the machine I run on; it works once, for ten minutes. From elsewhere, first " +
		"forward the port: `ssh -L %s:127.0.0.1:%[2]s that-machine`."
)

// /status.
const (
	helpStatus          = "How I am doing"
	wordsStatusModel    = "model"
	wordsLeftForYou     = "left for you"
	wordsLeftYours      = "%s messages this minute, %s tokens today"
	wordsLeftToday      = "left today"
	wordsLeftAll        = "%s tokens for this channel, %s for everybody together"
	wordsStatusSessions = "sessions"
	wordsNone           = "none"
	wordsUnlimited      = "unlimited"
)

// /session and /summarize.
const (
	helpSession        = "This conversation"
	helpSessionInfo    = "How long it is and what it holds"
	helpSessionList    = "Your conversations, the latest first"
	helpSessionShow    = "What a conversation was about"
	helpSessionID      = "as /session list shows it"
	helpSessionResume  = "Continue an earlier conversation"
	helpSessionDelete  = "Delete a conversation and what it left"
	wordsNoSuchSession = "I know no such conversation of yours, or more than one begins like that. /session list shows them."
	wordsGoingOn       = "going on"
	wordsGoesOn        = "That is the conversation we are having."
	wordsElsewhere     = "That conversation belongs to %s. Please write it there."
	wordsResumed       = "We go on with: %s"
	wordsPastSession   = "**%s** `%s`\n- begun %s UTC, last message %s\n"
	wordsLastSaid      = "The last words:"
	wordsNotYours      = "Only the administrators of a group can delete its conversations, and only there."
	wordsAskRemove     = "Delete the conversation “%s” of %s, with all messages in it? Facts that I learned from it stay; /facts shows them."
	wordsRemoved       = "The conversation is deleted."
	helpPageNumber     = "page number"
	helpSessionEnd     = "End it and keep its summary"
	helpSessionMore    = "Go on with an answer that was cut short"
	wordsGoOn          = "Go on exactly where you stopped."
	helpSessionReset   = "Start afresh; facts stay"
	helpSummarize      = "Summarize this conversation"
	wordsNoSession     = "There is no conversation going on here."
	wordsSession       = "**This conversation** `%s` is %s.\n- begun %s, last message %s\n- tokens: %d of %d\n- shortened: %s\n"
	wordsDecided       = "decided"
	wordsFiles         = "files"
	wordsLinks         = "links"
	wordsNames         = "names"
	wordsPeople        = "people"
	wordsAbout         = "about"
	wordsNoSessions    = "There are no conversations yet."
	wordsNoTitle       = "(no title)"
	wordsFresh         = "We start afresh. I keep what I know about you."
	wordsFarewell      = "Goodbye! I have ended this conversation and will remember what mattered."
	wordsNothingSaid   = "There is nothing to summarize yet."
)

// /model and /prompt.
const (
	helpModelName    = "name of the model"
	helpModel        = "The language model"
	helpModelShow    = "Which model answers, and which there are"
	helpModelSet     = "Answer with another model"
	helpPrompt       = "The persona"
	helpPromptReload = "Read the persona file again"
	wordsModel       = "**Model:** %s"
	wordsModels      = "**There are:** %s"
	wordsRoutes      = "**Who does what:**"
	wordsRoute       = "- %s: %s"
	wordsResting     = "%s (rests until %s UTC: %s)"
	wordsModelNone   = "No language model is connected, only my built-in responder, so there is nothing to choose from. " +
		"OPENAI_BASE_URL and OPENAI_MODEL connect one at the next start."
	wordsNoModel    = "There is no model named %q at this endpoint. /model show lists what there is."
	wordsModelSet   = "From now on %s answers. It continues with %s."
	wordsPromptBad  = "The persona file can't be used, so the last good one stays in force: %v"
	wordsPromptRead = "I have read the persona file again."
)

// /tools.
const (
	helpToolName     = "name of the tool"
	helpTools        = "What I can do for you"
	helpToolsList    = "Every tool and whether it is on"
	helpToolsEnable  = "Let it be used again"
	helpToolsDisable = "Do not use it any more"
	helpToolsServers = "The state of each tool server"
	helpToolsApprove = "Use what a tool server has changed"
	helpToolsLogin   = "Log in to a tool server"
	helpToolsLogout  = "Forget the login to a tool server"
	helpServerName   = "name of the tool server"
	helpLoginAddress = "address the browser was sent to after you agreed"
	wordsOn          = "on"
	wordsOff         = "off"
	wordsToolOff     = "I will not use %s any more."
	wordsToolOn      = "I may use %s again."
	wordsNoTool      = "There is nothing named %q that I could use. /tools list shows what there is."
)

// /config.
const (
	helpConfigShow    = "What applies here, and the current settings"
	helpConfigSet     = "Change a setting permanently"
	helpSettingName   = "such as session.ttl"
	helpSettingValue  = "as in the settings file, or default to reset it"
	helpConfigTools   = "Which tools I use in this channel"
	helpHandoff       = "Have a person answer here instead of the assistant"
	helpHandoffReason = "what it is about"
	helpHandoffBack   = "Go back to the assistant; at the desk: give a conversation back"
	helpHandoffTake   = "At the desk: answer a conversation yourself"
	helpHandoffList   = "At the desk: the conversations that wait"
	helpHandoffNumber = "number of the conversation"
	helpToolNames     = "names with commas between, none, or default for all"
	wordsTuned        = "Set with /config set: `%s` is %s; without that it would be %s."
	wordsNotTunable   = "I can't change %q from here. What I can change: %s. Everything else is in the settings file."
	wordsSet          = "`%s` is %s from now on; it was %s."
	wordsToolsAll     = "I may use all my tools here."
	wordsToolsNone    = "I use no tools here."
	wordsToolsOnly    = "The only tools I use here are %s."
)

// /why, /stats and /debug.
const (
	helpWhy          = "Why the last answer looks as it does"
	helpWhySource    = "number of a source: what it says"
	helpAnswerID     = "the id of the answer; the last one if you leave it out"
	helpStats        = "Totals of messages, tokens and errors, and how many succeeded"
	helpStatsDays    = "how many days back, 7 if you leave it out"
	helpDebug        = "Show calls and timings under answers here"
	helpDebugState   = "on or off"
	wordsNoAnswer    = "I have not answered anything here yet."
	wordsAboutAnswer = "**About my last answer to you** (%s)"
	wordsRules       = "Rules and steps:"
	wordsRemembered  = "What I remembered:"
	wordsRestsOn     = "What it rests on:"
	wordsRead        = "What I read:"
	wordsDid         = "What I did:"
	wordsTalkAlone   = "It came from our conversation alone: no rule, no remembered fact, no note and no action shaped it."
	wordsWentWrong   = "Something went wrong then; my owner finds it as %s."
	wordsTook        = "It took %.1f s and %s."
	wordsTookModel   = "It took %.1f s and %s; %s answered."
	wordsNotesOwner  = "The notes are not for everybody: only my owner may have them tidied."
	wordsNoSource    = "That answer has no such source."
	wordsLastDays    = "**The last %s**"
	wordsTogether    = "Together: %s."
	wordsSuccess     = "Success: %s of %s that asked for something. Answered, asked, confirmed and declined count as " +
		"success, failed and shed do not; what was refused on purpose, stopped or only overheard is not counted."
	wordsNoSuccess   = "Success: nothing has asked for anything yet."
	wordsNotWorked   = "What did not work:"
	wordsEnded       = "How it ended: %s."
	wordsSpent       = "**What model calls took**, those for summaries, notes and vectors included (by days of UTC)"
	wordsSpentOn     = "- %s, %s: %s, %s sent (%d cached), %d answered%s"
	wordsSpentFailed = ", %d failed"
	wordsDebugOn     = "Answers here will show calls and timings to you."
	wordsDebugOff    = "Answers here no longer show calls and timings."
)

// /trace.
const (
	helpTrace          = "Everything about one answer"
	wordsNoTrace       = "I know no answer with that id. /trace last is about the newest here."
	wordsTraceHead     = "**%s** · %s · `%s`"
	wordsTraceWhose    = "%s in %s, %s"
	wordsTraceAsked    = "asked: %s"
	wordsTraceMeant    = "meant, as the %s saw it: %s"
	wordsTraceError    = "error %s: %s"
	wordsNotAsked      = "no model was asked"
	wordsTraceModel    = "model %s: %s, %s answered; %d prompt + %d completion = %d tokens (%d cached)"
	wordsTraceTook     = "took %d ms, session %s"
	wordsTraceLap      = "%s, %d ms after %d ms"
	wordsTraceTool     = "`%s` → %s, %d ms, retries: %d, call %s"
	wordsTraceWhy      = "  why: %s"
	wordsTraceSteps    = "**Steps**"
	wordsTraceKept     = "The exact requests and answers of %s are kept for the owner: %s (/page logs in)"
	wordsTraceKeptAway = "The exact requests and answers of %s are kept for the owner; `http.listen` opens the page that shows them."
	wordsTraceRules    = "**Rules**"
)

// Why a tool did not do what it was asked for, for people.
const (
	wordsToolFailed  = "it failed"
	wordsToolSlow    = "it took too long"
	wordsToolInvalid = "it was asked for something it cannot do"
	wordsToolGuarded = "a rule that code enforces stopped it"
	wordsToolBarred  = "it is not allowed here"
	wordsToolUnknown = "there is no such tool"
	wordsToolAsks    = "it needs a yes"
	wordsToolInput   = "its server asked something first"
	wordsToolStopped = "it was stopped"
)

// /facts.
const (
	helpFactsList         = "What I remember about you here"
	helpFactsAdd          = "Remember something"
	helpFactText          = "what to remember; #tags at its end become tags"
	helpFactScope         = "for whom: you (person), or everybody here (admins only)"
	helpFactsImportant    = "Never overlook it"
	helpFactNumber        = "number of the fact"
	helpFactState         = "off takes it back"
	helpFactsForget       = "Forget it; Undo brings it back for a day"
	helpFactNow           = "now erases it at once, without Undo"
	helpFactsHistory      = "Where it comes from and what it said before"
	helpFactsExport       = "As a Markdown file"
	helpFactsClear        = "Forget everything about you here"
	helpFactsFile         = "The facts file: accept it as it is, or undo what it did"
	helpFactsFileDo       = "empty shows its state"
	helpFacts             = "What I remember about you"
	helpFactsSearch       = "Find facts by words, tag and date"
	helpFactsWords        = "what to look for"
	helpFactsTag          = "only with this tag, such as work"
	helpFactsSince        = "only from this day on: a date such as 2026-05-31, a month such as 2026-05, today, yesterday"
	helpFactsBefore       = "only from before this day"
	helpFactsChange       = "Make it say something else"
	helpFactsKeep         = "Say that it is right"
	helpFactNot           = "number of the fact that is wrong, and is forgotten"
	helpFactsUndo         = "Take back what was done to a fact, for a day"
	helpFactChange        = "number of the change, as its button has it; the latest when left out"
	helpFactsLearned      = "What I learned without being asked, to keep, change or forget"
	helpFactsDigest       = "When I tell you what I learned"
	helpDigestWhen        = "never, each morning, or when a conversation ends"
	wordsLearned          = "Learned without being asked. Is it right?"
	wordsLearnedToday     = "Learned today. Is it right?"
	wordsLearnedYesterday = "Learned since yesterday. Is it right?"
	wordsLearnedSince     = "Learned since %s. Is it right?"
	wordsKeepIt           = "Keep #%d"
	wordsChangeIt         = "Change #%d"
	wordsForgetIt         = "Forget #%d"
	wordsHowToChange      = "Fact #%d says: “%s”. To change it, send /facts change %d and what is right."
	wordsNothingLearned   = "I learned nothing that you have not seen and kept."
	wordsDigestOff        = "I send you no digest. What I pick up is told below my answers."
	wordsDigestDaily      = "Each morning I tell you here what I learned the day before, if anything."
	wordsDigestSession    = "When a conversation ends I tell you what I learned in it, if anything."
	wordsNoneFound        = "I remember nothing here that fits."
	wordsNoDate           = "I can't read the date “%s”: write 2026-05-31, 2026-05, today or yesterday."
	wordsOnePage          = "There is only one page: /facts list shows it."
	wordsPages            = "There are only %d pages."
	wordsFactKept         = "I keep this (#%d): %s"
	wordsFactKeptNot      = wordsFactKept + "\nForgotten: “%s”."
	wordsClearFacts       = "Shall I forget everything I remember about you here? For a day you can take that back. " +
		"Conversations stay; /forget-me deletes them too."
	wordsNoFact        = "There is no such fact. /facts list shows yours."
	wordsNoFacts       = "I remember nothing about you here."
	wordsBack          = "« Back"
	wordsMore          = "More »"
	wordsFactsHere     = "(This is what I use here; in a direct chat I show the rest.)"
	wordsNobodyElse    = "Here are only you and me: say it in the channel where everybody should have it, or leave the scope out."
	wordsFactImportant = "I will never overlook this (#%d): %s"
	wordsFactPlain     = "No longer important (#%d): %s"
	wordsForgetFact    = "Forget this: \"%s\"?"
	wordsEraseFact     = "Erase this for good, without Undo: \"%s\"?"
	wordsFactErased    = "Erased: “%s”."
	wordsEraseFacts    = "Shall I erase everything I remember about you here, at once and without Undo? Conversations " +
		"stay; /forget-me deletes them too."
	wordsFactsErased   = "Erased. Facts deleted: %d."
	wordsFactSince     = "%s, by %s, since %s, %s"
	wordsFactSure      = ", %.0f %% sure"
	wordsFactFirst     = "first remembered %s, in %s, fetched for %s"
	wordsFactQuote     = "in your words: “%s”"
	wordsFactUntil     = "until %s: %s"
	wordsFactsExported = "What I remember about you here, as a file (facts: %d)."
	wordsFactsCleared  = "Forgotten. Facts deleted: %d. They are kept a day for Undo, then erased."
)

// /export and /forget-me.
const (
	helpExport        = "Everything I have stored about you, as files"
	helpForgetMe      = "Delete everything about you"
	wordsExportDirect = "The export holds everything you told me, also elsewhere. Ask me in a direct chat."
	wordsExported     = "This is everything stored about you (facts: %d, tasks: %d, reminders: %d, journal lines: %d, " +
		"messages and answers: %d). What I know of your access (that you may talk to me) is an id only."
	wordsForgetMe = "Shall I delete everything about you, in all our conversations: what you said and what I " +
		"answered, facts, tasks, reminders, journal? This cannot be undone."
	wordsForgotMe = "Done: I have deleted everything about you, and the file is rewritten so that no trace of it is " +
		"left in it. What remains: that you may talk to me (your id), what other people said about you, the messages that " +
		"the platform itself still shows, and backups that my owner made earlier."
	wordsForgotServed = "Done: I have deleted everything about you from the database. Its server may keep traces for a " +
		"while: in its log, and in pages that it has not used again. What remains: that you may talk to me (your id), what " +
		"other people said about you, the messages that the platform itself still shows, and backups that my owner made earlier."
	wordsForgotTraces = "Done: I have deleted everything about you. Another program is reading the log of my file, so " +
		"that log may keep traces until the program ends. What remains: that you may talk to me (your id), what other " +
		"people said about you, the messages that the platform itself still shows, and backups that my owner made earlier."
	wordsForgetTyped = "The lines you typed here and the files I saved in exports go too: copy first what you want to keep."
)

// /tasks.
const (
	helpTaskText     = "what is to be done"
	helpTasks        = "Your tasks"
	helpTasksList    = "Your tasks, newest first"
	helpTasksAdd     = "Add a task"
	helpTasksDone    = "Tick a task off"
	helpTaskNumber   = "number of the task"
	helpTasksEdit    = "Change what it says"
	helpTasksDelete  = "Delete a task"
	wordsTaskAdded   = "Task #%d added: %s"
	wordsTaskDone    = "Done: #%d %s"
	wordsTaskChanged = "Changed: #%d %s"
	wordsTaskDeleted = "Deleted: #%d %s"
	wordsNoTask      = "There is no such task. /tasks list shows yours."
	wordsDeleteTask  = "Delete the task \"%s\"?"
	wordsNoTasks     = "You have no tasks here. /tasks add TEXT makes one."
)

// /remind.
const (
	helpRemindWhat     = "what and when: “in 10 minutes to stretch”, “water the plants every Monday at 9”"
	helpRemind         = "Reminders"
	helpRemindAdd      = "Remind me"
	helpRemindList     = "What is waiting"
	helpRemindCancel   = "Cancel a reminder"
	helpReminderNumber = "number of the reminder"
	helpRemindDone     = "That is done"
	helpRemindSnooze   = "Say it again later"
	helpSnoozeTime     = "10m, 1h, or words such as “tomorrow at 9”; 10m if you leave it out"
	helpRemindZone     = "Your time zone"
	helpZoneName       = "such as Europe/Zurich"
	wordsReminderGone  = "Cancelled: #%d %s"
	wordsReminderOver  = "Well done: #%d %s"
	wordsNoReminder    = "There is no such reminder. /remind list shows yours."
	wordsRemindHow     = "I can't find a time in that. Try /remind in 10 minutes to stretch, or /remind water the plants every Monday at 9."
	wordsRemindWhat    = "What shall I remind you of? Say it with the time: /remind %s to stretch."
	wordsNoReminders   = "You have no reminders waiting here. Try /remind in 10 minutes to stretch."
	wordsSnoozeHow     = "I don't understand that time. Try 10m, 1h or “tomorrow at 9”."
	wordsSnoozed       = "I will say it again in %[2]s: %[1]s"
	wordsZoneSet       = "Your time zone is %s now."
)

// /log.
const (
	helpLog       = "Your journal"
	helpLogAdd    = "Write a line into it"
	helpLogText   = "the line"
	helpLogType   = "what it is"
	helpLogDay    = "What you logged on a day"
	helpDay       = "today, yesterday, Tuesday, 2026-05-01"
	helpLogSearch = "Find lines by their words"
	helpQuery     = "words"
	wordsLogged   = "Logged (#%d): %s"
)

// /code.
const (
	helpCode           = "My owner's code"
	helpCodeName       = "a name, or Type.Method"
	helpCodeDefinition = "Where a name is defined"
	helpCodeReferences = "Where a name is used"
	helpCodeSearch     = "Search it"
	wordsNoCode        = "There is no code: add a folder of the kind code to sources, and start me again."
	wordsUndefined     = "Nothing was found in the code for %s."
	wordsUnused        = "Nothing in the code uses %s."
	wordsMoreUses      = "… and %d more"
)

// /notes and /librarian.
const (
	helpNotes         = "My owner's notes"
	helpNotesSearch   = "Search them"
	helpNotesQuery    = "words; \"last week\", #tags and [status:open] count"
	helpNotesWhen     = "\"last week\", \"in May\", 2026-05-04"
	helpNotesTag      = "a tag that they have"
	helpNotesFolder   = "the folder that they are in"
	helpNotesProperty = "a property that they have, such as status:open"
	wordsLookFor      = "What shall I look for? Words, a time, a #tag or a [property]: /notes search garden last week #plants [status:open]"
	wordsDisagree     = "These notes disagree:\n- “%s” (%s)\n- “%s” (%s)\n"
	wordsNotThen      = "Nothing is from that time (%s). From other times:"
	helpNotesShow     = "Show one"
	helpNotePath      = "its title, or its path"
	helpNotesRecent   = "The latest"
	helpNotesStatus   = "How the search index is, and which files are not in it"
	helpNotesNear     = "What belongs to one: notes that link to it, that it links to, and that are like it"
	helpNotesMove     = "Give one another name or folder; every link to it is kept"
	helpNoteTo        = "the new name, or a folder and a name"
	helpNotesUndo     = "Take my last move back"
	helpNotesBack     = "Give one an earlier text again; without a version, list them"
	helpNoteVersion   = "which version; 1 is the newest"
	wordsWhichNote    = "Several notes are called “%s”. Which one do you mean?"
	wordsVersions     = "Earlier versions of %s:"
	wordsVersion      = "%d. %s, %s (%s)"
	wordsByHand       = "not written through me"
	wordsByMe         = "by me"
	wordsByYou        = "by you"
	wordsBy           = "by %s"
	wordsNoVersions   = "No earlier version of %s is kept."
	wordsRestore      = "Restore %d"
	helpLibrarian     = "Let the librarian tidy the notes I wrote"
	helpTidyTask      = "what to tidy"
	wordsNoVault      = "There are no notes: set vault.dir to a folder of Markdown notes, and start me again."
	wordsNoNote       = "There is no such note. /notes search finds one by its words, /notes shows the latest."
	wordsNoNotes      = "Nothing was found in the notes."
	wordsSkipped      = "- not searched: %s, which is %s"
	wordsPartly       = "- searched in part: %s, without %s"
	wordsNoTidying    = "The librarian needs a language model, and none is connected. /notes works without one."
	wordsTidyAll      = "Tidy the notes in your folder: names, places, an index."
)

// /guideline.
const (
	helpRuleID         = "id of the guideline"
	helpJourneyID      = "id of the journey"
	helpGuideline      = "The rules I follow"
	helpRuleList       = "Every rule and whether it is on"
	helpRuleShow       = "One rule in full"
	helpRuleEnable     = "Follow it"
	helpRuleDisable    = "Do not follow it"
	helpRuleTest       = "Which rules a message would match"
	helpRuleTestText   = "the message"
	helpJourney        = "Step-by-step conversations"
	helpJourneyList    = "Which there are"
	helpJourneyStart   = "Begin one"
	helpJourneyStatus  = "Where we stand"
	helpJourneyStop    = "Leave it"
	helpPerson         = "What the playbook knows of somebody"
	helpPersonShow     = "Their tags and variables"
	helpPersonSet      = "Set a variable that is kept for them"
	helpPersonTagged   = "Give them a tag, for rules with tags"
	helpPersonUntagged = "Take a tag away"
	helpPersonWho      = "Their id, such as telegram:42"
	helpPersonTag      = "One word"
	helpPersonVariable = "A variable of the playbook"
	helpPersonValue    = "Its value"
	helpRehearse       = "Tests of what I say"
	helpRehearseThis   = "Make a test of my last answer here"
	helpRehearseShould = "What should have come of it: should have said …"
	helpJourneyOf      = "Name of the journey; the one in front without it"
	helpJourneyDraw    = "A picture of it"
	wordsNoPlaybook    = "There is no playbook: set playbook.dir to a folder of YAML files."
	wordsRule          = "`%s` (%s, priority %d): %s"
	wordsNoRules       = "The playbook has no guidelines."
	wordsNoRule        = "There is no guideline %q. /guideline list shows them."
	wordsRuleOff       = "The guideline %s is off."
	wordsRuleOn        = "The guideline %s is on."
	wordsPersonTags    = "Tags: %s"
	wordsPersonSet     = "%s is set."
	wordsNotPersons    = "%s is not kept for people: only variables with per_person are."
	wordsNotTaken      = "That is not taken: %s"
	wordsTagged        = "They have the tag %s."
	wordsUntagged      = "They no longer have the tag %s."
	wordsRehearsed     = "Written to %[1]s. It fails until the playbook is right: `bot rehearse %[1]s`; with " +
		"`--record` the model answers anew."
	wordsNothingToRehearse = "I have answered nothing here yet."
	wordsNoRuleFits        = "No rule would apply."
	wordsVariable          = "%s: %s (confidence %.2f)"
	wordsJourneyOn         = "This journey is under way here. /journey status shows where it stands, /journey stop leaves it."
	wordsNoJourney         = "No journey is under way here. /journey list shows which there are."
	wordsNoSuchJourney     = "There is no such journey. /journey list shows them."
)

// /journey.
const (
	wordsNoJourneys  = "The playbook has no journeys."
	wordsJourneyLeft = "We have left it."
	wordsStanding    = "**%s** is %s, at “%s”.\nThe way here: %s"
)

// About when tools ask.
const (
	wordsNeverAsks   = "never asks"
	wordsOutsideAsks = "asks after outside words"
	wordsAlwaysAsks  = "always asks"
	helpToolsAllow   = "Stop asking before a tool is used in this channel"
	helpToolsAsk     = "Ask again before a tool is used in this channel"
	wordsAllowedHere = "allowed here"
	wordsToolFor     = "for %s only"
	wordsToolAllowed = "I use `%s` here without asking from now on. `/tools ask` takes that back."
	wordsAsksAgain   = "I ask before I use `%s` here, as everywhere."
)
