package gate

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"parley/internal/chat"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

const (
	wordsNotWaiting   = "%s is not waiting. Try /pair list."
	wordsPairApproved = "%s (%s) may talk with me now. If you did not expect that person: `/pair revoke %s`."
	wordsID           = "for example telegram:42"
	wordsNo           = "No"
)

// claimName is the only command that strangers may give.
const claimName = "claim"

// Commands returns the commands about access: claim, pair and config. verbs are
// more verbs of config.
func (g *Gate) Commands(verbs ...Command) []Command {
	id := []Option{{Name: "id", Help: "for example telegram:42, discord:guild:99, or here", Required: true}}
	return []Command{
		{Name: claimName, Help: "Become the owner, with the code shown at startup", Who: Anyone, Private: true, Run: g.runClaim,
			Options: []Option{{Name: "code", Help: "the code shown when the bot started", Required: true}}},
		{Name: "pair", Help: "Let people in", Who: Owner, First: 1, Private: true, Verbs: []Command{
			{Name: "list", Help: "Who is waiting and who was let in", Effect: Reads, Run: g.runPairList},
			{Name: "approve", Help: "Let in the person with a code", Run: g.runApprove,
				Options: []Option{{Name: "code", Help: "the code that the person gave you", Required: true}}},
			{Name: "let", Help: "Let in somebody who is waiting, without a code", Run: g.runLet,
				Options: []Option{{Name: "id", Help: wordsID, Required: true, Suggest: g.suggestWaiting}}},
			{Name: "drop", Help: "Reject somebody who is waiting", Run: g.runDrop,
				Options: []Option{{Name: "id", Help: wordsID, Required: true, Suggest: g.suggestWaiting}}},
			{Name: "revoke", Help: "Take back what was granted", Run: g.runRevoke,
				Options: []Option{{Name: "id", Help: wordsID, Required: true, Suggest: g.suggestGranted}}},
		}},
		{Name: "config", Help: "Settings, and who may talk where", Who: Owner, Verbs: append(verbs,
			Command{Name: "channel", Help: "What I answer in this channel", Effect: ReadsBare, Run: g.runChannel,
				Options: []Option{{Name: "listen", Help: "mention: when addressed; ambient: the same, and I read along; all: everything; off: nothing",
					Choices: []string{"mention", chat.Ambient, "all", "off"}}}},
			Command{Name: "who", Help: "Whom I answer in this channel", Effect: ReadsBare, Run: g.runWho,
				Options: []Option{{Name: "people", Help: "everybody: who was let in; admins: of this channel; owner: nobody else", Choices: []string{"everybody", "admins", "owner"}}}},
			Command{Name: "allow", Help: "Let in a person or a place", Run: g.runGrant("member", "%s may talk with me now."), Options: id},
			Command{Name: "deny", Help: "Keep out a person or a place", Private: true,
				Run: g.runGrant("denied", "%s is kept out from now on."), Options: id},
		)},
	}
}

func (g *Gate) runClaim(ctx context.Context, r Request) (chat.Answer, error) {
	if !r.Message.Direct || !g.oneself(r.Message) {
		return chat.Answer{Text: catalog.Text(ctx, "Please send me that in a direct chat.")}, nil
	}
	if r.Role >= Owner {
		return chat.Answer{Text: catalog.Text(ctx, "You own this bot already.")}, nil
	}
	if err := g.Claim(ctx, r.Message.From, r.Args["code"]); err != nil {
		return chat.Answer{}, text.Instead(err, ErrCode, "That code does not work: it may be mistyped, used or too old. Restarting me shows a new one.")
	}
	return chat.Answer{Text: catalog.Text(ctx, "You own this bot now. Try /help to see what you can do.")}, nil
}

func (g *Gate) runPairList(ctx context.Context, _ Request) (chat.Answer, error) {
	waiting, err := g.Waiting(ctx)
	if err != nil {
		return chat.Answer{}, err
	}
	granted, err := g.o.Rows.Grants(ctx)
	if err != nil {
		return chat.Answer{}, err
	}
	var lines []string
	var rows [][]chat.Button
	for _, u := range waiting {
		lines = append(lines, catalog.Say(ctx, "%s (%s) is waiting", Escape(u.Name), u.ID))
		if len(rows) < maxWaiting {
			rows = append(rows, []chat.Button{{Label: catalog.Say(ctx, "Let in %s", Escape(u.Name)), Data: "/pair let " + u.ID},
				{Label: catalog.Text(ctx, wordsNo), Data: "/pair drop " + u.ID}})
		}
	}
	for id, role := range granted {
		who, err := g.Called(ctx, id)
		if err != nil {
			return chat.Answer{}, err
		}
		lines = append(lines, catalog.Say(ctx, "%s: %s", who, role))
	}
	slices.Sort(lines[len(waiting):])
	if len(lines) == 0 {
		return chat.Answer{Text: catalog.Text(ctx, "Nobody is waiting and nobody was let in by hand.")}, nil
	}
	return chat.Answer{Text: strings.Join(lines, "\n"), Buttons: rows}, nil
}

// maxWaiting is how many of those who wait get buttons: five rows fit every platform.
const maxWaiting = 5

func (g *Gate) runApprove(ctx context.Context, r Request) (chat.Answer, error) {
	who, err := g.Approve(ctx, r.Args["code"], r.Message.From.ID)
	if err != nil {
		return chat.Answer{}, text.Instead(err, ErrCode, "No one is waiting with that code: it may be mistyped, used or older than an hour.")
	}
	return chat.Answer{Text: catalog.Say(ctx, wordsPairApproved, Escape(who.Name), who.ID, who.ID)}, nil
}

func (r Request) id() string { return strings.TrimSpace(clean(r.Args["id"])) }

func (g *Gate) runLet(ctx context.Context, r Request) (chat.Answer, error) {
	id := r.id()
	who, ok, err := g.Admit(ctx, id, r.Message.From.ID)
	if err == nil && !ok {
		return chat.Answer{Text: catalog.Say(ctx, wordsNotWaiting, Escape(id))}, nil
	}
	return chat.Answer{Text: catalog.Say(ctx, wordsPairApproved, Escape(who.Name), who.ID, who.ID)}, err
}

func (g *Gate) runDrop(ctx context.Context, r Request) (chat.Answer, error) {
	id := r.id()
	ok, err := g.Drop(ctx, id)
	if err == nil && !ok {
		return chat.Answer{Text: catalog.Say(ctx, wordsNotWaiting, Escape(id))}, nil
	}
	return chat.Answer{Text: catalog.Say(ctx, "Done, the request of %s is gone.", id)}, err
}

func (g *Gate) suggestWaiting(ctx context.Context, _ chat.Message, prefix string) []string {
	waiting, err := g.Waiting(ctx)
	if err != nil {
		return nil
	}
	var ids []string
	for _, u := range waiting {
		ids = append(ids, u.ID)
	}
	return starting(ids, prefix)
}

func (g *Gate) runRevoke(ctx context.Context, r Request) (chat.Answer, error) {
	id := r.id()
	if id == r.Message.From.ID {
		return chat.Answer{Text: catalog.Text(ctx, "You cannot take that back from yourself.")}, nil
	}
	ok, err := g.o.Rows.Revoke(ctx, id)
	if err != nil {
		return chat.Answer{}, err
	}
	if !ok {
		return chat.Answer{Text: catalog.Say(ctx, "Nothing was granted to %s. Try /pair list.", Escape(id))}, nil
	}
	who, err := g.Called(ctx, id)
	return chat.Answer{Text: catalog.Say(ctx, "Done, %s has nothing granted by hand any more.", who)}, err
}

func (g *Gate) suggestGranted(ctx context.Context, _ chat.Message, prefix string) []string {
	granted, err := g.o.Rows.Grants(ctx)
	if err != nil {
		return nil
	}
	return starting(slices.Sorted(maps.Keys(granted)), prefix)
}

func (g *Gate) runChannel(ctx context.Context, r Request) (chat.Answer, error) {
	return g.decided(ctx, r, func(p *chat.Policy) { p.Listen = cmp.Or(r.Args["listen"], p.Listen) })
}

func (g *Gate) runWho(ctx context.Context, r Request) (chat.Answer, error) {
	return g.decided(ctx, r, func(p *chat.Policy) {
		if who := r.Args["people"]; who != "" {
			p.Who = strings.TrimPrefix(who, "everybody")
		}
	})
}

func (g *Gate) decided(ctx context.Context, r Request, change func(*chat.Policy)) (chat.Answer, error) {
	if !r.Message.Direct && len(r.Args) > 0 {
		p, err := g.o.Rows.Policy(ctx, r.Message.Key)
		if err != nil {
			return chat.Answer{}, err
		}
		change(&p)
		if err := g.o.Rows.SetPolicy(ctx, r.Message.Key, p); err != nil {
			return chat.Answer{}, err
		}
	}
	text, err := g.Here(ctx, r.Message)
	return chat.Answer{Text: text}, err
}

// Here explains in a sentence or two whom the bot answers in m's place, and when.
func (g *Gate) Here(ctx context.Context, m chat.Message) (string, error) {
	if m.Direct {
		return catalog.Text(ctx, "This is a direct chat; I answer everything here."), nil
	}
	p, err := g.policy(ctx, m)
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(catalog.Text(ctx, listenWords[p.Listen]) + " " + catalog.Text(ctx, whoWords[p.Who])), nil
}

// runGrant gives an id, or the place where it is typed, a role.
func (g *Gate) runGrant(role, words string) func(context.Context, Request) (chat.Answer, error) {
	return func(ctx context.Context, r Request) (chat.Answer, error) {
		id := r.id()
		if fold(id) == "here" && !r.Message.Direct {
			id = chat.PlaceID(r.Message.Key)
		}
		if err := g.checkID(id, true); err != nil {
			return chat.Answer{Text: catalog.Say(ctx, "I need a numeric id with its platform, not %s: telegram:42, discord:1234, "+
				"telegram:chat:-1001, discord:guild:99, or here in a channel. Names prove nothing.", Escape(id))}, nil
		}
		granted, err := g.o.Rows.Granted(ctx, id)
		if err != nil {
			return chat.Answer{}, err
		}
		if g.rules.Load().owners[id] || granted == "owner" || id == r.Message.From.ID {
			return chat.Answer{Text: catalog.Text(ctx, "That is an owner, and owners stay in.")}, nil
		}
		if role == "member" {
			if _, asked, err := g.Admit(ctx, id, r.Message.From.ID); err != nil || asked {
				return g.granted(ctx, words, id, err)
			}
		}
		return g.granted(ctx, words, id, g.o.Rows.Grant(ctx, id, role, r.Message.From.ID))
	}
}

func (g *Gate) granted(ctx context.Context, words, id string, err error) (chat.Answer, error) {
	if err != nil {
		return chat.Answer{}, err
	}
	who, err := g.Called(ctx, id)
	return chat.Answer{Text: catalog.Say(ctx, words, who)}, err
}

// WordsAlong tells a channel that the bot reads along.
const WordsAlong = "I read along in this channel, so that I know what you talk about. I answer when I am addressed; by myself I " +
	"speak only where a rule of my owner says so. What you write stays with this channel. `/listen off` leaves your words out."

// listenWords and whoWords explain a channel's policy.
var (
	listenWords = map[string]string{
		"all":     "I answer everything in this channel.",
		"off":     "I am silent in this channel. `/config channel mention` brings me back.",
		"mention": "In this channel I answer when I am addressed.",
		"ambient": WordsAlong,
	}
	whoWords = map[string]string{
		"admins": "In this channel I only answer its administrators.",
		"owner":  "In this channel I only answer my owner.",
	}
)

// circles say whom a command is for.
var circles = map[Role]string{Member: "people my owner has let in", Admin: "the administrators of this place", Owner: "my owner"}
