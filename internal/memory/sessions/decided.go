package sessions

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley/internal/db/engine"
	"parley/internal/memory/provenance"
	"parley/internal/text"
	"parley/internal/text/ranking"
)

// Decision is something that people decided in a conversation. It belongs to the session in
// which they did, and holds in those that carry that one on.
type Decision struct {
	ID       int64  `json:"-"` // its key; people know it by Number
	Number   int64  // in its place; 0 before it is stored
	Text     string // on one line
	User     string // who said it; "" if that is unknown
	Name     string
	Message  string // platform's id of the message that says it; "" if that is unknown
	At       time.Time
	Until    time.Time // since when it does not hold; zero while it does
	Instead  int64     // number of the one that holds instead; 0 for none
	Replaces string    // of one that is not stored yet: which no longer holds, as "#3" or in words
	Recorded bool      // of one that is not stored yet: somebody had it recorded, nothing found it
	Origin   provenance.Origin

	session string
}

// RowKey is what buttons call a decision.
func (d Decision) RowKey() int64 { return provenance.RowKey("decision", d.Number, d.At) }

// Bounds of decisions.
const (
	maxDecision = 300 // runes of one
	maxHeld     = 60  // that are read with a session
)

// ErrNoDecision says that there is no such decision. Its text may be shown to people.
var ErrNoDecision = text.Tell("there is no such decision")

// ErrDecisionSize says that a decision is empty or too long. Its text may be shown to people.
var ErrDecisionSize = text.Tell("a decision has 1 to %d characters", maxDecision)

const decisionColumns = `d.id, d.number, d.content, d.user_id, d.name, d.message_id, d.at, d.replaced_at,
	coalesce((SELECT r.number FROM decided r WHERE r.id = d.replaced_by AND r.content <> ''), 0), d.via, d.people, d.session_id`

func scanDecision(r engine.Scanner) (d Decision, err error) {
	err = r.Scan(&d.ID, &d.Number, &d.Text, &d.User, &d.Name, &d.Message, engine.Stamped(&d.At), engine.Stamped(&d.Until), &d.Instead,
		&d.Origin.Via, (*provenance.Names)(&d.Origin.People), &d.session)
	return d, err
}

// DecisionText returns a decision as it is stored, on one line.
func DecisionText(said string) (string, error) {
	said = strings.Join(strings.Fields(text.Plain(said)), " ")
	if said == "" || len([]rune(said)) > maxDecision {
		return "", ErrDecisionSize
	}
	return said, nil
}

// Held are the decisions that hold in a line of sessions.
type Held struct {
	db   *engine.DB
	kept *engine.Kept[string, held]
}

type held struct {
	list []Decision
	all  int
}

// KeepHeld returns what holds, read from db. Most conversations decide nothing, and each
// message asks.
func KeepHeld(db *engine.DB) Held {
	return Held{db, engine.KeepInFile[string, held](db, "decided", engine.Deleted("sessions"))}
}

// In returns the newest decisions that hold in a line, oldest first, and how many hold
// there in all.
func (h Held) In(line string) (list []Decision, all int, err error) {
	now, err := h.kept.Get(line, func() (held, error) { return h.read(line) })
	return slices.Clone(now.list), now.all, engine.During("read decisions", err)
}

func (h Held) read(line string) (now held, err error) {
	now.list, err = engine.Select(h.db, scanDecision, "SELECT * FROM (SELECT "+decisionColumns+
		" FROM decided d WHERE d.line = :line AND d.replaced_at = '' AND d.content <> '' ORDER BY d.id DESC LIMIT :limit) latest ORDER BY id",
		engine.Named{"line": line, "limit": maxHeld})
	if now.all = len(now.list); err == nil && now.all == maxHeld {
		err = h.db.QueryRow("SELECT count(*) FROM decided WHERE line = ? AND replaced_at = '' AND content <> ''", line).Scan(&now.all)
	}
	return now, err
}

// lineOf is a session with the line that it belongs to.
type lineOf struct{ session, line string }

// Decide stores the decisions among list that are not stored yet, within a transaction that
// also stores their session. What was found of one that is known is no other one: neither
// what was replaced nor what was forgotten comes back by being found again.
func Decide(tx *engine.Tx, session, line string, list []Decision) error {
	var known []Decision
	read := false
	line = cmp.Or(line, session)
	for _, d := range list {
		if d.Number != 0 {
			continue
		}
		if !read {
			var err error
			if known, err = engine.Select(tx, scanDecision, "SELECT "+decisionColumns+" FROM decided d WHERE d.line = ? ORDER BY d.id", line); err != nil {
				return engine.During("read decisions", err)
			}
			read = true
		}
		said, err := DecisionText(d.Text)
		if err != nil {
			continue // a poor summarizer's
		}
		d.Text = said
		if known, err = d.keep(tx, lineOf{session, line}, known); err != nil {
			return engine.During("store a decision", err)
		}
	}
	return nil
}

// keep stores a decision unless it is known, and returns what is known then.
func (d Decision) keep(tx *engine.Tx, of lineOf, known []Decision) ([]Decision, error) {
	for _, k := range known {
		if !d.Recorded && d.again(k) {
			return known, nil
		}
		if d.Recorded && k.Until.IsZero() && k.Text != "" && Normal(k.Text) == Normal(d.Text) {
			d.ID = k.ID
		}
	}
	old, replaces := Meant(known, d.Replaces)
	if d.ID == 0 {
		var err error
		if d.ID, d.Number, err = d.insert(tx, of); err != nil {
			return known, err
		}
		known = append(known, d)
	}
	if !replaces || old.ID == d.ID {
		return known, nil
	}
	for i := range known {
		if known[i].ID == old.ID {
			known[i].Until = d.At
		}
	}
	_, err := tx.Exec("UPDATE decided SET replaced_at = ?, replaced_by = ? WHERE id = ?", engine.Stamp(d.At), d.ID, old.ID)
	return known, err
}

func (d Decision) insert(tx *engine.Tx, of lineOf) (id, n int64, err error) {
	if d.User == "" && len(d.Origin.People) == 0 {
		d.Origin = d.Origin.Of(provenance.Anybody)
	}
	if err := tx.QueryRow(`SELECT 1 + coalesce(max(d.number), 0) FROM sessions h JOIN sessions s ON s.platform = h.platform AND s.channel = h.channel AND s.thread = h.thread
		JOIN decided d ON d.session_id = s.id WHERE h.id = ?`, of.session).Scan(&n); err != nil {
		return 0, 0, err
	}
	id, err = tx.Insert(`INSERT INTO decided (session_id, line, number, content, user_id, name, message_id, at, via, people)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, of.session, of.line, n, d.Text, d.User, d.Name, d.Message, engine.Stamp(d.At),
		int(d.Origin.Via), d.Origin.Names())
	return id, n, err
}

// again reports whether a decision that was found is one that is known: it says the same, or
// its message is that of one that does not hold.
func (d Decision) again(known Decision) bool {
	gone := known.Text == "" || !known.Until.IsZero()
	if gone && d.Message != "" && known.Message == d.Message {
		return true
	}
	if known.Text == "" {
		return false
	}
	if Normal(known.Text) == Normal(d.Text) {
		return true
	}
	have, said := ranking.Stems(known.Text), ranking.Stems(d.Text)
	for w := range said {
		if !have[w] {
			return false
		}
	}
	return len(said) > 0
}

func number(n int64) string { return strconv.FormatInt(n, 10) }

// Meant returns the decision that holds and is meant by its number, as "#3", or by its words.
func Meant(list []Decision, by string) (d Decision, ok bool) {
	by = strings.TrimSpace(by)
	if by == "" {
		return d, false
	}
	best, several := 0, false
	mine := ranking.Stems(by)
	for _, k := range list {
		switch {
		case k.Text == "" || !k.Until.IsZero():
			continue
		case by == "#"+number(k.Number) || by == number(k.Number) || Normal(by) == Normal(k.Text):
			return k, true
		}
		n := 0
		for w := range ranking.Stems(k.Text) {
			if mine[w] {
				n++
			}
		}
		switch {
		case 2*n < len(mine) || n == 0:
		case n > best:
			d, best, several = k, n, false
		case n == best:
			several = true
		}
	}
	return d, best > 0 && !several
}

// Unsaying is a message of a session that says something else now.
type Unsaying struct {
	Session, Message string
	Was, Now         string // Now is "" once it was deleted
}

// says reports whether the message still says a decision. Where it never did in so many
// words, an edit changes nothing.
func (u Unsaying) says(d Decision) bool {
	if d.Message == "" { // nobody noted which message says it
		return !Says(u.Was, d.Text) || Supports(u.Now, d.Text)
	}
	return u.Now != "" && (Supports(u.Now, d.Text) || !Supports(u.Was, d.Text))
}

// Unsaid forgets the decisions that a message no longer says. What they took the place of
// holds again.
func Unsaid(tx *engine.Tx, u Unsaying) error {
	list, err := engine.Select(tx, scanDecision, "SELECT "+decisionColumns+
		" FROM decided d WHERE d.session_id = ? AND d.message_id IN (?, '') AND d.content <> ''", u.Session, u.Message)
	if err != nil {
		return engine.During("read decisions", err)
	}
	for _, d := range list {
		if u.says(d) {
			continue
		}
		if err := tx.ExecAll(engine.Named{"id": d.ID}, "UPDATE decided SET replaced_at = '', replaced_by = 0 WHERE replaced_by = :id",
			"DELETE FROM decided WHERE id = :id"); err != nil {
			return engine.During("forget a decision", err)
		}
	}
	return nil
}

// here is the condition on sessions s of the viewer's very place, in which the viewer may see
// what was decided. Its parameters come from Archive.args.
const here = ` ` + provenance.Heard + ` AND s.user_id IN ('', :user) AND s.platform = :platform AND s.channel = :channel AND s.thread = :thread `

// Decisions lists what was decided in v's place, oldest first: what holds, or with all also
// what was replaced.
func (a *Archive) Decisions(_ context.Context, v provenance.Viewer, all bool) ([]Decision, error) {
	list, err := engine.Select(a.db, scanDecision, "SELECT "+decisionColumns+" FROM sessions s JOIN decided d ON d.session_id = s.id WHERE"+here+
		"AND d.content <> '' AND (:all OR d.replaced_at = '') ORDER BY d.id", a.args(v, engine.Named{"all": all}))
	return list, engine.During("list decisions", err)
}

// ChangeDecision has another text take the place of a decision in v's place. who says it.
func (a *Archive) ChangeDecision(ctx context.Context, v provenance.Viewer, id int64, now Decision) (Decision, error) {
	said, err := DecisionText(now.Text)
	if err != nil {
		return now, err
	}
	now.Text, now.At = said, a.now()
	err = a.change(ctx, v, id, func(tx *engine.Tx, old Decision) error {
		var line string
		if err := tx.QueryRow("SELECT line FROM decided WHERE id = ?", id).Scan(&line); err != nil {
			return err
		}
		if now.ID, now.Number, err = now.insert(tx, lineOf{old.session, line}); err != nil {
			return err
		}
		_, err := tx.Exec("UPDATE decided SET replaced_at = ?, replaced_by = ? WHERE id = ?", engine.Stamp(now.At), now.ID, id)
		return err
	})
	return now, err
}

// ForgetDecision takes a decision in v's place from memory. That its message was taken as one
// stays, so that no summary brings it back.
func (a *Archive) ForgetDecision(ctx context.Context, v provenance.Viewer, id int64) (d Decision, err error) {
	err = a.change(ctx, v, id, func(tx *engine.Tx, old Decision) error {
		d = old
		_, err := tx.Exec("UPDATE decided SET content = '', user_id = '', name = '', people = '', replaced_at = iif(replaced_at = '', ?, replaced_at) WHERE id = ?",
			engine.Stamp(a.now()), id)
		return err
	})
	return d, err
}

// change does something to a decision that v can see. The sessions of its line are read anew.
func (a *Archive) change(ctx context.Context, v provenance.Viewer, id int64, do func(*engine.Tx, Decision) error) error {
	return engine.During("change a decision", a.db.Write(ctx, func(tx *engine.Tx) error {
		d, err := scanDecision(tx.QueryRow("SELECT "+decisionColumns+" FROM sessions s JOIN decided d ON d.session_id = s.id WHERE"+here+
			"AND d.content <> '' AND d.replaced_at = '' AND d.id = :id", a.args(v, engine.Named{"id": id})))
		if err != nil {
			return engine.NoRow(err, ErrNoDecision)
		}
		return do(tx, d)
	}))
}

// decidedIn returns what was decided in some sessions, by their ids.
func (a *Archive) decidedIn(ctx context.Context, ids []string) (map[string][]Decision, error) {
	b, err := json.Marshal(ids)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	list, err := engine.Select(a.db, scanDecision, "SELECT "+decisionColumns+
		" FROM json_each(:ids) i CROSS JOIN decided d WHERE d.session_id = i.value AND d.content <> '' ORDER BY d.id", engine.Named{"ids": string(b)})
	by := map[string][]Decision{}
	for _, d := range list {
		by[d.session] = append(by[d.session], d)
	}
	return by, err
}

// Line returns a decision as it is told: with its number and day, and since when it does not hold.
func (d Decision) Line() string {
	s := "#" + number(d.Number) + " (" + d.At.UTC().Format(time.DateOnly) + ") " + d.Text
	if !d.Until.IsZero() {
		s += " [until " + d.Until.UTC().Format(time.DateOnly)
		if d.Instead != 0 {
			s += ", then #" + number(d.Instead)
		}
		s += "]"
	}
	return s
}

// Told returns the lines of decisions.
func Told(list []Decision) (lines []string) {
	for _, d := range list {
		lines = append(lines, d.Line())
	}
	return lines
}
