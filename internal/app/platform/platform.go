// Package platform registers the platforms. Each has one value in All, and nothing else in
// the process knows a platform by name: init asks and checks what the value says, doctor
// checks it, secrets are recognized by it, rehearsals play on it. How a platform speaks is
// its adapter's.
package platform

import (
	"context"
	"log/slog"
	"regexp"
	"slices"
	"time"

	"parley/config"
	"parley/internal/app/fleet"
	"parley/internal/chat"
	"parley/internal/llm/provider"
	"parley/internal/text/catalog"
)

// All are the platforms, in the order of init's menu.
func All() []Platform {
	return []Platform{
		telegramPlatform,
		discordPlatform,
		matrixPlatform,
		terminalPlatform,
	}
}

// Platform is what the process knows about one platform. Platform.Platform is its name: of
// its section in the settings, in ids and in rehearsals.
type Platform struct {
	chat.Identity
	// Servers is true where places belong to servers that can be let in as a whole. A Key
	// does not say which.
	Servers bool
	// Deletes is true where the platform reports deleted messages.
	Deletes bool
	// Hosted is nil for the terminal, which needs no account.
	*Hosted
}

// Hosted is a platform on which the bot has an account.
type Hosted struct {
	Title string // what people call the platform
	// Token is the setting NAME.token, which turns the platform on.
	Token func(*config.Config) *config.Secret
	// Form matches its tokens, and nothing else that people paste; nil where nothing tells
	// them from other secrets.
	Form func() *regexp.Regexp
	// Misformed says that a secret is no token; nil where Form does not match all of them.
	Misformed error
	// AskToken and AskOwner are init's questions. Invite says how people get to the bot.
	AskToken, AskOwner catalog.Phrase
	Invite             func(Account) catalog.Phrase
	// Account asks the platform about the bot, in few requests that disturb no bot that runs.
	Account func(context.Context, config.Config) (Account, error)
	// Checks are doctor's beyond the account.
	Checks []Check
	// Open makes the adapter, and connects to nothing.
	Open func(config.Config, Surroundings) (chat.Adapter, error)
	// OneAtATime reports whether one of several processes receives, and the others only
	// send; nil for never.
	OneAtATime func(config.Config) bool
	// PrefersLoss reports whether the owner prefers a lost answer to a doubled one; nil for
	// a platform that does not ask.
	PrefersLoss func(config.Config) bool
}

// Account is what a platform says about the bot.
type Account struct {
	Name    string    // as people find it
	ID      string    // for its invitation; "" where the name does
	Date    time.Time // of the answer, by the platform's clock; zero where it does not say
	Problem error     // something that would stop startup; nil for nothing
}

// Check is one thing more that doctor looks at: Run returns what is fine, or what is wrong.
type Check struct {
	Name catalog.Phrase
	Run  func(context.Context, config.Config) (catalog.Phrase, error)
}

// Surroundings are the parts of the process that an adapter calls; see its options.
type Surroundings struct {
	Log     *slog.Logger
	Fleet   *fleet.Fleet     // nil for a process that is alone
	Now     func() time.Time // nil is time.Now
	Toast   func(ctx context.Context, m chat.Message) (text string, refused bool)
	Private func(ctx context.Context, m chat.Message) bool
	Suggest func(ctx context.Context, m chat.Message, option, typed string) []chat.Choice
	// Command reports whether a command has this name.
	Command func(name string) bool
	// Welcome reports whether somebody was let in, who invites the bot to a place.
	Welcome func(ctx context.Context, m chat.Message) bool
	// Speak returns a context in somebody's language; nil is English for all.
	Speak func(ctx context.Context, who chat.User) context.Context
}

// On reports whether a platform is set up.
func (p Platform) On(c config.Config) bool { return p.Hosted != nil && *p.Token(&c) != "" }

// Accounts are the platforms on which the bot has an account.
func Accounts() []Platform {
	return slices.DeleteFunc(All(), func(p Platform) bool { return p.Hosted == nil })
}

// AnyOn reports whether a platform other than the terminal is set up.
func AnyOn(c config.Config) bool {
	return slices.ContainsFunc(All(), func(p Platform) bool { return p.On(c) })
}

// Named returns the platform of this name.
func Named(name string) (Platform, bool) {
	for _, p := range All() {
		if p.Platform == name {
			return p, true
		}
	}
	return Platform{}, false
}

// Names lists the platforms by name.
func Names() (names []string) {
	for _, p := range All() {
		names = append(names, p.Platform)
	}
	return names
}

// Identities are the grammars of the ids of all platforms.
func Identities() (list chat.Identities) {
	for _, p := range All() {
		list = append(list, p.Identity)
	}
	return list
}

// Tokens are the forms of the tokens of all platforms.
func Tokens() (forms provider.Forms) {
	for _, p := range Accounts() {
		if p.Form != nil {
			forms = append(forms, provider.Form{Owner: p.Title, Matches: p.Form})
		}
	}
	return forms
}

// PrefersLoss reports whether the owner prefers a lost answer to a doubled one.
func PrefersLoss(c config.Config) bool {
	return slices.ContainsFunc(Accounts(), func(p Platform) bool { return p.PrefersLoss != nil && p.PrefersLoss(c) })
}

// TokenSettings lists the settings that turn platforms on.
func TokenSettings() (paths []string) {
	for _, p := range Accounts() {
		paths = append(paths, p.Platform+".token")
	}
	return paths
}
