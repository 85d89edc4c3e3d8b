package lanes

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"parley/internal/chat"
	"parley/internal/db/engine"
)

// Claims are conversations that a transaction asks for: all at once, so that a server is
// asked once. Ask begins, For says what for, Make decides about those, and Of tells.
type Claims struct {
	b    *Owned
	tx   *engine.Tx
	me   string
	list []*claim
	all  map[chat.Key]*claim
}

// claim is one conversation.
type claim struct {
	key    chat.Key
	claims bool    // something asks for it
	rows   []int64 // of the inbox, that ask for it
	locks  func() (int64, error)
	look   *engine.Answer
	owner  Owner
}

// had holds the row of a conversation. Only what is said after that is sure to see its
// last owner, and who of the owners lives.
const had = "SELECT 1 FROM node_lanes WHERE platform = ? AND channel = ? AND thread = ? FOR SHARE"

// owned reads whether a conversation has a row, who has it, whether that node and this one
// live, and whether messages wait to be brought there.
const owned = "SELECT l.owner IS NOT NULL, coalesce(l.owner, ''), " + living + "l.owner), " + living +
	`me.id), EXISTS (SELECT 1 FROM node_mail AS m
	WHERE m.platform = l.platform AND m.channel = l.channel AND m.thread = l.thread AND m.inbox_id <> 0)
	FROM (SELECT CAST(? AS text) AS id) AS me LEFT JOIN node_lanes AS l ON l.platform = ? AND l.channel = ? AND l.thread = ?`

// Claims begins to claim within a transaction.
func (b *Owned) Claims(tx *engine.Tx) *Claims {
	c := &Claims{b: b, tx: tx, all: map[chat.Key]*claim{}}
	if b != nil {
		c.me = b.node.ID()
	}
	return c
}

// Ask asks whose a conversation is; twice is once.
func (c *Claims) Ask(k chat.Key) error {
	if c.b == nil || c.all[k] != nil {
		return nil
	}
	one := &claim{key: k}
	res, err := c.tx.Exec(had, k.Platform, k.Channel, k.Thread)
	if err != nil {
		return err
	}
	one.locks = res.RowsAffected
	one.look = c.tx.Ask(owned, c.me, k.Platform, k.Channel, k.Thread)
	c.all[k], c.list = one, append(c.list, one)
	return nil
}

// For says that a row of the inbox asks for a conversation, so that it is not taken for
// something left behind there; 0 is work without one.
func (c *Claims) For(k chat.Key, row int64) {
	one := c.all[k]
	if one == nil {
		return
	}
	if one.claims = true; row != 0 {
		one.rows = append(one.rows, row)
	}
}

// Make makes this node's what is nobody's and has nothing left behind in it. A node that
// has no lease claims nothing: ErrFenced.
func (c *Claims) Make() error {
	var fresh []*claim
	for _, one := range c.list {
		if !one.claims {
			continue
		}
		there, err := c.see(one)
		if err != nil {
			return err
		}
		if !there {
			fresh = append(fresh, one)
		}
	}
	// In one order, so that two nodes do not wait for each other.
	slices.SortFunc(fresh, func(a, b *claim) int { return strings.Compare(a.key.String(), b.key.String()) })
	return c.insert(fresh)
}

// see decides about a conversation that has a row.
func (c *Claims) see(one *claim) (there bool, err error) {
	var owner string
	var lives, alive, waits bool
	if err := one.look.Scan(&there, &owner, &lives, &alive, &waits); err != nil {
		return there, err
	}
	n, err := one.locks()
	switch {
	case err != nil:
		return there, err
	case n == 1 != there:
		return there, fmt.Errorf("%w: another node has just claimed the conversation", engine.ErrConflict)
	case !alive:
		return there, chat.ErrFenced
	case there && owner == c.me:
		// What waits to be brought there comes first: then this is brought, too.
		one.owner = Owner{Ours: !waits || len(one.rows) == 0}
		if !one.owner.Ours {
			one.owner.Other = c.me
		}
	case there && lives:
		one.owner.Other = owner
	}
	return there, nil
}

// left reports whether a conversation has anything left other than the rows that ask for it.
const left = `SELECT EXISTS (SELECT 1 FROM inbox WHERE state = 'new' AND platform = ? AND channel = ? AND thread = ? AND NOT (id = ANY (CAST(? AS bigint[]))))
	OR EXISTS (SELECT 1 FROM outbox WHERE state IN ('ready', 'started') AND platform = ? AND channel = ? AND thread = ?)`

// insert makes rows for conversations that have none. Whose it becomes is decided by who
// inserts it; after that nobody else stores anything there, and what was stored before is
// seen. Where it would not be seen, the row is nobody's: whoever adopts it has all.
func (c *Claims) insert(fresh []*claim) error {
	made := make([]func() (int64, error), len(fresh))
	behind := make([]*engine.Answer, len(fresh))
	for i, one := range fresh {
		k, me := one.key, c.me
		if !c.tx.Held() {
			me = ""
		}
		res, err := c.tx.Exec("INSERT INTO node_lanes (platform, channel, thread, owner) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
			k.Platform, k.Channel, k.Thread, me)
		if err != nil {
			return err
		}
		made[i] = res.RowsAffected
		if me != "" {
			behind[i] = c.tx.Ask(left, k.Platform, k.Channel, k.Thread, numbers(one.rows), k.Platform, k.Channel, k.Thread)
		}
	}
	for i, one := range fresh {
		some := true
		if behind[i] != nil {
			if err := behind[i].Scan(&some); err != nil {
				return err
			}
		}
		if n, err := made[i](); err != nil || n != 1 {
			return errors.Join(err, fmt.Errorf("%w: another node has just claimed the conversation", engine.ErrConflict))
		}
		one.owner.Ours = !some
		if k := one.key; some && behind[i] != nil { // nobody's, and in the way of whoever adopts it at this moment
			if _, err := c.tx.Exec("UPDATE node_lanes SET owner = '' WHERE platform = ? AND channel = ? AND thread = ?",
				k.Platform, k.Channel, k.Thread); err != nil {
				return err
			}
		}
	}
	return nil
}

// Of returns whose a conversation is that was asked for.
func (c *Claims) Of(k chat.Key) Owner {
	if c.b == nil {
		return Owner{Ours: true}
	}
	return c.all[k].owner
}

// numbers writes rows as an array.
func numbers(rows []int64) string {
	list := make([]string, len(rows))
	for i, n := range rows {
		list[i] = strconv.FormatInt(n, 10)
	}
	return "{" + strings.Join(list, ",") + "}"
}
