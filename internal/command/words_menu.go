package command

// The menu of a message.
const (
	wordsRememberThis = "Remember this"
	wordsRemindMe     = "Remind me"
	wordsRemindWhen   = "When? “in 2 hours”, “tomorrow at 9”, …"
	wordsWhyThis      = "Why?"
)

// What people read of the bot before they write to it: at most 120 and 512 characters.
const (
	wordsShort    = "A private assistant that remembers: tasks, reminders, notes and what you tell it."
	wordsGreeting = "I remember what you tell me, keep your tasks, remind you, look things up and say where it is " +
		"from.\n\nJust write, in your own words. /help lists what else there is, /forget-me deletes everything about you."
)

// Leaving a place.
const (
	helpConfigLeave = "Leave a group or a server"
	helpLeavePlace  = "its id, such as telegram:chat:-1001 or discord:guild:99"
	wordsLeft       = "Done, I have left %s."
	wordsNotLeft    = "I could not leave %s: I may be gone from there already, or that is not the id of a place. " +
		"Somebody who administers it can remove me."
)

// How conversations are, as /status counts them.
const (
	wordsActive    = "active"
	wordsIdle      = "idle"
	wordsSuspended = "suspended"
	wordsCompleted = "completed"
	wordsExpired   = "expired"
	wordsArchived  = "archived"
)
