package terminal

// What people read here.
const (
	prompt        = "> "
	wordAgain     = "Ctrl-C again, Ctrl-D or exit to leave."
	wordNotStored = "That message could not be stored, so it was not handled. Please try again."
	wordSeconds   = "%s %d s"
	wordMinutes   = "%s %d:%02d"
	wordFile      = "[file %s, %d bytes]"
	wordSaved     = "[file %s, %d bytes, saved as %s]"
	wordNotSaved  = "[file %s, %d bytes, could not be saved]"
)
