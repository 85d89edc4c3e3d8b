package cli

// What doctor says.
const (
	wordsOK            = "ok"
	wordsNotDurable    = "%s is off on the server: when its machine fails, what it acknowledged may be lost, or the database damaged"
	wordsSound         = "sound"
	wordsEntries       = "%s, %d entries"
	wordsVersion       = "version %d"
	wordsTable         = "%s %s MB (%s)"
	wordsWillBeMade    = "%s will be made at the first start"
	wordsMadeLater     = "will be made at the first start"
	wordsMakeRoom      = "%s: make room soon"
	wordsOpen          = "everybody may talk with the bot (access.mode open): set access.mode pairing unless you mean it"
	wordsOpenUnlimited = "everybody may talk with the bot (access.mode open), as much as they like: set " +
		"limits.user_tokens_per_day, limits.tokens_per_day or limits.money_per_day, or access.mode pairing"
	wordsSeeLog          = "see the log for the reason"
	wordsNothingWaits    = "nothing has waited for long"
	wordsNoTokens        = "none set: bot starts the terminal chat"
	wordsTokenOf         = "the token is that of %s"
	wordsNothingInTheWay = "nothing stands in the way"
	wordsShards          = "Discord recommends %s; %d of %d sessions may still begin today"
	wordsClockAgrees     = "this machine's clock agrees"

	wordsNotesGone      = "%s is empty, but %s of it are known: is its disk mounted? What is known stays until there is a file again"
	wordsNotSearched    = "%s is not searched: it is %s"
	wordsPartlySearched = "%s is searched in part: without %s"

	wordsAddressMended = "%w; set model.base_url to %s"
	wordsNoSense       = "it answers, but not sensibly: asked for the capital of France in one word, it said %q; check " +
		"the temperature, the chat template that the server uses and how far the model is quantised, or take another model"
	wordsNoCalls = "it answers, but called no tool when it was told to: reminders, notes and searches will not " +
		"work well; another model may do better"
	wordsModelSettings = "model.base_url, model.api_key and model.name"
	wordsModelName     = "the name of that model"
	wordsItsSettings   = "its base_url, api_key and model"
	wordsThenNext      = ", then "
	wordsWindow        = "%d tokens."
	wordsWindowSet     = "%d tokens, as set."
	wordsWindowUntil   = "%d tokens, until it is loaded."
	wordsDimensions    = "%s, %d dimensions"
	wordsSlowVectors   = "%s; a vector took %s, and questions wait %s: words alone decide until model.embedding_wait is longer"
	wordsFoundOut      = "found out: %s"

	wordsAgentIn      = "answers in %s"
	wordsAgentNowhere = "answers nowhere: set its places, or use /agent use %s where it shall"
	wordsAgentLost    = "%s was given to an agent that is no more, so the settings decide there: /agent reset in it, or bring the agent back"

	wordsWantsLogin  = "it wants a login: run bot mcp login %[1]s, or send /tools login %[1]s"
	wordsHasTools    = "it has %s"
	wordsNoTool      = "%s: %s is no tool: %s"
	wordsHostAnswers = "%s answers: %s"
)

// The names of what doctor looks at, where something follows them; the others stand
// for themselves.
const (
	wordsDeliveryOf   = "%s delivery"
	wordsReceivingOf  = "%s receiving"
	wordsClockOf      = "%s clock"
	wordsModelFor     = "model for %s"
	wordsModelCalled  = "model %s"
	wordsRouteOf      = "route %s"
	wordsLimitsOf     = "limits of %s"
	wordsAgentCalled  = "agent %s"
	wordsServerCalled = "mcp %s"
)

// checked are the names of what is looked at.
var checked = map[string]string{
	"config": "config", "prompt": "prompt", "playbook": "playbook", "access": "access", "disk": "disk", "data folder": "data folder",
	"database": "database", "schema": "schema",
	"dead letters": "dead letters", "delivery": "delivery", "tokens": "tokens", "notes": "notes", "agents": "agents",
	"http tools": "http tools", "largest tables": "largest tables",
	"facts file": "facts file", "model": "model", "embedding": "embedding", "discord shards": "discord shards",
}
