package console

import (
	"net/http"
	"net/url"

	"parley/internal/text/catalog"
)

// agents lists those there are, none where there is one.
func (p *Page) agents() []Agent {
	if p.o.Views.Agents == nil {
		return nil
	}
	return p.o.Views.Agents()
}

// agentOf returns the agent that an address or a form names; nil for none, and for one
// that is no more.
func (p *Page) agentOf(r *http.Request) *Agent {
	name, named := r.FormValue("agent"), r.Form.Has("agent")
	for _, a := range p.agents() {
		if named && name != "" && agentValue(a) == name {
			return &a
		}
	}
	return nil
}

// ownAgent stands for the bot's own in addresses: no agent can have this name.
const ownAgent = "*"

func agentValue(a Agent) string {
	if a.Name == "" {
		return ownAgent
	}
	return a.Name
}

// agentName is what people read of an agent.
func agentName(p catalog.Printer, a Agent) string {
	if a.Name == "" {
		return p.Text("the bot itself")
	}
	return a.Name
}

// named returns the name of the agent of a memory, "" where there is one.
func (p *Page) named(in catalog.Printer, memory string) string {
	for _, a := range p.agents() {
		if a.Memory == memory {
			return agentName(in, a)
		}
	}
	return ""
}

// agentChoices are the agents as a form offers them; Path is what is sent.
func (p *Page) agentChoices(r *http.Request) (list []link) {
	now := p.agentOf(r)
	for _, a := range p.agents() {
		list = append(list, link{agentValue(a), agentName(catalog.Of(r.Context()), a), now != nil && *now == a})
	}
	return list
}

// about adds an agent to what an address asks for, where it names one.
func about(v url.Values, agent string) url.Values {
	if agent != "" {
		v.Set("agent", agent)
	}
	return v
}
