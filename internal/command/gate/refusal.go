package gate

import (
	"context"
	"fmt"
	"strings"
	"time"

	"parley/internal/chat"
	"parley/internal/text/catalog"
)

// How often somebody is told in a place that they are not answered there, and what they
// may still do.
const (
	toldEvery = time.Hour
	helpEvery = 10 * time.Second
)

// inPlace is a person in a place.
func inPlace(m chat.Message) string { return chat.PlaceID(m.Key) + " " + m.From.ID }

// asksHelp reports whether m asks for /help, and did not just get it.
func (g *Gate) asksHelp(m chat.Message) bool {
	name, _ := commandName(m.Text)
	return m.Kind == chat.KindCommand && !m.Forwarded && name == helpName && g.help.first(inPlace(m), g.o.Now())
}

// helpName is the command that everybody is told of.
const helpName = "help"

// refusal tells a member who is left out by a place's policy what they may still do, and
// whom to ask.
func (g *Gate) refusal(ctx context.Context, m chat.Message, who string) (a chat.Answer, err error) {
	ask := catalog.Text(ctx, "an administrator of this place")
	if who == "owner" {
		ask = catalog.Text(ctx, "my owner")
	}
	name, err := g.ownerOn(ctx, m.Key.Platform)
	if err != nil {
		return a, err
	}
	if name != "" && who == "owner" {
		ask += " (" + name + ")"
	}
	a.Text = catalog.Text(ctx, whoWords[who]) + "\n" +
		catalog.Say(ctx, "Write to me directly: there I answer you, and /help says what I can do. To talk with me here, ask %s.", ask)
	a.Buttons = g.door(ctx, m.Key.Platform)
	return a, nil
}

// ownerOn returns what people call an owner of this platform, "" where that is not known.
func (g *Gate) ownerOn(ctx context.Context, platform string) (string, error) {
	owners, err := g.Owners(ctx)
	if err != nil || g.o.Called == nil {
		return "", err
	}
	for _, id := range owners {
		if !strings.HasPrefix(id, platform+":") {
			continue
		}
		name, err := g.o.Called(ctx, id)
		if err != nil {
			return "", fmt.Errorf("name the owner: %w", err)
		}
		if name != id {
			return Escape(name), nil
		}
	}
	return "", nil
}

// door is a button that leads to the direct chat, nil where there is no address.
func (g *Gate) door(ctx context.Context, platform string) [][]chat.Button {
	if g.o.Door == nil || g.o.Door(platform) == "" {
		return nil
	}
	return [][]chat.Button{{{Label: catalog.Text(ctx, "Open our direct chat"), URL: g.o.Door(platform)}}}
}
