package command

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"parley/internal/chat"
	"parley/internal/command/gate"
	"parley/internal/memory"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// statusTimeout bounds /status, whatever state the model is in: people ask it
// when something hangs.
const statusTimeout = 2 * time.Second

// Status is /status.
type Status struct {
	// Model is which model answers and how it is; it asks the endpoint.
	Model    func(context.Context) string
	Currency string // of limits of money
	// Left is what remains to a message's author.
	Left func(context.Context, chat.Message) (gate.Left, error)
	// Parts is how each part of the bot is, without asking anything outside of
	// the process.
	Parts func(context.Context) []Line
	// Sessions counts conversations by their state.
	Sessions func(context.Context) (map[memory.Status]int, error)
}

// Line is a part of the bot and how it is.
type Line struct{ Name, State string }

func (s Status) command() gate.Command {
	return gate.Command{Name: "status", Help: "How I am doing", Effect: gate.Reads, Run: s.show}
}

// show says how the bot is; the details are for its owner.
func (s Status) show(ctx context.Context, r gate.Request) (chat.Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, statusTimeout)
	defer cancel()
	lines := []Line{{catalog.Text(ctx, "model"), s.Model(ctx)}}
	if left, err := s.Left(ctx, r.Message); err == nil { // without it, it is an answer, too
		here := catalog.Say(ctx, "%s tokens for this channel", count(ctx, left.Channel.Tokens)) + s.money(left.Channel)
		if r.Role >= gate.Owner { // what others used is theirs
			here = catalog.Say(ctx, "%s tokens for this channel, %s for everybody together", count(ctx, left.Channel.Tokens),
				count(ctx, left.All.Tokens)) + s.money(left.Channel, left.All)
		}
		lines = append(lines,
			Line{catalog.Text(ctx, "left for you"), catalog.Say(ctx, "%s messages this minute, %s tokens today", count(ctx, int64(left.Messages)),
				count(ctx, left.User.Tokens)) + s.money(left.User)},
			Line{catalog.Text(ctx, "left today"), here})
	}
	if r.Role >= gate.Owner {
		lines = append(lines, s.Parts(ctx)...)
		if counts, err := s.Sessions(ctx); err == nil {
			lines = append(lines, Line{catalog.Text(ctx, "sessions"), sessionCounts(ctx, counts)})
		}
	}
	var b strings.Builder
	for _, l := range lines {
		fmt.Fprintf(&b, "- **%s**: %s\n", l.Name, l.State)
	}
	return chat.Answer{Text: b.String()}, nil
}

func sessionCounts(ctx context.Context, counts map[memory.Status]int) string {
	var parts []string
	for _, s := range []struct {
		is    memory.Status
		words string
	}{
		{memory.Active, "active"}, {memory.Idle, "idle"}, {memory.Suspended, "suspended"}, {memory.Completed, "completed"},
		{memory.Expired, "expired"}, {memory.Archived, "archived"},
	} {
		if counts[s.is] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[s.is], catalog.Text(ctx, s.words)))
		}
	}
	return cmp.Or(strings.Join(parts, ", "), catalog.Text(ctx, "none"))
}

// money returns what is left of limits of money, in words; "" where there are none.
func (s Status) money(left ...gate.Amount) (words string) {
	for _, a := range left {
		if a.Money >= 0 {
			words += ", " + text.Money(a.Money, s.Currency)
		}
	}
	return words
}

// count returns a number of which -1 is no limit.
func count(ctx context.Context, n int64) string {
	if n < 0 {
		return catalog.Text(ctx, "unlimited")
	}
	return fmt.Sprint(n)
}
