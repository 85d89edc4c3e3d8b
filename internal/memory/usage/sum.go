package usage

import (
	"cmp"
	"encoding/json"
	"slices"

	"parley/internal/chat"
	"parley/internal/db/engine"
)

// sum is an amount to add to one row of usage.
type sum struct {
	at   place
	user string
	Used
	failed func(error)
}

// place is where it was spent.
type place struct{ platform, channel string }

// AddUsage adds calls to what a person took today in a place. Both are empty
// where nobody asked. It is stored with the next write, such as the answer it was for,
// and counts at once for who reads it here. failed is told when it could not be stored.
func (l *Ledger) AddUsage(k chat.Key, user string, u Used, failed func(error)) {
	u.Day = Day(l.now())
	one := &sum{place{k.Platform, k.Channel}, user, u, failed}
	l.mu.Lock()
	l.due = append(l.due, one)
	l.mu.Unlock()
	var list []*sum // that this write adds; nil before it ran
	l.db.Held().Later(func(tx *engine.Tx) error {
		if list == nil {
			list = l.take()
		}
		return l.add(tx, list)
	}, func(err error) {
		if list == nil {
			list = []*sum{one}
			l.drop(one)
		}
		for _, a := range list {
			a.failed(err)
		}
	})
}

// take returns all sums that are due: the first of several writes in one commit adds them,
// and the others find nothing. It is never nil.
func (l *Ledger) take() []*sum {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := l.due
	l.due = nil
	return append([]*sum{}, list...)
}

func (l *Ledger) drop(one *sum) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.due = slices.DeleteFunc(l.due, func(a *sum) bool { return a == one })
}

// touched makes or holds the counters that follow usage, in one order. Otherwise a process
// that adds for two people, and another that adds for them the other way round, would wait
// for each other.
const touched = `INSERT INTO spent (kind, name, day, tokens, cost) SELECT DISTINCT kind, name, day, 0, 0
	FROM jsonb_to_recordset(CAST(? AS jsonb)) AS k(kind text, name text, day text) ORDER BY kind, name, day
	ON CONFLICT (kind, name, day) DO UPDATE SET tokens = spent.tokens WHERE false`

// add adds all of a list, in the order of its rows. What others added before it is held
// until the transaction ends.
func (l *Ledger) add(tx *engine.Tx, list []*sum) error {
	slices.SortStableFunc(list, func(a, b *sum) int {
		return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.at.platform, b.at.platform), cmp.Compare(a.at.channel, b.at.channel),
			cmp.Compare(a.user, b.user), cmp.Compare(a.Purpose, b.Purpose), cmp.Compare(a.Model, b.Model))
	})
	names, err := counters(list)
	if hold := l.db.Either("", touched); err == nil && hold != "" && names != "" {
		_, err = tx.Exec(hold, names)
	}
	for i := 0; i < len(list) && err == nil; i++ {
		a := list[i]
		_, err = tx.Exec(`INSERT INTO usage (day, platform, channel, user_id, purpose, model, calls, failed, prompt_tokens, cached_tokens, completion_tokens, cost)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`+Adds,
			a.Day, a.at.platform, a.at.channel, a.user, a.Purpose, a.Model, a.Calls, a.Failed, a.Usage.Prompt, a.Usage.Cached,
			a.Usage.Completion, a.Usage.Cost)
	}
	return err
}

// counters lists the counters of some sums as touched reads them, "" for none.
func counters(list []*sum) (string, error) {
	type counter struct {
		Kind string `json:"kind"`
		Name string `json:"name"`
		Day  string `json:"day"`
	}
	var all []counter
	for _, a := range list {
		if a.user != "" {
			all = append(all, counter{"user", a.user, a.Day})
		}
		if a.at.channel != "" {
			all = append(all, counter{"channel", a.at.platform + " " + a.at.channel, a.Day})
		}
	}
	if len(all) == 0 {
		return "", nil
	}
	b, err := json.Marshal(all)
	return string(b), err
}
