package chat

// What the hub itself says to people.
const (
	wordsWhole   = "That was the beginning. The whole answer is in this file."
	wordsBusy    = "I'm still working on your earlier messages. Please wait for those answers and send this again."
	wordsFailed  = "Something went wrong on my side. Please try again; if it keeps happening, tell my owner the number %s."
	wordsAside   = "That answer is for you alone: it is in our direct chat, or will be there as soon as you open it."
	wordsNobody  = "That answer is for one person alone, and I cannot tell who asked. Please ask me in a direct chat."
	wordsDoor    = "Open our direct chat"
	wordsStopped = "Stopped."
	wordsGivenUp = "I could not finish an answer to this, even after several tries. Please put it another way."
)

// English only: wholeName is the file that an answer comes in when it is too long for
// messages.
const wholeName = "answer.md"
