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
