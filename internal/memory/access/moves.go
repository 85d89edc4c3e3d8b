package access

import (
	"sync/atomic"

	"parley/internal/chat"
	"parley/internal/db/engine"
)

// names maps channels to their present and former names. It is immutable.
type names struct {
	now  map[chat.Key]chat.Key   // by an old name
	were map[chat.Key][]chat.Key // by today's name
}

// moves knows the names of channels.
type moves struct {
	kept *engine.Kept[struct{}, *names]
	last atomic.Pointer[names]
}

// names returns the names, or while they cannot be read those that were read last: a place
// must not become another one because a disk fails.
func (r *Register) names() *names {
	n, err := r.moves.kept.Get(struct{}{}, r.readNames)
	if err == nil {
		r.moves.last.Store(n)
		return n
	}
	if n = r.moves.last.Load(); n == nil {
		n = &names{}
	}
	return n
}

func (r *Register) readNames() (*names, error) {
	n := &names{now: map[chat.Key]chat.Key{}, were: map[chat.Key][]chat.Key{}}
	_, err := engine.Select(r.db, func(row engine.Scanner) (from chat.Key, err error) {
		var to chat.Key
		err = row.Scan(&from.Platform, &from.Channel, &to.Channel)
		to.Platform = from.Platform
		n.now[from], n.were[to] = to, append(n.were[to], from)
		return from, err
	}, "SELECT platform, channel, became FROM moves")
	return n, err
}

// Latest returns what a conversation is called now. Whoever reads the name of a place in
// settings, in a button or in an event asks here which one is meant.
func (r *Register) Latest(k chat.Key) chat.Key {
	if to, ok := r.names().now[chat.Key{Platform: k.Platform, Channel: k.Channel}]; ok {
		k.Channel = to.Channel
	}
	return k
}

// Formerly returns what a conversation was called before: settings may still call it so.
func (r *Register) Formerly(k chat.Key) []chat.Key {
	were := r.names().were[chat.Key{Platform: k.Platform, Channel: k.Channel}]
	if k.Thread == "" {
		return were
	}
	list := make([]chat.Key, len(were))
	for i, old := range were {
		list[i] = chat.Key{Platform: old.Platform, Channel: old.Channel, Thread: k.Thread}
	}
	return list
}

// Moves lists the channels that go on under another name.
func (r *Register) Moves() (list []chat.Move) {
	for from, to := range r.names().now {
		list = append(list, chat.Move{From: from, To: to})
	}
	return list
}

// Rename notes within a transaction that a channel has another name, whatever it was
// called before.
func Rename(tx *engine.Tx, mv chat.Move) error {
	args := engine.Named{"platform": mv.From.Platform, "from": mv.From.Channel, "to": mv.To.Channel}
	return engine.During("note a move", tx.ExecAll(args,
		"DELETE FROM moves WHERE platform = :platform AND channel = :to",
		"UPDATE moves SET became = :to WHERE platform = :platform AND became = :from",
		"INSERT INTO moves (platform, channel, became) VALUES (:platform, :from, :to) ON CONFLICT (platform, channel) DO "+
			"UPDATE SET became = excluded.became"))
}
