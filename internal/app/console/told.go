package console

// told is what people read where one word is stored that says too little. Outcomes,
// states and the like stand for themselves.
var told = map[string]string{
	"rules": "rules", "model": "model", "tool": "tool", // steps
	"owner": "owner", "member": "let in", "denied": "kept out", // roles
	"fact": "fact", "preference": "preference", "decision": "decision", "insight": "insight", // kinds of facts
	"user": "the person", "assistant": "assistant", "system": "the program", // who wrote them
	// purposes of calls
	"answer": "answer", "playbook": "playbook", "summary": "summary", "librarian": "librarian", "embedding": "vectors",
	"transcription": "speech to text",
}
