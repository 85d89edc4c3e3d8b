package discord

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"runtime/debug"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/bwmarrin/discordgo"
	"github.com/gorilla/websocket"

	"parley/internal/chat"
)

// maxQueued is how many events may wait to be stored. Discord cannot be asked
// to pause; beyond this they are dropped and Health says so.
const maxQueued = 4096

// arrival is an event on its way to the inbox.
type arrival struct {
	message *chat.Message // nil only moves the sequence on
	session resumable
}

// event takes every gateway event, in order, on the library's read loop. It
// must not block, write to the gateway or panic.
func (c *connection) event(s *discordgo.Session, e *discordgo.Event) {
	a := c.a
	defer func() {
		if p := recover(); p != nil {
			a.o.Log.Error("discord: panic in an event", "type", e.Type, "panic", p, "stack", string(debug.Stack()))
		}
	}()
	switch v := e.Struct.(type) {
	case *discordgo.Ready:
		c.begin(s, v, e.Sequence)
	case *discordgo.Resumed:
		c.listen(s)
		c.mu.Lock()
		c.resumed = true
		c.mu.Unlock()
	case *discordgo.GuildCreate:
		a.learnGuild(v.Guild)
	case *discordgo.GuildUpdate:
		a.forgetAuthority(v.ID)
	case *discordgo.GuildRoleCreate:
		a.forgetAuthority(v.GuildID)
	case *discordgo.GuildRoleUpdate:
		a.forgetAuthority(v.GuildID)
	case *discordgo.GuildRoleDelete:
		a.forgetAuthority(v.GuildID)
	case *discordgo.ChannelCreate:
		a.learn(v.Channel)
	case *discordgo.ThreadCreate:
		a.learn(v.Channel)
	}
	a.mu.Lock()
	if e.Sequence > 0 {
		a.session.Seq = e.Sequence
	}
	now := a.session
	a.mu.Unlock()
	item := arrival{session: now}
	switch v := e.Struct.(type) {
	case *discordgo.MessageCreate:
		item.message = a.message(v.Message, chat.KindText)
	case *discordgo.MessageUpdate:
		item.message = a.message(v.Message, chat.KindEdit)
	case *discordgo.InteractionCreate:
		item.message = a.interaction(v.Interaction)
	}
	select {
	case a.queue <- item:
	default:
		a.setHealth(errQueue)
	}
}

// begin notes a new session.
func (c *connection) begin(s *discordgo.Session, r *discordgo.Ready, seq int64) {
	c.listen(s)
	a := c.a
	a.mu.Lock()
	defer a.mu.Unlock()
	a.session = resumable{ID: r.SessionID, Seq: seq}
	if r.User != nil {
		first := a.self == ""
		a.self, a.app = r.User.ID, r.User.ID
		if r.Application != nil && r.Application.ID != "" {
			a.app = r.Application.ID
		}
		if first {
			close(a.ready)
		}
	}
}

// listen keeps the close code, which the library only logs.
func (c *connection) listen(s *discordgo.Session) {
	if ws := socket(s); ws != nil {
		ws.SetCloseHandler(func(code int, text string) error {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.closed = &websocket.CloseError{Code: code, Text: text}
			return nil
		})
	}
}

func (a *Adapter) learnGuild(g *discordgo.Guild) {
	for _, list := range [][]*discordgo.Channel{g.Channels, g.Threads} {
		for _, ch := range list {
			if ch.GuildID == "" {
				ch.GuildID = g.ID
			}
			a.learn(ch)
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.guilds[g.ID] = authorityOf(g)
	for _, r := range g.Roles {
		if r.Managed {
			for _, m := range g.Members {
				if m.User != nil && m.User.ID == a.self && slices.Contains(m.Roles, r.ID) {
					a.roles[r.ID] = true
				}
			}
		}
	}
}

func (a *Adapter) learn(ch *discordgo.Channel) {
	p := place{guild: ch.GuildID}
	if ch.IsThread() {
		p.parent = ch.ParentID
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.places[ch.ID] = p
}

// key is the conversation of a channel. Where the events have not said what
// kind of channel it is, Discord is asked once.
func (a *Adapter) key(channel, guild string) chat.Key {
	k, known := a.knownKey(channel)
	if !known && guild != "" {
		ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
		defer cancel()
		var ch discordgo.Channel
		if err := a.call(ctx, http.MethodGet, "/channels/"+channel, "", nil, &ch); err == nil {
			a.learn(&ch)
			k, _ = a.knownKey(channel)
		}
	}
	return k
}

// knownKey is the conversation of a channel as far as the events have told.
func (a *Adapter) knownKey(channel string) (k chat.Key, known bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	p, known := a.places[channel]
	if p.parent != "" {
		return chat.Key{Platform: Platform, Channel: p.parent, Thread: channel}, true
	}
	return chat.Key{Platform: Platform, Channel: channel}, known
}

// voiceMessage is the flag of a message that was spoken; the library does not
// name it.
const voiceMessage discordgo.MessageFlags = 1 << 13

// message normalizes; nil is of no interest. A message whose components the
// library does not know arrives without an author (its issue 1683).
func (a *Adapter) message(m *discordgo.Message, kind chat.Kind) *chat.Message {
	a.mu.Lock()
	self := a.self
	a.mu.Unlock()
	if m == nil || m.Author == nil || m.Author.Bot || m.WebhookID != "" || m.Author.ID == self {
		return nil
	}
	if m.Type != discordgo.MessageTypeDefault && m.Type != discordgo.MessageTypeReply {
		return nil
	}
	out := &chat.Message{
		ID: m.ID, Key: a.key(m.ChannelID, m.GuildID), Kind: kind, From: chat.User{ID: Platform + ":" + m.Author.ID, Name: nameOf(m.Author, m.Member)},
		Direct: m.GuildID == "", Guild: m.GuildID, At: m.Timestamp,
	}
	if kind == chat.KindEdit {
		if m.EditedTimestamp == nil {
			return nil // a link preview was added
		}
		out.ID, out.ReplyTo, out.At = fmt.Sprintf("%s@%d", m.ID, m.EditedTimestamp.UnixMilli()), m.ID, *m.EditedTimestamp
	}
	var called bool
	out.Text, called = a.mentioned(m)
	out.Addressed = out.Direct || called
	if r := m.ReferencedMessage; r != nil {
		out.Quote = r.Content
		if kind == chat.KindText {
			out.ReplyTo = r.ID
		}
		ours := r.Author != nil && r.Author.ID == self
		out.Addressed = out.Addressed || ours
		out.Relayed = !ours && (r.Author == nil || r.Author.ID != m.Author.ID) || len(r.MessageSnapshots) > 0
	}
	if m.MessageReference != nil && len(m.MessageSnapshots) > 0 {
		out.Forwarded = true
		for _, s := range m.MessageSnapshots {
			if s.Message != nil {
				out.Text += s.Message.Content
			}
		}
	}
	for _, f := range m.Attachments {
		out.Files = append(out.Files, chat.File{
			Name: f.Filename, MIME: f.ContentType, Size: int64(f.Size), Ref: f.URL, Voice: m.Flags&voiceMessage != 0,
		})
	}
	if out.Text == "" && len(out.Files) == 0 && !out.Addressed {
		return nil
	}
	out.Admin = out.Addressed && a.administers(m)
	if out.Addressed && kind == chat.KindText && !out.Forwarded && isCommand(out.Text) {
		out.Kind = chat.KindCommand // typed instead of picked
	}
	return out
}

// isCommand recognizes a slash command typed as text. One with a name behind it
// is, as on Telegram, meant for the bot of that name.
func isCommand(text string) bool {
	word, _, _ := strings.Cut(text, " ")
	return len(word) > 1 && word[0] == '/' && word[1] >= 'a' && word[1] <= 'z' && !strings.Contains(word, "@")
}

// nameOf is what somebody calls themselves, on one line.
func nameOf(u *discordgo.User, m *discordgo.Member) string {
	name := cmp.Or(u.GlobalName, u.Username)
	if m != nil {
		name = cmp.Or(m.Nick, name)
	}
	return strings.Join(strings.FieldsFunc(name, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
	}), " ")
}

// mentioned removes mentions of us from the text and says whether there were
// any.
func (a *Adapter) mentioned(m *discordgo.Message) (text string, called bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	text = m.Content
	cut := func(mark string) {
		if strings.Contains(text, mark) {
			called = true
			text = strings.ReplaceAll(text, mark, "")
		}
	}
	if a.self != "" {
		cut("<@" + a.self + ">")
		cut("<@!" + a.self + ">")
	}
	for role := range a.roles {
		cut("<@&" + role + ">")
	}
	return strings.TrimSpace(text), called
}

// store hands arrivals to the intake, in order, what waits together at once.
// On an error the same batch is tried again: nothing is skipped.
func (a *Adapter) store(ctx context.Context, in chat.Intake) {
	for {
		var batch []arrival
		select {
		case first := <-a.queue:
			batch = append(batch, first)
		case <-ctx.Done():
			return
		}
		for len(batch) < 100 {
			select {
			case more := <-a.queue:
				batch = append(batch, more)
				continue
			default:
			}
			break
		}
		b := a.batch(batch)
		for wait := 100 * time.Millisecond; ; wait = min(2*wait, 5*time.Second) {
			err := in.Deliver(ctx, b)
			if err == nil {
				break
			}
			a.o.Log.Error("discord: store messages, will try again", "err", err)
			if !pause(ctx, wait) {
				return
			}
		}
	}
}

// channelCursor names the newest message seen in a channel.
const channelCursor = "channel:"

func (a *Adapter) batch(list []arrival) chat.Batch {
	b := chat.Batch{Platform: Platform, Cursors: map[string]string{}}
	for _, item := range list {
		if m := item.message; m != nil {
			b.Messages = append(b.Messages, *m)
			if m.Kind == chat.KindText || m.Kind == chat.KindCommand && m.Origin == "" {
				b.Cursors[channelCursor+channelOf(m.Key)] = m.ID
			}
		}
	}
	note, _ := json.Marshal(list[len(list)-1].session) // plain data
	b.Cursors[gatewayCursor] = string(note)
	return b
}

// Bounds of reading what a gap left out (promises.md B46).
const (
	backfillChannels = 50
	backfillMessages = 100
	backfillAge      = 24 * time.Hour
)

// discordEpoch is the zero of snowflake ids, in Unix milliseconds.
const discordEpoch = 1420070400000

func idTime(id string) time.Time {
	n, _ := strconv.ParseInt(id, 10, 64)
	return time.UnixMilli(n>>22 + discordEpoch)
}

// backfill reads what was written while nobody was connected and the session
// could not be resumed. The journal drops what is known already.
func (a *Adapter) backfill(ctx context.Context, cursors map[string]string) {
	var channels []string
	for name := range cursors {
		if id, ok := strings.CutPrefix(name, channelCursor); ok {
			channels = append(channels, id)
		}
	}
	sort.Slice(channels, func(i, j int) bool {
		return idTime(cursors[channelCursor+channels[i]]).After(idTime(cursors[channelCursor+channels[j]]))
	})
	for _, ch := range channels[:min(len(channels), backfillChannels)] {
		var list []*discordgo.Message
		path := fmt.Sprintf("/channels/%s/messages?after=%s&limit=%d", ch, cursors[channelCursor+ch], backfillMessages)
		if err := a.call(ctx, http.MethodGet, path, ch, nil, &list); err != nil {
			a.o.Log.Warn("discord: read what was missed", "channel", ch, "err", err)
			continue
		}
		slices.Reverse(list) // newest first as they come
		a.mu.Lock()
		guild, session := a.places[ch].guild, a.session
		a.mu.Unlock()
		for _, m := range list {
			if a.o.Now().Sub(idTime(m.ID)) > backfillAge {
				continue
			}
			m.GuildID = guild
			if msg := a.message(m, chat.KindText); msg != nil {
				select {
				case a.queue <- arrival{message: msg, session: session}:
				case <-ctx.Done():
					return
				}
			}
		}
	}
}
