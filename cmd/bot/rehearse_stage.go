package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"parley/config"
	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/llm/offline"
	"parley/internal/memory"
	"parley/internal/playbook"
)

// rehearsed is the name of the model in a rehearsal.
const rehearsed = "rehearsed"

// curtain is when a rehearsal begins, unless its script says otherwise: a
// Monday morning.
var curtain = time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)

// stage is the bot as it is, on a data folder of its own, between a clock, a
// model and platforms that belong to the script.
type stage struct {
	app   *app
	model *prompter
	keys  map[chat.Key]bool
	// recording asks a real model in the place of the script.
	recording bool

	mu   sync.Mutex // guards the next three
	time time.Time
	said []string // what the bot said in this act
	log  []byte   // and its log

	// What came of the last message.
	message  chat.Message
	asked    []llm.Request
	decision memory.Decision // zero when the agent had no part in it
	seen     map[string]bool // decisions of earlier acts, by id
	guided   playbook.MatchResult
	calls    []memory.CallRecord
	state    playbook.State
}

// newStage sets the stage for a script, in dir. The caller closes its app.
func newStage(ctx context.Context, s *script, dir string, o rehearsal) (*stage, error) {
	cfg, err := s.config(dir, o.base)
	if err != nil {
		return nil, err
	}
	st := &stage{model: &prompter{real: o.model.Model}, keys: map[chat.Key]bool{}, seen: map[string]bool{}, time: curtain, recording: o.model.Model != nil}
	log := slog.New(slog.NewTextHandler(st, &slog.HandlerOptions{Level: slog.LevelWarn, ReplaceAttr: untimed}))
	a := &app{cfg: cfg, log: log, now: st.now, counts: newCounters()}
	name := cmp.Or(o.model.name, rehearsed)
	a.model = endpoint{Model: st.model, name: name, fallback: offline.Model{}, list: func(context.Context) ([]string, error) { return []string{name}, nil }}
	if cfg.Model.Name == offline.Name {
		st.model.real, a.model = offline.Model{}, endpoint{Model: st.model, name: offline.Name}
	}
	st.app = a
	if err := st.open(ctx); err != nil {
		a.close()
		return nil, err
	}
	return st, nil
}

func (st *stage) open(ctx context.Context) error {
	a := st.app
	if err := a.open(ctx, false); err != nil {
		return err
	}
	if err := a.build(ctx); err != nil {
		return err
	}
	front, err := a.newFront(ctx, nil)
	if err != nil {
		return err
	}
	var boards []chat.Adapter
	for _, p := range platforms {
		boards = append(boards, &board{p, st})
	}
	a.start(a.handler(front), boards...)
	return nil
}

// config are the settings of a script over the defaults. Its playbook is its
// own, else the one its settings name, else the owner's.
func (s *script) config(dir string, base config.Config) (config.Config, error) {
	hasBook, err := s.unpack(dir)
	if err != nil {
		return config.Config{}, err
	}
	cfg, err := config.Load(config.Options{File: filepath.Join(dir, settingsFile)})
	if err != nil {
		return cfg, err
	}
	if search := cfg.Web.Search; len(cfg.MCP.Servers) > 0 || search.URL != "" || search.APIKey != "" {
		return cfg, unreadable(s.path, settingsFile, "a rehearsal reaches nothing outside", "leave out mcp.servers and web.search")
	}
	cfg.Web.AllowHosts = []string{"rehearsal.invalid"}
	cfg.DataDir = filepath.Join(dir, "data")
	for _, p := range []*string{&cfg.Playbook.Dir, &cfg.Agent.PromptFile} {
		if *p != "" && !filepath.IsAbs(*p) {
			*p = filepath.Join(filepath.Dir(s.path), *p)
		}
	}
	switch {
	case hasBook:
		cfg.Playbook.Dir = filepath.Join(dir, "playbook")
	case cfg.Playbook.Dir == "":
		cfg.Playbook.Dir = base.Playbook.Dir
	}
	return cfg, nil
}

// Write takes the bot's log.
func (st *stage) Write(line []byte) (int, error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.log = append(st.log, line...)
	return len(line), nil
}

// untimed leaves the time out of log lines: it is not the stage's.
func untimed(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}

func (st *stage) now() time.Time {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.time
}

// play does one act and waits until all that follows from it is over.
func (st *stage) play(ctx context.Context, s *script, a act) error {
	answers := a.answers
	if st.recording {
		answers = nil
	}
	st.model.begin(answers)
	st.mu.Lock()
	st.said, st.log = nil, nil
	st.time = st.time.Add(time.Second) // nobody writes two messages at once
	st.mu.Unlock()
	if a.mark != ">" {
		return st.pass(ctx, s, a)
	}
	m, err := a.message()
	if err != nil {
		return err
	}
	m.At = st.now()
	st.message, st.keys[m.Key] = m, true
	if err := st.app.hub.Deliver(ctx, chat.Batch{Platform: m.Key.Platform, Messages: []chat.Message{m}}); err != nil {
		return err
	}
	if err := st.settle(ctx); err != nil {
		return err
	}
	return st.look(ctx)
}

// pass moves the clock and does what cron would have done meanwhile.
func (st *stage) pass(ctx context.Context, s *script, a act) error {
	to, err := a.moved(st.now())
	if err != nil {
		return err
	}
	if to.Before(st.now().Add(-time.Second)) {
		return unreadable(s.at(a.n), a.mark+" "+a.text, "the clock stands at "+st.now().Format("2006-01-02 15:04")+" and does not go back", "")
	}
	st.mu.Lock()
	st.time = to
	st.mu.Unlock()
	if err := st.app.sweep(ctx); err != nil {
		return err
	}
	if err := st.settle(ctx); err != nil {
		return err
	}
	return st.look(ctx)
}

// patience bounds an act: a database that takes nothing is tried for ever.
const patience = 20 * time.Second

// settle waits for all lanes, and for what their work put into them.
func (st *stage) settle(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for range 2 {
		for k := range st.keys {
			done := make(chan struct{})
			st.app.hub.Do(k, func(context.Context) { close(done) })
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
func (st *stage) look(ctx context.Context) error {
	a, m := st.app, st.message
	st.asked, _, _ = st.model.took()
	st.guided, st.calls, st.decision = playbook.MatchResult{}, nil, memory.Decision{}
	d, ok, err := a.lastAnswer(ctx, m.Key, m.From.ID)
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
		st.calls, cerr = a.store.Calls(ctx, d.ID)
		if err = errors.Join(err, cerr); err != nil {
			return err
		}
	}
	return st.remember(ctx)
}

// remember reads the playbook's state of the last person in the last place:
// of the session that is alive there, else of the newest.
func (st *stage) remember(ctx context.Context) error {
	a, m := st.app, st.message
	se, ok, err := a.store.LiveSession(ctx, a.placeOf(m))
	if err == nil && !ok {
		var list []memory.Session
		if list, err = a.store.Sessions(ctx, memory.SessionQuery{Key: m.Key, Limit: 1}); len(list) > 0 {
			se = list[0]
		}
	}
	if err != nil {
		return err
	}
	person, err := a.store.Person(ctx, m.From.ID)
	st.state = playbook.State{Session: json.RawMessage(se.Playbook), Person: json.RawMessage(person.Playbook)}
	return err
}

// reply is what the bot said in this act.
func (st *stage) reply() string {
	st.mu.Lock()
	defer st.mu.Unlock()
	return strings.Join(st.said, "\n\n")
}

// book is the playbook, an empty one for none.
func (st *stage) book() *playbook.Book {
	if b := st.app.bookNow(); b != nil {
		return b
	}
	b, _ := playbook.Load("", playbook.Options{}) // no folder, nothing to fail
	return b
}

// explain is the last turn in plain words, for whoever wonders.
func (st *stage) explain() string {
	lines := append([]string{}, st.decision.Detail.Why...)
	for _, v := range st.book().Variables(st.state) {
		lines = append(lines, fmt.Sprintf("%s = %s (%s)", v.Name, v.Value, v.Source))
	}
	for _, c := range st.calls {
		lines = append(lines, fmt.Sprintf("tool %s %s: %s: %s", c.Name, c.Arguments, c.Status, clip(c.Result, 200)))
	}
	lines = append(lines, fmt.Sprintf("%d model calls", len(st.asked)))
	st.mu.Lock()
	defer st.mu.Unlock()
	if text := strings.TrimSpace(string(st.log)); text != "" {
		lines = append(lines, strings.Split(text, "\n")...)
	}
	return "the turn:\n  " + strings.Join(lines, "\n  ")
}

// close ends the app. Its folder is the caller's.
func (st *stage) close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	st.app.hub.Drain(ctx)
	st.app.work.Wait()
	st.app.close()
}

// board is a platform of a rehearsal: what is sent to it stays here.
type board struct {
	platform string
	stage    *stage
}

// Platform implements chat.Adapter.
func (b *board) Platform() string { return b.platform }

// Run implements chat.Adapter; the stage delivers by itself.
func (b *board) Run(context.Context, chat.Intake) error { return nil }

// Health implements chat.Adapter.
func (b *board) Health() error { return nil }

// Split implements chat.Outlet: a script has answers whole.
func (b *board) Split(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}

// Typing implements chat.Outlet.
func (b *board) Typing(context.Context, chat.Message) error { return nil }

// Preview implements chat.Outlet; nobody watches.
func (b *board) Preview(context.Context, chat.Message, string, string) (string, time.Duration, error) {
	return "", time.Hour, nil
}

// Send implements chat.Outlet.
func (b *board) Send(_ context.Context, p chat.Part) (string, error) {
	b.stage.mu.Lock()
	defer b.stage.mu.Unlock()
	b.stage.said = append(b.stage.said, p.Text)
	return fmt.Sprintf("sent-%d", p.Row), nil
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

// Whispers implements chat.Confidant: whoever is answered reads it.
func (b *board) Whispers(chat.Message) bool { return true }

// DirectKey implements chat.Confidant; nothing is ever sent elsewhere.
func (b *board) DirectKey(chat.User) (chat.Key, bool) { return chat.Key{}, false }

// Door implements chat.Confidant.
func (b *board) Door() string { return "" }
