package command

// Tool servers.
const (
	wordsServerUp      = "up, %s in use"
	wordsServerStarts  = "starting"
	wordsServerDown    = "down, I keep trying to restart it: %s"
	wordsServerLogin   = "waits for a login: /tools login %s"
	wordsServerPending = "; %d new or changed, and off until you look: /tools approve %s"
	wordsServerClaims  = "; %d say of themselves that they only read: /tools approve %s, or I ask when they are first used"
	wordsServers       = "Tool servers:"
	wordsNoServers     = "No tool servers are set up: mcp.servers lists them."
	wordsNoToolServer  = "There is no tool server named %q. /tools list shows them."
	wordsServerNotUp   = "The tool server %s is not running, so there is nothing to look at now."
	wordsNonePending   = "Everything the tool server %s has is approved."
	wordsApprove       = "The tool server %s has something new. These are its own words, and they may try to talk you, or me, into something:"
	wordsToolNew       = "new"
	wordsToolChanged   = "changed (before: %s)"
	wordsToolTitled    = "only its title is new, or was not kept when it was approved"
	wordsToolInUse     = "in use"
	wordsToolReads     = ", said to change nothing, so it would never ask you"
	wordsNotOwner      = "Only my owner can do that."
	wordsToolMoved     = "%s has changed again since I showed it to you, so I left it off. /tools approve %s shows what it is now."
	wordsApproved      = "Approved: %s of %s."
	wordsLogin         = "To log in to %s, open this address in a browser and agree:\n%s\n\nThe browser then shows a " +
		"page that does not load. That is expected: copy the address of that page and send it to me within 15 minutes, " +
		"as\n/tools login %s ADDRESS"
	wordsLoginAddress = "That is not the address I need. After you agree, the browser goes to an address that begins " +
		"with %s: send me all of it."
	wordsNoLogin       = "No login to %[1]s is under way, or it took too long. /tools login %[1]s begins a new one."
	wordsNoLoginNeeded = "The tool server %s does not ask for a login."
	wordsLoginFailed   = "The login to %s failed: %s"
	wordsLoggedIn      = "Logged in to %s. /tools servers shows how it stands."
	wordsLoggedOut     = "I forgot the login to %s."
	wordsNotLoggedIn   = "There is no login to %s that I could forget."
)
