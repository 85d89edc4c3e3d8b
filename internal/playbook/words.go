package playbook

// Texts for people; all others come from the owner's files.

// fallbackReply is what strict mode says when the playbook has neither a matching
// reply nor a fallback.
const fallbackReply = "I cannot help with that here. Please ask in other words or turn to a person of the team."

// Who passes a conversation on, for the people who take it over.
const (
	wordsByRule = "the rule %s"
	wordsByStep = "the step %s of %s"
)
