package app

// Lines of a daily note.
const (
	wordsEnded = "Conversation “%s”: %s"
	wordsBegan = "Conversation that began with: “%s”"
)
