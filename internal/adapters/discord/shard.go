package discord

import (
	"encoding/json"
	"strconv"
	"strings"
	"sync"

	"parley/internal/adapters/discord/shards"
	"parley/internal/chat"
)

// shard is one connection to the gateway, and the path of its events to the inbox. It
// receives the events of its share of servers; the first one also those of no server.
type shard struct {
	*Adapter
	id, of int
	history
	queue    chan arrival
	lanes    lanes
	progress progress
	noted    chan struct{} // signals that the session has progressed
	begun    bool          // a session of this number of shards may be resumed

	mu      sync.Mutex // guards the rest
	gateway error      // state of the connection; nil is healthy
	ours    bool       // this process runs it
}

func newShard(a *Adapter, id, of int) *shard {
	return &shard{
		Adapter: a, id: id, of: of, history: newHistory(a.readers), queue: make(chan arrival, 256), noted: make(chan struct{}, 1),
		gateway: errConnecting,
		lanes:   lanes{byChannel: map[string]*lane{}}, progress: progress{open: map[int64]bool{}},
	}
}

// name returns the shard's name for people, counted from 0 as Discord does.
func (sh *shard) name() string { return chat.Shard{ID: sh.id, Of: sh.of}.Name() }

// cursor returns the name of its session's note. Sessions of another number of shards
// cannot be resumed.
func (sh *shard) cursor() string {
	if sh.of == 1 {
		return gatewayCursor
	}
	return gatewayCursor + ":" + sh.name()
}

// resumes reports whether a note holds a resumable session of this number of shards.
func (sh *shard) resumes(name, note string) bool {
	var r resumable
	n, ok := shardsOf(name)
	return ok && n == sh.of && json.Unmarshal([]byte(note), &r) == nil && r.ID != ""
}

// shardsOf returns of how many shards a noted session is one.
func shardsOf(cursor string) (n int, ok bool) {
	if cursor == gatewayCursor {
		return 1, true
	}
	rest, ok := strings.CutPrefix(cursor, gatewayCursor+":")
	_, many, _ := strings.Cut(rest, "/")
	n, err := strconv.Atoi(many)
	return n, ok && err == nil
}

// mine reports whether a channel may be the shard's; its server may be unknown.
func (sh *shard) mine(channel string) bool {
	p, known := sh.placed(channel)
	return !known || shards.Of(p.guild, sh.of) == sh.id
}

// here notes whether this process runs the shard.
func (sh *shard) here(is bool) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.ours, sh.gateway = is, errConnecting
}

func (sh *shard) setHealth(err error) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.gateway = err
}

// health returns why the shard does not receive; ours is false if another process runs it.
func (sh *shard) health() (err error, ours bool) {
	sh.mu.Lock()
	err, ours = sh.gateway, sh.ours
	sh.mu.Unlock()
	if err == nil && sh.lanes.overrun() {
		err = errQueue
	}
	return err, ours
}

// Shards implements chat.Sharded.
func (a *Adapter) Shards() (list []chat.Shard) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, sh := range a.shards {
		if err, ours := sh.health(); ours {
			list = append(list, chat.Shard{ID: sh.id, Of: sh.of, Err: err})
		}
	}
	return list
}

func (a *Adapter) setShards(list []*shard) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.shards = list
}
