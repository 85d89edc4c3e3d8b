package privacy

import (
	"cmp"
	"context"
	"sync"
	"time"

	"parley/internal/db/engine"
	"parley/internal/memory/modellog"
)

// Eraser tells other processes, and hears them. It is safe for many goroutines.
type Eraser struct {
	db   *engine.DB
	self func() string
	own  Own

	listening sync.Mutex // guards upto
	upto      int64      // what was told up to here is done
}

// Own is what a process stores or caches for itself.
type Own struct {
	Tape *modellog.Tape // nil for none
	// Memory drops what is in memory of rows; it is read again.
	Memory func()
	// Tried lets go of what was made of anybody's words, before it is said that they are forgotten
	// here; nil is nothing.
	Tried func() error
}

// NewEraser returns the eraser of a process on a database that others use, too. self is its
// number among them.
func NewEraser(db *engine.DB, self func() string, own Own) *Eraser {
	return &Eraser{db: db, self: self, own: own}
}

// matter names what to forget: a person's words, or a session's.
type matter struct{ user, session string }

// Person has all processes that live forget a person's words, and then this one, as
// modellog.ForgetPerson does; over does so with what was kept meanwhile.
func (b *Eraser) Person(ctx context.Context, user string) (over func(), err error) {
	return b.forget(ctx, matter{user: user}, func() (func(), error) { return b.own.Tape.ForgetPerson(ctx, user) })
}

// Session does so for the words of a session, before it is deleted.
func (b *Eraser) Session(ctx context.Context, id string) (over func(), err error) {
	return b.forget(ctx, matter{session: id}, func() (func(), error) { return b.own.Tape.ForgetSession(ctx, id) })
}

func (b *Eraser) forget(ctx context.Context, m matter, here func() (func(), error)) (over func(), err error) {
	if err := b.tell(ctx, m); err != nil {
		return nil, err
	}
	end, err := here()
	if err != nil {
		return nil, err
	}
	return func() {
		end()
		if m.user != "" {
			_ = b.tell(ctx, m) // what fails was told before; only what was kept since stays, for as long as traces do
		}
	}, nil
}

// How long others have time to forget what is known by its name, and how often it is looked
// whether they have.
const (
	patience  = 3 * time.Second
	lookEvery = 50 * time.Millisecond
)

// unheard reports whether a living process has not done yet what was told.
const unheard = `SELECT EXISTS (SELECT 1 FROM node_leases l WHERE l.until > clock_timestamp() AND l.id <> ?
	AND NOT EXISTS (SELECT 1 FROM node_forgot f WHERE f.told = ? AND f.node = l.id))`

// tell names what to forget and waits until all living processes have done so. Then it
// removes the name: a process that comes later forgets everything.
func (b *Eraser) tell(ctx context.Context, m matter) error {
	self, told := b.self(), int64(0)
	err := b.db.Write(ctx, func(tx *engine.Tx) error {
		// One after the other: whoever listens takes what has a lower number for done.
		if _, err := tx.Exec("LOCK TABLE node_forget IN SHARE ROW EXCLUSIVE MODE"); err != nil {
			return err
		}
		if _, err := tx.Exec("UPDATE node_forget SET user_id = '', session_id = '' WHERE at < now() - interval '1 minute' " +
			"AND (user_id <> '' OR session_id <> '')"); err != nil {
			return err
		}
		return tx.QueryRow("INSERT INTO node_forget (user_id, session_id, node) VALUES (?, ?, ?) RETURNING id", m.user,
			m.session, self).Scan(&told)
	})
	for until := time.Now().Add(patience); err == nil && time.Now().Before(until); {
		var waits bool
		if err = b.db.QueryRow(unheard, self, told).Scan(&waits); err != nil || !waits {
			break
		}
		select {
		case <-time.After(lookEvery):
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
	}
	taken := b.db.Exec(context.WithoutCancel(ctx), "UPDATE node_forget SET user_id = '', session_id = '' WHERE id = ?", told)
	return engine.During("have other processes forget", cmp.Or(err, taken))
}

// order is something that was told.
type order struct {
	id int64
	matter
	own bool // by this process, which has done it
}

// Listen does what other processes have told since the last time. Whoever calls it does so
// again soon: they wait.
func (b *Eraser) Listen(ctx context.Context) error {
	b.listening.Lock()
	defer b.listening.Unlock()
	return engine.During("forget what another process forgets", b.listen(ctx))
}

func (b *Eraser) listen(ctx context.Context) error {
	if b.upto == 0 {
		var err error
		if b.upto, err = b.own.Tape.Heard(ctx); err != nil {
			return err
		}
	}
	list, err := b.since(b.upto)
	if err != nil || len(list) == 0 {
		return err
	}
	late := false
	for _, o := range list {
		if o.own {
			continue
		}
		inTime, err := b.obey(ctx, o)
		if err != nil {
			return err
		}
		late = late || !inTime
	}
	if late { // what would be asked about may not be there any more
		if err := b.own.Tape.ForgetAll(ctx); err != nil {
			return err
		}
	}
	b.own.Memory()
	b.upto = list[len(list)-1].id
	return b.own.Tape.Hear(ctx, b.upto)
}

func (b *Eraser) since(upto int64) (list []order, err error) {
	return engine.Select(b.db, func(r engine.Scanner) (o order, err error) {
		err = r.Scan(&o.id, &o.user, &o.session, &o.own)
		return o, err
	}, "SELECT id, user_id, session_id, node = ? FROM node_forget WHERE id > ? ORDER BY id", b.self(), upto)
}

// obey forgets what is named. It is not in time where the name was taken back meanwhile.
func (b *Eraser) obey(ctx context.Context, o order) (inTime bool, err error) {
	if b.own.Tried != nil {
		if err := b.own.Tried(); err != nil {
			return false, err
		}
	}
	var over func()
	switch {
	case o.user != "":
		over, err = b.own.Tape.ForgetPerson(ctx, o.user)
	case o.session != "":
		over, err = b.own.Tape.ForgetSession(ctx, o.session)
	default:
		return false, nil
	}
	if err != nil {
		return false, err
	}
	over()
	n, err := b.db.Count(ctx, "INSERT INTO node_forgot (told, node) SELECT id, ? FROM node_forget WHERE id = ? AND (user_id "+
		"<> '' OR session_id <> '') FOR UPDATE ON CONFLICT DO NOTHING", b.self(), o.id)
	return n > 0, err
}
