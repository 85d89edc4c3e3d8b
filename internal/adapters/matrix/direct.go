package matrix

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"maunium.net/go/mautrix/event"

	"parley/internal/chat"
)

// A direct chat is named by its person, whatever room it is in: when somebody else comes in, the
// room is another conversation, and knows nothing of what was said before.

var _ chat.Confidant = (*Adapter)(nil)

// Whispers implements chat.Confidant: Matrix has no whispers.
func (a *Adapter) Whispers(chat.Message) bool { return false }

// DirectKey implements chat.Confidant.
func (a *Adapter) DirectKey(u chat.User) (chat.Key, bool) {
	platform, id := chat.CutID(u.ID)
	if platform != Platform || !Identity.Person(id) {
		return chat.Key{}, false
	}
	return place(id, ""), true
}

// Door implements chat.Confidant.
func (a *Adapter) Door() string {
	if self := a.self(); self != "" {
		return "https://matrix.to/#/" + self
	}
	return ""
}

// roomFor returns the room of a conversation; of a direct chat the one in which its person last
// wrote. It is opened where there is none.
func (a *Adapter) roomFor(ctx context.Context, k chat.Key) (string, error) {
	select {
	case <-a.known:
	case <-ctx.Done():
		return "", errConnecting
	}
	channel := fromKey.Replace(k.Channel)
	if !strings.HasPrefix(channel, "@") {
		return channel, nil
	}
	if last, ok := a.spoke.Get(channel); ok && a.rooms.peer(last) == channel {
		return last, nil
	}
	if list := a.rooms.direct(channel); len(list) > 0 {
		return list[0], nil
	}
	return a.open(ctx, channel)
}

// holds returns the room of a conversation that has a message.
func (a *Adapter) holds(ctx context.Context, k chat.Key, message string) (string, error) {
	channel := fromKey.Replace(k.Channel)
	if !strings.HasPrefix(channel, "@") {
		return channel, nil
	}
	for _, room := range a.rooms.direct(channel) {
		x, err := a.lookUp(ctx, room, message)
		if err != nil {
			return "", err
		}
		if x != nil {
			return room, nil
		}
	}
	return "", &chat.GoneError{Err: errors.New("matrix: no room with that message")}
}

// opening is how long a person whose direct chat was opened is not invited again.
const opening = 10 * time.Minute

// open invites a person to a direct chat. Until they come nothing can be said there.
func (a *Adapter) open(ctx context.Context, person string) (string, error) {
	if !Identity.Person(person) || a.quiet.Left(a.now(), "open "+person) > 0 {
		return "", &chat.GoneError{Err: errors.New("matrix: the direct chat is not open yet"), Closed: true}
	}
	a.quiet.Keep("open "+person, opening, a.now())
	var made struct {
		Room string `json:"room_id"`
	}
	err := a.call(ctx, http.MethodPost, "/v3/createRoom", map[string]any{
		"is_direct": true, "invite": []string{person}, "preset": "trusted_private_chat",
	}, &made)
	if err != nil {
		return "", outcome(err)
	}
	return made.Room, a.remember(ctx, person, made.Room)
}

// remember notes a direct chat where all clients of the bot see it.
func (a *Adapter) remember(ctx context.Context, person, room string) error {
	directs := map[string][]string{}
	path := "/v3/user/" + esc(a.self()) + "/account_data/" + event.AccountDataDirectChats.Type
	err := a.call(ctx, http.MethodGet, path, nil, &directs)
	if err != nil && statusOf(err) != http.StatusNotFound {
		return fmt.Errorf("read m.direct: %w", err)
	}
	for _, id := range directs[person] {
		if id == room {
			return nil
		}
	}
	directs[person] = append(directs[person], room)
	if err := a.call(ctx, http.MethodPut, path, directs, nil); err != nil {
		return fmt.Errorf("write m.direct: %w", err)
	}
	return nil
}
