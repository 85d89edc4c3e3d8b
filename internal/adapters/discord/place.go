package discord

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/bwmarrin/discordgo"

	"parley/internal/chat"
)

// place is what is known of a channel.
type place struct {
	parent string // the channel a thread hangs on; "" for channels
	guild  string
}

// learnFrom takes in what an event says of servers and channels.
func (a *Adapter) learnFrom(ctx context.Context, e *discordgo.Event) {
	var about struct {
		GuildID plain `json:"guild_id"`
		wireGuild
	}
	switch e.Type {
	case "GUILD_CREATE":
		if decode(e.RawData, &about.wireGuild) == nil && isID(about.ID) {
			a.learnGuild(ctx, &about.wireGuild)
		}
	case "GUILD_UPDATE":
		_ = decode(e.RawData, &about) // an unreadable one names no server
		a.forgetAuthority(string(about.ID))
	case "GUILD_ROLE_CREATE", "GUILD_ROLE_UPDATE", "GUILD_ROLE_DELETE":
		_ = decode(e.RawData, &about)
		a.forgetAuthority(string(about.GuildID))
	case "CHANNEL_CREATE", "THREAD_CREATE":
		var ch wireChannel
		if decode(e.RawData, &ch) == nil && isID(ch.ID) {
			a.learn(ch, "")
		}
	}
}

// learnGuild takes in a server: its channels, and who administers it. Where
// something was said in a channel of which nothing was ever stored, while
// nobody was connected, that is read, too.
func (a *Adapter) learnGuild(ctx context.Context, g *wireGuild) {
	var unread []string
	for _, ch := range slices.Concat(g.Channels, g.Threads) {
		if isID(ch.ID) {
			a.learn(ch, string(g.ID))
			if a.unread(ch, string(g.ID)) {
				unread = append(unread, string(ch.ID))
			}
		}
	}
	a.mu.Lock()
	delete(a.expected, string(g.ID))
	a.guilds[string(g.ID)] = authorityOf(g)
	for _, r := range g.Roles {
		for _, m := range g.Members {
			if bool(r.Managed) && m.User != nil && string(m.User.ID) == a.self && slices.Contains(m.Roles, r.ID) {
				a.roles[string(r.ID)] = true
			}
		}
	}
	a.mu.Unlock()
	for _, channel := range unread {
		a.enter(ctx, channel, event{ticket: a.progress.begin(0)})
	}
}

// unread says whether something was said in a channel, since the last session
// was alive, that no cursor leads to; if so there is one afterwards.
func (a *Adapter) unread(ch wireChannel, guild string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.expected[guild] || a.missed.IsZero() || a.read[string(ch.ID)] != "" || !isID(ch.Last) {
		return false
	}
	if idTime(string(ch.Last)).Before(a.missed) {
		return false
	}
	a.read[string(ch.ID)] = idAt(a.missed)
	return true
}

func (a *Adapter) learn(ch wireChannel, guild string) place {
	p := place{guild: guild}
	if isID(ch.GuildID) {
		p.guild = string(ch.GuildID)
	}
	switch discordgo.ChannelType(ch.Type) {
	case discordgo.ChannelTypeGuildNewsThread, discordgo.ChannelTypeGuildPublicThread, discordgo.ChannelTypeGuildPrivateThread:
		p.parent = ch.ParentID.shown()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.places[string(ch.ID)] = p
	return p
}

// How long Discord is asked about a channel before it counts as a plain one.
const (
	lookup  = 3 * time.Second
	lookups = 5
)

// key is the conversation of a channel. Where the events have not said what
// kind of channel it is, Discord is asked.
func (a *Adapter) key(ctx context.Context, channel, guild string) chat.Key {
	k, known := a.knownKey(channel)
	for n := 0; !known && guild != "" && n < lookups && ctx.Err() == nil; n++ {
		_, err := a.place(ctx, channel)
		if k, known = a.knownKey(channel); err == nil || refused(err) {
			break
		}
		pause(ctx, a.after(err, n))
	}
	return k
}

// place asks Discord what a channel is, unless it is known.
func (a *Adapter) place(ctx context.Context, channel string) (place, error) {
	a.mu.Lock()
	p, known := a.places[channel]
	a.mu.Unlock()
	if known {
		return p, nil
	}
	ctx, cancel := context.WithTimeout(ctx, lookup)
	defer cancel()
	var ch wireChannel
	if err := a.call(ctx, http.MethodGet, "/channels/"+channel, channel, nil, &ch); err != nil {
		return p, err
	}
	ch.ID = plain(channel)
	return a.learn(ch, ""), nil
}

// refused recognizes an answer that will stay the same.
func refused(err error) bool {
	var no *restError
	return errors.As(err, &no) && no.Status != http.StatusUnauthorized
}

// after is how long to wait before the next of several tries.
func (a *Adapter) after(err error, try int) time.Duration {
	wait := min(a.o.Timing.RetryMin<<min(try, 10), a.o.Timing.RetryMax)
	var silence *chat.WaitError
	if errors.As(err, &silence) {
		wait = max(wait, silence.After)
	}
	return wait
}

// knownKey is the conversation of a channel as far as is known.
func (a *Adapter) knownKey(channel string) (k chat.Key, known bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	p, known := a.places[channel]
	if p.parent != "" {
		return chat.Key{Platform: Platform, Channel: p.parent, Thread: channel}, true
	}
	return chat.Key{Platform: Platform, Channel: channel}, known
}
