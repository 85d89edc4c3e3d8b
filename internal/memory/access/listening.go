package access

import (
	"context"
	"time"

	"parley/internal/chat"
	"parley/internal/db/engine"
)

// Hearing is how somebody stands to a place in which the bot reads along.
type Hearing struct {
	// Place is true if the place was told that the bot reads along, Person if this person
	// knows.
	Place, Person bool
	// Out is true if the person's words are left out.
	Out bool
	// Before is true if the bot once read along there, and perhaps does.
	Before bool
}

// States of a row of listening.
const (
	hearingTold = "told"
	hearingOut  = "out"
)

// Hearing returns how somebody stands to a channel. Where the bot never read along it reads
// nothing that is not kept.
func (g *Register) Hearing(_ context.Context, k chat.Key, user string) (h Hearing, err error) {
	known, err := g.listening.Get(k.Whole(), func() (map[string]string, error) {
		return engine.Pairs[string, string](g.db, "SELECT user_id, state FROM listening WHERE platform = ? AND channel = ? "+
			"UNION ALL SELECT user_id, 'out' FROM listening WHERE platform = ? AND channel = '' AND state = 'out' ORDER BY 2 DESC",
			k.Platform, k.Channel, k.Platform)
	})
	h = Hearing{Place: known[""] == hearingTold, Before: known[""] != "", Person: known[user] != "", Out: known[user] == hearingOut}
	return h, engine.During("read who is heard", err)
}

// Silent reports within a transaction whether somebody's words are left out in a channel.
func Silent(tx *engine.Tx, k chat.Key, user string) (out bool, err error) {
	err = tx.QueryRow("SELECT EXISTS (SELECT 1 FROM listening WHERE user_id = ? AND platform = ? AND channel IN ('', ?) AND state = 'out')",
		user, k.Platform, k.Channel).Scan(&out)
	return out, err
}

// TellPlace notes within a transaction that a channel is told that the bot reads along; those
// who are known to be there are told with it. first is false if it was told before.
func TellPlace(tx *engine.Tx, k chat.Key, now time.Time) (first bool, err error) {
	first, err = tx.Changes(`INSERT INTO listening (user_id, platform, channel, state, at) VALUES ('', ?, ?, 'told', ?)
		ON CONFLICT (platform, channel, user_id) DO UPDATE SET state = 'told', at = excluded.at WHERE listening.state = 'over'`,
		k.Platform, k.Channel, engine.Stamp(now))
	if err != nil || !first {
		return false, err
	}
	_, err = tx.Exec(`INSERT INTO listening (user_id, platform, channel, state, at)
		SELECT user_id, :platform, :channel, 'told', :at FROM participants WHERE platform = :platform AND channel = :channel AND user_id <> ''
		UNION SELECT user_id, :platform, :channel, 'told', :at FROM membership WHERE platform = :platform AND channel = :channel AND state = 'in' AND user_id <> ''
		ON CONFLICT (platform, channel, user_id) DO NOTHING`,
		engine.Named{"platform": k.Platform, "channel": k.Channel, "at": engine.Stamp(now)})
	return true, err
}

// TellPerson notes within a transaction that somebody is told that the bot reads along in a
// channel. first is false if they knew.
func TellPerson(tx *engine.Tx, k chat.Key, who string, now time.Time) (first bool, err error) {
	return tx.Changes("INSERT INTO listening (user_id, platform, channel, state, at) VALUES (?, ?, ?, 'told', ?) "+
		"ON CONFLICT (platform, channel, user_id) DO NOTHING", who, k.Platform, k.Channel, engine.Stamp(now))
}

// LeaveOut decides whether somebody's words are left out where the bot reads along: in a
// channel, or on its whole platform if k has none.
func (g *Register) LeaveOut(ctx context.Context, k chat.Key, user string, out bool) error {
	return engine.During("leave out", g.db.Write(ctx, func(tx *engine.Tx) error {
		if out {
			_, err := tx.Exec("INSERT INTO listening (user_id, platform, channel, state, at) VALUES (?, ?, ?, 'out', ?) "+
				"ON CONFLICT (platform, channel, user_id) DO UPDATE SET state = 'out', at = excluded.at",
				user, k.Platform, k.Channel, engine.Stamp(g.now()))
			return err
		}
		args := engine.Named{"user": user, "platform": k.Platform, "channel": k.Channel}
		return tx.ExecAll(args, "DELETE FROM listening WHERE user_id = :user AND platform = :platform AND channel = ''",
			"UPDATE listening SET state = 'told' WHERE user_id = :user AND platform = :platform AND channel = :channel AND state = 'out'",
			"UPDATE listening SET state = 'told' WHERE user_id = :user AND platform = :platform AND :channel = '' AND state = 'out'")
	}))
}

// listens follows within a transaction what was decided about a channel. Where the bot no
// longer reads along, the next time is told anew.
func listens(tx *engine.Tx, k chat.Key, listen string, now time.Time) error {
	switch listen {
	case "": // the settings say it
		return nil
	case chat.Ambient:
		_, err := TellPlace(tx, k, now)
		return err
	}
	return tx.ExecAll(engine.Named{"platform": k.Platform, "channel": k.Channel},
		"DELETE FROM listening WHERE platform = :platform AND channel = :channel AND user_id <> '' AND state = 'told'",
		"UPDATE listening SET state = 'over' WHERE platform = :platform AND channel = :channel AND user_id = ''")
}

// Unasked returns how often the bot spoke in a channel today although nobody asked.
func (g *Register) Unasked(_ context.Context, k chat.Key) (n int, err error) {
	err = g.db.QueryRow("SELECT n FROM unasked WHERE day = ? AND platform = ? AND channel = ?", engine.Stamp(g.now())[:len(time.DateOnly)],
		k.Platform, k.Channel).Scan(&n)
	return n, engine.During("count what nobody asked for", engine.NoRow(err, nil))
}

// SpeakUnasked counts within a transaction that the bot speaks although nobody asked. It is
// false, and counts nothing, if it did so limit times today.
func SpeakUnasked(tx *engine.Tx, k chat.Key, limit int, now time.Time) (bool, error) {
	if limit <= 0 {
		return false, nil
	}
	return tx.Changes(`INSERT INTO unasked (day, platform, channel, n) VALUES (?, ?, ?, 1)
		ON CONFLICT (day, platform, channel) DO UPDATE SET n = unasked.n + 1 WHERE unasked.n < ?`,
		engine.Stamp(now)[:len(time.DateOnly)], k.Platform, k.Channel, limit)
}
