package console

// What people read when something is refused.
const (
	wordsHost    = "This page answers only under the address it listens on."
	wordsForeign = "This request came from another site, so it was refused. Nothing was changed."
	wordsOld     = "This button belongs to an older login or another page, so it was refused. Nothing was changed. Go " +
		"back, reload and try again."
	wordsLogin     = "You are not logged in, or your login has ended. Nothing was changed."
	wordsCode      = "This link was used before, has expired, or never was one. Ask for a new one with “bot page”, or send /page to the bot."
	wordsLocked    = "Too many wrong links. Wait a quarter of an hour, then ask for a new one."
	wordsNoPage    = "There is no such page."
	wordsNoThing   = "This is not there, or not any more."
	wordsBroken    = "Something went wrong; the log has the details."
	wordsBrokenID  = "Something went wrong; the log has the details under %s."
	wordsTooMany   = "Too many of these pages are open. Close one."
	wordsDown      = "The bot takes no messages right now. Nothing was sent; try again in a moment."
	wordsGone      = "This choice is not open any more. Nothing was done."
	wordsCaptured  = "It fails until the playbook is right: bot rehearse %s"
	wordsChoose    = "Choose under “Try it”."
	wordsLater     = "That takes longer; the answer will be under “Try it”."
	wordsNoAnswers = "no answers yet"
	wordsSaved     = "Saved. It counts within seconds."
	wordsFine      = "All files make sense with this text."
	wordsDone      = "Done."
	wordsOdd       = "That is not one line of plain text; nothing was changed."
	wordsRead      = "It will be read again within seconds."
	wordsEmpty     = "There was nothing to send."
)

// The titles of pages.
const (
	wordsOverview      = "Overview"
	wordsConversations = "Conversations"
	wordsConversation  = "Conversation"
	wordsSessions      = "Sessions"
	wordsSession       = "Session"
	wordsFacts         = "Facts"
	wordsPlaybook      = "Playbook"
	wordsRules         = "Rules"
	wordsPeople        = "People"
	wordsPutAside      = "Put aside"
	wordsSettings      = "Settings"
	wordsTryIt         = "Try it"
	wordsMessage       = "A message"
	wordsModelCall     = "A model call"
	wordsAsRehearsal   = "As a rehearsal"
	wordsLogIn         = "Log in"
	wordsRefused       = "Refused"
	wordsError         = "Error"
	wordsWritten       = "Written"
	wordsNotWritten    = "Not written"
)

// Times and amounts; layouts are those of package time.
const (
	wordsMoment   = "2 Jan 15:04:05"
	wordsDay      = "2 Jan"
	wordsMillis   = "%d ms"
	wordsSeconds  = "%s s"
	wordsMinutes  = "%d min %d s"
	wordsThousand = "%sk"
	wordsMillion  = "%sM"
)

// The charts.
const (
	words24Hours   = "24 hours"
	words30Days    = "30 days"
	wordsMessages  = "Messages"
	wordsAnswering = "Time to answer"
	wordsTokens    = "Tokens"
	wordsErrors    = "Errors"
	wordsUpTo      = "p95 up to %s"
	wordsMedian    = "median %s, p95 %s"
	wordsSuccess   = "%s success"
)

// Lists and accounts.
const (
	wordsAll        = "All"
	wordsOwnAgent   = "the bot itself"
	wordsCannedRule = "the reply %s"
	wordsReplyRule  = "say: %s"
	wordsOver       = "Over %d s"
	wordsOverTokens = "Over %s tokens"
	wordsEvery      = "all"
	wordsThinking   = "%s (thinking)"
	wordsCalls      = "%s calls %s"
	wordsNothing    = "(nothing)"
	wordsAsSent     = "as it was sent"
	wordsAsCame     = "as it came"
)

// told is what people read where one word is stored that says too little. Outcomes,
// states and the like stand for themselves.
var told = map[string]string{
	"rules": "rules", "model": "model", "tool": "tool", // steps
	"owner": "owner", "member": "let in", "denied": "kept out", // roles
	"fact": "fact", "preference": "preference", "decision": "decision", "insight": "insight", // kinds of facts
	"user": "the person", "assistant": "assistant", "system": "the program", // who wrote them
	// purposes of calls
	"answer": "answer", "playbook": "playbook", "summary": "summary", "librarian": "librarian", "embedding": "vectors",
	"transcription": "speech to text",
}
