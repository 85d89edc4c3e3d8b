package provenance

import (
	"parley/internal/chat"
	"parley/internal/sqlite"
)

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

// ViewerOf returns the author of a message, in its place.
func ViewerOf(m chat.Message) Viewer {
	return Viewer{User: m.From.ID, Key: m.Key, Guild: m.Guild, Direct: m.Direct}
}

// Place returns the subject of facts about v's channel; threads belong to it.
func (v Viewer) Place() string { return v.Key.Platform + ":" + v.Key.Channel }

// Server returns the subject of facts about v's server, "" for none.
func (v Viewer) Server() string {
	if v.Guild == "" {
		return ""
	}
	return v.Key.Platform + ":guild:" + v.Guild
}

// Named returns the parameters of statements on what v may see, with more beside
// them: user, direct, platform, channel, guild.
func (v Viewer) Named(more sqlite.Named) sqlite.Named {
	return sqlite.Named{"user": v.User, "direct": v.Direct, "platform": v.Key.Platform, "channel": v.Key.Channel, "guild": v.Server()}.With(more)
}
