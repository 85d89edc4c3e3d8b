// Package whatif runs past messages again, with the settings as they are and with changed
// ones, and tells what the change would have changed. It does so in a world apart: on copies
// of the database, with the answers that models gave then, and with what tools gave then; no
// tool runs, and nothing is sent. Only a request that the change makes another one may be put
// to a model, within a budget. It builds no bot; Build does.
package whatif

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"parley/config"
	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/llm/wrap"
	"parley/internal/memory"
	"parley/internal/memory/modellog"
	"parley/internal/text/catalog"
	"parley/internal/tools"
)

// Leg is a model on the way of a request.
type Leg struct {
	llm.Model
	Name    string // the owner's
	Purpose string // answer, summary, …
	Price   wrap.Price
}

// Parts are what a bot in a world apart gets instead of its own.
type Parts struct {
	Config  config.Config
	Store   *memory.Store // the copy; Build does not close it
	Now     func() time.Time
	Model   func(Leg) llm.Model
	Tool    func(context.Context, tools.Call) tools.Outcome
	Servers tools.Set // what tool servers had; they are not reached
	// Over are the settings of the change: what was set from the chat does not count for them.
	Over []string
}

// Bot is a bot in a world apart.
type Bot struct {
	chat.Handler
	Agent func(chat.Message) chat.Agent
	Speak func(context.Context, chat.Message) catalog.Printer
	Close func()
}

// Build makes the bot as the program does, but with these parts. It reaches nothing outside.
type Build func(ctx context.Context, p Parts) (*Bot, error)

// Options of Run. All but Seen are required.
type Options struct {
	Base, Changed config.Config
	Over          []string
	Build         Build
	Record        *memory.Store  // a copy that stays as it is
	World         *memory.Store  // another, which is rewound
	Tape          *modellog.Tape // what models answered; nil takes it from the transcripts
	Asking        *Asking
	Pick
	Found func(Difference) error
	Seen  func(done, of int64) // nil tells nobody
	Clock *Clock               // of World
}

// Clock is the clock of a world apart: it stands at the message that is run again.
type Clock struct {
	mu  sync.Mutex // guards now
	now time.Time
}

// Now returns the time there.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Set moves it.
func (c *Clock) Set(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = now
}

// Paid is the file in the data folder with what models answered for a change, until nothing
// is left to ask for it.
const Paid = "whatif.jsonl"

// Pick says which messages are looked at.
type Pick struct {
	Since  time.Time
	Place  string // as chat.Key has it, or its beginning; "" is all
	Person string // an id; "" is everybody
}

func (p Pick) takes(d memory.Decision) bool {
	place := d.Key.String()
	return !d.At.Before(p.Since) && (p.Person == "" || p.Person == d.User) &&
		(p.Place == "" || place == p.Place || d.Key.Whole().String() == p.Place)
}

// world is where past messages are run again. One is run at a time.
type world struct {
	Options
	past  *memory.Rewound
	sides [2]*Bot           // as it is, and changed
	left  map[string]string // by session, the state of its playbook
	runs  int64

	mu   sync.Mutex // guards turn: tools of a batch run side by side
	turn *replayed
}

// The sides of a world.
const (
	asIs = iota
	changed
)

// page is how many answers are read at once.
const page = 100

// Run runs the messages again, oldest first, and calls Found with each that comes out
// differently.
func Run(ctx context.Context, o Options) (t Tally, err error) {
	w := &world{Options: o, left: map[string]string{}}
	if w.past, err = o.World.Rewind(ctx, o.Since); err != nil {
		return t, err
	}
	servers, err := w.servers(ctx)
	if err != nil {
		return t, err
	}
	for side, cfg := range []config.Config{o.Base, o.Changed} {
		p := Parts{Config: apart(cfg), Store: o.World, Now: o.Clock.Now, Servers: servers, Tool: w.tool,
			Model: func(l Leg) llm.Model { return asker{Leg: l, w: w, side: side} }}
		if side == changed {
			p.Over = o.Over
		}
		if w.sides[side], err = o.Build(ctx, p); err != nil {
			return t, fmt.Errorf("build the bot: %w", err)
		}
		defer w.sides[side].Close()
	}
	err = w.all(ctx, &t)
	return t, err
}

// apart returns settings without what reaches outside or writes elsewhere. Limits of money
// and tokens are left out too: they are about the day on which something is asked.
func apart(c config.Config) config.Config {
	c.OTel.Endpoint, c.Memory.FactsFile, c.Model.Embedding, c.Routes.Embedding = "", "", "", nil
	c.Limits.UserTokensPerDay, c.Limits.ChannelTokensPerDay, c.Limits.TokensPerDay = 0, 0, 0
	c.Limits.UserMoneyPerDay, c.Limits.ChannelMoneyPerDay, c.Limits.MoneyPerDay = 0, 0, 0
	return c
}

func (w *world) all(ctx context.Context, t *Tally) error {
	of, err := w.Record.Decisions.CountPast(ctx, w.Since)
	if err != nil {
		return err
	}
	after, done := int64(0), int64(0)
	for {
		list, err := w.Record.Decisions.Past(ctx, w.Since, after, page)
		if err != nil || len(list) == 0 {
			return err
		}
		for _, p := range list {
			if err := w.message(ctx, p, t); err != nil {
				return err
			}
			if done++; w.Seen != nil {
				w.Seen(done, of)
			}
		}
		after = list[len(list)-1].Row
	}
}

// message runs one again. Messages that are only on the way to those that are looked at run
// as they are, so that the playbook stands where it stood.
func (w *world) message(ctx context.Context, p memory.Past, t *Tally) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	looked := w.takes(p.Decision)
	if len(p.Entries) == 0 {
		t.skip(looked)
		return nil
	}
	said, err := w.said(ctx, p)
	if err != nil {
		return err
	}
	to := memory.Standing{Session: p.Session, Before: p.Entries[0].ID, At: p.At.Add(-p.Took), Playbook: w.left[p.Session]}
	if err := w.past.To(ctx, to); err != nil {
		return err
	}
	turn := &replayed{past: p, said: said, given: map[fingerprint]llm.Response{}}
	before, err := w.run(ctx, asIs, turn, to.At)
	if err != nil {
		return err
	}
	if !before.whole {
		t.skip(looked)
		return w.keep(ctx, p, before)
	}
	if looked {
		if turn.summed {
			err = w.past.To(ctx, to)
		}
		if err == nil {
			err = w.compare(ctx, turn, before, to.At, t)
		}
	}
	return errors.Join(err, w.keep(ctx, p, before))
}

func (w *world) compare(ctx context.Context, turn *replayed, before Outcome, at time.Time, t *Tally) error {
	after, err := w.run(ctx, changed, turn, at)
	if err != nil {
		return err
	}
	d := difference(turn, before, after)
	t.count(d)
	if len(d.Kinds) == 0 {
		return nil
	}
	return w.Found(d)
}

// keep leaves the conversation as the message left it then.
func (w *world) keep(ctx context.Context, p memory.Past, r Outcome) error {
	if r.turn == nil {
		return nil
	}
	if r.turn.Session != nil {
		w.left[p.Session] = r.turn.Session.Playbook
	}
	return w.past.Went(ctx, p.Decision, r.turn)
}
