package rehearse

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/config"
	"parley/internal/app/platform"
	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/llm/offline"
	"parley/internal/memory"
	"parley/internal/playbook"
	"parley/internal/text"
)

// Rehearsed is the name of the model in a rehearsal.
const Rehearsed = "rehearsed"

// opens is when a rehearsal begins unless its script moves the clock: a Monday morning.
var opens = time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)

// Parts are what a rehearsal replaces in the outside world.
type Parts struct {
	Config    config.Config
	Log       *slog.Logger
	Now       func() time.Time
	Model     llm.Model // the script's, or the one that is recorded
	ModelName string    // offline.Name is the built-in responder
	Adapters  []chat.Adapter
}

// Bot is what a rehearsal needs of the bot that it plays against.
type Bot struct {
	Store      *memory.Store
	Hub        *chat.Hub
	Sweep      func(context.Context) error                                              // what cron does each minute
	Book       func(chat.Message) *playbook.Book                                        // the playbook that answers a message; nil for none
	Agent      func(chat.Message) chat.Agent                                            // who answers a message
	Named      func(agent string) string                                                // what the agent of a memory is called
	LastAnswer func(ctx context.Context, p memory.Place) (memory.Decision, bool, error) // false for none yet
	Place      func(chat.Message) memory.Place                                          // where a message's session lives
	// Close waits for work in the background; the Hub must be drained before.
	Close func()
}

// Build makes the bot as the program does, but with these parts, and starts it. The
// stage closes what it returns; after an error nothing is left open.
type Build func(ctx context.Context, p Parts) (*Bot, error)

// Stage is the real bot on a data folder of its own, with a clock, a model and
// platforms from the script.
type Stage struct {
	bot   *Bot
	build func(context.Context) (*Bot, error)
	model *prompter
	keys  map[chat.Key]bool // every conversation of the script
	wrote map[author]string // the id of the last message
	// recording asks a real model instead of the script.
	recording bool

	mu    sync.Mutex // guards the rest
	time  time.Time
	sent  []chat.Part // by the bot
	fresh int         // where this act begins in sent
	log   []byte      // of this act

	last
}

// author is a person in a conversation.
type author struct {
	key  chat.Key
	user string
}

// last is the result of the last message.
type last struct {
	message  chat.Message
	asked    []llm.Request
	decision memory.Decision // zero when the agent had no part in it
	seen     map[string]bool // decisions of earlier acts, by id
	guided   playbook.MatchResult
	calls    []memory.CallRecord
	state    playbook.State
}

// NewStage sets the stage for a script, in dir. The caller calls Close.
func NewStage(ctx context.Context, s *Script, dir string, o Player) (*Stage, error) {
	cfg, err := s.config(dir, o.Base)
	if err != nil {
		return nil, err
	}
	st := &Stage{model: &prompter{real: o.Model}, keys: s.conversations(), wrote: map[author]string{}, time: opens,
		recording: o.Model != nil, last: last{seen: map[string]bool{}}}
	parts := Parts{Config: cfg, Log: slog.New(slog.NewTextHandler(st, &slog.HandlerOptions{Level: slog.LevelWarn, ReplaceAttr: untimed})),
		Now: st.Now, Model: st.model, ModelName: cmp.Or(o.ModelName, Rehearsed)}
	if cfg.Model.Name == offline.Name {
		st.model.real, parts.ModelName = offline.Model{}, offline.Name
	}
	for _, p := range platform.Names() {
		parts.Adapters = append(parts.Adapters, &Board{Name: p, Posted: st.hear})
	}
	st.build = func(ctx context.Context) (*Bot, error) { return o.Build(ctx, parts) }
	if st.bot, err = st.build(ctx); err != nil {
		return nil, err
	}
	return st, nil
}

// Write takes the bot's log.
func (st *Stage) Write(line []byte) (int, error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.log = append(st.log, line...)
	return len(line), nil
}

// untimed removes the time from log lines: it is not that of the stage.
func untimed(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}

// hear keeps what the bot sends.
func (st *Stage) hear(p chat.Part) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.sent = append(st.sent, p)
}

// Now returns the clock of the rehearsal.
func (st *Stage) Now() time.Time {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.time
}

// Advance moves the clock, and nothing else.
func (st *Stage) Advance(d time.Duration) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.time = st.time.Add(d)
}

// Play plays a whole script without comparing anything.
func (st *Stage) Play(ctx context.Context, s *Script) error {
	for _, a := range s.acts {
		if err := st.act(ctx, s, a); err != nil {
			return err
		}
	}
	return nil
}

// act plays one act and waits until everything that follows from it is over.
func (st *Stage) act(ctx context.Context, s *Script, a act) error {
	answers := a.answers
	if st.recording {
		answers = nil
	}
	return st.during(ctx, answers, func() error {
		switch a.mark {
		case "at", "after":
			return st.pass(ctx, s, a)
		case "restart":
			return st.restart(ctx)
		}
		m, err := a.message()
		if err == nil {
			err = st.aim(&m, a.mark)
		}
		switch {
		case err != nil:
			return unreadable(s.at(a.n), a.mark+" "+a.text, err.Error(), "")
		case a.mark == "removed":
			return st.remove(ctx, m)
		}
		return st.deliver(ctx, m)
	})
}

// during begins an act, in which the model gives these answers, does what happens in it,
// waits for what follows and looks at it.
func (st *Stage) during(ctx context.Context, answers []line, do func() error) error {
	st.model.begin(answers)
	st.mu.Lock()
	st.fresh, st.log = len(st.sent), nil
	st.time = st.time.Add(time.Second) // nobody writes two messages at once
	st.mu.Unlock()
	if err := do(); err != nil {
		return err
	}
	if err := st.Settle(ctx); err != nil {
		return err
	}
	return st.look(ctx)
}

// aim finds the message that an act is about.
func (st *Stage) aim(m *chat.Message, mark string) error {
	switch me := (author{m.Key, m.From.ID}); m.Kind {
	case chat.KindButton:
		return st.press(m)
	case chat.KindEdit, chat.KindDeleted:
		if m.ReplyTo = st.wrote[me]; m.ReplyTo == "" {
			return errors.New("they have written nothing there yet")
		}
	default:
		if mark == "reply" {
			if m.ReplyTo = st.newest(m.Key); m.ReplyTo == "" {
				return errors.New("the bot has said nothing there yet")
			}
		}
		if mark != "removed" {
			st.wrote[me] = m.ID
		}
	}
	return nil
}

// newest returns the id of the last message of the bot in a place, "" for none.
func (st *Stage) newest(place chat.Key) string {
	st.mu.Lock()
	defer st.mu.Unlock()
	for _, p := range slices.Backward(st.sent) {
		if p.Key == place {
			return sentID(p)
		}
	}
	return ""
}

// press turns the label of a button into what the newest button with it stands for.
func (st *Stage) press(m *chat.Message) error {
	st.mu.Lock()
	defer st.mu.Unlock()
	var labels []string
	for _, p := range slices.Backward(st.sent) {
		for _, b := range slices.Concat(p.Buttons...) {
			if p.Key == m.Key && b.Data != "" && b.Label == m.Text {
				m.Text, m.ReplyTo = b.Data, sentID(p)
				return nil
			}
			if p.Key == m.Key && b.Data != "" && !slices.Contains(labels, b.Label) {
				labels = append(labels, b.Label)
			}
		}
	}
	if len(labels) == 0 {
		return errors.New("there is no button here yet")
	}
	return fmt.Errorf("no button here is called that; there are %s", strings.Join(labels[:min(10, len(labels))], ", "))
}

// remove takes the bot out of a group; in a direct chat the person blocks it.
func (st *Stage) remove(ctx context.Context, m chat.Message) error {
	p := chat.Presence{Key: m.Key, State: chat.Absent}
	if m.Direct {
		p.User, p.State = m.From, chat.Blocked
	}
	return st.bot.Hub.Deliver(ctx, chat.Batch{Platform: m.Key.Platform, Present: []chat.Presence{p}})
}

// restart ends the bot and starts it again on the same data folder.
func (st *Stage) restart(ctx context.Context) (err error) {
	st.Close()
	if st.bot, err = st.build(ctx); err != nil {
		return err
	}
	return st.bot.Hub.Recover(ctx)
}

// Say delivers a message now and waits until everything that follows is over.
func (st *Stage) Say(ctx context.Context, m chat.Message) error {
	return st.during(ctx, nil, func() error { return st.deliver(ctx, m) })
}

func (st *Stage) deliver(ctx context.Context, m chat.Message) error {
	m.At = st.Now()
	m.Agent = st.bot.Agent(m)
	st.message, st.keys[m.Key] = m, true
	return st.bot.Hub.Deliver(ctx, chat.Batch{Platform: m.Key.Platform, Messages: []chat.Message{m}})
}

// pass moves the clock and does what cron would have done meanwhile.
func (st *Stage) pass(ctx context.Context, s *Script, a act) error {
	to, err := a.moved(st.Now())
	if err != nil {
		return err
	}
	if to.Before(st.Now().Add(-time.Second)) {
		return unreadable(s.at(a.n), a.mark+" "+a.text, "the clock stands at "+st.Now().Format("2006-01-02 15:04")+" and does not go back", "")
	}
	st.mu.Lock()
	st.time = to
	st.mu.Unlock()
	return st.bot.Sweep(ctx)
}

// patience bounds an act: writes to a broken database are retried forever.
const patience = 20 * time.Second

// Settle waits for the lanes of all conversations in the script and of these keys,
// and for work that they started. Quick work waits for what is answered beside a lane too.
func (st *Stage) Settle(ctx context.Context, keys ...chat.Key) error {
	for _, k := range keys {
		st.keys[k] = true
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for range 2 {
		for k := range st.keys {
			done := make(chan struct{})
			st.bot.Hub.Do(k, chat.Quick, func(context.Context) { close(done) })
			select {
			case <-done:
			case <-ctx.Done():
				return fmt.Errorf("the bot did not come to an end with it: %w\n%s", ctx.Err(), st.explain())
			}
		}
	}
	return nil
}

// look reads what the act left behind.
func (st *Stage) look(ctx context.Context) error {
	m := st.message
	st.asked, _, _ = st.model.took()
	st.guided, st.calls, st.decision = playbook.MatchResult{}, nil, memory.Decision{}
	d, ok, err := st.bot.LastAnswer(ctx, memory.Place{Key: m.Key, User: m.From.ID, Agent: m.Agent.ID})
	if err != nil {
		return err
	}
	if ok && !st.seen[d.ID] {
		st.seen[d.ID] = true
		st.decision = d
		if len(d.Detail.Playbook) > 0 {
			err = json.Unmarshal(d.Detail.Playbook, &st.guided)
		}
		var cerr error
		st.calls, cerr = st.bot.Store.Decisions.Calls(ctx, d.ID)
		if err = errors.Join(err, cerr); err != nil {
			return err
		}
	}
	return st.remember(ctx)
}

// remember reads the playbook's state of the last person in the last place:
// of the session that is alive there, else of the newest.
func (st *Stage) remember(ctx context.Context) error {
	store, m := st.bot.Store, st.message
	se, ok, err := store.Sessions.LiveSession(ctx, st.bot.Place(m))
	if err == nil && !ok {
		var list []memory.Session
		if list, err = store.Sessions.Sessions(ctx, memory.SessionQuery{Key: m.Key, Limit: 1}); len(list) > 0 {
			se = list[0]
		}
	}
	if err != nil {
		return err
	}
	person, err := store.People.Person(ctx, m.From.ID, m.Agent.ID)
	st.state = playbook.State{User: m.From.ID, Session: json.RawMessage(se.Playbook), Person: json.RawMessage(person.Playbook)}
	return err
}

// Reply returns what the bot said in this act, in all places.
func (st *Stage) Reply() string { return st.replyIn(nil) }

// replyIn returns what the bot said in this act in one place; nil is all places.
func (st *Stage) replyIn(place *chat.Key) string {
	st.mu.Lock()
	defer st.mu.Unlock()
	var said []string
	for _, p := range st.sent[st.fresh:] {
		if place == nil || p.Key == *place {
			said = append(said, p.Text)
		}
	}
	return strings.Join(said, "\n\n")
}

// Log returns the bot's log of this act, from warnings on.
func (st *Stage) Log() string {
	st.mu.Lock()
	defer st.mu.Unlock()
	return string(st.log)
}

// Decision returns how the last message was answered; zero when the agent did not
// answer it.
func (st *Stage) Decision() memory.Decision { return st.decision }

// book returns the playbook, an empty one for none.
func (st *Stage) book() *playbook.Book {
	if b := st.bot.Book(st.message); b != nil {
		return b
	}
	b, _ := playbook.Load("", playbook.Options{}) // no folder, nothing to fail
	return b
}

// explain returns the last turn in plain words, for debugging.
func (st *Stage) explain() string {
	lines := append([]string{}, st.decision.Detail.Why...)
	for _, v := range st.book().Variables(st.state) {
		lines = append(lines, fmt.Sprintf("%s = %s (%s)", v.Name, v.Value, v.Source))
	}
	for _, c := range st.calls {
		lines = append(lines, fmt.Sprintf("tool %s %s: %s: %s", c.Name, c.Arguments, c.Status, text.Shorten(c.Result, 200)))
	}
	lines = append(lines, fmt.Sprintf("%d model calls", len(st.asked)))
	st.mu.Lock()
	defer st.mu.Unlock()
	if text := strings.TrimSpace(string(st.log)); text != "" {
		lines = append(lines, strings.Split(text, "\n")...)
	}
	return "the turn:\n  " + strings.Join(lines, "\n  ")
}

// Close ends the bot, if it runs. Its folder belongs to the caller.
func (st *Stage) Close() {
	if st.bot == nil { // it did not start again
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	st.bot.Hub.Drain(ctx)
	st.bot.Close()
}

// inFolder runs do in a folder that is gone afterwards.
func inFolder(do func(dir string) error) error {
	dir, err := os.MkdirTemp("", "parley-rehearsal-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	return do(dir)
}
