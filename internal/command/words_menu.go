package command

// The menu of a message.
const (
	wordsRememberThis = "Remember this"
	wordsRemindMe     = "Remind me"
	wordsRemindWhen   = "When? In 2 hours, tomorrow at 9, …"
	wordsWhyThis      = "Why?"
)

// What people read of the bot before they write to it: at most 120 and 512 characters.
const (
	wordsShort    = "A private assistant that remembers: tasks, reminders, notes and what you tell it."
	wordsGreeting = "I remember what you tell me, keep your tasks, remind you, look things up and say where it is from.\n\nJust write, in your own words. /help lists what else there is, /forget-me deletes everything about you."
)
