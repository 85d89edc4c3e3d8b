package app

import (
	"context"
	"time"

	"parley/internal/app/console"
	"parley/internal/chat"
	"parley/internal/command"
	"parley/internal/command/gate"
	"parley/internal/memory/access"
)

// members gives the page what chats of members need of the bot.
func (p *port) members() *console.MemberViews {
	return &console.MemberViews{
		On: func() bool { return p.inForce.Load().Page.Members },
		Admits: func(ctx context.Context, m chat.Message) (bool, error) {
			role, err := p.front.people.gate.Role(ctx, m)
			return role >= gate.Member && !p.store.Access.Place(m.Key).Closed(), err
		},
		Intake: func() chat.Intake {
			if hub := p.front.platforms.hub; hub != nil {
				return hub
			}
			return nil
		},
		Open: func(ctx context.Context, m chat.Message) (string, [][]chat.Button, error) {
			return p.front.confirm.Open(ctx, m)
		},
	}
}

// begin logs browsers out that may not go on, and follows the chats of the others.
func (p *port) begin(ctx context.Context) error {
	if p.page == nil {
		return nil
	}
	return p.page.Members.Prepare(ctx)
}

// changed has other settings take effect on who is logged in.
func (p *port) changed() {
	if err := p.begin(context.Background()); err != nil {
		p.log.Error("browsers of members", "err", err)
	}
}

// stored shows in browsers what is in the journal by now.
func (p *port) stored(e chat.Event) {
	if e.Outcome != "" {
		p.page.Members.Feeds.Stored(e.Key)
	}
}

// web is the commands about chats in browsers.
func (p *port) web() command.Web {
	return command.Web{
		On: func() bool { return p.page != nil && p.inForce.Load().Page.Members },
		Link: func(ctx context.Context, m chat.Message) (string, time.Duration, error) {
			return p.page.Members.Link(ctx, m)
		},
		Logins: func(ctx context.Context, user string) ([]access.WebLogin, error) {
			return p.page.Members.Logins(ctx, user)
		},
		End: func(ctx context.Context, user string) (int, error) { return p.page.Members.End(ctx, user) },
	}
}
