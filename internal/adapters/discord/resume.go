package discord

import (
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/bwmarrin/discordgo"
	"github.com/gorilla/websocket"
)

// The library keeps a session's id, sequence and socket private, so it can only
// resume what the same Session began (its issue 1502). These functions reach in;
// TestPrivateFields fails when an update of the library moves the fields.

// resume makes Open continue r instead of identifying anew.
func resume(s *discordgo.Session, r resumable) {
	if r.ID == "" {
		return
	}
	*(*string)(field(s, "sessionID")) = r.ID
	atomic.StoreInt64(*(**int64)(field(s, "sequence")), r.Seq)
}

// socket returns the connection of a Session. It may only be used within an event
// handler of the Open call, when nobody else reads or writes the field.
func socket(s *discordgo.Session) *websocket.Conn {
	return *(**websocket.Conn)(field(s, "wsConn"))
}

// lastBeat returns when the library sent its last heartbeat. It writes that under
// the lock of its socket, not under the Session's.
func lastBeat(s *discordgo.Session) time.Time {
	mu := (*sync.Mutex)(field(s, "wsMutex"))
	mu.Lock()
	defer mu.Unlock()
	return s.LastHeartbeatSent
}

// providers are what the library decodes events into before it hands them on.
// It throws away what it cannot decode or even panics in a goroutine of its own,
// so we leave it nothing to decode.
//
//go:linkname providers github.com/bwmarrin/discordgo.registeredInterfaceProviders
var providers map[string]discordgo.EventInterfaceProvider

func init() { clear(providers) }

func field(s *discordgo.Session, name string) unsafe.Pointer {
	f := reflect.ValueOf(s).Elem().FieldByName(name)
	if !f.IsValid() {
		panic(fmt.Sprintf("discordgo has no field %s any more", name))
	}
	return f.Addr().UnsafePointer()
}
