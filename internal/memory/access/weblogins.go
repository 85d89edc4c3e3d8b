package access

import (
	"context"
	"errors"
	"time"

	"parley/internal/chat"
	"parley/internal/db/engine"
)

// WebLogin is a browser in which somebody goes on with their direct chat.
type WebLogin struct {
	ID      string // what lists call it
	User    string
	Place   chat.Key // the direct chat, as it is called today
	Browser string   // its kind and system
	Created time.Time
	Used    time.Time
	Until   time.Time // the latest end
}

// maxWebLogins is how many browsers of one person are logged in at once; the one used
// longest ago goes.
const maxWebLogins = 8

const webColumns = "id, user_id, platform, channel, browser, created_at, used_at, until"

func scanWeb(r engine.Scanner) (l WebLogin, err error) {
	err = r.Scan(&l.ID, &l.User, &l.Place.Platform, &l.Place.Channel, &l.Browser, engine.Stamped(&l.Created), engine.Stamped(&l.Used),
		engine.Stamped(&l.Until))
	return l, err
}

// AddWebLink remembers the hash of a link that logs a person in once, for the direct chat
// l.Place, until l.Until; an earlier one of theirs stops working.
func (g *Register) AddWebLink(ctx context.Context, l WebLogin, hash []byte) error {
	now := engine.Stamp(g.now())
	return engine.During("add web link", g.db.Write(ctx, func(tx *engine.Tx) error {
		_, e1 := tx.Exec("DELETE FROM web_logins WHERE state = 'link' AND (user_id = ? OR until <= ?)", l.User, now)
		_, e2 := tx.Exec("INSERT INTO web_logins (id, hash, state, user_id, platform, channel, created_at, used_at, until) "+
			"VALUES (?, ?, 'link', ?, ?, ?, ?, ?, ?)", l.ID, hash, l.User, l.Place.Platform, l.Place.Channel, now, now, engine.Stamp(l.Until))
		return errors.Join(e1, e2)
	}))
}

// TakeWebLink uses a link up: it becomes a login with another hash, in as.Browser, until
// as.Until. ok is false if there is no such link or it has expired; of many that bring the
// same one, one gets true.
func (g *Register) TakeWebLink(ctx context.Context, link, hash []byte, as WebLogin) (l WebLogin, ok bool, err error) {
	now := engine.Stamp(g.now())
	err = g.db.Write(ctx, func(tx *engine.Tx) (err error) {
		l, ok, err = engine.Found(scanWeb(tx.QueryRow("UPDATE web_logins SET hash = ?, state = 'open', browser = ?, created_at = ?, used_at = ?, "+
			"until = ? WHERE hash = ? AND state = 'link' AND until > ? RETURNING "+webColumns,
			hash, as.Browser, now, now, engine.Stamp(as.Until), link, now)))
		if err != nil || !ok {
			return err
		}
		_, err = tx.Exec("DELETE FROM web_logins WHERE state = 'open' AND user_id = ? AND id <> ? AND id NOT IN (SELECT id FROM web_logins "+
			"WHERE state = 'open' AND user_id = ? AND id <> ? ORDER BY used_at DESC, id LIMIT ?)", l.User, l.ID, l.User, l.ID, maxWebLogins-1)
		return err
	})
	l.Place = g.Place(l.Place).Key
	return l, ok && err == nil, engine.During("take web link", err)
}

// WebLogin finds the login with this hash that was used since a time.
func (g *Register) WebLogin(_ context.Context, hash []byte, since time.Time) (l WebLogin, ok bool, err error) {
	l, ok, err = engine.Found(scanWeb(g.db.QueryRow("SELECT "+webColumns+" FROM web_logins WHERE hash = ? AND state = 'open' AND until > ? AND used_at > ?",
		hash, engine.Stamp(g.now()), engine.Stamp(since))))
	l.Place = g.Place(l.Place).Key
	return l, ok, engine.During("read web login", err)
}

// WebLogins lists the logins of a person that were used since a time, the latest first; of
// everybody for "".
func (g *Register) WebLogins(_ context.Context, user string, since time.Time) ([]WebLogin, error) {
	list, err := engine.Select(g.db, scanWeb, "SELECT "+webColumns+" FROM web_logins WHERE state = 'open' AND (user_id = ? OR ? = '') "+
		"AND until > ? AND used_at > ? ORDER BY used_at DESC, id", user, user, engine.Stamp(g.now()), engine.Stamp(since))
	for i := range list {
		list[i].Place = g.Place(list[i].Place).Key
	}
	return list, engine.During("list web logins", err)
}

// UseWebLogin notes that a login was used now.
func (g *Register) UseWebLogin(ctx context.Context, id string) error {
	return engine.During("use web login", g.db.Exec(ctx, "UPDATE web_logins SET used_at = ? WHERE id = ?", engine.Stamp(g.now()), id))
}

// EndWebLogin ends one login of a person; false if they have no such one.
func (g *Register) EndWebLogin(ctx context.Context, user, id string) (bool, error) {
	n, err := g.db.Count(ctx, "DELETE FROM web_logins WHERE user_id = ? AND id = ?", user, id)
	return n > 0, engine.During("end web login", err)
}

// EndWebLogins ends every login and link of a person; of everybody for "". It counts the
// logins.
func (g *Register) EndWebLogins(ctx context.Context, user string) (n int64, err error) {
	err = g.db.Write(ctx, func(tx *engine.Tx) error {
		err := tx.Count(&n, "DELETE FROM web_logins WHERE state = 'open' AND (user_id = ? OR ? = '')", user, user)
		if err == nil {
			_, err = tx.Exec("DELETE FROM web_logins WHERE user_id = ? OR ? = ''", user, user)
		}
		return err
	})
	return n, engine.During("end web logins", err)
}

// SweepWeb deletes logins that are over: unused since a time, or too old; and files of
// messages that were answered an hour ago.
func (g *Register) SweepWeb(ctx context.Context, since time.Time) error {
	now := g.now()
	return engine.During("sweep web logins", g.db.Write(ctx, func(tx *engine.Tx) error {
		return tx.ExecAll(engine.Named{"now": engine.Stamp(now), "since": engine.Stamp(since), "hour": engine.Stamp(now.Add(-webFileAge))},
			"DELETE FROM web_logins WHERE until <= :now OR state = 'open' AND used_at <= :since", sweepFiles)
	}))
}
