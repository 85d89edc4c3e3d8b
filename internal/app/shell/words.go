package shell

// How the command line is explained.
const (
	wordsUsage     = "Usage: %s"
	wordsArguments = "Arguments:"
	wordsFlags     = "Flags:"
	wordsCommands  = "Commands:"
	wordsMore      = "Run \"%s\" for more information on a command."
	wordsShowHelp  = "Show context-sensitive help."
	wordsAbout     = "Parley: an assistant that lives in your chats and remembers."
	wordsCompleted = "For the session that you are in: \"eval \"$(bot completion bash)\"\", the same with zsh, or \"bot " +
		"completion fish | source\". Packages install all three."
)

// What is wrong with how a command was typed.
const (
	wordsUnknownFlag = "unknown flag %s"
	wordsUnexpected  = "unexpected argument %s"
	wordsMeant       = "%w, did you mean %s?"
	wordsMissing     = "missing: %s"
	wordsExpectedOf  = "a command is missing: %s"
	wordsNotAmong    = "%s is %s; expected one of: %s"
	wordsNoValue     = "%s needs a value"
	wordsNotNumber   = "%s is %s; expected a whole number"
	wordsNoFile      = "there is no file %s"
	wordsIsFolder    = "%s is a folder"
	wordsSeeHelp     = "%w (%s explains it)"
)
