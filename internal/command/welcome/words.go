package welcome

// What people read. Every %s that somebody else can fill is made plain first.
const (
	wordsGreeting = "Hello, I'm %s. Write %s, or reply to one of my messages, when you want something from me; /help shows what I can do."
	wordsNotYet   = "For now I only answer people whom my owner has let in."
	wordsMe       = "my name"
	wordsNameless = "a group"

	wordsAdded     = "I was added to %s (%s)."
	wordsAddedBy   = "%s (%s) has added me to %s (%s)."
	wordsTalks     = "I answer everybody there who addresses me."
	wordsAllow     = "Shall I answer everybody there who addresses me? Until you say so, I answer you and people you have let in."
	wordsAllowHere = "Allow here"
	wordsLeave     = "Leave"

	wordsKnock = "%s (%s) asks to talk with me. Shall I let them in?"
	wordsLetIn = "Let in"
	wordsNo    = "No"

	wordsWelcome = "You are let in: we can talk now. Just write what you need; /help shows what I can do."
)

// SaysVersion has the version and the data folder.
const SaysVersion = "Parley %s. Its data is in %s."

// What a start tells its operator.
const (
	saysNoPage     = "Page: none; http.listen 127.0.0.1:9090 makes one."
	saysPage       = "Page: %s (lets you in once; bot page makes another link)"
	saysPageAt     = "Page: http://%s (bot page makes a link that lets you in)"
	saysOwner      = "Owner: %s."
	saysClaim      = "Nobody owns this bot yet. Write to it, in a direct chat: /claim %s"
	saysReceiving  = "%s: receiving as %s. %s"
	saysWrite      = "Write to it, for example: what can you do? /help lists the commands."
	saysWriteClaim = "Write to it, in a direct chat: /claim %s"
	saysOpen       = "Open %s and write, for example: what can you do? /help lists the commands."
	saysOpenClaim  = "Open %s?start=%s and press Start: that makes you the owner."
)
