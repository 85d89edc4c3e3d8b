package chat

import "time"

// Presence is what a platform reported about somebody's membership of a
// conversation; threads follow their channel.
type Presence struct {
	Key   Key
	User  User // nobody: the bot itself is there no more
	State PresenceState
	// Joined is when a Present came; zero when it only turned out that they are
	// there.
	Joined time.Time
}

// PresenceState is the state of a membership.
type PresenceState string

// The states of a Presence.
const (
	Present PresenceState = "in"
	Absent  PresenceState = "out"     // left, was removed, or may not read there any more
	Blocked PresenceState = "blocked" // of a direct chat: nothing can be sent to it
)
