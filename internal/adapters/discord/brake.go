package discord

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"parley/internal/chat"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// refusalCursor names the note that Discord refused a session for good. It outlives the
// process: a supervisor that restarts the program every few seconds would use up the
// thousand sessions of a day, after which Discord resets the token.
const refusalCursor = "refused"

// refusal is a session that was refused for good.
type refusal struct {
	Of   string    `json:"of,omitempty"` // fingerprint of the refused settings; it holds for no others
	Code int       `json:"code,omitempty"`
	At   time.Time `json:"at"` // when a session was last begun
}

// brake delays sessions after one was refused for good: across all shards and restarts,
// one begins per Timing.Refused until one is accepted.
type brake struct {
	mu      sync.Mutex // held while it is decided whether a session may begin
	refused bool       // the note says so
}

// settled returns a fingerprint of what Discord checks when a session begins. It does not
// reveal the token.
func (a *Adapter) settled() string {
	sum := sha256.Sum256(fmt.Append(nil, a.o.Token, " ", intents, " ", a.o.Shards))
	return hex.EncodeToString(sum[:8])
}

// turned returns the note for these settings; the zero value for none.
func (a *Adapter) turned(ctx context.Context, in chat.Intake) (r refusal, err error) {
	cursors, err := in.Cursors(ctx, Platform)
	if err != nil {
		return r, fmt.Errorf("discord: read cursors: %w", err)
	}
	if json.Unmarshal([]byte(cursors[refusalCursor]), &r) != nil || r.Of != a.settled() {
		return refusal{}, nil
	}
	return r, nil
}

// note writes a note; the zero value takes it back.
func (a *Adapter) note(ctx context.Context, in chat.Intake, r refusal) error {
	b, _ := json.Marshal(r) // plain data
	if err := in.Deliver(ctx, chat.Batch{Platform: Platform, Cursors: map[string]string{refusalCursor: string(b)}}); err != nil {
		return fmt.Errorf("discord: note a refusal: %w", err)
	}
	a.brake.refused = r.Of != ""
	return nil
}

// hold waits until a session may begin. After one was refused for good, the time of this
// attempt is noted first, so that it counts even if the process dies.
func (sh *shard) hold(ctx context.Context, in chat.Intake) error {
	for {
		wait, err := sh.allow(ctx, in)
		if err != nil || wait <= 0 {
			return err
		}
		if !chat.Sleep(ctx, wait) {
			return ctx.Err()
		}
	}
}

// allow returns how long a session has to wait; 0 lets it begin.
func (sh *shard) allow(ctx context.Context, in chat.Intake) (time.Duration, error) {
	sh.brake.mu.Lock()
	defer sh.brake.mu.Unlock()
	r, err := sh.turned(ctx, in)
	if err != nil || r.Of == "" {
		return 0, err
	}
	now := sh.now()
	if wait := min(sh.o.Timing.Refused-now.Sub(r.At), sh.o.Timing.Refused); wait > 0 { // a clock may have been set back
		why := text.Tell("Discord refused the connection (close code %d): %s; it is tried again at %s", r.Code,
			catalog.Words(fixes[r.Code]), now.Add(wait).Format(time.TimeOnly))
		sh.setHealth(why)
		sh.o.Log.Error("discord: waiting before the next session", "err", why)
		return wait, nil
	}
	r.At = now
	return 0, sh.note(ctx, in, r)
}

// noting bounds the attempts to write a refusal down.
const noting = 5 * time.Second

// stop notes that a session was refused for good, even while the process ends.
func (a *Adapter) stop(ctx context.Context, in chat.Intake, code int) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), noting)
	defer cancel()
	a.brake.mu.Lock()
	defer a.brake.mu.Unlock()
	for {
		err := a.note(ctx, in, refusal{Of: a.settled(), Code: code, At: a.now()})
		if err == nil {
			return
		}
		a.o.Log.Error("discord: that the connection was refused is not written down yet", "err", err)
		if !chat.Sleep(ctx, 100*time.Millisecond) {
			return
		}
	}
}

// release takes the note back once a session has begun.
func (a *Adapter) release(ctx context.Context, in chat.Intake) {
	a.brake.mu.Lock()
	defer a.brake.mu.Unlock()
	if !a.brake.refused {
		return
	}
	if err := a.note(ctx, in, refusal{}); err != nil {
		a.o.Log.Warn("discord: that a connection was refused is not forgotten yet", "err", err)
	}
}

// fixes holds the close codes after which reconnecting is pointless, with the
// fix for each.
var fixes = map[int]string{
	4004: "the token is wrong; make a new one in the developer portal under Bot and set discord.token",
	4010: "this number of shards is not allowed for this bot; set discord.shards to auto",
	4011: "the bot is in too many servers for so few shards; set discord.shards to auto",
	4012: "the gateway version is no longer served; update Parley",
	4013: "invalid intents; update Parley",
	4014: "enable Message Content Intent in the developer portal under Bot > Privileged Gateway Intents",
}
