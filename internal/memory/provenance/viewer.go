package provenance

import (
	"parley/internal/chat"
	"parley/internal/db/engine"
)

// Viewer is the person who looks at memory, and where. Every statement on facts, tasks,
// reminders and log entries carries it. What was said in a direct chat is visible only
// there. What was said in a channel is visible to its author, there and in their direct
// chat. Others see only what was meant for the whole channel.
type Viewer struct {
	User   string   // platform-scoped id; required
	Key    chat.Key // where they are
	Guild  string   // id of the enclosing server; "" for none
	Direct bool     // in a direct chat
	// Operator is the owner at the machine, who sees everything.
	Operator bool
	// Apart limits an operator to what Agent was told.
	Apart bool
	// Agent is the agent to whom they talk. They see nothing of what another was told.
	Agent chat.Agent
}

// Every is the id of an agent that sees what all agents were told, for views of everything
// stored. No agent has this id; that of the bot's own agent may be "*".
const Every = "**"

// Heard is the condition on rows that the viewer's agent was told them. Its parameter comes
// from Viewer.Named.
const Heard = ":agent IN (agent, '" + Every + "')"

// Keeper returns the agent to which new rows of v belong.
func (v Viewer) Keeper() string {
	if v.Agent.ID == Every {
		return ""
	}
	return v.Agent.ID
}

// ViewerOf returns the author of a message as Viewer.
func ViewerOf(m chat.Message) Viewer {
	return Viewer{User: m.From.ID, Key: m.Key, Guild: m.Guild, Direct: m.Direct, Agent: m.Agent}
}

// Place returns the subject of facts about v's channel with its threads.
func (v Viewer) Place() string { return v.Key.Platform + ":" + v.Key.Channel }

// Server returns the subject of facts about v's server, "" for none.
func (v Viewer) Server() string {
	if v.Guild == "" {
		return ""
	}
	return chat.ServerID(v.Key.Platform, v.Guild)
}

// Named returns the parameters user, direct, platform, channel, guild, agent and kin for
// statements on what v may see, and more.
func (v Viewer) Named(more engine.Named) engine.Named {
	return engine.Named{"user": v.User, "direct": v.Direct, "platform": v.Key.Platform, "channel": v.Key.Channel, "guild": v.Server(),
		"agent": v.Agent.ID, "kin": v.Agent.Kin}.With(more)
}
