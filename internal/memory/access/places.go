package access

import (
	"cmp"
	"context"
	"sync/atomic"
	"time"

	"parley/internal/chat"
	"parley/internal/db/engine"
)

// book is the address book as it was read. It is immutable.
type book struct {
	now    map[chat.Key]chat.Key   // by an old name of a channel
	were   map[chat.Key][]chat.Key // by today's name
	closed map[chat.Key]Closing
}

// places is the address book.
type places struct {
	kept *engine.Kept[struct{}, *book]
	last atomic.Pointer[book]
}

// book returns the address book, or while it cannot be read the one that was read last: a
// place must not become another one because a disk fails.
func (r *Register) book() *book {
	b, err := r.places.kept.Get(struct{}{}, r.readBook)
	if err == nil {
		r.places.last.Store(b)
		return b
	}
	if b = r.places.last.Load(); b == nil {
		b = &book{}
	}
	return b
}

func (r *Register) readBook() (*book, error) {
	b := &book{now: map[chat.Key]chat.Key{}, were: map[chat.Key][]chat.Key{}, closed: map[chat.Key]Closing{}}
	_, err := engine.Select(r.db, func(row engine.Scanner) (from chat.Key, err error) {
		var to chat.Key
		err = row.Scan(&from.Platform, &from.Channel, &to.Channel)
		to.Platform = from.Platform
		b.now[from], b.were[to] = to, append(b.were[to], from)
		return from, err
	}, "SELECT platform, channel, became FROM moves")
	if err != nil {
		return nil, err
	}
	list, err := r.closings("state <> 'back'")
	for _, c := range list {
		b.closed[c.Key] = c
	}
	return b, err
}

// Place returns the address of a place that has, or ever had, a name. It is the one way
// from a name to a place: settings, buttons, events, bindings and the desk all ask here.
func (r *Register) Place(k chat.Key) chat.Address {
	b, channel := r.book(), k.Whole()
	if to, ok := b.now[channel]; ok {
		channel = to
	}
	a := chat.Address{Key: channel, Former: b.were[channel]}
	if k.Thread != "" {
		a = a.In(k.Thread)
	}
	c, ok := b.closed[channel]
	if !ok {
		c = b.closed[a.Key]
	}
	a.State, a.Since = c.State, c.Since
	return a
}

// Moves lists the channels that go on under another name.
func (r *Register) Moves() (list []chat.Move) {
	for from, to := range r.book().now {
		list = append(list, chat.Move{From: from, To: to})
	}
	return list
}

// Rename notes within a transaction that a channel has another name, whatever it was
// called before. Who hears of that is there, so it is open.
func Rename(tx *engine.Tx, mv chat.Move) error {
	args := engine.Named{"platform": mv.From.Platform, "from": mv.From.Channel, "to": mv.To.Channel}
	return engine.During("note a move", tx.ExecAll(args,
		"DELETE FROM moves WHERE platform = :platform AND channel = :to",
		"UPDATE moves SET became = :to WHERE platform = :platform AND became = :from",
		"INSERT INTO moves (platform, channel, became) VALUES (:platform, :from, :to) ON CONFLICT (platform, channel) DO "+
			"UPDATE SET became = excluded.became",
		"DELETE FROM closed_places WHERE platform = :platform AND channel = :from AND EXISTS (SELECT 1 FROM closed_places o WHERE "+
			"o.platform = :platform AND o.channel = :to AND o.thread = closed_places.thread)",
		"UPDATE closed_places SET channel = :to WHERE platform = :platform AND channel = :from",
		"DELETE FROM closed_places WHERE platform = :platform AND channel = :to AND told IN ('', '-')",
		"UPDATE closed_places SET state = 'back', next_try = '' WHERE platform = :platform AND channel = :to"))
}

// Closing is a place where nothing can be said.
type Closing struct {
	Key   chat.Key
	State chat.PlaceState
	Since time.Time
	Back  bool // it is open again, and the owner has not heard of that
	told  string
}

// Told reports whether it is settled what the owner hears of it.
func (c Closing) Told() bool { return c.told != "" }

const closingColumns = "platform, channel, thread, state, since, told"

func scanClosing(row engine.Scanner) (c Closing, err error) {
	err = row.Scan(&c.Key.Platform, &c.Key.Channel, &c.Key.Thread, &c.State, engine.Stamped(&c.Since), &c.told)
	if c.State == back {
		c.Back, c.State = true, chat.Open
	}
	return c, err
}

func (r *Register) closings(which string, args ...any) ([]Closing, error) {
	return engine.Select(r.db, scanClosing, "SELECT "+closingColumns+" FROM closed_places WHERE "+which, args...)
}

// back is the state of a place whose owner does not know yet that it is open again.
const back = "back"

// How often something is sent to a closed place to see whether it is open again: the
// longer it is closed, the more rarely.
const (
	firstTry = time.Minute
	lastTry  = 30 * time.Minute
)

// Close notes within a transaction that nothing can be said in a place, and that it was
// tried now. It stays closed as it was first: who left it and is refused there has left it.
func Close(tx *engine.Tx, k chat.Key, state chat.PlaceState, now time.Time) error {
	since, told := now, ""
	was, ok, err := engine.Found(scanClosing(tx.QueryRow("SELECT "+closingColumns+
		" FROM closed_places WHERE platform = ? AND channel = ? AND thread = ?", k.Platform, k.Channel, k.Thread)))
	if err != nil {
		return engine.During("close a place", err)
	}
	if ok && !was.Back {
		since, state, told = was.Since, was.State, was.told
	}
	next := now.Add(min(max(now.Sub(since)/2, firstTry), lastTry))
	_, err = tx.Exec(`INSERT INTO closed_places (platform, channel, thread, state, since, next_try, told) VALUES (?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (platform, channel, thread) DO UPDATE SET state = excluded.state, since = excluded.since,
		next_try = excluded.next_try, told = excluded.told`,
		k.Platform, k.Channel, k.Thread, string(state), engine.Stamp(since), engine.Stamp(next), told)
	return engine.During("close a place", err)
}

// Reopen notes within a transaction that something was said in a place.
func Reopen(tx *engine.Tx, k chat.Key) error { return reopen(tx, k, "") }

// Return notes within a transaction that the bot is in a place again, or that its person
// no longer blocks it. Whether it may write there shows when it does.
func Return(tx *engine.Tx, k chat.Key) error { return reopen(tx, k, " AND state <> 'shut'") }

func reopen(tx *engine.Tx, k chat.Key, which string) error {
	args := engine.Named{"platform": k.Platform, "channel": k.Channel, "thread": k.Thread}
	here := " WHERE platform = :platform AND channel = :channel AND thread IN ('', :thread) AND state <> 'back'" + which
	return engine.During("open a place", tx.ExecAll(args, "DELETE FROM closed_places"+here+" AND told IN ('', '-')",
		"UPDATE closed_places SET state = 'back', next_try = ''"+here))
}

// TryAgain lets what is kept for a closed place be sent now, because something was heard
// from there. It reports whether the place was closed.
func (r *Register) TryAgain(ctx context.Context, k chat.Key) (bool, error) {
	if a := r.Place(k); !a.Closed() {
		return false, nil
	}
	return true, engine.During("try a closed place", r.db.Write(ctx, func(tx *engine.Tx) error {
		if err := Return(tx, k); err != nil {
			return err
		}
		_, err := tx.Exec("UPDATE closed_places SET next_try = '' WHERE platform = ? AND channel = ? AND thread IN ('', ?)",
			k.Platform, k.Channel, k.Thread)
		return err
	}))
}

// Resting is the condition on rows of the outbox whose place is closed and is not tried
// yet again; :now is the moment.
const Resting = `EXISTS (SELECT 1 FROM closed_places c WHERE c.platform = outbox.platform AND c.channel = outbox.channel
	AND c.thread IN ('', outbox.thread) AND c.state <> 'back' AND c.next_try > :now)`

// Closings lists the places where nothing can be said, and those that are open again
// without the owner's knowing, the oldest first.
func (r *Register) Closings(context.Context) ([]Closing, error) {
	list, err := r.closings("1 = 1 ORDER BY since, channel, thread")
	return list, engine.During("list closed places", err)
}

// unsaid stands for when the owner heard of a closing that is not worth a word.
const unsaid = "-"

// Heard notes that the owner heard of a closing or, with now zero, that nobody needs to; of
// a place that is back nothing is left then.
func (r *Register) Heard(ctx context.Context, c Closing, now time.Time) error {
	return r.db.Write(ctx, func(tx *engine.Tx) error { return heard(tx, c, now) })
}

func heard(tx *engine.Tx, c Closing, now time.Time) error {
	args := engine.Named{"platform": c.Key.Platform, "channel": c.Key.Channel, "thread": c.Key.Thread,
		"now": cmp.Or(engine.Stamp(now), unsaid), "since": engine.Stamp(c.Since)}
	const this = " WHERE platform = :platform AND channel = :channel AND thread = :thread AND since = :since"
	if c.Back {
		return engine.During("forget a closed place", tx.ExecAll(args, "DELETE FROM closed_places"+this+" AND state = 'back'"))
	}
	return engine.During("note who heard of a closed place", tx.ExecAll(args, "UPDATE closed_places SET told = :now"+this))
}
