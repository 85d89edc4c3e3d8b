package playbook

// What people read; the rest of the words is the owner's.

// fallbackReply is for people: what strict mode says when the playbook has
// neither a fitting reply nor a fallback.
const fallbackReply = "I cannot help with that here. Please ask in other words or turn to a person of the team."
