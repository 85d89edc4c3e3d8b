package memory

import "parley/internal/chat"

// Viewer is who looks at what is remembered, and from where. Every statement
// on facts, tasks, reminders and log entries carries it: what was said to the
// bot alone is shown there alone, what was said in a channel is shown to its
// author there and to the author alone, and only what was meant for a whole
// channel is shown to others.
type Viewer struct {
	User   string   // platform-scoped id; required
	Key    chat.Key // where they are
	Guild  string   // the enclosing server's id; "" for none
	Direct bool     // nobody else reads along
	// Operator is the owner at the machine: everything is shown.
	Operator bool
}

// ViewerOf is the author of a message, in its place.
func ViewerOf(m chat.Message) Viewer {
	return Viewer{User: m.From.ID, Key: m.Key, Guild: m.Guild, Direct: m.Direct}
}

// place is the subject of facts about v's channel; threads belong to it.
func (v Viewer) place() string { return v.Key.Platform + ":" + v.Key.Channel }

// guild is the subject of facts about v's server, "" for none.
func (v Viewer) guild() string {
	if v.Guild == "" {
		return ""
	}
	return v.Key.Platform + ":guild:" + v.Guild
}

// ofOwner is the condition on rows that belong to one person: theirs, and in
// company only those from the same channel. Its parameters are ?1 to ?4 and
// come from owned.
const ofOwner = ` user_id = ?1 AND (?2 OR (platform = ?3 AND channel = ?4)) `

// owned are the parameters of ofOwner, with more behind.
func (v Viewer) owned(more ...any) []any {
	return append([]any{v.User, v.Direct, v.Key.Platform, v.Key.Channel}, more...)
}
