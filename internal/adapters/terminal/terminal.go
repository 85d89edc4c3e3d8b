// Package terminal is the front end on stdin and stdout: a conversation with
// line editing on a terminal, and one line per message in a pipe. It is not a
// shell, keeps no conversation, and prints nothing from an answer that could
// control the terminal.
package terminal

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"parley/internal/adapters/terminal/lineedit"
	"parley/internal/chat"
	"parley/internal/llm/provider"
)

const platform = "terminal"

// Options configure the terminal. In and Out are required.
type Options struct {
	In       io.Reader
	Out, Err io.Writer // answers; everything else (nil discards)
	// TTY asks for line editing and streamed answers. In must then be a terminal, and
	// Out is asked for the size of its window.
	TTY bool
	// Color asks for colors, and Links for links that can be clicked (OSC 8); they
	// count only with TTY.
	Color, Links bool
	// JSON asks for one object an answer, for programs; it takes TTY away.
	JSON bool
	// User is the id without the platform, "local" when empty; Name is what the
	// person is called, their id when empty (for "local", $USER).
	User, Name string
	// Channel names the conversation; channel/thread works. Each user has a direct chat of
	// their own when it is empty.
	Channel     string
	HistoryFile string         // of typed lines, 0600; for others with their id appended; "" keeps none
	Tokens      provider.Forms // of the platforms: lines that hold one are not kept
	Downloads   string         // folder for files in answers; "" prints their names only
	// Complete returns the commands that begin with prefix; nil completes none.
	Complete func(prefix string) []string
	Now      func() time.Time // nil is time.Now
	Log      *slog.Logger     // nil discards
}

var (
	_ chat.Adapter   = (*Adapter)(nil)
	_ chat.TurnTaker = (*Adapter)(nil)
	_ chat.Reacher   = (*Adapter)(nil)
)

// Adapter is the terminal as a chat.Adapter.
//
// It handles one message at a time, so it must be told when one is finished: the
// Hub calls Done after the last part of the answer was sent.
type Adapter struct {
	o    Options
	key  chat.Key
	from chat.User

	busy      atomic.Bool                      // a message waits for its answer
	interrupt chan struct{}                    // Ctrl-C while busy
	idle      chan struct{}                    // holds one token when pending became empty
	history   atomic.Pointer[lineedit.History] // nil without a console

	mu      sync.Mutex          // guards all below, and writing to Out and Err
	pending map[string]bool     // ids of messages delivered and not Done
	offered []chat.Button       // choices below the last answer
	offerID string              // the answer they belong to
	screen  screen              // shows the growing answer
	redraw  func(before func()) // prints above an open prompt; nil without one
	replies map[string]*reply   // to the pending messages, with JSON
}

// New returns an adapter for one terminal.
func New(o Options) *Adapter {
	user := strings.TrimPrefix(o.User, platform+":")
	if user == "" {
		user = "local"
	}
	if o.Name == "" && user == "local" {
		o.Name = os.Getenv("USER")
	}
	if o.Name == "" {
		o.Name = user
	}
	if o.Err == nil {
		o.Err = io.Discard
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	o.TTY = o.TTY && !o.JSON
	key := chat.DirectKey(platform + ":" + user)
	if o.Channel != "" {
		key.Channel, key.Thread, _ = strings.Cut(o.Channel, "/")
	}
	return &Adapter{
		o:         o,
		key:       key,
		from:      chat.User{ID: platform + ":" + user, Name: o.Name},
		interrupt: make(chan struct{}, 1),
		idle:      make(chan struct{}, 1),
		pending:   map[string]bool{},
		replies:   map[string]*reply{},
		screen:    screen{out: o.Out, look: look{styled: o.TTY, color: o.TTY && o.Color, links: o.TTY && o.Links}, size: sizeOf(o), now: o.Now},
	}
}

// Platform implements chat.Adapter.
func (a *Adapter) Platform() string { return platform }

// Reaches implements chat.Reacher: the channel that is open here, and the direct chat of who
// sits here.
func (a *Adapter) Reaches(k chat.Key) bool {
	return k.Platform == platform && k.Channel == a.key.Channel || k == chat.DirectKey(a.from.ID)
}

// Health implements chat.Adapter.
func (a *Adapter) Health() error { return nil }

// errAborted: Ctrl-C was pressed at the prompt.
var errAborted = errors.New("aborted")

// source provides the lines: a pipe or a keyboard.
type source interface {
	// line blocks for the next line; io.EOF at the end, errAborted for Ctrl-C.
	line() (string, error)
	// stop makes a blocked line return, if that can be done.
	stop()
	// close is called once, after line returned for the last time.
	close()
}

// leaving are lines that end the conversation.
var leaving = []string{"exit", "quit", "bye", "q"}

// leaves reports whether a line is one of these, as a word or a command: "Bye.", "/q". A
// lone letter is no word.
func leaves(line string) bool {
	word := strings.TrimRight(strings.ToLower(strings.TrimSpace(line)), ".!")
	word, command := strings.CutPrefix(word, "/")
	return slices.Contains(leaving, word) && (command || word != "q")
}

// Run reads until the input ends, exit, quit or bye is typed, or ctx ends, and then returns nil:
// everything delivered has been answered, unless ctx ended first. It returns an
// error when the input cannot be read or, in a pipe, a message cannot be stored.
func (a *Adapter) Run(ctx context.Context, in chat.Intake) error {
	src, err := a.open()
	if err != nil {
		return fmt.Errorf("terminal: %w", err)
	}
	return a.converse(ctx, in, src)
}

type read struct {
	text string
	err  error
}

// converse alternates between a line and its answer. A goroutine reads the lines, because
// reads of standard input cannot be cancelled everywhere; it outlives Run only while such a
// read blocks.
func (a *Adapter) converse(ctx context.Context, in chat.Intake, src source) error {
	ask, lines, gone := make(chan struct{}), make(chan read, 1), make(chan struct{})
	go func() {
		defer close(gone)
		for range ask {
			text, err := src.line()
			lines <- read{text, err}
		}
	}()
	defer func() {
		close(ask)
		src.stop()
		select {
		case <-gone:
		case <-time.After(100 * time.Millisecond):
		}
		src.close()
	}()
	aborted := false
	for {
		ask <- struct{}{}
		var next read
		select {
		case <-ctx.Done():
			return nil
		case next = <-lines:
		}
		if errors.Is(next.err, errAborted) && !aborted {
			aborted = true
			a.note("Ctrl-C again, Ctrl-D or exit to leave.")
			continue
		}
		if next.err != nil {
			return endOf(next.err)
		}
		aborted = false
		quit, err := a.say(ctx, in, next.text)
		if quit || err != nil {
			return err
		}
	}
}

func endOf(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, errAborted) {
		return nil
	}
	return fmt.Errorf("terminal: read: %w", err)
}

// say delivers one line and waits until it is Done.
func (a *Adapter) say(ctx context.Context, in chat.Intake, line string) (quit bool, err error) {
	text := tidy(line)
	if strings.TrimSpace(text) == "" {
		return false, nil
	}
	if leaves(text) {
		return true, nil
	}
	if a.o.JSON {
		text = tidy(said(text))
	}
	select { // pressed when the last answer was just done
	case <-a.interrupt:
	default:
	}
	a.busy.Store(true)
	defer a.busy.Store(false)
	if err := a.deliver(ctx, in, a.message(text)); err != nil {
		if ctx.Err() != nil {
			return true, nil
		}
		if !a.o.TTY {
			return true, fmt.Errorf("terminal: deliver: %w", err)
		}
		a.o.Log.Error("message not stored", "err", err)
		a.note("That message could not be stored, so it was not handled. Please try again.")
		return false, nil
	}
	tick, end := a.ticks()
	defer end()
	stopped := false
	for {
		select {
		case <-tick:
			a.tick()
		case <-ctx.Done():
			return true, nil
		case <-a.idle:
			return false, nil
		case <-a.interrupt:
			if stopped {
				return true, nil
			}
			stopped = true
			if err := a.deliver(ctx, in, a.message("/stop")); err != nil {
				a.o.Log.Error("stop not delivered", "err", err)
			}
		}
	}
}

// ticks returns a channel that ticks while an answer grows; nil without a terminal.
func (a *Adapter) ticks() (tick <-chan time.Time, end func()) {
	if !a.o.TTY {
		return nil, func() {}
	}
	t := time.NewTicker(frame)
	return t.C, t.Stop
}

// message turns a line into a message: a command, a button below the last answer, or text.
func (a *Adapter) message(text string) chat.Message {
	m := chat.Message{
		ID: uuid.NewString(), Key: a.key, From: a.from, Text: text,
		Addressed: true, Direct: true, At: a.o.Now().UTC(),
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.o.JSON {
		m.Origin = m.ID // it comes back with each part of the answer
		a.replies[m.ID] = &reply{To: text, began: a.o.Now()}
	}
	n, err := strconv.Atoi(strings.TrimSpace(text))
	switch {
	case chat.IsCommand(text):
		m.Kind = chat.KindCommand
	case err == nil && 1 <= n && n <= len(a.offered):
		m.Kind, m.Text, m.ReplyTo = chat.KindButton, a.offered[n-1].Data, a.offerID
	}
	a.offered = nil
	return m
}

func (a *Adapter) deliver(ctx context.Context, in chat.Intake, m chat.Message) error {
	a.mu.Lock()
	select { // a token left by an answer nobody waited for
	case <-a.idle:
	default:
	}
	a.pending[m.ID] = true
	a.mu.Unlock()
	err := in.Deliver(ctx, chat.Batch{Platform: platform, Messages: []chat.Message{m}})
	if err != nil {
		a.mu.Lock()
		delete(a.replies, m.ID)
		a.mu.Unlock()
		a.Done(m)
	}
	return err
}

// Done implements chat.TurnTaker. Unknown messages and a second call are
// ignored.
func (a *Adapter) Done(m chat.Message) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.pending[m.ID] {
		return
	}
	delete(a.pending, m.ID)
	if r := a.replies[m.ID]; r != nil {
		delete(a.replies, m.ID)
		if err := a.printReply(r); err != nil {
			a.o.Log.Error("answer not printed", "err", err)
		}
	}
	if len(a.pending) > 0 {
		return
	}
	a.screen.end()
	select {
	case a.idle <- struct{}{}:
	default:
	}
}

// print writes to the terminal; failures do not matter.
func (a *Adapter) print(s string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, _ = io.WriteString(a.o.Out, s)
}

// note prints something that is not an answer.
func (a *Adapter) note(words string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	fmt.Fprintln(a.o.Err, words)
}

var longAgo = time.Unix(1, 0)

// maxLine bounds what is kept of one line, in bytes. What is longer is cut; it
// would be refused as too long in any case.
const maxLine = 4 << 20

// pipe reads lines from anything.
type pipe struct {
	in io.Reader
	r  *bufio.Reader
}

func newPipe(in io.Reader) *pipe { return &pipe{in, bufio.NewReader(in)} }

func (p *pipe) line() (string, error) {
	var line []byte
	for {
		piece, err := p.r.ReadSlice('\n')
		line = append(line, piece[:min(len(piece), maxLine-len(line))]...)
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err == io.EOF && len(line) > 0:
			return string(line), nil
		}
		return string(line), err
	}
}

// stop ends a blocked read where the system can do that.
func (p *pipe) stop() {
	if d, ok := p.in.(interface{ SetReadDeadline(time.Time) error }); ok {
		_ = d.SetReadDeadline(longAgo) // an ordinary file has no deadline and does not block
	}
}

func (p *pipe) close() {}
