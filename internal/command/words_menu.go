package command

// The menu of a message.
const (
	wordsRememberThis = "Remember this"
	wordsRemindMe     = "Remind me"
	wordsRemindWhen   = "When? In 2 hours, tomorrow at 9, …"
	wordsWhyThis      = "Why?"
)
