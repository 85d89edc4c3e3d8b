package provenance

import (
	"parley/internal/chat"
	"parley/internal/db/engine"
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
	// Apart limits an operator to what Agent was told.
	Apart bool
	// Agent is who they talk to: nothing is shown of what was said to another.
	Agent chat.Agent
}

// Every is the id of an agent for which nothing is hidden of what was said to
// others: for what people and the owner are shown of all that is stored. It is the
// memory of none: that of the bot's own agent may be "*".
const Every = "**"

// Heard is the condition on rows in which one agent keeps what it was told. Its
// parameter comes from Viewer.Named.
const Heard = ":agent IN (agent, '" + Every + "')"

// Keeper returns the agent whose new rows are that v makes.
func (v Viewer) Keeper() string {
	if v.Agent.ID == Every {
		return ""
	}
	return v.Agent.ID
}

// ViewerOf returns the author of a message, in its place.
func ViewerOf(m chat.Message) Viewer {
	return Viewer{User: m.From.ID, Key: m.Key, Guild: m.Guild, Direct: m.Direct, Agent: m.Agent}
}

// Place returns the subject of facts about v's channel; threads belong to it.
func (v Viewer) Place() string { return v.Key.Platform + ":" + v.Key.Channel }

// Server returns the subject of facts about v's server, "" for none.
func (v Viewer) Server() string {
	if v.Guild == "" {
		return ""
	}
	return chat.ServerID(v.Key.Platform, v.Guild)
}

// Named returns the parameters of statements on what v may see, with more beside
// them: user, direct, platform, channel, guild, agent, kin.
func (v Viewer) Named(more engine.Named) engine.Named {
	return engine.Named{"user": v.User, "direct": v.Direct, "platform": v.Key.Platform, "channel": v.Key.Channel, "guild": v.Server(),
		"agent": v.Agent.ID, "kin": v.Agent.Kin}.With(more)
}
