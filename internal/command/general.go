package command

import (
	"context"

	"parley/internal/chat"
	"parley/internal/command/gate"
)

// General is the commands about the bot as a whole.
type General struct {
	Agents Agents
	Name   string // the bot's
	// Help is what a role can do, as /help says it.
	Help func(context.Context, gate.Role) string
	// Ask answers outside of any conversation.
	Ask chat.Handler
	// Page makes a link that lets who asks into the control page once, and tells
	// the page's port, "" where the link works from anywhere; the link is "" without a
	// page.
	Page func(ctx context.Context, who chat.User) (link, port string, err error)
}

func (g General) start() gate.Command {
	return gate.Command{Name: "start", Help: "Say hello", Who: gate.Member,
		Options: []gate.Option{{Name: "link", Help: "what a link to this chat brought along", Hidden: true}},
		Run: func(ctx context.Context, r gate.Request) (chat.Answer, error) {
			return say(ctx, "Hello, I am %s. Write to me as you would to a person: I answer, remember what you ask me to, and "+
				"keep lists and reminders for you.\n\n%s", g.Name, g.Help(ctx, r.Role))
		}}
}

func (g General) ask() gate.Command {
	return gate.Command{Name: "ask", Help: "Ask once, without keeping the conversation", Effect: gate.Works,
		Options: []gate.Option{{Name: "question", Help: "what you want to know", Required: true, Long: true}},
		Run: func(ctx context.Context, r gate.Request) (chat.Answer, error) {
			m := r.Message
			m.Text = r.Args["question"]
			if r.Quoted { // the words are those of whom they reply to
				m.Forwarded, m.Quote = m.Relayed, ""
			}
			return g.Ask.Handle(ctx, m, r.Reply)
		}}
}

// stop is said where nothing runs: the hub heeds it before it gets here.
func (g General) stop() gate.Command {
	return gate.Command{Name: "stop", Help: "Stop the current answer", Run: func(ctx context.Context, _ gate.Request) (chat.Answer, error) {
		return say(ctx, "Nothing is running here that I could stop.")
	}}
}

func (g General) page() gate.Command {
	return gate.Command{Name: "page", Help: "A one-time link to the control page", Effect: gate.Reads,
		Who: gate.Owner, Private: true, First: 2,
		Run: func(ctx context.Context, r gate.Request) (chat.Answer, error) {
			link, port, err := g.Page(ctx, r.Message.From)
			if err != nil {
				return chat.Answer{}, err
			}
			if link == "" {
				return say(ctx, "There is no control page: set http.listen, for example to 127.0.0.1:9090, and start me again.")
			}
			if port == "" {
				return say(ctx, "%s\n\nIt works once, for ten minutes, for whoever opens it.", link)
			}
			return say(ctx, "%s\n\nOpen this on the machine I run on; it works once, for ten minutes. From elsewhere, first "+
				"forward the port: `ssh -L %s:127.0.0.1:%[2]s that-machine`.", link, port)
		}}
}

// What the bot says of itself before anybody writes to it.
const (
	wordsAbout    = "A private assistant that remembers: tasks, reminders, notes and what you tell it."
	wordsGreeting = "I remember what you tell me, keep your tasks, remind you, look things up and say where it is " +
		"from.\n\nJust write, in your own words. /help lists what else there is, /forget-me deletes everything about you."
)

// Actions is what can be done with a message from its menu.
var Actions = []chat.MenuAction{
	{Name: "Remember this", Command: "facts add"},
	{Name: "Remind me", Command: "remind add", Ask: "When? “in 2 hours”, “tomorrow at 9”, …"},
	{Name: "Why?", Command: "why"},
}

// About and Greeting are for the profile that a platform shows.
const (
	About    = wordsAbout
	Greeting = wordsGreeting
)
