package console

import (
	"net/http"
	"net/url"

	"parley/internal/text/catalog"
)

// agents lists the agents, nil if there is only one.
func (p *Page) agents() []Agent {
	if p.o.Views.Agents == nil {
		return nil
	}
	return p.o.Views.Agents()
}

// agentOf returns the agent that an address or a form names; nil for none, and for a
// removed one.
func (p *Page) agentOf(r *http.Request) *Agent {
	name, named := r.FormValue("agent"), r.Form.Has("agent")
	for _, a := range p.agents() {
		if named && name != "" && agentValue(a) == name {
			return &a
		}
	}
	return nil
}

// ownAgent names the bot's own agent in addresses: no other agent can have this name.
const ownAgent = "*"

func agentValue(a Agent) string {
	if a.Name == "" {
		return ownAgent
	}
	return a.Name
}

// agentName returns an agent's name for people.
func agentName(p catalog.Printer, a Agent) string {
	if a.Name == "" {
		return p.Text("the bot itself")
	}
	return a.Name
}

// named returns the name of the agent with this memory, "" if there is only one agent.
func (p *Page) named(in catalog.Printer, memory string) string {
	for _, a := range p.agents() {
		if a.Memory == memory {
			return agentName(in, a)
		}
	}
	return ""
}

// agentChoices returns the agents for a form; Path is the value sent.
func (p *Page) agentChoices(r *http.Request) (list []link) {
	now := p.agentOf(r)
	for _, a := range p.agents() {
		list = append(list, link{agentValue(a), agentName(catalog.Of(r.Context()), a), now != nil && *now == a})
	}
	return list
}

// about adds the agent to an address, if one is named.
func about(v url.Values, agent string) url.Values {
	if agent != "" {
		v.Set("agent", agent)
	}
	return v
}
