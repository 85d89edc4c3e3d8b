package admin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"parley/internal/chat"
)

// claimName is the one command that strangers may give.
const claimName = "claim"

// Commands are the commands about access: claim, pair and config. settings
// prints the configuration without secrets; it is asked each time.
func (g *Gate) Commands(settings func() string) []Command {
	return []Command{
		{Name: claimName, Help: wordClaimHelp, Who: Anyone, Private: true, Run: g.runClaim,
			Options: []Option{{Name: "code", Help: wordClaimCode, Required: true}}},
		{Name: "pair", Help: wordPairHelp, Who: Owner, Private: true, Verbs: []Command{
			{Name: "list", Help: wordPairListHelp, Run: g.runPairList},
			{Name: "approve", Help: wordPairApproveHelp, Run: g.runApprove,
				Options: []Option{{Name: "code", Help: wordPairCode, Required: true}}},
			{Name: "revoke", Help: wordPairRevokeHelp, Run: g.runRevoke,
				Options: []Option{{Name: "id", Help: wordID, Required: true, Suggest: g.suggestGranted}}},
		}},
		{Name: "config", Help: wordConfigHelp, Who: Owner, Private: true, Verbs: []Command{
			{Name: "show", Help: wordConfigShowHelp, Run: func(context.Context, Request) (chat.Answer, error) {
				return chat.Answer{Text: "```\n" + strings.TrimSpace(settings()) + "\n```"}, nil
			}},
			{Name: "channel", Help: wordConfigChannelHelp, Run: g.runChannel,
				Options: []Option{{Name: "listen", Help: wordConfigListen, Choices: []string{"mention", "all", "off"}}}},
			{Name: "allow", Help: wordConfigAllowHelp, Run: g.runGrant("member", wordAllowed),
				Options: []Option{{Name: "id", Help: wordIDHere, Required: true}}},
			{Name: "deny", Help: wordConfigDenyHelp, Run: g.runGrant("denied", wordDeniedID),
				Options: []Option{{Name: "id", Help: wordIDHere, Required: true}}},
		}},
	}
}

func (g *Gate) runClaim(ctx context.Context, r Request) (chat.Answer, error) {
	if !r.Message.Direct || !oneself(r.Message) {
		return chat.Answer{Text: wordClaimDirect}, nil
	}
	if err := g.Claim(ctx, r.Message.From, r.Args["code"]); err != nil {
		return refused(err, wordClaimWrong)
	}
	return chat.Answer{Text: wordClaimed}, nil
}

// refused turns an expected error into a sentence and passes on the others.
func refused(err error, wrong string) (chat.Answer, error) {
	switch {
	case errors.Is(err, ErrCode):
		return chat.Answer{Text: wrong}, nil
	case errors.Is(err, ErrLockedOut):
		return chat.Answer{Text: wordLockedOut}, nil
	case errors.Is(err, ErrOwned):
		return chat.Answer{Text: wordOwned}, nil
	}
	return chat.Answer{}, err
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
	for _, u := range waiting {
		lines = append(lines, fmt.Sprintf(wordPairLine, u.ID, escape(u.Name)))
	}
	for id, role := range granted {
		lines = append(lines, fmt.Sprintf(wordGrantLine, id, role))
	}
	slices.Sort(lines[len(waiting):])
	if len(lines) == 0 {
		return chat.Answer{Text: wordPairNone}, nil
	}
	return chat.Answer{Text: strings.Join(lines, "\n")}, nil
}

func (g *Gate) runApprove(ctx context.Context, r Request) (chat.Answer, error) {
	who, err := g.Approve(ctx, r.Args["code"], r.Message.From.ID)
	if err != nil {
		return refused(err, wordPairWrong)
	}
	return chat.Answer{Text: fmt.Sprintf(wordPairApproved, escape(who.Name), who.ID, who.ID)}, nil
}

func (g *Gate) runRevoke(ctx context.Context, r Request) (chat.Answer, error) {
	id := strings.TrimSpace(clean(r.Args["id"]))
	if id == r.Message.From.ID {
		return chat.Answer{Text: wordNotYourself}, nil
	}
	ok, err := g.o.Rows.Revoke(ctx, id)
	if err != nil {
		return chat.Answer{}, err
	}
	if !ok {
		return chat.Answer{Text: fmt.Sprintf(wordNoGrant, escape(id))}, nil
	}
	return chat.Answer{Text: fmt.Sprintf(wordRevoked, id)}, nil
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
	if r.Message.Direct {
		return chat.Answer{Text: wordChannelDirect}, nil
	}
	if listen := r.Args["listen"]; listen != "" {
		if err := g.o.Rows.SetPolicy(ctx, r.Message.Key, listen); err != nil {
			return chat.Answer{}, err
		}
	}
	listen, err := g.o.Rows.Policy(ctx, r.Message.Key)
	if err != nil {
		return chat.Answer{}, err
	}
	switch listen {
	case "all":
		return chat.Answer{Text: wordChannelAll}, nil
	case "off":
		return chat.Answer{Text: wordChannelOff}, nil
	}
	return chat.Answer{Text: wordChannelMention}, nil
}

// runGrant gives an id, or the place where it is typed, a role.
func (g *Gate) runGrant(role, done string) func(context.Context, Request) (chat.Answer, error) {
	return func(ctx context.Context, r Request) (chat.Answer, error) {
		id := strings.TrimSpace(clean(r.Args["id"]))
		if fold(id) == "here" && !r.Message.Direct {
			id = placeOf(r.Message.Key)
		}
		if err := checkID(id, true); err != nil {
			return chat.Answer{Text: fmt.Sprintf(wordBadID, escape(id))}, nil
		}
		granted, err := g.o.Rows.Granted(ctx, id)
		if err != nil {
			return chat.Answer{}, err
		}
		if g.rules.Load().owners[id] || granted == "owner" || id == r.Message.From.ID {
			return chat.Answer{Text: wordIsOwner}, nil
		}
		if err := g.o.Rows.Grant(ctx, id, role, r.Message.From.ID); err != nil {
			return chat.Answer{}, err
		}
		return chat.Answer{Text: fmt.Sprintf(done, id)}, nil
	}
}
