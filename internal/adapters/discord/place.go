package discord

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"

	"parley/internal/chat"
)

// place is what is known of a channel.
type place struct {
	parent string // the channel a thread hangs on; "" for channels
	owner  string // who opened a thread
	guild  string
	name   string // of the channel, without the #
}

// learnFrom notes what an event says about servers and channels.
func (sh *shard) learnFrom(ctx context.Context, e *discordgo.Event) {
	var about struct {
		GuildID plain `json:"guild_id"`
		wireGuild
	}
	switch e.Type {
	case "GUILD_CREATE":
		if decode(e.RawData, &about.wireGuild) == nil && isID(about.ID) {
			sh.learnGuild(ctx, &about.wireGuild)
			sh.greet(ctx, &about.wireGuild, e.Sequence)
		}
	case "GUILD_UPDATE":
		_ = decode(e.RawData, &about) // an unreadable one names no server
		sh.entitle(&about.wireGuild)
		sh.forgetAuthority(string(about.ID))
	case "GUILD_ROLE_CREATE", "GUILD_ROLE_UPDATE", "GUILD_ROLE_DELETE":
		_ = decode(e.RawData, &about)
		sh.forgetAuthority(string(about.GuildID))
	case "CHANNEL_CREATE", "CHANNEL_UPDATE", "THREAD_CREATE":
		var ch wireChannel
		if decode(e.RawData, &ch) == nil && isID(ch.ID) {
			sh.learn(ch, "")
		}
	}
}

// atlas holds what is known about channels and servers.
type atlas struct {
	mu     sync.Mutex // guards the rest
	places map[string]place
	guilds map[string]*authority
	names  map[string]string // of servers
}

func newAtlas() atlas {
	return atlas{places: map[string]place{}, guilds: map[string]*authority{}, names: map[string]string{}}
}

// entitle notes what a server is called.
func (t *atlas) entitle(g *wireGuild) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if name := g.Name.shown(); name != "" && isID(g.ID) {
		t.names[string(g.ID)] = name
	}
}

// titled fills in what people call the place of a message, as far as events told. A
// thread is called by its channel.
func (t *atlas) titled(m *chat.Message) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if p := t.places[m.Key.Channel]; p.name != "" && !m.Direct {
		m.Title = "#" + p.name
	}
	m.GuildTitle = t.names[m.Guild]
}

// placed returns what is known of a channel.
func (t *atlas) placed(channel string) (p place, known bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p, known = t.places[channel]
	return p, known
}

// learnGuild notes a server's channels and who administers it. It also reads a
// channel from which nothing was ever stored, if something was said there while
// nobody was connected.
func (sh *shard) learnGuild(ctx context.Context, g *wireGuild) {
	var unread []string
	for _, ch := range slices.Concat(g.Channels, g.Threads) {
		if isID(ch.ID) {
			sh.learn(ch, string(g.ID))
			if sh.unread(ch, string(g.ID)) {
				unread = append(unread, string(ch.ID))
			}
		}
	}
	sh.entitle(g)
	sh.arrived(string(g.ID))
	sh.rule(string(g.ID), authorityOf(g), nil)
	self := sh.myID()
	for _, r := range g.Roles {
		for _, m := range g.Members {
			if bool(r.Managed) && m.User != nil && string(m.User.ID) == self && slices.Contains(m.Roles, r.ID) {
				sh.roles.Store(string(r.ID), true)
			}
		}
	}
	for _, channel := range unread {
		sh.enter(ctx, channel, event{ticket: sh.progress.begin(0)})
	}
}

func (t *atlas) learn(ch wireChannel, guild string) place {
	p := place{guild: guild, name: ch.Name.shown()}
	if isID(ch.GuildID) {
		p.guild = string(ch.GuildID)
	}
	switch discordgo.ChannelType(ch.Type) {
	case discordgo.ChannelTypeGuildNewsThread, discordgo.ChannelTypeGuildPublicThread, discordgo.ChannelTypeGuildPrivateThread:
		p.parent, p.owner = ch.ParentID.shown(), ch.OwnerID.shown()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.places[string(ch.ID)] = p
	return p
}

// How long Discord is asked about a channel before it counts as a plain one.
const (
	lookup  = 3 * time.Second
	lookups = 5
)

// key returns the conversation of a channel. If no event has told what kind of
// channel it is, it asks Discord.
func (a *Adapter) key(ctx context.Context, channel, guild string) chat.Key {
	k, known := a.knownKey(channel)
	for n := 0; !known && guild != "" && n < lookups && ctx.Err() == nil; n++ {
		_, err := a.place(ctx, channel)
		if k, known = a.knownKey(channel); err == nil || refused(err) {
			break
		}
		chat.Sleep(ctx, a.after(err, n))
	}
	return k
}

// place asks Discord what a channel is, unless it is known.
func (a *Adapter) place(ctx context.Context, channel string) (place, error) {
	if p, known := a.placed(channel); known {
		return p, nil
	}
	ctx, cancel := context.WithTimeout(ctx, lookup)
	defer cancel()
	var ch wireChannel
	if err := a.call(ctx, http.MethodGet, "/channels/"+channel, channel, nil, &ch); err != nil {
		return place{}, err
	}
	ch.ID = plain(channel)
	return a.learn(ch, ""), nil
}

// refused recognizes an answer that will stay the same.
func refused(err error) bool {
	var no *restError
	return errors.As(err, &no) && no.Status != http.StatusUnauthorized
}

// after returns how long to wait before the next of several tries.
func (a *Adapter) after(err error, try int) time.Duration {
	wait := min(a.o.Timing.RetryMin<<min(try, 10), a.o.Timing.RetryMax)
	var silence *chat.WaitError
	if errors.As(err, &silence) {
		wait = max(wait, silence.After)
	}
	return wait
}

// knownKey returns the conversation of a channel as far as is known.
func (t *atlas) knownKey(channel string) (k chat.Key, known bool) {
	p, known := t.placed(channel)
	if p.parent != "" {
		return chat.Key{Platform: Platform, Channel: p.parent, Thread: channel}, true
	}
	return chat.Key{Platform: Platform, Channel: channel}, known
}
