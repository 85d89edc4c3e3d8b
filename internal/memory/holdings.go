package memory

// holding is a column with people's words, and what happens to them. Forgetting clears
// every one. Tests hold forgetting, exporting and retention to this list and fail when a
// column of the schema is missing here.
type holding struct {
	column string // table.column
	// export is the list of Export that hands it out to its person; "" is none, for the
	// reason in why.
	export, why string
	// kept is how long it stays if nobody forgets it.
	kept lifetime
}

// lifetime is how long words are kept.
type lifetime string

// The lifetimes. Only what people keep on purpose has no end.
const (
	keptOpen     lifetime = "until it is deleted"
	keptSession  lifetime = "retention.days after its session"
	keptAudited  lifetime = "as long as the audit"
	keptForDays  lifetime = "a week after it is done"
	keptAlive    lifetime = "until its session is over"
	keptForATurn lifetime = "until the answer is sent, or for minutes"
)

// Reasons why a column is not handed out.
const (
	whyPassing = "it is on its way to them, or gone within minutes"
	whyIndex   = "another column's words again"
	whyAgain   = "the same as in messages and calls, while the conversation lasts"
	whyForeign = "events nobody could read: the operator looks at them"
)

var holdings = []holding{
	{"messages.content", "messages", "", keptSession},
	{"messages.attached", "messages", "", keptSession},
	{"messages.name", "messages", "", keptSession},
	{"messages.tool_calls", "messages", "", keptSession},
	{"messages.key_insight", "", whyIndex, keptSession},
	{"messages_fts.words", "", whyIndex, keptSession},
	{"sessions.summary", "sessions", "", keptOpen},
	{"sessions.closing", "sessions", "", keptOpen},
	{"sessions.title", "sessions", "", keptOpen},
	{"decided.content", "decisions", "", keptOpen},
	{"decided.name", "decisions", "", keptOpen},
	{"sessions.mentions", "sessions", "", keptOpen},
	{"sessions.page", "sessions", "", keptOpen},
	{"sessions.debt", "", whyIndex, keptOpen},
	{"session_texts.content", "", whyIndex, keptOpen},
	{"session_texts_fts.content", "", whyIndex, keptOpen},
	{"sessions.playbook", "sessions", "", keptOpen},
	{"key_facts.content", "facts", "", keptOpen},
	{"key_facts.tags", "facts", "", keptOpen},
	{"key_facts.quote", "facts", "", keptOpen},
	{"key_facts.previous", "facts", "", keptOpen},
	{"key_facts_fts.content", "", whyIndex, keptOpen},
	{"key_facts_fts.tags", "", whyIndex, keptOpen},
	{"fact_history.content", "earlier", "", keptOpen},
	{"fact_history.tags", "earlier", "", keptOpen},
	{"fact_history.quote", "earlier", "", keptOpen},
	{"fact_history.previous", "earlier", "", keptOpen},
	{"tasks.description", "tasks", "", keptOpen},
	{"reminders.text", "reminders", "", keptOpen},
	{"reminders.name", "reminders", "", keptOpen},
	{"log_entries.content", "journal", "", keptOpen},
	{"decisions.detail", "answers", "", keptAudited},
	{"tool_calls.arguments", "calls", "", keptAudited},
	{"tool_calls.result", "calls", "", keptAudited},
	{"guard_calls.arguments", "", whyAgain, keptAlive},
	{"guard_calls.result", "", whyAgain, keptAlive},
	{"people.playbook", "playbook", "", keptOpen},
	{"agent_people.playbook", "playbooks", "", keptOpen},
	{"people.time_zone", "time_zone", "", keptOpen},
	{"people.language", "languages", "", keptOpen},
	{"people.heard", "languages", "", keptOpen},
	{"people.voice", "voice", "", keptOpen},
	{"handoffs.name", "handoffs", "", keptAudited},
	{"handoffs.reason", "handoffs", "", keptAudited},
	{"handoffs.taker_name", "handoffs", "", keptAudited},
	{"inbox.body", "", whyPassing, keptForATurn},
	{"outbox.body", "", whyPassing, keptForDays},
	{"steps.result", "", whyPassing, keptForATurn},
	{"questions.body", "", whyPassing, keptForATurn},
	{"questions.text", "", whyPassing, keptForATurn},
	{"questions.came", "", whyPassing, keptForATurn},
	{"questions.name", "", whyPassing, keptForATurn},
	{"questions.by_name", "", whyPassing, keptForATurn},
	{"codes.name", "", whyPassing, keptForATurn},
	{"web_files.name", "", whyPassing, keptForATurn},
	{"web_files.data", "", whyPassing, keptForATurn},
	{"api_tokens.name", "", whyPassing, keptOpen},
	{"api_requests.answer", "", whyPassing, keptForDays},
	{"settings.value", "", whyPassing, keptForATurn},
	{"dead_letters.raw", "", whyForeign, keptAudited},
}
