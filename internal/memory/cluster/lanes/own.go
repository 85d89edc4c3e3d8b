package lanes

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"parley/internal/chat"
	"parley/internal/db/engine"
)

// adoptOnce bounds how many conversations are adopted at a time, so that several nodes
// share what one has left behind.
const adoptOnce = 100

// orphans lists the conversations of a platform with unfinished messages or unsent
// parts that no living node has.
const orphans = `SELECT platform, channel, thread FROM (
		SELECT platform, channel, thread FROM inbox WHERE state = 'new' AND platform = ?
		UNION SELECT platform, channel, thread FROM outbox WHERE state IN ('ready', 'started') AND platform = ?) AS left_behind
	WHERE NOT EXISTS (SELECT 1 FROM node_lanes AS l JOIN node_leases AS n ON n.id = l.owner
		WHERE l.platform = left_behind.platform AND l.channel = left_behind.channel AND l.thread = left_behind.thread)`

// order keeps several nodes from adopting the same at once.
const order = " ORDER BY random() LIMIT ?"

// Adopt makes conversations of some platforms this node's that another one has left
// behind, and returns them; more may be left. What was posted to them counts as left behind like all else.
func (b *Owned) Adopt(ctx context.Context, platforms []string) (ours []chat.Key, err error) {
	var keys []chat.Key
	for _, p := range platforms {
		some, err := engine.Select(b.db, scanKey, orphans+order, p, p, adoptOnce)
		if err != nil {
			return nil, engine.During("look for what is left behind", err)
		}
		keys = append(keys, some...)
	}
	if len(keys) == 0 {
		return nil, nil
	}
	err = b.db.Held().Write(ctx, func(tx *engine.Tx) (err error) {
		ours, err = b.adopt(tx, keys)
		return err
	})
	return ours, engine.During("take over what is left behind", err)
}

// list is conversations as a statement reads them.
const list = "jsonb_to_recordset(CAST(? AS jsonb)) AS k(platform text, channel text, thread text)"

// free holds the rows of nobody living. It passes over those that another node is just
// about: it waits for nobody, so that two nodes which adopt, or claim, never wait for each
// other.
const free = `SELECT l.platform, l.channel, l.thread FROM node_lanes AS l JOIN ` + list + ` USING (platform, channel, thread)
	WHERE NOT EXISTS (SELECT 1 FROM node_leases WHERE id = l.owner) FOR UPDATE OF l SKIP LOCKED`

// taken makes them this node's. A row that changed while it was waited for is looked at
// again, now that it is held: its new owner may be younger than what was read before.
const taken = `UPDATE node_lanes AS l SET owner = n.id, epoch = l.epoch + 1 FROM ` + list + `, node_leases AS n
	WHERE l.platform = k.platform AND l.channel = k.channel AND l.thread = k.thread AND n.id = ?
	AND NOT EXISTS (SELECT 1 FROM node_leases AS o WHERE o.id = l.owner) RETURNING l.platform, l.channel, l.thread`

// begun makes those this node's that have no row.
const begun = `INSERT INTO node_lanes (platform, channel, thread, owner) SELECT k.platform, k.channel, k.thread, n.id FROM ` +
	list + `, node_leases AS n
	WHERE n.id = ? AND NOT EXISTS (SELECT 1 FROM node_lanes AS l WHERE l.platform = k.platform AND l.channel = k.channel AND l.thread = k.thread)
	ORDER BY 1, 2, 3 ON CONFLICT DO NOTHING RETURNING platform, channel, thread`

// adopt makes those conversations this node's that are still nobody's, all at once.
func (b *Owned) adopt(tx *engine.Tx, keys []chat.Key) (ours []chat.Key, err error) {
	all := names(keys)
	held, err := engine.Select(tx, scanKey, free, all)
	if err == nil && len(held) > 0 {
		ours, err = engine.Select(tx, scanKey, taken, names(held), b.node.ID())
	}
	if err != nil {
		return nil, err
	}
	fresh, err := engine.Select(tx, scanKey, begun, all, b.node.ID())
	if err != nil {
		return nil, err
	}
	_, err = tx.Exec("DELETE FROM node_mail AS m USING "+list+
		`, node_lanes AS l WHERE m.platform = k.platform AND m.channel = k.channel AND m.thread = k.thread
		AND l.platform = k.platform AND l.channel = k.channel AND l.thread = k.thread AND l.owner = ?`, all, b.node.ID())
	return append(ours, fresh...), err
}

// names writes conversations as list reads them.
func names(keys []chat.Key) string {
	type named struct {
		Platform string `json:"platform"`
		Channel  string `json:"channel"`
		Thread   string `json:"thread"`
	}
	all := make([]named, len(keys))
	for i, k := range keys {
		all[i] = named{k.Platform, k.Channel, k.Thread}
	}
	b, err := json.Marshal(all)
	if err != nil {
		panic(err) // texts
	}
	return string(b)
}

// Waiting reports whether there is something to bring: posted to this node, or left
// behind on one of some platforms.
func (b *Owned) Waiting(platforms []string) (posted, left bool, err error) {
	err = b.db.QueryRow(`SELECT EXISTS (SELECT 1 FROM node_mail AS m JOIN node_lanes AS l ON l.platform = m.platform AND l.channel = m.channel AND l.thread = m.thread
		WHERE l.owner = ?)`, b.node.ID()).Scan(&posted)
	for _, p := range platforms {
		if err != nil || left {
			break
		}
		err = b.db.QueryRow("SELECT EXISTS ("+orphans+")", p, p).Scan(&left)
	}
	return posted, left, engine.During("look what others left", err)
}

// Open is the first that is unfinished in a conversation: a message, or else a part that is
// not sent.
type Open struct {
	Key  chat.Key
	Part bool
	Row  int64
}

// opened lists what is unfinished in the conversations of a node.
const opened = `SELECT i.platform, i.channel, i.thread, '', min(i.id) FROM inbox AS i JOIN node_lanes AS l ON l.platform = i.platform AND l.channel = i.channel AND l.thread = i.thread
	WHERE i.state = 'new' AND l.owner = ? GROUP BY 1, 2, 3
	UNION ALL SELECT o.platform, o.channel, o.thread, '1', min(o.id) FROM outbox AS o JOIN node_lanes AS l ON l.platform = o.platform AND l.channel = o.channel AND l.thread = o.thread
	WHERE o.state IN ('ready', 'started') AND l.owner = ? GROUP BY 1, 2, 3`

// Opened lists what is unfinished in this node's conversations on some platforms.
func (b *Owned) Opened(platforms []string) ([]Open, error) {
	list, err := engine.Select(b.db, func(r engine.Scanner) (o Open, err error) {
		var part string
		err = r.Scan(&o.Key.Platform, &o.Key.Channel, &o.Key.Thread, &part, &o.Row)
		o.Part = part != ""
		return o, err
	}, opened, b.node.ID(), b.node.ID())
	return slices.DeleteFunc(list, func(o Open) bool { return !slices.Contains(platforms, o.Key.Platform) }),
		engine.During("look what is unfinished", err)
}

// Own makes k this node's for work that no message asks for, and reports whether it is.
// The node that has it otherwise is told to send what waits there, as is whoever adopts
// it where something is left behind.
func (b *Owned) Own(ctx context.Context, k chat.Key) (bool, error) {
	// Nearly always it has it already: that it did a moment ago is all that a transaction
	// would say, too.
	var there, lives, alive, waits bool
	var owner string
	err := b.db.QueryRow(owned, b.node.ID(), k.Platform, k.Channel, k.Thread).Scan(&there, &owner, &lives, &alive, &waits)
	if err == nil && alive && owner == b.node.ID() {
		return true, nil
	}
	var o Owner
	err = b.db.Held().Write(ctx, func(tx *engine.Tx) error {
		c := b.Claims(tx)
		if err := c.Ask(k); err != nil {
			return err
		}
		c.For(k, 0)
		if err := c.Make(); err != nil {
			return err
		}
		if o = c.Of(k); o.Other == "" {
			return nil
		}
		return b.Post(tx, k, 0)
	})
	if err != nil {
		return false, engine.During("claim a conversation", err)
	}
	if !o.Ours {
		b.Hint(o.Other)
	}
	return o.Ours, nil
}

// Leave gives a conversation up: whatever is left there is another node's from now on,
// and all are told. Where something is left its row stays, so that one of those who would
// adopt it finds it locked, and does not wait.
func (b *Owned) Leave(ctx context.Context, k chat.Key) error {
	err := b.db.Held().Write(ctx, func(tx *engine.Tx) error {
		_, err := tx.Exec("UPDATE node_lanes SET owner = '' WHERE platform = ? AND channel = ? AND thread = ? AND owner = ?",
			k.Platform, k.Channel, k.Thread, b.node.ID())
		if err != nil {
			return err
		}
		_, err = tx.Exec(`DELETE FROM node_lanes AS l WHERE platform = ? AND channel = ? AND thread = ? AND owner = ''
			AND NOT EXISTS (SELECT 1 FROM inbox AS i WHERE i.state = 'new' AND i.platform = l.platform AND i.channel = l.channel AND i.thread = l.thread)
			AND NOT EXISTS (SELECT 1 FROM outbox AS o WHERE o.state IN ('ready', 'started') AND o.platform = l.platform AND o.channel = l.channel AND o.thread = l.thread)`,
			k.Platform, k.Channel, k.Thread)
		return err
	})
	if err == nil {
		b.node.Hint("")
	}
	return engine.During("leave a conversation", err)
}

// LeaveIdle gives up all conversations but those that are busy.
func (b *Owned) LeaveIdle(ctx context.Context, busy func(chat.Key) bool) error {
	all, err := engine.Select(b.db, scanKey, "SELECT platform, channel, thread FROM node_lanes WHERE owner = ?", b.node.ID())
	if err != nil {
		return engine.During("leave conversations", err)
	}
	rest := slices.DeleteFunc(all, busy)
	for try := 0; try < leaves && len(rest) > 0 && err == nil; try++ {
		if try > 0 {
			chat.Sleep(ctx, 5*time.Millisecond)
		}
		var free []chat.Key
		err = b.db.Held().Write(ctx, func(tx *engine.Tx) (err error) {
			free, err = engine.Select(tx, scanKey, resting, names(rest), b.node.ID())
			return err
		})
		rest = slices.DeleteFunc(rest, func(k chat.Key) bool { return slices.Contains(free, k) })
	}
	for i := 0; i < len(rest) && err == nil; i++ {
		err = b.db.Held().Write(ctx, func(tx *engine.Tx) error {
			_, err := tx.Exec("DELETE FROM node_lanes WHERE platform = ? AND channel = ? AND thread = ? AND owner = ?",
				rest[i].Platform, rest[i].Channel, rest[i].Thread, b.node.ID())
			return err
		})
	}
	if err == nil {
		b.node.Hint("")
	}
	return engine.During("leave conversations", err)
}

// leaves is how often a node leaves all at once that nobody is just at, before it waits for
// one after the other.
const leaves = 4

// resting deletes rows of a node, but those that another one just stores something for:
// whoever has many rows waits for none, so that two never wait for each other.
const resting = `DELETE FROM node_lanes AS l USING (SELECT l.platform, l.channel, l.thread FROM node_lanes AS l JOIN ` +
	list + ` USING (platform, channel, thread)
	WHERE l.owner = ? FOR UPDATE OF l SKIP LOCKED) AS f WHERE l.platform = f.platform AND l.channel = f.channel AND l.thread = f.thread
	RETURNING l.platform, l.channel, l.thread`
