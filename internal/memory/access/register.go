// Package access keeps who may do what: roles that were given, one-time codes,
// guesses, what was decided about channels and about tools in them, and secrets of
// this database, as rows.
// It does not decide what a role may do.
package access

import (
	"cmp"
	"context"
	"crypto/subtle"
	"database/sql"
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"parley/internal/chat"
	"parley/internal/db/engine"
)

// Register is who may do what, as a database keeps it. It is safe for many
// goroutines. The store of everything else holds one, with the same writer.
type Register struct {
	db       *engine.DB
	now      func() time.Time
	self     func() string // this process among others; "" is alone
	grants   *engine.Kept[struct{}, map[string]string]
	policies *engine.Kept[chat.Key, chat.Policy]
	allowed  *engine.Kept[chat.Key, []string] // tools that are not asked about, by channel
	// listening is the state of each person, and of the place under "", by channel.
	listening *engine.Kept[chat.Key, map[string]string]
	places    places
}

// NewRegister returns the register of a database whose schema is up to date. self is the
// number of this process among others on the database, "" when it is alone.
func NewRegister(db *engine.DB, now func() time.Time, self func() string) *Register {
	return &Register{
		db: db, now: now, self: self,
		grants:    engine.Keep[struct{}, map[string]string](db, "grants"),
		policies:  engine.Keep[chat.Key, chat.Policy](db, "policies"),
		allowed:   engine.Keep[chat.Key, []string](db, "allowances"),
		listening: engine.Keep[chat.Key, map[string]string](db, "listening"),
		places:    places{kept: engine.Keep[struct{}, *book](db, "moves", "closed_places")},
	}
}

// Granted returns the role an id (a person's or a place's) was given by hand:
// "owner", "member", "denied", or "" for none.
func (g *Register) Granted(_ context.Context, id string) (string, error) {
	all, err := g.grants.Get(struct{}{}, g.fewGrants)
	if err != nil || all != nil {
		return all[id], engine.During("read grant", err)
	}
	return g.db.Word("read grant", "SELECT role FROM grants WHERE id = ?", id)
}

// maxGrants is how many grants are kept in memory.
const maxGrants = 1000

// fewGrants returns all grants; nil when they are many.
func (g *Register) fewGrants() (map[string]string, error) {
	all, err := g.listGrants(maxGrants + 1)
	if len(all) > maxGrants {
		all = nil
	}
	return all, err
}

// endDoors logs a person out of all browsers and ends their tokens.
func endDoors(tx *engine.Tx, user string) error {
	return tx.ExecAll(engine.Named{"user": user}, "DELETE FROM web_logins WHERE user_id = :user",
		"DELETE FROM api_tokens WHERE user_id = :user")
}

// Grant gives an id a role, replacing the one it had. by is whoever decided. Who is kept
// out is logged out of all browsers, and their tokens end.
func (g *Register) Grant(ctx context.Context, id, role, by string) error {
	return engine.During("grant", g.db.Write(ctx, func(tx *engine.Tx) error {
		_, err := tx.Exec("INSERT INTO grants VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET role = "+
			"excluded.role, by_id = excluded.by_id, at = excluded.at", id, role, by, engine.Stamp(g.now()))
		if role == "denied" {
			err = errors.Join(err, endDoors(tx, id))
		}
		return err
	}))
}

// newcomersTold is the setting that holds up to when Newcomers told of people.
const newcomersTold = "access.newcomers_told"

// newcomerFor is for how long somebody who was let in is news, in a process that never
// asked.
const newcomerFor = 24 * time.Hour

// Newcomers tells of each person whom by let in since it was last called in any process;
// at names the time. Where tell was cut short by a crash, it hears the same once more.
func (g *Register) Newcomers(ctx context.Context, by string, tell func(id, at string)) error {
	since, err := g.db.Word("newcomers", "SELECT value FROM settings WHERE name = ?", newcomersTold)
	if err != nil {
		return err
	}
	type newcomer struct{ id, at string }
	list, err := engine.Select(g.db, func(r engine.Scanner) (n newcomer, err error) {
		err = r.Scan(&n.id, &n.at)
		return n, err
	}, "SELECT id, at FROM grants WHERE role = 'member' AND by_id = ? AND at > ? ORDER BY at",
		by, cmp.Or(since, engine.Stamp(g.now().Add(-newcomerFor))))
	if err != nil || len(list) == 0 {
		return engine.During("newcomers", err)
	}
	for _, n := range list {
		tell(n.id, n.at)
	}
	return engine.During("newcomers", g.db.Exec(ctx, "INSERT INTO settings VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = "+
		"excluded.value", newcomersTold, list[len(list)-1].at))
}

// Revoke takes back what Grant gave, logs the person out of all browsers and ends their tokens; false when
// there was nothing.
func (g *Register) Revoke(ctx context.Context, id string) (bool, error) {
	var n int64
	err := g.db.Write(ctx, func(tx *engine.Tx) error {
		err := tx.Count(&n, "DELETE FROM grants WHERE id = ?", id)
		if err == nil {
			err = endDoors(tx, id)
		}
		return err
	})
	return n > 0 && err == nil, engine.During("revoke", err)
}

// Grants returns every id that was given a role.
func (g *Register) Grants(_ context.Context) (map[string]string, error) {
	all, err := g.listGrants(math.MaxInt32)
	return all, engine.During("list grants", err)
}

// listGrants returns at most limit grants, by their ids.
func (g *Register) listGrants(limit int) (map[string]string, error) {
	return engine.Pairs[string, string](g.db, "SELECT id, role FROM grants LIMIT ?", limit)
}

// ofProcess begins the holder of a code that is for whoever brings it: each of several
// processes shows one of its own.
const ofProcess = "process "

// AddCode remembers the hash of a one-time code for purpose "pair", "claim" or
// "page", replacing the person's earlier one. who is empty when the code is for
// whoever brings it; then it replaces the one of this process.
func (g *Register) AddCode(ctx context.Context, purpose string, hash []byte, who chat.User, until time.Time) error {
	if self := g.self(); who.ID == "" && self != "" {
		who.ID = ofProcess + self
	}
	return engine.During("add code", g.db.Exec(ctx,
		"INSERT INTO codes VALUES (?, ?, ?, ?, ?) ON CONFLICT (purpose, user_id) DO UPDATE SET "+
			"name = excluded.name, hash = excluded.hash, expires_at = excluded.expires_at", purpose, who.ID, who.Name, hash, engine.Stamp(until)))
}

// TakeCode uses a code up and returns whom it was for. ok is false when there
// is none or it has expired; of many that bring the same code one gets true. The bot is
// claimed once: with that code those of other processes go.
// Hashes are compared in constant time.
func (g *Register) TakeCode(ctx context.Context, purpose string, hash []byte) (who chat.User, ok bool, err error) {
	err = g.db.Write(ctx, func(tx *engine.Tx) error {
		who, ok = chat.User{}, false
		_, err := engine.Select(tx, func(r engine.Scanner) (u chat.User, err error) {
			var h []byte
			err = r.Scan(&u.ID, &u.Name, &h)
			if err == nil && subtle.ConstantTimeCompare(h, hash) == 1 {
				who, ok = u, true
			}
			return u, err
		}, "SELECT user_id, name, hash FROM codes WHERE purpose = ? AND expires_at > ?", purpose, engine.Stamp(g.now()))
		if err != nil || !ok {
			return err
		}
		_, err = tx.Exec("DELETE FROM codes WHERE purpose = ? AND (user_id = ? OR purpose = 'claim')", purpose, who.ID)
		if strings.HasPrefix(who.ID, ofProcess) {
			who = chat.User{}
		}
		return err
	})
	return who, ok && err == nil, engine.During("take code", err)
}

// Waiting returns who holds a live code for a purpose.
func (g *Register) Waiting(_ context.Context, purpose string) ([]chat.User, error) {
	all, err := engine.Select(g.db, func(r engine.Scanner) (u chat.User, err error) {
		err = r.Scan(&u.ID, &u.Name)
		return u, err
	}, "SELECT user_id, name FROM codes WHERE purpose = ? AND expires_at > ? ORDER BY expires_at, user_id",
		purpose, engine.Stamp(g.now()))
	return all, engine.During("list codes", err)
}

// DropCode makes a person's code stop working; false when there is none.
func (g *Register) DropCode(ctx context.Context, purpose, user string) (bool, error) {
	n, err := g.db.Count(ctx, "DELETE FROM codes WHERE purpose = ? AND user_id = ?", purpose, user)
	return n > 0, engine.During("drop code", err)
}

// Try counts one guess by a person and reports whether it is among the first
// limit within the window that the first of them opened.
func (g *Register) Try(ctx context.Context, user string, limit int, window time.Duration) (bool, error) {
	var tries int
	err := g.db.Write(ctx, func(tx *engine.Tx) error {
		now := g.now()
		if _, err := tx.Exec("DELETE FROM attempts WHERE user_id = ? AND until <= ?", user, engine.Stamp(now)); err != nil {
			return err
		}
		return tx.QueryRow(`INSERT INTO attempts VALUES (?, 1, ?)
			ON CONFLICT (user_id) DO UPDATE SET tries = attempts.tries + 1 RETURNING tries`,
			user, engine.Stamp(now.Add(window))).Scan(&tries)
	})
	return tries <= limit && err == nil, engine.During("count guess", err)
}

// Forgive forgets a person's guesses.
func (g *Register) Forgive(ctx context.Context, user string) error {
	return engine.During("forget guesses", g.db.Exec(ctx, "DELETE FROM attempts WHERE user_id = ?", user))
}

// Policy returns what was decided about a channel, zero when nothing was.
func (g *Register) Policy(_ context.Context, k chat.Key) (chat.Policy, error) {
	k.Thread = "" // belongs to its channel
	p, err := g.policies.Get(k, func() (chat.Policy, error) { return g.policy(k) })
	p.Tools = slices.Clone(p.Tools) // callers may keep it
	return p, err
}

func (g *Register) policy(k chat.Key) (p chat.Policy, err error) {
	var names sql.NullString
	err = g.db.QueryRow("SELECT listen, who, tools FROM policies WHERE platform = ? AND channel = ?", k.Platform, k.Channel).
		Scan(&p.Listen, &p.Who, &names)
	if names.Valid {
		p.Tools = strings.FieldsFunc(names.String, func(r rune) bool { return r == ',' }) // none is not nil
	}
	return p, engine.During("read policy", engine.NoRow(err, nil))
}

// SetPolicy decides about a channel. Where the bot begins to read along, the channel counts as
// told: by the answer to who decided so.
func (g *Register) SetPolicy(ctx context.Context, k chat.Key, p chat.Policy) error {
	names := sql.NullString{String: strings.Join(p.Tools, ","), Valid: p.Tools != nil}
	return engine.During("set policy", g.db.Write(ctx, func(tx *engine.Tx) error {
		_, err := tx.Exec(`INSERT INTO policies (platform, channel, listen, who, tools) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (platform, channel) DO UPDATE SET listen = excluded.listen, who = excluded.who, tools = excluded.tools`,
			k.Platform, k.Channel, p.Listen, p.Who, names)
		return errors.Join(err, listens(tx, k, p.Listen, g.now()))
	}))
}

// SetTitle stores what people call a place, by its id.
func (g *Register) SetTitle(ctx context.Context, id, title string) error {
	return engine.During("set title", g.db.Exec(ctx,
		"INSERT INTO titles (id, title) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET title = excluded.title", id, title))
}

// Secret returns the secret of this name, storing fresh when there is none.
func (g *Register) Secret(ctx context.Context, name string, fresh []byte) ([]byte, error) {
	var value []byte
	err := g.db.Write(ctx, func(tx *engine.Tx) error {
		if _, err := tx.Exec("INSERT INTO secrets VALUES (?, ?) ON CONFLICT DO NOTHING", name, fresh); err != nil {
			return err
		}
		return tx.QueryRow("SELECT value FROM secrets WHERE name = ?", name).Scan(&value)
	})
	return value, engine.During("read secret", err)
}
