package command

// /agent.
const (
	helpAgent           = "Which assistant answers here"
	helpAgentShow       = "Who answers here"
	helpAgentList       = "The assistants there are"
	helpAgentUse        = "Have one of them answer here"
	helpAgentReset      = "Leave it to the settings again who answers here"
	helpAgentName       = "name of the assistant"
	helpAgentWhere      = "this thread or chat, the whole channel, or the whole server"
	wordsOneAgent       = "There is one assistant here, and it answers everywhere. The setting agents makes more."
	wordsOwnAgent       = "the bot's own assistant"
	wordsAgentHere      = "Here answers %s."
	wordsAgentUnbound   = "No other is bound to this place."
	wordsAgentSet       = "The settings say so, for %s."
	wordsAgentBound     = "It was bound to %s here in the chat on %s."
	wordsAgentBoundOver = "It was bound to %s here in the chat on %s; the settings say %s."
	wordsAgentNow       = "From now on %s answers here."
	wordsAgentCloser    = "%s is a wider place, and this one has a binding of its own: /agent reset takes it away."
	wordsAgentApart     = "It knows what was said to it, and nothing that was said to another."
	wordsTraceAgent     = "answered by the agent %s"
	wordsNoAgent        = "There is no assistant %s. There are: %s."
	wordsAgentNotBound  = "%s was not bound in a chat: the settings decide there."
	wordsAgentNoServer  = "There is no server around this chat."
)
