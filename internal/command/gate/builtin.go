package gate

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"parley/internal/chat"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// claimName is the only command that strangers may give.
const claimName = "claim"

// Commands returns the commands about access: claim, pair and config. verbs are
// more verbs of config.
func (g *Gate) Commands(verbs ...Command) []Command {
	id := []Option{{Name: "id", Help: wordIDHere, Required: true}}
	return []Command{
		{Name: claimName, Help: wordClaimHelp, Who: Anyone, Private: true, Run: g.runClaim,
			Options: []Option{{Name: "code", Help: wordClaimCode, Required: true}}},
		{Name: "pair", Help: wordPairHelp, Who: Owner, First: 1, Private: true, Verbs: []Command{
			{Name: "list", Help: wordPairListHelp, Effect: Reads, Run: g.runPairList},
			{Name: "approve", Help: wordPairApproveHelp, Run: g.runApprove,
				Options: []Option{{Name: "code", Help: wordPairCode, Required: true}}},
			{Name: "let", Help: wordPairLetHelp, Run: g.runLet,
				Options: []Option{{Name: "id", Help: wordID, Required: true, Suggest: g.suggestWaiting}}},
			{Name: "drop", Help: wordPairDropHelp, Run: g.runDrop,
				Options: []Option{{Name: "id", Help: wordID, Required: true, Suggest: g.suggestWaiting}}},
			{Name: "revoke", Help: wordPairRevokeHelp, Run: g.runRevoke,
				Options: []Option{{Name: "id", Help: wordID, Required: true, Suggest: g.suggestGranted}}},
		}},
		{Name: "config", Help: wordConfigHelp, Who: Owner, Verbs: append(verbs,
			Command{Name: "channel", Help: wordConfigChannelHelp, Effect: ReadsBare, Run: g.runChannel,
				Options: []Option{{Name: "listen", Help: helpConfigListen, Choices: []string{"mention", "all", "off"}}}},
			Command{Name: "who", Help: wordConfigWhoHelp, Effect: ReadsBare, Run: g.runWho,
				Options: []Option{{Name: "people", Help: wordConfigWho, Choices: []string{"everybody", "admins", "owner"}}}},
			Command{Name: "allow", Help: wordConfigAllowHelp, Run: g.runGrant("member", wordAllowed), Options: id},
			Command{Name: "deny", Help: wordConfigDenyHelp, Private: true, Run: g.runGrant("denied", wordDeniedID), Options: id},
		)},
	}
}

func (g *Gate) runClaim(ctx context.Context, r Request) (chat.Answer, error) {
	if !r.Message.Direct || !g.oneself(r.Message) {
		return chat.Answer{Text: catalog.Text(ctx, wordClaimDirect)}, nil
	}
	if r.Role >= Owner {
		return chat.Answer{Text: catalog.Text(ctx, wordYours)}, nil
	}
	if err := g.Claim(ctx, r.Message.From, r.Args["code"]); err != nil {
		return chat.Answer{}, text.Instead(err, ErrCode, wordClaimWrong)
	}
	return chat.Answer{Text: catalog.Text(ctx, wordClaimed)}, nil
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
		lines = append(lines, catalog.Say(ctx, wordPairLine, escape(u.Name), u.ID))
		if len(rows) < maxWaiting {
			rows = append(rows, []chat.Button{{Label: catalog.Say(ctx, wordLetIn, escape(u.Name)), Data: "/pair let " + u.ID},
				{Label: catalog.Text(ctx, wordNo), Data: "/pair drop " + u.ID}})
		}
	}
	for id, role := range granted {
		who, err := g.Called(ctx, id)
		if err != nil {
			return chat.Answer{}, err
		}
		lines = append(lines, catalog.Say(ctx, wordGrantLine, who, role))
	}
	slices.Sort(lines[len(waiting):])
	if len(lines) == 0 {
		return chat.Answer{Text: catalog.Text(ctx, wordPairNone)}, nil
	}
	return chat.Answer{Text: strings.Join(lines, "\n"), Buttons: rows}, nil
}

// maxWaiting is how many of those who wait get buttons: five rows fit every platform.
const maxWaiting = 5

func (g *Gate) runApprove(ctx context.Context, r Request) (chat.Answer, error) {
	who, err := g.Approve(ctx, r.Args["code"], r.Message.From.ID)
	if err != nil {
		return chat.Answer{}, text.Instead(err, ErrCode, wordPairWrong)
	}
	return chat.Answer{Text: catalog.Say(ctx, wordPairApproved, escape(who.Name), who.ID, who.ID)}, nil
}

func (g *Gate) runLet(ctx context.Context, r Request) (chat.Answer, error) {
	id := strings.TrimSpace(clean(r.Args["id"]))
	who, ok, err := g.Admit(ctx, id, r.Message.From.ID)
	switch {
	case err != nil:
		return chat.Answer{}, err
	case !ok:
		return chat.Answer{Text: catalog.Say(ctx, wordNotWaiting, escape(id))}, nil
	}
	return chat.Answer{Text: catalog.Say(ctx, wordPairApproved, escape(who.Name), who.ID, who.ID)}, nil
}

func (g *Gate) runDrop(ctx context.Context, r Request) (chat.Answer, error) {
	id := strings.TrimSpace(clean(r.Args["id"]))
	ok, err := g.Drop(ctx, id)
	switch {
	case err != nil:
		return chat.Answer{}, err
	case !ok:
		return chat.Answer{Text: catalog.Say(ctx, wordNotWaiting, escape(id))}, nil
	}
	return chat.Answer{Text: catalog.Say(ctx, wordDropped, id)}, nil
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
	id := strings.TrimSpace(clean(r.Args["id"]))
	if id == r.Message.From.ID {
		return chat.Answer{Text: catalog.Text(ctx, wordNotYourself)}, nil
	}
	ok, err := g.o.Rows.Revoke(ctx, id)
	if err != nil {
		return chat.Answer{}, err
	}
	if !ok {
		return chat.Answer{Text: catalog.Say(ctx, wordNoGrant, escape(id))}, nil
	}
	who, err := g.Called(ctx, id)
	return chat.Answer{Text: catalog.Say(ctx, wordRevoked, who)}, err
}

func (g *Gate) suggestGranted(ctx context.Context, _ chat.Message, prefix string) []string {
	granted, err := g.o.Rows.Grants(ctx)
	if err != nil {
		return nil
	}
	var ids []string
	for id := range granted {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return starting(ids, prefix)
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

// decided changes the settings of a channel and answers with the result.
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
		return catalog.Text(ctx, wordChannelDirect), nil
	}
	p, err := g.o.Rows.Policy(ctx, m.Key)
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(catalog.Text(ctx, listenWords[cmp.Or(p.Listen, "mention")]) + " " + catalog.Text(ctx, whoWords[p.Who])), nil
}

// runGrant gives an id, or the place where it is typed, a role.
func (g *Gate) runGrant(role, words string) func(context.Context, Request) (chat.Answer, error) {
	return func(ctx context.Context, r Request) (chat.Answer, error) {
		id := strings.TrimSpace(clean(r.Args["id"]))
		if fold(id) == "here" && !r.Message.Direct {
			id = chat.PlaceID(r.Message.Key)
		}
		if err := g.checkID(id, true); err != nil {
			return chat.Answer{Text: catalog.Say(ctx, wordBadID, escape(id))}, nil
		}
		granted, err := g.o.Rows.Granted(ctx, id)
		if err != nil {
			return chat.Answer{}, err
		}
		if g.rules.Load().owners[id] || granted == "owner" || id == r.Message.From.ID {
			return chat.Answer{Text: catalog.Text(ctx, wordIsOwner)}, nil
		}
		if role == "member" {
			if _, asked, err := g.Admit(ctx, id, r.Message.From.ID); err != nil || asked {
				return g.granted(ctx, words, id, err)
			}
		}
		return g.granted(ctx, words, id, g.o.Rows.Grant(ctx, id, role, r.Message.From.ID))
	}
}

// granted answers whoever gave an id a role.
func (g *Gate) granted(ctx context.Context, words, id string, err error) (chat.Answer, error) {
	if err != nil {
		return chat.Answer{}, err
	}
	who, err := g.Called(ctx, id)
	return chat.Answer{Text: catalog.Say(ctx, words, who)}, err
}
