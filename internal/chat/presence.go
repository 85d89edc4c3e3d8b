package chat

import "time"

// Presence is what a platform told of somebody's place in a conversation;
// threads follow their channel.
type Presence struct {
	Key   Key
	User  User // nobody: the bot itself is there no more
	State PresenceState
	// Joined is when a Present came; zero when it only turned out that they are
	// there.
	Joined time.Time
}

// PresenceState is where somebody stands.
type PresenceState string

// The states of a Presence.
const (
	Present PresenceState = "in"
	Absent  PresenceState = "out"     // left, was removed, or may not read there any more
	Blocked PresenceState = "blocked" // of a direct chat: nothing can be sent to it
)
