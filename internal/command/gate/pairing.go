package gate

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/internal/chat"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// A code is 10 letters of a 32-letter alphabet without look-alikes: 50 bits.
const (
	codeAlphabet = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
	codeLength   = 10
	pairLife     = time.Hour
	claimLife    = 24 * time.Hour // startup makes a new one
	maxPending   = 20             // unanswered pairing requests of one platform; the oldest goes
	maxAsked     = 3              // codes that a person is given in a day
	maxGuesses   = 5
	maxKnocks    = 10 // requests of one platform that the owner is told of in a day
	guessWindow  = time.Hour
	askWindow    = 24 * time.Hour
)

// Purposes of codes.
const (
	forClaim = "claim"
	forPair  = "pair"
)

// Errors of Approve and Claim.
var (
	ErrCode      = errors.New("no such code, or it was used or has expired")
	ErrLockedOut = text.Tell("Too many wrong codes. Please try again in an hour.")
	ErrOwned     = text.Tell("This bot already has an owner.")
)

// ClaimCode makes the code that startup shows while nobody owns this bot; an earlier one stops
// working. It is "" if there is an owner.
func (g *Gate) ClaimCode(ctx context.Context) (string, error) {
	owned, err := g.HasOwner(ctx)
	if err != nil || owned {
		return "", err
	}
	return g.newCode(ctx, forClaim, chat.User{}, claimLife)
}

// Claim makes who the owner if the code is right and there is none yet. It
// fails with ErrCode, ErrLockedOut or ErrOwned.
func (g *Gate) Claim(ctx context.Context, who chat.User, code string) error {
	owned, err := g.HasOwner(ctx)
	if err != nil {
		return err
	}
	if owned {
		return ErrOwned
	}
	if _, err := g.takeCode(ctx, forClaim, code, who.ID); err != nil {
		return err
	}
	g.o.Log.Info("claimed", "owner", who.ID)
	return g.o.Rows.Grant(ctx, who.ID, "owner", who.ID)
}

// Approve lets in the holder of a pairing code and returns who that is. by is the owner who
// decided. It fails with ErrCode or ErrLockedOut.
func (g *Gate) Approve(ctx context.Context, code, by string) (chat.User, error) {
	who, err := g.takeCode(ctx, forPair, code, by)
	if err != nil {
		return chat.User{}, err
	}
	return who, g.admit(ctx, who, by)
}

// admit lets in somebody who asked.
func (g *Gate) admit(ctx context.Context, who chat.User, by string) error {
	if err := g.o.Rows.Grant(ctx, who.ID, "member", by); err != nil {
		return err
	}
	g.o.Log.Info("let in", "person", who.ID, "by", by)
	if g.o.Admitted != nil {
		g.o.Admitted(ctx, who)
	}
	return nil
}

// Called returns an id with what people call it, where that is known.
func (g *Gate) Called(ctx context.Context, id string) (string, error) {
	if g.o.Called == nil {
		return id, nil
	}
	name, err := g.o.Called(ctx, id)
	if err != nil || name == id {
		return id, err
	}
	return Escape(name) + " (" + id + ")", nil
}

// Waiting returns who asked to be let in and holds a live code.
func (g *Gate) Waiting(ctx context.Context) ([]chat.User, error) {
	return g.o.Rows.Waiting(ctx, forPair)
}

// takeCode counts the guess before it looks, so that concurrent guesses count too.
func (g *Gate) takeCode(ctx context.Context, purpose, code, by string) (chat.User, error) {
	ok, err := g.o.Rows.Try(ctx, by, maxGuesses, guessWindow)
	if err != nil {
		return chat.User{}, err
	}
	if !ok {
		g.o.Log.Warn("locked out after wrong codes", "person", by)
		return chat.User{}, ErrLockedOut
	}
	who, ok, err := g.o.Rows.TakeCode(ctx, purpose, hashCode(code))
	if err != nil {
		return chat.User{}, err
	}
	if !ok {
		return chat.User{}, ErrCode
	}
	return who, g.o.Rows.Forgive(ctx, by)
}

func (g *Gate) newCode(ctx context.Context, purpose string, who chat.User, life time.Duration) (string, error) {
	raw := make([]byte, codeLength)
	_, _ = rand.Read(raw) // never fails
	for i, b := range raw {
		raw[i] = codeAlphabet[int(b)%len(codeAlphabet)]
	}
	code := string(raw[:codeLength/2]) + "-" + string(raw[codeLength/2:])
	if err := g.o.Rows.AddCode(ctx, purpose, hashCode(code), who, g.o.Now().Add(life)); err != nil {
		return "", err
	}
	return code, nil
}

// hashCode forgives how a code was typed: case, spaces and dashes.
func hashCode(code string) []byte {
	var b strings.Builder
	for _, r := range strings.ToUpper(code) {
		if strings.ContainsRune(codeAlphabet, r) {
			b.WriteRune(r)
		}
	}
	sum := sha256.Sum256([]byte(b.String()))
	return sum[:]
}

// stranger answers somebody who was not let in: in pairing mode with a code in a direct chat,
// otherwise with a sentence an hour in each place. It only answers messages addressed to the bot.
func (g *Gate) stranger(ctx context.Context, m chat.Message) (chat.Answer, error) {
	wrote := m.Kind == chat.KindText || m.Kind == chat.KindCommand
	if !wrote || !expected(m) && !m.Direct || !g.oneself(m) {
		return chat.Answer{}, nil
	}
	owned, err := g.HasOwner(ctx)
	if err != nil {
		return chat.Answer{}, err
	}
	if m.Direct && !owned {
		return chat.Answer{Text: catalog.Text(ctx, "Hello! Nobody owns me yet. If I am yours: my start has shown a code; send it here as `/claim CODE`.")}, nil
	}
	if m.Direct && g.rules.Load().mode == "pairing" {
		return g.pair(ctx, m)
	}
	if !g.told.first(inPlace(m), g.o.Now()) {
		return chat.Answer{}, nil
	}
	if g.rules.Load().mode == "pairing" {
		return chat.Answer{Text: catalog.Text(ctx, "I only talk with people my owner has let in. Write to me directly to ask for that."),
			Buttons: g.door(ctx, m.Key.Platform)}, nil
	}
	words := catalog.Text(ctx, "This is a private assistant, and I only talk with people its owner has let in.")
	if m.Direct { // in a group the id is nobody else's business
		words += "\n" + catalog.Say(ctx, "If you know them, ask them to let you in as `%s`.", m.From.ID)
	}
	return chat.Answer{Text: words}, nil
}

// pair gives a stranger a code. Strangers cannot keep each other out: one person has one
// request and few codes a day, and the oldest request makes room.
// Who has a code from before this process began gets another one in its place: they may
// have lost it, and only its hash is kept.
func (g *Gate) pair(ctx context.Context, m chat.Message) (chat.Answer, error) {
	who, platform := m.From, m.Key.Platform
	g.codes.Lock()
	defer g.codes.Unlock()
	waiting, err := g.o.Rows.Waiting(ctx, forPair)
	if err != nil {
		return chat.Answer{}, err
	}
	var pending []chat.User
	again := false
	for _, u := range waiting {
		if u.ID == who.ID {
			again = true
		}
		if strings.HasPrefix(u.ID, platform+":") {
			pending = append(pending, u)
		}
	}
	ok := false
	if !again || g.told.first(codeOf+who.ID, g.o.Now()) {
		if ok, err = g.o.Rows.Try(ctx, "asks:"+who.ID, maxAsked, askWindow); err != nil {
			return chat.Answer{}, err
		}
	}
	switch {
	case !ok && again:
		return g.say(m, catalog.Text(ctx, "You already have a code. I will answer as soon as the owner has approved it."))
	case !ok:
		return g.say(m, catalog.Text(ctx, "You have asked a few times today. Please try again tomorrow."))
	}
	if !again && len(pending) >= maxPending {
		if _, err := g.Drop(ctx, pending[0].ID); err != nil {
			return chat.Answer{}, err
		}
	}
	code, err := g.newCode(ctx, forPair, who, pairLife)
	if err != nil {
		return chat.Answer{}, err
	}
	_ = g.told.first(codeOf+who.ID, g.o.Now()) // this process knows that they have it
	words := catalog.Say(ctx, "Hello! This is a private assistant. To be let in, give its owner this code: **%s**\nThe owner "+
		"approves it with `/pair approve %s`. It works once, for one hour.", code, code)
	if again {
		return chat.Answer{Text: words + "\n" + catalog.Text(ctx, "The code that you had before does not work any more.")}, nil
	}
	g.o.Log.Info("asks to be let in", "person", who.ID)
	g.knock(ctx, who)
	return chat.Answer{Text: words}, nil
}

// knock tells the owner, a few times a day: strangers must not flood their direct chat.
func (g *Gate) knock(ctx context.Context, who chat.User) {
	platform, _ := chat.CutID(who.ID)
	if g.o.Knock == nil {
		return
	}
	ok, err := g.o.Rows.Try(ctx, "knocks:"+platform, maxKnocks, askWindow)
	if err != nil {
		g.o.Log.Warn("count requests", "err", err)
	}
	if ok {
		g.o.Knock(ctx, who, fmt.Sprintf("%s %d", who.ID, g.o.Now().UnixMilli()))
	}
}

// Admit lets in somebody who waits, without their code: the owner was told who asks. ok is
// false if they wait no more.
func (g *Gate) Admit(ctx context.Context, id, by string) (who chat.User, ok bool, err error) {
	waiting, err := g.Waiting(ctx)
	if err != nil {
		return who, false, err
	}
	i := slices.IndexFunc(waiting, func(u chat.User) bool { return u.ID == id })
	if i < 0 {
		return who, false, nil
	}
	if ok, err = g.Drop(ctx, id); err != nil || !ok {
		return who, false, err
	}
	return waiting[i], true, g.admit(ctx, waiting[i], by)
}

// Drop rejects a request to be let in; false when there is none. The person
// is not told, and may ask again a few times a day.
func (g *Gate) Drop(ctx context.Context, id string) (bool, error) {
	return g.o.Rows.DropCode(ctx, forPair, id)
}

// codeOf, before a person, is that they were given a code by this process.
const codeOf = "code "

// say sends a stranger a sentence once an hour.
func (g *Gate) say(m chat.Message, text string) (chat.Answer, error) {
	if !g.told.first(inPlace(m), g.o.Now()) {
		return chat.Answer{}, nil
	}
	return chat.Answer{Text: text}, nil
}

// isClaim reports whether m is the one command a stranger may give.
func (g *Gate) isClaim(m chat.Message) bool {
	if m.Kind != chat.KindCommand || !m.Direct || m.Forwarded || !g.oneself(m) {
		return false
	}
	name, _ := commandName(m.Text)
	return name == claimName
}

// claimLink is what pressing Start writes after the link with the code was opened.
var claimLink = text.Pattern(`^/start ([A-Z2-9]{5}-[A-Z2-9]{5})$`)

// linked returns m as meant by pressing Start: a claim, if the link had a code.
func linked(m chat.Message) chat.Message {
	if code := claimLink().FindStringSubmatch(m.Text); code != nil && m.Kind == chat.KindCommand && m.Direct {
		m.Text = "/" + claimName + " " + code[1]
	}
	return m
}

func isTerminal(id string) bool { return strings.HasPrefix(id, terminal+":") }
