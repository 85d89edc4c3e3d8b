package discord

import (
	"context"
	"time"

	"parley/internal/chat"
)

// gatewayCursor begins the cursors that hold resumable sessions; channelCursor
// begins the ones that name the newest message stored of a channel.
const (
	gatewayCursor = "gateway"
	channelCursor = "channel:"
)

// arrival is an event, understood, on its way to the inbox.
type arrival struct {
	messages []chat.Message
	dead     *chat.DeadLetter
	ticket   ticket
}

// store hands arrivals to the intake, in order and in batches, and notes how far the
// session has come. After an error it retries the same batch, so nothing is skipped.
func (sh *shard) store(ctx context.Context, in chat.Intake) {
	note := ""
	newest := map[string]string{}
	for {
		batch, ok := sh.collect(ctx)
		if !ok {
			return
		}
		b := batchOf(batch, newest)
		if now := sh.progress.noteAfter(batch); now != note {
			note, b.Cursors[sh.cursor()] = now, now
		}
		if len(b.Cursors)+len(b.Messages)+len(b.Dead) > 0 && !sh.deliver(ctx, in, b) {
			return
		}
		for _, item := range batch {
			sh.progress.done(item.ticket)
		}
	}
}

// collect waits for arrivals and returns up to 100 of them. An empty batch only notes the
// session.
func (sh *shard) collect(ctx context.Context) (batch []arrival, ok bool) {
	select {
	case first := <-sh.queue:
		batch = append(batch, first)
	case <-sh.noted:
	case <-ctx.Done():
		return nil, false
	}
	for len(batch) < 100 {
		select {
		case more := <-sh.queue:
			batch = append(batch, more)
			continue
		default:
		}
		break
	}
	return batch, true
}

// deliver tries until a batch is stored; false means that the process ended first.
func (sh *shard) deliver(ctx context.Context, in chat.Intake, b chat.Batch) bool {
	for wait := 100 * time.Millisecond; ; wait = min(2*wait, 5*time.Second) {
		err := in.Deliver(ctx, b)
		if err == nil {
			return true
		}
		if ctx.Err() != nil { // what is not stored is read again by the next process
			return false
		}
		sh.o.Log.Error("discord: store messages, will try again", "err", err)
		if !chat.Sleep(ctx, wait) {
			return false
		}
	}
}

// batchOf returns what is stored together. newest is the newest message of each
// channel so far.
func batchOf(list []arrival, newest map[string]string) chat.Batch {
	b := chat.Batch{Platform: Platform, Cursors: map[string]string{}}
	for _, item := range list {
		if item.dead != nil {
			b.Dead = append(b.Dead, *item.dead)
		}
		for _, m := range item.messages {
			b.Messages = append(b.Messages, m)
			if m.Kind == chat.KindText || m.Kind == chat.KindCommand && m.Origin == "" {
				channel := channelOf(m.Key)
				newest[channel] = newerID(newest[channel], m.ID)
				b.Cursors[channelCursor+channel] = newest[channel]
			}
		}
	}
	return b
}
