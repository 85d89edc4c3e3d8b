package offline

// What the responder says itself. Examples of what can be said are in the files of
// phrases.
const (
	wordGreeting = "Hello!"
	wordHow      = "I am here and ready."
	wordAbout    = "I am Parley, an assistant that runs on its owner's machine. No language model is connected at the " +
		"moment: I understand plain sentences about reminders, tasks, facts and your journal, and hold no real conversation."
	wordCan        = "I can remember facts, remind you, keep tasks and a journal, tell the time and find what was said. Say for example:"
	wordThanks     = "You are welcome."
	wordBye        = "Goodbye! I keep what you told me. To end this conversation: /session end. In a terminal, Ctrl-D ends the program."
	wordUpset      = "I am sorry. Without a language model I only understand plain sentences; “help” shows them."
	wordOK         = "All right."
	wordAll        = "To make me forget everything about you, send /forget-me. It asks you once more, and then it is gone for good."
	wordSum        = "%s = %s"
	wordNoSum      = "I can't work that out."
	wordAskWhen    = "When shall I remind you of “%s”? Say a time, such as “tomorrow at 9” or “in 10 minutes”."
	wordAskWhat    = "What shall I remind you of (%s)?"
	wordAskBoth    = "What shall I remind you of, and when? For example: “%s”"
	wordNext       = "You can say next: %s"
	wordUnchanged  = "All right, nothing was changed."
	wordDone       = "Done."
	wordFirst      = "Hello! I am the built-in responder: no language model is connected, so I can't hold a real conversation yet."
	wordUnderstood = "What I do understand:"
	wordNoModel    = "No language model is connected, so I can't answer that."
	wordSentences  = "What I do understand are plain sentences such as %s. /help lists the commands."
	wordCommands   = "/help lists the commands."
	wordOnly       = "I can still run commands: /help lists them."
	wordConnect    = "To connect a model, start me with `OPENAI_API_KEY=…` (OpenAI), or with `OPENAI_BASE_URL=…` and " +
		"`OPENAI_MODEL=…` (any OpenAI-compatible server), or run Ollama on this machine."
	wordNotTaken = "I could not take that: %s. %s"
	wordTell     = "Please tell me %s."
	wordAtStep   = "We are at “%s”."
	wordStep     = "We are at “%s”. No language model is connected, so I can only show what is meant to happen here: %s"
)
