package discord

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"
)

// Discord changes its events without notice, and now and then a field is not what
// its documentation says. An unreadable field must not cost the whole message:
// these types accept anything, and decode keeps what fits.

// plain is a string, or a number as written. Anything else is unreadable.
type plain string

// unreadable stands for a value of another type. Nobody can have written it, and it is no
// id.
const unreadable plain = "\x00"

// UnmarshalJSON implements json.Unmarshaler.
func (t *plain) UnmarshalJSON(b []byte) error {
	var s string
	var n json.Number
	switch {
	case bytes.Equal(b, []byte("null")):
		*t = ""
	case b[0] == '"' && json.Unmarshal(b, &s) == nil:
		*t = plain(s)
	case json.Unmarshal(b, &n) == nil:
		*t = plain(n)
	default:
		*t = unreadable
	}
	return nil
}

// shown returns the text for people, "" if it is unreadable.
func (t plain) shown() string {
	if t == unreadable {
		return ""
	}
	return string(t)
}

// number is a number, possibly within quotation marks; anything else is 0.
type number int64

// UnmarshalJSON implements json.Unmarshaler.
func (n *number) UnmarshalJSON(b []byte) error {
	v, _ := strconv.ParseInt(strings.Trim(string(b), `"`), 10, 64)
	*n = number(v)
	return nil
}

// truth is true only for a JSON true.
type truth bool

// UnmarshalJSON implements json.Unmarshaler.
func (t *truth) UnmarshalJSON(b []byte) error {
	*t = truth(strings.Trim(string(b), `"`) == "true")
	return nil
}

// decode reads the parts of raw that fit into v. It fails only if raw is not JSON.
func decode(raw []byte, v any) error {
	var odd *json.UnmarshalTypeError
	if err := json.Unmarshal(raw, v); err != nil && !errors.As(err, &odd) {
		return err
	}
	return nil
}

// isID reports whether t is a snowflake.
func isID(t plain) bool {
	return t != "" && len(t) <= 20 && strings.Trim(string(t), "0123456789") == ""
}

type wireUser struct {
	ID         plain `json:"id"`
	Username   plain `json:"username"`
	GlobalName plain `json:"global_name"`
	Bot        truth `json:"bot"`
}

type wireMember struct {
	User        *wireUser `json:"user"`
	Nick        plain     `json:"nick"`
	Roles       []plain   `json:"roles"`
	Permissions number    `json:"permissions"`
}

type wireFile struct {
	Filename    plain  `json:"filename"`
	ContentType plain  `json:"content_type"`
	Size        number `json:"size"`
	URL         plain  `json:"url"`
	Seconds     number `json:"duration_secs"` // of what was spoken, in whole seconds
}

type wireMessage struct {
	ID          plain           `json:"id"`
	ChannelID   plain           `json:"channel_id"`
	GuildID     plain           `json:"guild_id"`
	Author      *wireUser       `json:"author"`
	Member      *wireMember     `json:"member"`
	Content     plain           `json:"content"`
	Timestamp   plain           `json:"timestamp"`
	Edited      plain           `json:"edited_timestamp"`
	Type        number          `json:"type"`
	Flags       number          `json:"flags"`
	WebhookID   plain           `json:"webhook_id"`
	Attachments []wireFile      `json:"attachments"`
	Stickers    []wireSticker   `json:"sticker_items"`
	Poll        *wirePoll       `json:"poll"`
	Reference   json.RawMessage `json:"message_reference"`
	Referenced  *wireMessage    `json:"referenced_message"`
	Snapshots   []struct {
		Message *wireMessage `json:"message"`
	} `json:"message_snapshots"`
}

// when reads a timestamp; if there is none, it takes the time from the id.
func when(t plain, id plain) time.Time {
	if at, err := time.Parse(time.RFC3339, string(t)); err == nil {
		return at
	}
	return idTime(string(id))
}

type wireChannel struct {
	ID       plain  `json:"id"`
	Name     plain  `json:"name"`
	Type     number `json:"type"`
	GuildID  plain  `json:"guild_id"`
	ParentID plain  `json:"parent_id"`
	OwnerID  plain  `json:"owner_id"` // who opened a thread
	Last     plain  `json:"last_message_id"`
}

type wireRole struct {
	ID          plain  `json:"id"`
	Permissions number `json:"permissions"`
	Managed     truth  `json:"managed"`
}

type wireGuild struct {
	ID       plain         `json:"id"`
	Name     plain         `json:"name"`
	OwnerID  plain         `json:"owner_id"`
	JoinedAt plain         `json:"joined_at"`
	Lobby    plain         `json:"system_channel_id"`
	Roles    []wireRole    `json:"roles"`
	Channels []wireChannel `json:"channels"`
	Threads  []wireChannel `json:"threads"`
	Members  []wireMember  `json:"members"`
}

type wireReady struct {
	SessionID   plain `json:"session_id"`
	User        wireUser
	Application struct {
		ID plain `json:"id"`
	} `json:"application"`
	Guilds []struct {
		ID plain `json:"id"`
	} `json:"guilds"`
}

// wireAddress is what every event of a channel has.
type wireAddress struct {
	ID        plain   `json:"id"`
	IDs       []plain `json:"ids"` // of what was deleted together
	ChannelID plain   `json:"channel_id"`
	GuildID   plain   `json:"guild_id"`
}

type wireOptionValue struct {
	Name    plain             `json:"name"`
	Type    number            `json:"type"`
	Value   any               `json:"value"`
	Options []wireOptionValue `json:"options"`
	Focused truth             `json:"focused"`
}

type wireInteraction struct {
	ID        plain       `json:"id"`
	AppID     plain       `json:"application_id"`
	Token     plain       `json:"token"`
	Type      number      `json:"type"`
	ChannelID plain       `json:"channel_id"`
	GuildID   plain       `json:"guild_id"`
	Context   number      `json:"context"`
	Locale    plain       `json:"locale"`
	User      *wireUser   `json:"user"`
	Member    *wireMember `json:"member"`
	Message   *struct {
		ID plain `json:"id"`
	} `json:"message"`
	Data struct {
		Name     plain             `json:"name"`
		Options  []wireOptionValue `json:"options"`
		CustomID plain             `json:"custom_id"`
		Values   []plain           `json:"values"`
		Type     number            `json:"type"`      // of the command: a message's menu, or typed
		Target   plain             `json:"target_id"` // the message whose menu it is
		Resolved struct {
			Messages map[string]*wireMessage `json:"messages"`
		} `json:"resolved"`
		Components []struct {
			Components []struct {
				CustomID plain `json:"custom_id"`
				Value    plain `json:"value"`
			} `json:"components"`
		} `json:"components"` // of a form
	} `json:"data"`
}
