package discord

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/gorilla/websocket"

	"parley/internal/chat"
	"parley/internal/text"
)

// intents lists what we read. Message content is privileged and must be ticked in
// the developer portal.
const intents = discordgo.IntentsGuilds | discordgo.IntentsGuildMessages | discordgo.IntentsDirectMessages | discordgo.IntentMessageContent

// run connects until ctx ends or Discord refuses for good.
func (sh *shard) run(ctx context.Context, in chat.Intake) error {
	cursors, err := in.Cursors(ctx, Platform)
	if err != nil {
		return fmt.Errorf("discord: read cursors: %w", err)
	}
	sh.anew()
	sh.restore(cursors)
	sh.here(true)
	defer sh.here(false)
	ctx, stop := context.WithCancel(ctx)
	stored := make(chan struct{})
	go func() { defer close(stored); sh.store(ctx, in) }()
	defer func() { stop(); <-stored; sh.lanes.work.Wait() }()
	rest := pause{Timing: sh.o.Timing, next: sh.o.Timing.RetryMin}
	for ctx.Err() == nil {
		lived, err := sh.connect(ctx, in)
		if code := closeCode(err); fixes[code] != "" && !sh.renumbers(code) {
			sh.stop(ctx, in, code)
		}
		if ctx.Err() != nil {
			return nil
		}
		if err := sh.hopeless(err); err != nil {
			return err
		}
		sh.setHealth(text.Tell("Discord: not connected: %v", err))
		sh.o.Log.Warn("discord: connection ended", "shard", sh.name(), "err", err)
		if !chat.Sleep(ctx, rest.after(err, lived)) {
			return nil
		}
	}
	return nil
}

// hopeless returns why connecting again is pointless; nil if it is not.
func (sh *shard) hopeless(err error) error {
	switch code := closeCode(err); {
	case sh.renumbers(code):
		return errNumber
	case fixes[code] != "":
		sh.setHealth(intentError(code))
		return &chat.RefusedError{Err: intentError(code)}
	case code == 4007 || code == 4009:
		sh.progress.forget()
	}
	switch {
	case errors.Is(err, errNumber):
		return err
	case sh.cred.Refused():
		return &chat.RefusedError{Err: errToken}
	}
	return nil
}

// renumbers reports whether another number of shards helps after a close code.
func (sh *shard) renumbers(code int) bool {
	return (code == 4010 || code == 4011) && sh.o.Shards == 0
}

// anew drops what an earlier Run left unfinished: events that were not stored come again.
func (sh *shard) anew() {
	for len(sh.queue) > 0 {
		<-sh.queue
	}
	sh.lanes.clear()
	sh.progress.clear()
}

// errUnknown: the bot's own id is unknown.
var errUnknown = errors.New("discord: no process has connected yet")

// Learn implements chat.Learner: the process that receives has noted who we are.
func (a *Adapter) Learn(ctx context.Context, in chat.Intake) error {
	cursors, err := in.Cursors(ctx, Platform)
	if err != nil {
		return fmt.Errorf("discord: read cursors: %w", err)
	}
	for name, note := range cursors {
		var r resumable
		if strings.HasPrefix(name, gatewayCursor) && json.Unmarshal([]byte(note), &r) == nil && r.Self != "" {
			a.introduce(r)
			a.receiving()
			return nil
		}
	}
	return errUnknown
}

// restore continues from what an earlier process noted.
func (sh *shard) restore(cursors map[string]string) {
	sh.begun = slices.ContainsFunc(slices.Collect(maps.Keys(cursors)), func(name string) bool { return sh.resumes(name, cursors[name]) })
	sh.progress.restore(cursors[sh.cursor()], lastAlive(cursors, sh.of))
	for name, id := range cursors {
		if channel, ok := strings.CutPrefix(name, channelCursor); ok {
			sh.reached(channel, id)
		}
	}
}

func closeCode(err error) int {
	var ce *websocket.CloseError
	if errors.As(err, &ce) {
		return ce.Code
	}
	return 0
}

// connect makes one connection, waits until it ends, and returns why, and for how long it was
// good, 0 for never.
func (sh *shard) connect(ctx context.Context, in chat.Intake) (lived time.Duration, err error) {
	session := sh.progress.resume()
	bucket := 0
	if session.ID == "" {
		side, err := sh.mayIdentify(ctx)
		if err != nil {
			return 0, err
		}
		bucket = sh.id % side
		if err := sh.hold(ctx, in); err != nil {
			return 0, err
		}
	} else {
		sh.introduce(session) // RESUMED does not say it
		sh.wake()             // also a process that dies now has tried
	}
	c := newConnection(ctx, sh, session)
	defer c.leave()
	open := func() error { return c.open(ctx) }
	if session.ID == "" {
		err = sh.turns.In(ctx, bucket, &sh.ending, open)
	} else if err = open(); err != nil && !c.asked() {
		sh.progress.unasked()
	}
	if err != nil {
		return 0, c.judged(err)
	}
	good := sh.now()
	sh.release(ctx, in)
	sh.begun = true
	sh.receiving()
	sh.setHealth(nil)
	err = c.judged(c.last(ctx))
	return max(sh.now().Sub(good), 1), err
}

// judged returns why a connection ended. A session that Discord took back is forgotten; one
// that it says may be tried again is kept, for as many tries as one without an answer.
func (c *connection) judged(err error) error {
	if errors.Is(err, errRefused) && c.a.progress.forget() {
		return errGone
	}
	return err
}
